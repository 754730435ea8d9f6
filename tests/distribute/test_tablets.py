"""A table over several servers: what it answers, what a kill leaves, what is refused."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.crawl import canonical_url
from ircourse.distribute import Tablets, load_pages, row_key, tablets_pages, url_of
from ircourse.distribute.tablets_cells import MAX_VALUE, packed
from ircourse.distribute.tablets_lock import LOCK
from ircourse.distribute.tablets_log import MAX_RECORD, CommitLog, Damaged, framed
from ircourse.types import Link, Page
from ircourse.web import tiny_web

THREE = ("a", "b", "c")
SMALL = {"tablet_bytes": 500, "memory_bytes": 60, "durable": False}
HOSTILE = [
    "",
    "\0",
    "a",
    "a\0",
    "ab",
    "b",
    "é",
    "\n",
    '"',
    "\ud83d\ude00",
    "\ud83d",
    "😀",
    "\uffff",
    "../x",
    "x" * 300,
]

rows = st.sampled_from(HOSTILE) | st.text(max_size=3)
columns = st.sampled_from(["text", "title", "anchor:a.example", "anchor:b.example", "anchor:\ud83d\0"])
cells = st.dictionaries(columns, st.text(max_size=40) | st.sampled_from(HOSTILE), min_size=1, max_size=3)
puts = st.tuples(st.just("put"), rows, cells)
deletes = st.tuples(st.just("delete"), rows, st.none() | columns | st.just("anchor"))
others = st.tuples(
    st.sampled_from(["kill", "join", "balance", "join_small", "flush", "reopen", "tear"]),
    st.integers(0, 9),
    st.none(),
)
operations = st.lists(puts | puts | puts | deletes | others, max_size=40)


class Killed(Exception):
    """Raised by a watcher: what runs stops here."""


class Played:
    """A table beside a plain dictionary."""

    def __init__(self, folder, moments=(), whole=False):
        self.folder, self.moments, self.whole = Path(folder), set(moments), whole
        self.seen, self.events, self.right = 0, [], {}
        self.table = Tablets(folder, THREE, watch=self.watch, **SMALL)

    def watch(self, event):
        self.events.append(event)
        self.seen += 1
        if self.seen in self.moments:
            raise Killed(event.server)

    def reopen(self, tear=b""):
        self.table.close()
        if tear:
            for log in self.folder.glob("log-*"):
                log.write_bytes(log.read_bytes() + tear)
        self.table = Tablets(self.folder, watch=self.watch, **SMALL)

    def do(self, name, first, second):
        names = [server.name for server in self.table.servers()]
        if name == "put":
            self.table.put(first, second)
        elif name == "delete":
            self.table.delete(first, second)
        elif name == "kill" and sum(server.up for server in self.table.servers()) > 1:
            self.table.kill(names[first % len(names)])
        elif name == "join" and len(names) < 6 and f"new-{first}" not in names:
            self.table.add_server(f"new-{first}")
        elif name in ("balance", "join_small", "flush"):
            getattr(self.table, name)()
        elif name == "reopen":
            self.reopen()
        elif name == "tear":
            self.reopen(framed(b"the change that a kill cut off")[: first + 1])

    def wanted(self, name, first, second):
        right = {row: dict(columns) for row, columns in self.right.items()}
        if name == "put":
            right.setdefault(first, {}).update(second)
        if name == "delete" and first in right:
            for column in [c for c in right[first] if second in (None, c, c.partition(":")[0])]:
                del right[first][column]
        return {row: columns for row, columns in right.items() if columns}

    def die(self, server):
        """End the process, or one server of it."""
        up = [each.name for each in self.table.servers() if each.up]
        if self.whole or up == [server]:
            self.reopen()
        elif server in up:
            try:
                self.table.kill(server)
            except Killed as killed:
                self.die(str(killed))

    def rows(self):
        """Read all, which may recover tablets, and die in that."""
        while True:
            try:
                return dict(self.table.scan())
            except Killed as killed:
                self.die(str(killed))

    def play(self, operations):
        for operation in operations:
            after = self.wanted(*operation)
            try:
                self.do(*operation)
            except Killed as killed:  # what was being done is done or not; all else stands
                self.die(str(killed))
                now = self.rows()
                assert now in (self.right, after)
                after = now
            self.right = after
        assert self.rows() == self.right
        self.moments = set()
        assert list(self.table.scan()) == sorted(self.right.items())


@settings(max_examples=80)
@given(operations)
def test_a_table_is_a_dictionary_in_order_whoever_dies(operations):
    with TemporaryDirectory() as folder:
        played = Played(folder)
        played.play(operations)
        for row in {row for name, row, _ in operations if name in ("put", "delete")}:
            assert played.table.get(row) == played.right.get(row, {})
            assert list(played.table.scan(row)) == sorted(x for x in played.right.items() if x[0] >= row)
        played.reopen()
        assert list(played.table.scan()) == sorted(played.right.items())
        check_files(played)
        played.table.close()


def check_files(played):
    """No file is left over, and tablets follow each other."""
    views = played.table.tablets()
    assert [view.start for view in views] == ["", *(view.end for view in views[:-1])] and views[
        -1
    ].end is None
    logs = {f"log-{server.name}" for server in played.table.servers()}
    used = {
        played.table._catalogue.path(run.number, family).name
        for tablet in played.table._catalogue.tablets
        for run in tablet.runs
        for family in run.sizes
    }
    assert {path.name for path in played.folder.iterdir()} == logs | used | {"catalogue", LOCK}


@settings(max_examples=150)
@given(operations, st.sets(st.integers(1, 60), max_size=5), st.booleans())
def test_a_kill_at_any_moment_loses_nothing(operations, moments, whole):
    with TemporaryDirectory() as folder:
        played = Played(folder, moments, whole)
        played.play(operations)
        played.reopen()
        assert list(played.table.scan()) == sorted(played.right.items())
        check_files(played)
        played.table.close()


def busy():
    """Operations in which each kind of event happens."""
    more = [("put", f"{i % 12:02}", {"text": f"{i:03}" * 20, "title": str(i)}) for i in range(20)]
    kills = [("kill", 0, None), ("put", "00", {"text": "after"}), ("join", 1, None), ("balance", 0, None)]
    deletes = [("delete", f"{i:02}", None) for i in range(3, 12)]
    return (
        more
        + kills
        + deletes
        + [("flush", 0, None)]
        + [("put", "00", {"text": "x" * 70})] * 6
        + [("join_small", 0, None)]
    )


def test_every_moment_in_turn(tmp_path):
    played = Played(tmp_path / "all")
    played.play(busy())
    kinds = {event.kind for event in played.events}
    assert kinds == {"logged", "in memory", "run written", "listed", "log cleared", "split", "joined tablets",
                     "killed", "recovered", "left", "joined", "moved"}  # fmt: skip
    played.table.close()
    firsts = {}
    for moment, event in enumerate(played.events, 1):
        firsts.setdefault(event.kind, []).append(moment)
    for kind in sorted(firsts):
        for moment in sorted({firsts[kind][0], firsts[kind][-1]}):
            for whole in {moment == firsts[kind][0], False}:
                one = Played(tmp_path / f"{kind}-{moment}-{whole}", [moment], whole)
                one.play(busy())
                one.table.close()


def test_a_log_cut_at_any_byte_ends_with_the_last_whole_change(tmp_path):
    with Tablets(tmp_path, ["a"], durable=False) as table:
        states, sizes = [{}], [0]
        for i in range(4):
            table.put(f"row {i % 3}", {"title": f"é{i}"})
            states.append(dict(table.scan()))
            sizes.append(table.servers()[0].log - len(framed(b"")))  # the seal
    log = tmp_path / "log-a"
    whole = log.read_bytes()
    for cut in range(len(whole)):
        for tail in (b"", bytes(20)):  # some file systems leave zeros
            log.write_bytes(whole[:cut] + tail)
            last = max(i for i, size in enumerate(sizes) if size <= cut)
            with Tablets(tmp_path, durable=False) as table:
                assert dict(table.scan()) == states[last]
                table.put("row 9", {"title": "more"})
            with Tablets(tmp_path, durable=False) as table:
                assert dict(table.scan()) == states[last] | {"row 9": {"title": "more"}}


def read_whole(folder):
    with Tablets(folder, durable=False) as table:
        return list(table.scan())


@pytest.mark.parametrize("name", ["log-a", "catalogue", "run-000001.text", "run-000001.title"])
def test_any_byte_changed_is_refused(tmp_path, name):
    with Tablets(tmp_path, ["a"], durable=False) as table:
        for i in range(3):
            table.put(f"row {i}", {"title": f"a title {i}", "text": "a text"})
        if name.startswith("run"):
            table.flush()
    path = tmp_path / name
    whole = path.read_bytes()
    last_seal = len(framed(b"")) if name == "log-a" else 0  # nothing is lost with it
    for at in range(len(whole) - last_seal):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << at % 8)]) + whole[at + 1 :])
        with pytest.raises(Damaged, match=f"{name} is damaged at byte .* put back a copy"):
            read_whole(tmp_path)
    path.write_bytes(whole)
    with Tablets(tmp_path) as table:
        assert len(list(table.scan())) == 3


def test_a_damaged_log_is_not_recovered_from_and_nothing_changes(tmp_path):
    with Tablets(tmp_path, THREE, durable=False) as table:
        table.put("a", {"text": "1"})
        table.put("b", {"text": "2"})
        table.kill("a")
        log = tmp_path / "log-a"
        whole = log.read_bytes()
        log.write_bytes(b"\1" + whole)
        for _ in range(2):
            with pytest.raises(Damaged):
                table.get("a")
        log.write_bytes(whole)
        assert [row for row, _ in table.scan()] == ["a", "b"]


@pytest.mark.parametrize(
    "value", [[1, "a"], [1, "a", {"text": 7}], ["1", "a", {}], [1, 2, {}], [1, "a", {"x": "y"}], 7]
)
def test_what_is_no_change_is_refused(tmp_path, value):
    Tablets(tmp_path, ["a"], durable=False).close()
    (tmp_path / "log-a").write_bytes(framed(packed(value)))
    with pytest.raises(Damaged, match="no change of a row"):
        Tablets(tmp_path)
    (tmp_path / "log-a").write_bytes(framed(b"[" * 100_000))
    with pytest.raises(Damaged, match="no JSON"):
        Tablets(tmp_path)


@pytest.mark.parametrize(
    "tablet",
    [
        ["", None, "a", 0, [["../../x", {"text": 1}]]],
        ["", None, "a", 0, [[1, {"../x": 1}]]],
        ["", None, "nobody", 0, []],
        ["", "b", "a", 0, []],
        ["b", None, "a", 0, []],
        ["", None, "a", "0", []],
    ],
)
def test_a_catalogue_of_somebody_else_is_refused(tmp_path, tablet):
    Tablets(tmp_path, ["a"], durable=False).close()
    (tmp_path / "catalogue").write_bytes(framed(packed([1, ["a"], 5, [tablet]])))
    with pytest.raises(Damaged):
        Tablets(tmp_path)
    (tmp_path / "catalogue").write_bytes(framed(packed([1, ["../a"], 5, [["", None, "../a", 0, []]]])))
    with pytest.raises(ValueError, match=r"server '\.\./a'"):
        Tablets(tmp_path)
    (tmp_path / "catalogue").write_bytes(framed(packed([2, ["a"]])))
    with pytest.raises(ValueError, match="format 2, not 1"):
        Tablets(tmp_path)


def test_columns_are_read_apart(tmp_path):
    with Tablets(tmp_path, THREE, durable=False) as table:
        for i in range(50):
            table.put(f"{i:02}", {"text": "long " * 100, "title": str(i), f"anchor:{i % 2}.example": "here"})
        table.flush()
        for column, family in (("title", "title"), ("anchor", "anchor"), ("anchor:1.example", "anchor")):
            table.read.clear()
            found = list(table.scan(column=column))
            assert len(found) == (25 if ":" in column else 50) and set(table.read) == {family}
        # A column is there though every file of the others is gone.
        for path in [*tmp_path.glob("*.text"), *tmp_path.glob("*.anchor")]:
            path.unlink()
        assert [cells for _, cells in table.scan(column="title")] == [{"title": str(i)} for i in range(50)]
        with pytest.raises(Damaged, match="the file is missing"):
            table.get("07")


def test_a_row_is_found_without_reading_all(tmp_path):
    with Tablets(tmp_path, ["a"], durable=False) as table:
        table.put_all((f"{i:04}", {"text": "word " * 20}) for i in range(2000))
        table.flush()
        table.read.clear()
        assert table.get("1234", "text") == {"text": "word " * 20}
        assert 0 < table.read["text"] < 12_000 < table.tablets()[0].bytes


def test_tablets_split_join_and_spread(tmp_path):
    with Tablets(tmp_path, THREE, **SMALL) as table:
        for i in range(60):
            table.put(f"{i:02}", {"text": "word " * 8})
        table.flush()
        many = table.tablets()
        assert len(many) > 10 and {view.server for view in many} == set(THREE)
        assert max(len(server.tablets) for server in table.servers()) <= len(many) // 3 + 2
        for i in range(60):
            if i % 20:
                table.delete(f"{i:02}")
        table.join_small()
        assert len(table.tablets()) < 4
        assert [row for row, _ in table.scan()] == ["00", "20", "40"]


def test_one_row_is_never_split(tmp_path):
    with Tablets(tmp_path, ["a"], **SMALL) as table:
        for i in range(20):
            table.put("row", {f"anchor:{i}.example": "x" * 100})
        assert len(table.tablets()) == 1 and len(table.get("row")) == 20


def test_the_last_server_dies_and_another_comes(tmp_path):
    with Tablets(tmp_path, ["a"], durable=False) as table:
        table.put("row", {"title": "kept"})
        table.kill("a")
        with pytest.raises(ValueError, match="no server is up"):
            table.get("row")
        with pytest.raises(ValueError, match="no server is up"):
            table.put("row", {"title": "no"})
        table.add_server("b")
        assert table.get("row") == {"title": "kept"}
        assert [server.name for server in table.servers()] == ["b"]
        table.add_server("a")  # back, with nothing of what it had
        table.kill("b")
        assert table.get("row") == {"title": "kept"}
    with Tablets(tmp_path) as table:
        assert table.get("row") == {"title": "kept"}


def test_changes_are_brought_to_the_disk_where_asked(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    for durable in (True, False):
        with Tablets(tmp_path / str(durable), ["a"], durable=durable) as table:
            synced.clear()
            table.put("row", {"title": "x"})
            assert len(synced) == durable
            table.put_all((str(i), {"title": "x"}) for i in range(5))
            assert len(synced) == 2 * durable
            table.delete("row")
            assert len(synced) == 3 * durable
            table.delete("row")  # nothing there, nothing to write
            table.flush()
            assert (len(synced) > 3) == durable


def test_a_full_disk_leaves_the_log_whole(tmp_path):
    class Full:
        """A file that takes ten bytes more."""

        def __init__(self, file):
            self.file, self.left = file, 10

        def write(self, data):
            if not self.left:
                raise OSError("no space left")
            self.left -= (n := self.file.write(data[: self.left]))
            return n

        def truncate(self, size):
            return self.file.truncate(size)

    log = CommitLog(tmp_path / "log", durable=False, new=True)
    log.append(b"first")
    file, log._stream = log._stream, Full(log._stream)
    with pytest.raises(OSError):
        log.append(b"second")
    log._stream = file
    log.append(b"third")
    assert log.read() == [b"first", b"third"]
    log.close()


def test_a_change_that_fails_is_nowhere(tmp_path, monkeypatch):
    with Tablets(tmp_path, THREE, durable=False) as table:
        table.put("row", {"title": "old"})
        with monkeypatch.context() as patch:
            patch.setattr(CommitLog, "append", lambda self, payload: [][0])
            with pytest.raises(IndexError):
                table.put("row", {"title": "new"})
        assert table.get("row") == {"title": "old"}


def test_a_change_that_is_logged_is_kept_though_memory_never_had_it(tmp_path):
    def watch(event):
        if event.kind == "logged":
            raise Killed(event.server)

    with Tablets(tmp_path, THREE, durable=False, watch=watch) as table:
        with pytest.raises(Killed):
            table.put("row", {"title": "logged"})
        table.kill("a")
        assert table.get("row") == {"title": "logged"}


def test_a_server_of_an_old_name_has_nothing_of_the_old_log(tmp_path):
    def watch(event):
        if event.kind == "left":
            raise Killed(event.server)

    with Tablets(tmp_path, ["a", "b"], durable=False, watch=watch) as table:
        table.put("row", {"title": "old"})
        table.kill("a")
        with pytest.raises(Killed):
            table.recover("a")
        assert (tmp_path / "log-a").stat().st_size
        table.put("row", {"title": "new"})
        table.add_server("a")
        assert not (tmp_path / "log-a").stat().st_size
        assert table.get("row") == {"title": "new"}
    (tmp_path / "log-gone").write_bytes(b"of a server that is no more")
    with Tablets(tmp_path) as table:
        assert table.get("row") == {"title": "new"} and not (tmp_path / "log-gone").exists()


def test_bad_input_is_told(tmp_path):
    table = Tablets(tmp_path, THREE, durable=False)
    table.put("row", {"title": "there"})
    for bad, error in [
        (lambda: Tablets(tmp_path / "new"), "give the names of its servers"),
        (lambda: Tablets(tmp_path / "new", []), "give the names of its servers"),
        (lambda: Tablets(tmp_path / "new", ["../a"]), "server '../a'"),
        (lambda: Tablets(tmp_path / "new", ["A"]), "server 'A'"),
        (lambda: Tablets(tmp_path, tablet_bytes=0), "tablet_bytes is 0"),
        (lambda: Tablets(tmp_path, memory_bytes=-1), "memory_bytes is -1"),
        (lambda: table.put("row", {"body": "x"}), "column 'body'"),
        (lambda: table.put("row", {"anchor": "x"}), "column 'anchor'"),
        (lambda: table.put("row", {"anchor:": "x"}), "column 'anchor:'"),
        (lambda: table.put("row", {"text:": "x"}), "column 'text:'"),
        (lambda: table.put("row", {"title:a": "x"}), "column 'title:a'"),
        (lambda: table.put("x" * 20_000, {"text": "x"}), "a row takes 20,000 bytes"),
        (lambda: table.put("row", {"anchor:" + "é" * 600: "x"}), "a column takes 1,207 bytes"),
        (
            lambda: table.put("row", {"text": "x" * (1 << 23) + "x"}),
            "the value of 'text' takes 8,388,609 bytes",
        ),
        (lambda: table.scan(column="x").__next__(), "column 'x'"),
        (lambda: table.kill("z"), "there is no server 'z'"),
        (lambda: table.recover("a"), "server a is up"),
        (lambda: table.add_server("a"), "there is a server a"),
        (lambda: table.add_server("a/b"), "server 'a/b'"),
        (lambda: framed(bytes(MAX_RECORD + 1)), "give at most"),
        (lambda: row_key("http://Harbour.example"), "not a canonical URL"),
    ]:
        with pytest.raises(ValueError, match=error):
            bad()
    for bad in (
        lambda: Tablets(tmp_path / "new", "abc"),
        lambda: table.put(7, {"text": "x"}),
        lambda: table.put("row", {"text": 7}),
        lambda: table.put("row", {7: "x"}),
        lambda: table.put("row", "text"),
        lambda: table.get(None),
        lambda: list(table.scan(1)),
        lambda: list(table.scan("a", 2)),
    ):
        with pytest.raises(TypeError):
            bad()
    assert list(table.scan()) == [("row", {"title": "there"})]
    assert [server.log for server in table.servers()].count(0) == 2
    table.close()
    with pytest.raises(ValueError, match="has the servers a, b, c"):
        Tablets(tmp_path, ["other"])


def test_put_all_keeps_what_came_before_a_bad_row(tmp_path):
    with Tablets(tmp_path, THREE, durable=False) as table:
        with pytest.raises(ValueError):
            table.put_all([("a", {"text": "1"}), ("b", {"wrong": "2"})])
        assert list(table.scan()) == [("a", {"text": "1"})]


URLS = [
    "http://www.harbour.example/",
    "https://harbour.example/?q#",
    "http://a.example:81/x",
    "https://a.example:81/x",
    "http://[::1]/",
    "https://[::1]:8080/a:b/[",
    "http://127.0.0.1/",
    "http://1.0.0.127/",
    "http://a.b.c.d.example./",
]


@given(
    st.sampled_from(URLS)
    | st.from_regex(r"https?://[a-z0-9.\[\]:-]{1,12}(:[0-9]{1,4})?/[a-z:/?.]{0,6}", fullmatch=True)
)
def test_a_row_is_its_url_and_no_other(url):
    url = canonical_url(url)
    if url is not None:
        assert url_of(row_key(url)) == url


def test_a_domain_is_a_range(tmp_path):
    urls = [
        "http://harbour.example/",
        "http://www.harbour.example/a",
        "https://ferries.harbour.example/",
        "http://inn.example/",
    ]
    with Tablets(tmp_path, THREE, durable=False) as table:
        load_pages(table, [Page(url) for url in urls])
        assert {url_of(row) for row, _ in table.scan("example.harbour", "example.harbour0")} == set(urls[:3])


def test_loading_a_crawl(tmp_path):
    web = tiny_web()
    pages = [page for page in web.values() if canonical_url(page.url) == page.url]
    with Tablets(tmp_path, THREE, tablet_bytes=20_000, memory_bytes=10_000, durable=False) as table:
        assert load_pages(table, pages) == len(pages) > 50
        table.kill("b")
        first = list(table.scan())
        anchors = {}
        for page in pages:
            assert (cells := table.get(row_key(page.url)))["text"] == page.text and cells[
                "title"
            ] == page.title
            for link in page.links:
                host = page.url.split("/")[2]
                texts = anchors.setdefault((row_key(link), f"anchor:{host}"), [])
                if link.anchor and link.anchor not in texts:
                    texts.append(link.anchor)
        stored = {
            (row, column): value
            for row, cells in table.scan(column="anchor")
            for column, value in cells.items()
        }
        assert stored == {key: "\n".join(texts) for key, texts in anchors.items()}
        load_pages(table, pages)  # a second crawl of the same pages changes nothing
        assert list(table.scan()) == first and len(table.tablets()) > 2


def test_hostile_pages(tmp_path, monkeypatch):
    assert 4 * tablets_pages.MOST_TEXT <= MAX_VALUE
    monkeypatch.setattr(tablets_pages, "MOST_TEXT", 1000)
    links = [Link("http://b.example/", f"text {i}\n\n{'x' * 3000}") for i in range(300)]
    links += [Link("javascript:alert(1)", "x"), Link("", "x"), Link("\ud800", "x")]
    with Tablets(tmp_path, THREE, durable=False) as table:
        load_pages(table, [Page("http://a.example/", "\ud800" * 2000, "<img onerror=x>\0", links)])
        assert len(table.get("example.a/")["text"]) == 1000
        (anchor,) = table.get("example.b/").values()
        assert len(lines := anchor.split("\n")) == 100 and max(map(len, lines)) == 1000
        assert len(list(table.scan())) == 2
        with pytest.raises(ValueError, match="canonical"):
            load_pages(table, [Page("A")])
