"""The page store after a kill, a loss of power, a lost index, and over files that others wrote."""

import gzip
import os
import random
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from ircourse.crawl.store.store import PageStore
from ircourse.types import Response

A, B, C = "http://a.example/", "http://b.example/", "http://c.example/"
ROOT = Path(__file__).parents[2]
WRITER = """
import sys
from ircourse.crawl.store.store import PageStore
from ircourse.types import Response
store = PageStore(sys.argv[1], max_file=20_000)
n = int(store.state.get("n", b"0"))
while True:
    for _ in range(3):
        store.add(f"http://a.example/{n}", Response(200, {}, str(n).encode() * 500))
        n += 1
    store.state["n"] = str(n).encode()
    store.commit()
    print(n, flush=True)
"""


def contents(store):
    return {url: store.history(url) for url in store}


def test_killed_at_any_moment_it_keeps_all_that_was_committed_and_nothing_else(tmp_path):
    folder, rng, done = tmp_path / "pages", random.Random(0), 0
    for _ in range(8):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE, cwd=ROOT, text=True
        ) as child:
            for _ in range(rng.randrange(1, 30)):
                done = int(child.stdout.readline())
            child.kill()
            done = max([done, *map(int, child.stdout.read().split())])  # lines that were on their way
        with PageStore(folder) as store:
            n = int(store.state["n"])
            assert n in (done, done + 3)  # a commit may have been made and not yet told
            assert (store.damaged, store.lost) == ({}, [])
            assert list(store) == [f"{A}{i}" for i in range(n)]
            assert [store[f"{A}{i}"].body for i in range(n)] == [str(i).encode() * 500 for i in range(n)]
            assert all(len(store.history(url)) == 1 for url in store)
    (folder / "index.sqlite").unlink()
    with PageStore(folder) as store:
        assert list(store) == [f"{A}{i}" for i in range(n)]
        assert store.damaged == {}


def a_store(folder, *urls):
    with PageStore(folder) as store:
        for url in urls:
            store.add(url, Response(200, {"server": "quay"}, url.encode() * 9), date=0.0)
    return next(folder.glob("*.gz"))


@pytest.mark.parametrize("indexed", [True, False])
def test_a_torn_end_of_any_length_is_cut_off(tmp_path, indexed):
    path = a_store(tmp_path / "pages", A)
    whole = path.read_bytes()
    longer = a_store(tmp_path / "longer", A, B).read_bytes()
    assert longer[: len(whole)] == whole
    for end in range(len(whole), len(longer), 5 if indexed else 9):
        folder = tmp_path / str(end)
        shutil.copytree(path.parent, folder)
        (folder / path.name).write_bytes(longer[:end])
        if not indexed:
            (folder / "index.sqlite").unlink()
        with PageStore(folder) as store:
            assert (list(store), store.lost, store.damaged) == ([A], [], {})
            store.add(C, Response(200, {}, b"more"))
            assert store[C].body == b"more"
        assert zlib.decompressobj(31).decompress((folder / path.name).read_bytes())
        assert gzip.decompress((folder / path.name).read_bytes()).count(b"WARC/1.1\r\n") == 3


def test_what_a_loss_of_power_took_is_named(tmp_path):
    path = a_store(tmp_path / "pages", A, B, C)
    size = path.stat().st_size
    os.truncate(path, size - 10)
    with PageStore(path.parent) as store:
        assert (list(store), store.lost) == ([A, B], [C])
        store.add(C, Response(200, {}, b"again"))
        assert [len(store.history(url)) for url in (A, B, C)] == [1, 1, 1]
    path.unlink()
    with PageStore(path.parent) as store:
        assert (list(store), sorted(store.lost)) == ([], [A, B, C])


def test_a_file_that_shrinks_under_an_open_store_is_told(tmp_path):
    path = a_store(tmp_path / "pages", A)
    with PageStore(path.parent) as store:
        os.truncate(path, 300)
        with pytest.raises(ValueError, match=r"damaged gzip|pages-00000.warc.gz holds no answer"):
            store[A]


def record(kind, block, url=A, **fields):
    names = {"WARC-Type": kind, "WARC-Target-URI": url, "Content-Length": len(block)}
    names |= {name.replace("_", "-"): value for name, value in fields.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in names.items())
    return f"WARC/1.0\r\n{head}\r\n".encode() + block + b"\r\n\r\n"


OTHERS = [
    record("warcinfo", b"software: another\r\n"),
    record("request", b"GET / HTTP/1.1\r\n\r\n"),
    record("response", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nrose\r\n0\r\n\r\n",
           WARC_Date="2020-01-02T03:04:05Z", WARC_Payload_Digest="sha1:ROSE"),
    record("revisit", b"HTTP/1.1 200 OK\r\nServer: later\r\n\r\n", WARC_Payload_Digest="sha1:ROSE"),
    record("revisit", b"HTTP/1.1 200 OK\r\n\r\n", "http://mirror.example/", WARC_Refers_To_Target_URI=A),
    record("revisit", b"HTTP/1.1 200 OK\r\n\r\n", "http://lost.example/", WARC_Refers_To_Target_URI=B),
    record("resource", b"bare", "urn:notes", Content_Type="text/plain"),
    record("conversion", b"words", B),
    record("response", b"\0\0\0", "dns:a.example"),
    record("metadata", b"fetchTimeMs: 3\r\n", C),
]  # fmt: skip
FORMS = {
    "crawl.warc": b"".join(OTHERS),
    "whole.warc.gz": gzip.compress(b"".join(OTHERS)),
    "members.warc.gz": b"".join(map(gzip.compress, OTHERS)),
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("alone", [True, False])
def test_files_of_others_are_read_and_left_alone(tmp_path, name, alone):
    path = tmp_path / name
    path.write_bytes(FORMS[name])
    with PageStore(path if alone else tmp_path) as store:
        assert list(store) == [A, "http://mirror.example/", "urn:notes", B]
        assert [each.body for each in store.history(A)] == [b"rose", b"rose"]
        assert store.history(A)[0].date.isoformat() == "2020-01-02T03:04:05+00:00"
        assert (store[A].headers, store["http://mirror.example/"].body) == ({"server": "later"}, b"rose")
        assert (store["urn:notes"].headers, store[B].body) == ({"content-type": "text/plain"}, b"words")
        if alone:
            with pytest.raises(ValueError, match="one WARC file, which is only read"):
                store.add(C, Response(200))
        else:
            store.add(C, Response(200, {}, b"ours"))
            store.add(A, Response(200, {}, b"changed"))
    assert path.read_bytes() == FORMS[name]
    if not alone:
        with PageStore(tmp_path) as store:
            assert (len(store), len(store.history(A)), store[A].body, store.damaged) == (5, 3, b"changed", {})


def test_damage_in_a_file_of_others_is_named_and_what_stands_before_is_read(tmp_path):
    (tmp_path / "bad.warc").write_bytes(OTHERS[2] + b"nonsense\r\n")
    (tmp_path / "torn.warc.gz").write_bytes(gzip.compress(OTHERS[7]) + gzip.compress(OTHERS[6])[:-30])
    for _ in range(2):
        with PageStore(tmp_path) as store:
            assert list(store) == [A, B]
            assert store.damaged == {
                "bad.warc": "no WARC record begins with b'nonsense\\r\\n'",
                "torn.warc.gz": "damaged gzip: the file ends within a member",
            }


def test_files_of_others_may_change_and_go(tmp_path):
    path = tmp_path / "crawl.warc"
    path.write_bytes(OTHERS[7])
    PageStore(tmp_path).close()
    path.write_bytes(OTHERS[2] + OTHERS[7])
    with PageStore(tmp_path) as store:
        assert list(store) == [A, B]
    path.unlink()
    with PageStore(tmp_path) as store:
        assert list(store) == []
