"""Input in parts: every line and record in one part alone, whatever the cuts; gzip; damage."""

import gc
import gzip
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.crawl import PageStore
from ircourse.distribute import Edges, Lines, Warc, edge_parts, file_parts, line_parts, warc_parts
from ircourse.distribute.jobs import parts as module
from ircourse.distribute.jobs.graph import read_pairs
from ircourse.graphs import read_edges
from ircourse.types import Response

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"


def warc_of(bodies):
    """A WARC file of one answer for each body, and one that was not 200."""
    bodies = [(f"http://quay.example/{i}", HEAD + body) for i, body in enumerate(bodies)]
    bodies.insert(1, ("http://quay.example/gone", b"HTTP/1.1 404 Not Found\r\n\r\ngone"))
    records = []
    for url, block in bodies:
        head = f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Length: {len(block)}"
        records.append(head.encode() + b"\r\n\r\n" + block + b"\r\n\r\n")
    return records


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"), max_size=12), max_size=9
    ),
    st.integers(1, 40),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_lines_are_each_in_one_part(tmp_path_factory, lines, size, end, ended):
    path = tmp_path_factory.mktemp("lines") / "lines.txt"
    text = end.join(lines) + (end if ended and lines else "")
    path.write_bytes(text.encode())
    expected = text.split(end)[: -1 if text.endswith(end) or not text else None]
    parts = line_parts(path, size)
    assert [line for part in parts for line in part.texts()] == expected
    names = [name for part in parts for name in part.names()]
    starts = [int(name.rpartition("@")[2]) for name in names]
    assert [path.read_bytes()[at:].decode().split(end)[0] for at in starts] == expected


def test_packed_files_are_cut_too(tmp_path):
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    (tmp_path / "b.gz").write_bytes(gzip.compress(b"three\n" + b"four\n"))
    (tmp_path / "c.gz").write_bytes(gzip.compress(b"six\n"))
    (tmp_path / ".hidden").write_text("five\n")
    room = tmp_path / "room"
    room.mkdir()
    parts = line_parts(tmp_path, 4, unpack_in=room)
    (temporary,) = room.iterdir()
    b = str(tmp_path / "b.gz")
    cuts = [Lines(str(temporary), start, min(start + 4, 11), b) for start in (0, 4, 8)]
    a, c = str(tmp_path / "a.txt"), str(tmp_path / "c.gz")
    assert parts == [Lines(a, 0, 4), Lines(a, 4, 8), *cuts, Lines(c)]
    texts = [text for part in parts for text in part.texts()]
    assert texts == ["one", "two", "three", "four", "six"]
    assert [name for part in cuts for name in part.names()] == [f"{b}@0", f"{b}@6"]
    sent = pickle.loads(pickle.dumps(parts[2]))
    assert sent == parts[2] and sent.keep is None
    del sent, parts[3:]
    gc.collect()
    assert temporary.exists()
    del parts
    gc.collect()
    assert not temporary.exists()


@pytest.mark.parametrize("spoil", [lambda data: data[:-9], lambda data: data[:20] + b"x" * 9 + data[29:]])
def test_damaged_gzip_is_told_and_leaves_nothing(tmp_path, spoil):
    path = tmp_path / "a.gz"
    path.write_bytes(spoil(gzip.compress(b"".join(b"%d\n" % (i * i) for i in range(99)))))
    (tmp_path / "room").mkdir()
    with pytest.raises(ValueError, match=r"a\.gz is damaged"):
        edge_parts(path, unpack_in=tmp_path / "room")
    gc.collect()
    assert not list((tmp_path / "room").iterdir())


def test_what_is_no_text_is_told(tmp_path, monkeypatch):
    path = tmp_path / "long.txt"
    path.write_bytes(b"\xff\n" + b"x" * 100)
    monkeypatch.setattr(module, "MAX_LINE", 50)
    texts = line_parts(path)[0].texts()
    assert next(texts) == "\ufffd"
    with pytest.raises(ValueError, match=r"long\.txt has a line of over 50 bytes at byte 2"):
        next(texts)


@pytest.mark.parametrize("cut", [line_parts, edge_parts, file_parts, warc_parts])
def test_wrong_sizes_and_paths_are_told(tmp_path, cut):
    for size in (0, -1, 1.5, "8 MB", True):
        with pytest.raises(ValueError, match="size is"):
            cut(tmp_path, size)
    with pytest.raises(FileNotFoundError):
        cut(tmp_path / "nothing.warc")
    assert cut(tmp_path) == cut([]) == []


def test_whole_files_by_size(tmp_path):
    for name, text in [("a.txt", "a < b"), ("b.html", "<title>T</title><p>rose"), ("c.txt", "c" * 50)]:
        (tmp_path / name).write_text(text)
    parts = file_parts(tmp_path, 30)
    assert [len(part.paths) for part in parts] == [2, 1]
    assert [text for part in parts for text in part.texts()] == ["a < b", "T\nrose", "c" * 50]
    assert [name for part in parts for name in part.names()] == [str(p) for p in sorted(tmp_path.iterdir())]


@pytest.mark.parametrize("size", [1, 150, 10**6])
@pytest.mark.parametrize("packed", [False, True])
def test_warc_pages_are_each_in_one_part(tmp_path, size, packed):
    trap = b"<p>\r\n\r\nWARC/1.1\r\nWARC-Type: response\r\nContent-Length: 2\r\n\r\nno"
    records = warc_of([b"<title>A</title><p>rose", trap, b"<p>is", "<p>é".encode()])
    path = tmp_path / ("a.warc.gz" if packed else "a.warc")
    path.write_bytes(b"".join(map(gzip.compress, records) if packed else records))
    (tmp_path / "index.sqlite").write_bytes(b"no pages here")
    parts = warc_parts(tmp_path, size)
    assert len(parts) == (1 if size == 10**6 else 5 if size == 1 else 2 if packed else 4)
    assert {part.path for part in parts} == {str(path)}
    texts = [text for part in parts for text in part.texts()]
    assert [texts[0], texts[2], texts[3]] == ["A\nrose", "is", "é"]
    assert [url for part in parts for url in part.names()] == [f"http://quay.example/{i}" for i in range(4)]


@pytest.mark.parametrize("size", [1, 10**6])
def test_a_warc_file_packed_in_one_piece_is_unpacked(tmp_path, size):
    path = tmp_path / "a.warc.gz"
    path.write_bytes(gzip.compress(b"".join(warc_of([b"<p>a", b"<p>rose"]))))
    parts = warc_parts(path, size)
    assert [text for part in parts for text in part.texts()] == ["a", "rose"]
    assert len(parts) == (3 if size == 1 else 1)
    assert (parts[0].path == str(path)) == (size > 1)


def test_a_page_store_is_cut_at_its_records(tmp_path):
    pages = {f"http://quay.example/{i}": Response(200, {}, b"<p>rose %d" % i) for i in range(20)}
    with PageStore(tmp_path) as store:
        for url, answer in pages.items():
            store.add(url, answer)
    parts = warc_parts(tmp_path, 100)
    assert len(parts) > 5
    assert [url for part in parts for url in part.names()] == list(pages)


def test_a_damaged_packed_warc_file_is_read_up_to_there(tmp_path):
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join(map(gzip.compress, warc_of([b"<p>a", b"<p>rose"])))[:-9])
    parts = warc_parts(path, 1)
    assert list(parts[0].texts()) == ["a"]
    with pytest.raises(ValueError, match="damaged gzip"):
        list(parts[-1].texts())


@pytest.mark.parametrize("cut", [-10, -150])
def test_a_damaged_warc_file_is_read_up_to_there(tmp_path, cut):
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(warc_of([b"<p>rose", b"<p>is", b"<p>a"]))[:cut])
    *whole, last = [text for part in warc_parts(path, 1)[:-1] for text in part.texts()] + [
        warc_parts(path, 1)[-1]
    ]
    assert whole[:1] == ["rose"]
    with pytest.raises(ValueError, match=r"ends within|no WARC record|content-length"):
        list(last.texts())
    path.write_bytes(b"no record")
    assert warc_parts(path) == [Warc(str(path))]
    with pytest.raises(ValueError, match="no WARC record"):
        list(warc_parts(path)[0].texts())


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=12), st.integers(1, 60))
def test_links_are_each_in_one_part(tmp_path_factory, pairs, size):
    path = tmp_path_factory.mktemp("links") / "links.txt"
    path.write_text("# from to\n" + "".join(f"{u}\t{v}  # a link\n" for u, v in pairs))
    found = np.concatenate([read_pairs(part) for part in edge_parts(path, size)])
    assert found.tolist() == [list(pair) for pair in pairs]
    assert set(map(tuple, found.tolist())) == set(read_edges(path).edges())


def test_pieces_of_a_part_are_parsed_one_by_one(tmp_path, monkeypatch):
    monkeypatch.setattr("ircourse.distribute.jobs.graph.PIECE", 10)
    path = tmp_path / "links.txt"
    path.write_text("".join(f"{u} {u + 1}\n" for u in range(50)))
    assert read_pairs(Edges(str(path))).tolist() == [[u, u + 1] for u in range(50)]
    path.write_text("1 2\n3 4\n5 6\n11 12\n13 14\n7 eight\n")
    with pytest.raises(
        ValueError, match=r"links\.txt, line 2 from byte 18 on: '7 eight'; give the numbers of two"
    ):
        read_pairs(Edges(str(path)))
