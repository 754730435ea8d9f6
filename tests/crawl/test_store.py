"""The page store: what goes in comes out, in order, with its history; WARC as the standard has it."""

import gzip
import io
import os
import sqlite3
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from ircourse.crawl.store import index as store_index
from ircourse.crawl.store import store as store_module
from ircourse.crawl.store.store import PageStore
from ircourse.types import Response

A, B, C = "http://a.example/", "http://b.example/x?y=1", "https://c.example/"
PAGE = Response(200, {"content-type": "text/html", "server": "quay"}, b"<p>ferries")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "pages"


def contents(store):
    """Everything that a store tells of its pages."""
    return {url: store.history(url) for url in store}


def test_what_goes_in_comes_out(folder):
    with PageStore(folder) as store:
        store.add(A, PAGE, date=86400.5)
        store.add(B, Response(404, {}, b""))
        assert (A in store, C in store, 7 in store, len(store), list(store)) == (
            True,
            False,
            False,
            2,
            [A, B],
        )
        found = store[A]
        assert (found.status, found.headers, found.body, found.url) == (200, PAGE.headers, PAGE.body, A)
        assert found.date == datetime(1970, 1, 2, 0, 0, 0, 500_000, UTC)
        before = contents(store)
    with PageStore(folder) as store:
        assert contents(store) == before
        assert store.get(C) is None
        assert store.history(C) == []
        with pytest.raises(KeyError, match=r"c\.example"):
            store[C]


def test_history_and_bodies_that_repeat(folder):
    large = PAGE.__class__(200, PAGE.headers, os.urandom(50_000))
    with PageStore(folder) as store:
        for date, response in enumerate([large, large, Response(304), Response(410), large, Response(304)]):
            store.add(A, response, date=float(date))
        history = store.history(A)
        assert [(each.status, each.date.timestamp()) for each in history] == [
            (200, 0), (200, 1), (200, 2), (410, 3), (200, 4), (200, 5),
        ]  # fmt: skip
        assert [each.body == large.body for each in history] == [True, True, True, False, True, True]
        assert (len(store), store[A]) == (1, history[-1])
    size = sum(path.stat().st_size for path in folder.glob("*.gz"))
    assert size < 2 * 50_000 + 5000  # once, and again after another body came between


headers = st.dictionaries(
    st.sampled_from(["content-type", "server", "x-robots-tag", "content-length", "content-encoding"])
    | st.sampled_from(["transfer-encoding", "etag", "x-y"]),
    st.text(st.characters(min_codepoint=33, max_codepoint=255, exclude_characters="\x85\xa0"), max_size=9),
    max_size=5,
)


@given(
    st.lists(st.tuples(st.sampled_from([A, B, C]), st.integers(200, 303), headers, st.binary(max_size=60)))
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
def test_any_answers_survive_the_loss_of_the_index(tmp_path_factory, answers):
    folder = tmp_path_factory.mktemp("any")
    with PageStore(folder) as store:
        for number, (url, *rest) in enumerate(answers):
            store.add(url, Response(*rest), date=float(number))
        before = contents(store)
        for url in store:
            expected = [Response(*rest) for each, *rest in answers if each == url]
            assert [Response(s.status, s.headers, s.body) for s in store.history(url)] == expected
    (folder / "index.sqlite").unlink()
    with PageStore(folder) as store:
        assert contents(store) == before
        store.add(C, PAGE)
        assert store[C].body == PAGE.body
    assert len(list(folder.glob("*.gz"))) <= 1


def test_another_reader_agrees(folder):
    with PageStore(folder, about={"robots": "classic", "operator": "a library\r\nfake: x"}) as store:
        store.add(A, PAGE, request={"User-Agent": "ircourse", "Referer": B})
        store.add(A, PAGE)
        store.add(B, Response(200, {"content-encoding": "gzip", "content-length": "3"}, b"unpacked"))
    (path,) = folder.glob("*.gz")
    with path.open("rb") as stream:
        records = []
        for record in ArchiveIterator(stream, check_digests="raise"):
            body = record.content_stream().read()
            records.append((record.rec_type, record.rec_headers["WARC-Target-URI"], record, body))
    assert [kind for kind, *_ in records] == ["warcinfo", "request", "response", "revisit", "response"]
    assert b"robots: classic\r\n" in records[0][3]
    request, response, revisit = (record for _, _, record, _ in records[1:4])
    assert request.rec_headers["WARC-Concurrent-To"] == response.rec_headers["WARC-Record-ID"]
    assert request.http_headers.get_header("Host") == "a.example"
    assert (response.http_headers.get_statuscode(), records[2][3]) == ("200", PAGE.body)
    assert revisit.rec_headers["WARC-Refers-To-Date"] == response.rec_headers["WARC-Date"]
    assert records[4][3] == b"unpacked"
    assert len({record.rec_headers["WARC-Record-ID"] for _, _, record, _ in records}) == 5


def test_state_and_tables_of_the_crawl_share_the_commit(folder):
    with PageStore(folder) as store:
        store.connection.execute("CREATE TABLE crawl_seen (url TEXT)")
        store.add(A, PAGE)
        store.state["frontier"] = b"\0one"
        store.connection.execute("INSERT INTO crawl_seen VALUES (?)", (A,))
        store.commit(durable=True)
        store.add(B, PAGE)
        store.state["frontier"] = b"two"
        store.connection.execute("DELETE FROM crawl_seen")
        store.rollback()
        assert (list(store), dict(store.state)) == ([A], {"frontier": b"\0one"})
        store.add(C, PAGE)
    with PageStore(folder) as store:
        assert (list(store), len(store.state)) == ([A, C], 1)
        assert store.connection.execute("SELECT * FROM crawl_seen").fetchall() == [(A,)]
        assert store[C].body == PAGE.body
        del store.state["frontier"]
        with pytest.raises(KeyError):
            store.state["frontier"]


def test_files_roll_at_a_commit(folder):
    with PageStore(folder, max_file=1000) as store:
        for number in range(12):
            store.add(f"{A}{number}", Response(200, {}, os.urandom(200)))
            store.commit()
    with PageStore(folder, max_file=1000) as store:
        assert [len(store[url].body) for url in store] == [200] * 12
    sizes = [path.stat().st_size for path in folder.glob("pages-*.warc.gz")]
    assert len(sizes) > 3
    assert 0 < min(sizes) <= max(sizes) < 2000


def test_reading_goes_on_beside_one_writer(folder):
    writer, other = PageStore(folder), PageStore(folder)
    writer.add(A, PAGE)
    assert list(other) == []
    writer.commit()
    assert (list(other), other[A].body) == ([A], PAGE.body)
    with pytest.raises(ValueError, match="another crawl writes"):
        other.add(B, PAGE)
    writer.close()
    other.add(B, PAGE)
    other.close()
    with PageStore(folder) as store:
        assert list(store) == [A, B]


def test_a_file_that_comes_during_a_crawl_waits_for_its_commit(folder, monkeypatch):
    monkeypatch.setattr(store_index, "PATIENCE", 0)
    writer = PageStore(folder)
    writer.add(A, PAGE)
    (folder / "x.warc").write_bytes(
        f"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: {B}\r\nContent-Length: 0\r\n\r\n".encode()
    )
    with PageStore(folder) as store:
        assert list(store) == []
    writer.close()
    with PageStore(folder) as store:
        assert list(store) == [A, B]


def test_a_store_forgotten_lets_go_of_its_lock(folder):
    PageStore(folder).add(A, PAGE)
    with PageStore(folder) as store:
        store.add(B, PAGE)
        assert list(store) == [B]  # the first was never committed


@pytest.mark.parametrize(
    ("url", "response", "said"),
    [
        ("", PAGE, "'' is no URL"),
        ("http://a.example/\r\nx", PAGE, "is no URL"),
        (A, Response(20), "status 20: a number from 100 to 999"),
        (A, Response(200, {}, b"x" * 5000), "5019 bytes; 4000 at most"),
    ],
)
def test_what_cannot_be_stored_is_told_and_nothing_is_lost(folder, monkeypatch, url, response, said):
    monkeypatch.setattr(store_module, "MAX_BLOCK", 4000)
    with PageStore(folder) as store:
        store.add(B, PAGE)
        with pytest.raises(ValueError, match=said):
            store.add(url, response)
        assert contents(store).keys() == {B}


def test_a_full_disk_leaves_whole_records(folder, monkeypatch):
    with PageStore(folder) as store:
        store.add(A, PAGE)
        stream = store._archive._stream
        store._archive._stream = Full(stream)
        with pytest.raises(OSError, match="no space"):
            store.add(B, PAGE)
        store._archive._stream = stream
        store.add(C, PAGE)
        assert list(store) == [A, C]
        assert store[C].body == PAGE.body


class Full(io.RawIOBase):
    """A file on a disk that is full after ten bytes."""

    def __init__(self, stream):
        self.stream, self.room = stream, 10

    def write(self, data):
        if not self.room:
            raise OSError("no space left on device")
        self.room = 0
        return self.stream.write(data[:10])

    def truncate(self, size):
        return self.stream.truncate(size)


def test_an_index_that_is_none_is_told(folder):
    folder.mkdir()
    (folder / "index.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(ValueError, match=r"is no index .*remove it"):
        PageStore(folder)
    (folder / "index.sqlite").unlink()
    with PageStore(folder) as store:
        assert sqlite3.sqlite_version
        assert len(store) == 0


def test_records_do_not_depend_on_the_level_of_compression(tmp_path):
    for level in (1, 9):
        with PageStore(tmp_path / str(level), level=level) as store:
            store.add(A, PAGE, date=0.0)
    files = [gzip.decompress(next((tmp_path / name).glob("*.gz")).read_bytes()) for name in "19"]
    assert files[0] == files[1]


def test_a_page_as_it_was_and_errors_passed_over(folder):
    with PageStore(folder) as store:
        for date, response in enumerate(
            [Response(200, {}, b"one"), Response(410), Response(200, {}, b"two")]
        ):
            store.add(A, response, date=float(date))
        store.add(A, Response(404), date=3.0)
        store.add(B, Response(404, {}, b"x"), date=9.0)
        assert [store.get(A, at=at).body for at in (0, 1, 2, 3)] == [b"one", b"one", b"two", b"two"]
        assert store.get(A).body == b"two" and store[A].status == 404
        assert store.get(A, at=datetime.fromtimestamp(1.5, UTC)).body == b"one"
        assert store.get(B).status == 404 and store.get(A, at=-1) is None
        nothing = store.get(C, PAGE)
        assert nothing is PAGE
        captures = list(store.captures(A))
        assert [(c.date.timestamp(), c.status, c.kind) for c in captures] == [
            (0.0, 200, "response"),
            (1.0, 410, "response"),
            (2.0, 200, "response"),
            (3.0, 404, "response"),
        ]
        assert captures[0].digest != captures[2].digest and list(store.captures(C)) == []


def test_the_dead_are_marked_until_they_answer(folder):
    with PageStore(folder) as store:
        store.add(A, PAGE, date=1.0)
        store.bury(A, 5.0)
        store.bury(C)  # what is not there cannot be gone
        assert store.gone(A) == datetime.fromtimestamp(5, UTC) and store.gone(C) is None
        store.rollback()
        store.add(A, PAGE, date=1.0)
        assert store.gone(A) is None
        store.bury(A)
    with PageStore(folder) as store:
        assert store.gone(A) is not None and store[A].body == PAGE.body
        store.add(A, Response(304), date=7.0)
        assert store.gone(A) is None
