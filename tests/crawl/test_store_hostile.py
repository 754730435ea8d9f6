"""The page store over an index and files that somebody made to deceive."""

import gzip
import os
import re
import shutil
import sqlite3
from contextlib import closing

import pytest

from ircourse.crawl.crawler.ledger import Ledger
from ircourse.crawl.crawler.schedule import Schedule
from ircourse.crawl.seen import SeenUrls
from ircourse.crawl.store.members import Members
from ircourse.crawl.store.schema import check_schema
from ircourse.crawl.store.store import PageStore
from ircourse.types import Response

A, B = "http://a.example/", "http://b.example/"
NAME = "pages-00000.warc.gz"


@pytest.fixture
def folder(tmp_path):
    with PageStore(tmp_path / "pages") as store:
        store.add(A, Response(200, {}, b"rose"), date=1.0)
    return tmp_path / "pages"


def forge(folder, script):
    with closing(sqlite3.connect(folder / "index.sqlite")) as db:
        db.executescript(script)


def write(folder):
    with PageStore(folder) as store:
        store.state["x"] = b"1"
        store.add(B, Response(200, {}, b"ours"))


@pytest.mark.parametrize("name", ["../victim.txt", "{}/victim.txt", "..", "victim.txt", "a\0b", ""])
def test_a_file_that_the_store_did_not_name_is_never_its_own(folder, name):
    victims = [folder.parent / "victim.txt", folder / "victim.txt"]
    for victim in victims:
        victim.write_bytes(b"precious")
    name = name.format(folder.parent).replace("\0", "'||char(0)||'")
    forge(folder, f"INSERT INTO files (name, size, own) VALUES ('{name}', 0, 1)")
    with pytest.raises(ValueError, match="the index is damaged, it names the file"):
        write(folder)
    assert [victim.read_bytes() for victim in victims] == [b"precious"] * 2


def test_a_page_is_not_read_from_another_folder(folder):
    shutil.copytree(folder, folder.parent / "other")
    forge(folder, f"INSERT INTO files VALUES (7, '../other/{NAME}', 0, 0, ''); UPDATE pages SET file = 7")
    with pytest.raises(ValueError, match=re.escape(f"it names the file '../other/{NAME}'")):
        PageStore(folder)


def link(path, target):
    try:
        path.symlink_to(target)
    except OSError:
        pytest.skip("no links here")


def test_a_link_in_the_place_of_an_own_file_is_not_written_to(folder):
    victim = folder.parent / "victim.txt"
    victim.write_bytes(b"precious")
    (folder / NAME).unlink()
    link(folder / NAME, victim)
    write(folder)
    assert victim.read_bytes() == b"precious"
    with PageStore(folder) as store:
        assert (list(store), store[B].body, list(store.damaged)) == ([B], b"ours", [NAME])


def test_a_link_to_another_stores_file_is_read_and_left_alone(folder):
    before, other = (folder / NAME).read_bytes(), folder.parent / "other"
    other.mkdir()
    link(other / NAME, folder / NAME)
    write(other)
    assert (folder / NAME).read_bytes() == before
    with PageStore(other) as store:
        assert [store[url].body for url in (A, B)] == [b"rose", b"ours"]


def test_a_link_put_there_while_a_store_is_open_is_not_written_to(folder):
    victim = folder.parent / "victim.txt"
    victim.write_bytes(b"precious")
    with PageStore(folder) as store:
        (folder / NAME).unlink()
        link(folder / NAME, victim)
        with pytest.raises(ValueError, match=r"pages-00000\.warc\.gz is a link or no file"):
            store.add(B, Response(200))
    assert victim.read_bytes() == b"precious"


@pytest.mark.parametrize("name", ["index.sqlite", "lock.sqlite"])
def test_a_link_in_the_place_of_the_index_or_lock_is_refused(folder, name):
    victim = folder.parent / "victim.sqlite"
    (folder / name).replace(victim)
    before = victim.read_bytes()
    link(folder / name, victim)
    with pytest.raises(ValueError, match=f"{name} is a link"):
        write(folder)
    assert victim.read_bytes() == before


def test_what_is_no_file_is_left_out(folder):
    (folder / "folder.warc").mkdir()
    link(folder / "nowhere.warc.gz", folder / "not there")
    with PageStore(folder) as store:
        assert (list(store), store.damaged) == ([A], {})


@pytest.mark.parametrize(
    "script",
    [
        "DROP TABLE files; CREATE VIEW files AS WITH RECURSIVE r(id) AS (SELECT 1 UNION ALL SELECT id + 1 "
        "FROM r) SELECT id, 'x' name, 0 size, 0 own, '' damage FROM r WHERE id < 0",
        "CREATE VIEW waiting AS SELECT 1",
        "CREATE TRIGGER t AFTER INSERT ON pages BEGIN DELETE FROM pages; END",
        "CREATE UNIQUE INDEX more ON pages (date)",
        "DROP TABLE state; CREATE TABLE state (name TEXT PRIMARY KEY)",
        "DROP TABLE pages; CREATE TABLE pages (a)",
        "DROP TABLE state; CREATE VIRTUAL TABLE words USING fts5(a)",
    ],
)
def test_an_index_with_what_is_no_table_of_its_own_is_refused(folder, script):
    forge(folder, script)
    with pytest.raises(ValueError, match=r"the index is damaged, it holds the (view|trigger|index|table) "):
        PageStore(folder)


def test_tables_of_the_crawls_own_are_no_fault(folder):
    forge(folder, "CREATE TABLE mine (a, b); CREATE INDEX by_a ON mine (a); ANALYZE")
    write(folder)
    with closing(sqlite3.connect(folder / "index.sqlite")) as db:
        check_schema(db, "CREATE TABLE IF NOT EXISTS mine (a,\n b); CREATE INDEX by_a ON mine (a)")
        with pytest.raises(ValueError, match="it holds the index 'by_a'"):
            check_schema(db, "CREATE TABLE mine (a, b, c)")


@pytest.mark.parametrize(
    "change",
    [
        "pages SET date = 'x'", "pages SET date = NULL", "pages SET date = 1e300", "pages SET date = -1e12",
        "pages SET file = 99", "pages SET member = -5", "pages SET member = 'a'",
        "pages SET skip = NULL", "pages SET digest = x'00'", "pages SET source = 'x'", "pages SET url = 77",
        "files SET size = 'x'", "files SET size = -1", "files SET size = NULL", "files SET name = NULL",
        "files SET name = x'00'", "files SET own = 'yes'", "files SET damage = NULL",
        "urls SET url = x'ff' WHERE id = 1", "state SET value = 1000000000000",
    ],
)  # fmt: skip
def test_a_row_that_makes_no_sense_is_named(folder, change):
    write(folder)
    forge(folder, f"UPDATE {change}")
    with pytest.raises(ValueError, match="the index is damaged"), PageStore(folder) as store:
        assert [store[url] for url in store]
        dict(store.state)


@pytest.mark.parametrize(
    "place", [f"member = {2**63 - 1}", f"skip = {2**63 - 1}", "member = 3", "source = 77"]
)
def test_a_place_where_nothing_stands_does_no_harm(folder, place):
    forge(folder, f"UPDATE pages SET {place}")
    with PageStore(folder) as store:
        try:
            store[A]
        except ValueError as error:
            assert re.search("damaged|holds no answer|WARC", str(error))


def test_a_file_made_anew_is_not_longer_than_said(folder):
    size = os.path.getsize(folder / NAME)
    with (folder / NAME).open("ab") as stream:
        stream.write(b"torn")
    with PageStore(folder) as store:
        store.state["x"] = b"1"
    assert os.path.getsize(folder / NAME) == size


def warc(n, kind=b"response"):
    def one(i):
        block = b"HTTP/1.1 200 OK\r\n\r\n" + (b"page %d " % i) * 2000
        url = b"http://a.example/%d" % (i if kind == b"response" else 0)
        head = b"WARC/1.1\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\n" % (kind, url)
        return head + b"Content-Length: %d\r\n\r\n" % len(block) + block + b"\r\n\r\n"

    return b"".join(map(one, range(n)))


def test_one_gzip_member_for_all_pages_is_unpacked_once_in_order(tmp_path, monkeypatch):
    (tmp_path / "all.warc.gz").write_bytes(gzip.compress(data := warc(50)))
    filled, fill = [], Members._fill

    def counted(members):
        more = fill(members)
        filled.append(len(members._ready))
        return more

    with PageStore(tmp_path) as store:
        urls = list(store)
        monkeypatch.setattr(Members, "_fill", counted)
        bodies = [store[url].body for url in urls]
        assert bodies == [b"page %d " % i * 2000 for i in range(50)]
        assert sum(filled) <= 2 * len(data)
        assert [store[url].body for url in reversed(urls)] == bodies[::-1]


def test_bodies_that_are_repeated_do_not_take_the_others_back(tmp_path, monkeypatch):
    made = []
    (tmp_path / "all.warc.gz").write_bytes(gzip.compress(warc(20) + warc(1).replace(b"response", b"revisit")))
    begin = Members._begin
    monkeypatch.setattr(Members, "_begin", lambda self, start: (made.append(start), begin(self, start))[1])
    with PageStore(tmp_path) as store:
        made.clear()
        assert [len(store.history(url)) for url in store] == [2] + [1] * 19
    assert len(made) <= 6


def test_the_answer_that_one_repeats_is_found_by_its_digest(folder):
    with PageStore(folder) as store:
        index = store._index
        rows = [index.add(A, 2.0, digest, 1, (0, 0)) for digest in ("sha1:X", "sha1:Y", "sha1:X", "sha1:Z")]
        found = [index.alike(A, digest) for digest in ("sha1:X", "sha1:Y", "", "sha1:?")]
        assert [entry and entry.id for entry in found] == [rows[2], rows[1], rows[3], None]
        plan = store.connection.execute(
            "EXPLAIN QUERY PLAN SELECT pages.id FROM pages JOIN urls ON pages.url = urls.id "
            "WHERE urls.url = ? AND digest = ? ORDER BY pages.id DESC LIMIT 1",
            ("", ""),
        ).fetchall()
        store.rollback()
    assert "pages_by_digest (url=? AND digest=?)" in str(plan)
    assert "B-TREE" not in str(plan)


@pytest.mark.parametrize(
    ("table", "part"), [("seen", SeenUrls), ("waiting", Ledger), ("held", Ledger), ("shelf", Schedule)]
)
def test_each_part_of_a_crawl_refuses_what_stands_in_its_tables_place(database, table, part):
    database.execute(f"CREATE VIEW {table} AS SELECT 1 AS url")
    with pytest.raises(ValueError, match=f"damaged, it holds the view '{table}'"):
        part(database)
    database.execute(f"DROP VIEW {table}")
    part(database)
    database.execute(f"CREATE TRIGGER t AFTER INSERT ON {table} BEGIN DELETE FROM {table}; END")
    with pytest.raises(ValueError, match="damaged, it holds the trigger 't'"):
        part(database)
