"""Files of links: the two forms, packed or not, in pieces of any size; what is wrong is named by its line."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.graphs import Graph, reading
from ircourse.graphs.reading import parse_pairs, read_edges

SNAP = b"# Directed graph\n# Nodes: 4 Edges: 5\n# FromNodeId\tToNodeId\n0\t11\n11\t3\n\n3\t0\n5 5\n0,3\n"
NUMBERED = (
    b"3 4 1\n1 http://harbour.example/ \n2 http://harbour.example/ferries \n3 http://saltmere.example/\n"
    b"1 2\n2 1\n1 3\n3 3\n"
)


@pytest.fixture
def write(tmp_path):
    def write(data: bytes, name: str = "links.txt"):
        (tmp_path / name).write_bytes(data)
        return tmp_path / name

    return write


@pytest.mark.parametrize("piece", [1, 7, 40, 2**23])
@pytest.mark.parametrize(
    "pack", [bytes, gzip.compress, lambda b: gzip.compress(b[:50]) + gzip.compress(b[50:])]
)
def test_both_forms_packed_or_not(write, monkeypatch, piece, pack):
    monkeypatch.setattr(reading, "_read", lambda path, stream: stream.read(piece))
    graph = read_edges(write(pack(SNAP)))
    assert list(graph.edges()) == [(0, 11), (0, 3), (11, 3), (3, 0), (5, 5)]
    assert graph.labels == (0, 11, 3, 5)
    if piece > 40:  # the first piece must hold two lines
        harbour, ferries, saltmere = (
            "http://harbour.example/",
            "http://harbour.example/ferries",
            "http://saltmere.example/",
        )
        graph = read_edges(write(pack(NUMBERED)))
        assert graph.labels == (harbour, ferries, saltmere)
        assert graph.neighbours(harbour) == [ferries, saltmere]
        assert graph.neighbours(saltmere) == [saltmere]


def test_line_ends_marks_and_comments(write):
    plain = list(read_edges(write(SNAP)).edges())
    assert list(read_edges(write(SNAP.replace(b"\n", b"\r\n"))).edges()) == plain
    assert list(read_edges(write(b"\xef\xbb\xbf" + SNAP)).edges()) == plain
    assert list(read_edges(write(SNAP.rstrip())).edges()) == plain
    assert list(read_edges(write(b"% a\xff\xfe\n 1 2 # a comment\n2 1%\n")).edges()) == [(1, 2), (2, 1)]
    assert list(read_edges(write(NUMBERED.replace(b"\n", b"\r\n"))).edges()) == list(
        read_edges(write(NUMBERED)).edges()
    )


@pytest.mark.parametrize("data", [b"", b"\n\n", b"# nothing\n", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)])
def test_nothing_in_it(write, data):
    assert read_edges(write(data)).n_nodes == 0


@pytest.mark.parametrize(
    ("line", "say"),
    [
        (b"3", "two nodes"),
        (b"3 4 5", "two nodes"),
        (b"3 x", "two nodes"),
        (b"3 4x", "two nodes"),
        (b"3.5 4", "two nodes"),
        (b"1e3 4", "two nodes"),
        (b"3 -4", "at least 0"),
        (b"3 9223372036854775808", "at most 9223372036854775799"),
        (b"3 " + b"9" * 400, "at most 9223372036854775799"),
        (b"\xff\xff 4", "two nodes"),
        (b"<html>", "two nodes"),
        (b"\x00\x00", "two nodes"),
        ("٣ ٤".encode(), "two nodes"),
    ],
)
@pytest.mark.parametrize("before", [3, 5000])
def test_a_wrong_line_is_named(write, line, say, before):
    data = b"# links\n" + b"1 2\n" * before + line + b"\n1 2\n"
    with pytest.raises(ValueError, match=rf"links.txt, line {before + 2}: .*{say}"):
        read_edges(write(data))


def test_the_line_is_counted_over_pieces(write, monkeypatch):
    monkeypatch.setattr(reading, "_read", lambda path, stream: stream.read(64))
    with pytest.raises(ValueError, match="line 1001: 'two 2'"):
        read_edges(write(b"1 2\n" * 1000 + b"two 2\n"))
    with pytest.raises(ValueError, match="line 9: '1 b'"):
        read_edges(write(NUMBERED.replace(b"3 3\n", b"3 3\n1 b\n")))


@pytest.mark.parametrize(
    ("old", "new", "say"),
    [
        (b"3 4 1", b"3 5 1", "5 links, and has 4"),
        (b"3 4 1", b"9 4 1", "line 5: page 1 is .* already"),
        (b"3 4 1", b"999999999999 4 1", "line 5: page 1 is .* already"),
        (b"3 3\n", b"3 7\n", r"link 4 is \[3, 7\]"),
        (b"2 http", b"1 http", "page 1 is 'http://harbour.example/' already"),
        (b"ferries", b"f\xff", "line 3: .*UTF-8"),
        (b"2 http", b"-2 http", "line 3: .*its URL"),
        (b"2 http", b"99999999999999999999 http", "line 3: .*its URL"),
    ],
)
def test_what_is_wrong_with_numbered_urls(write, old, new, say):
    with pytest.raises(ValueError, match=say):
        read_edges(write(NUMBERED.replace(old, new)))


def test_fewer_pages_than_said(write):
    with pytest.raises(ValueError, match="says that it has 9 pages, and ends after 3"):
        read_edges(write(b"9 0 1\n" + b"".join(NUMBERED.splitlines(keepends=True)[1:4])))


def test_a_url_with_two_numbers_is_one_page(write):
    graph = read_edges(write(NUMBERED.replace(b"/ferries", b"/")))
    assert list(graph.edges()) == [
        ("http://harbour.example/", "http://harbour.example/"),
        ("http://harbour.example/", "http://saltmere.example/"),
        ("http://saltmere.example/", "http://saltmere.example/"),
    ]


def test_hostile_files_stop_at_a_limit(write):
    bomb = write(gzip.compress(b"1 1\n" * 2_000_000))
    assert bomb.stat().st_size < 40_000
    with pytest.raises(ValueError, match=r"more than 1,000,000 bytes: raise max_bytes"):
        read_edges(bomb, max_bytes=1_000_000)
    with pytest.raises(ValueError, match="a line of more than"):
        read_edges(write(gzip.compress(bytes(20_000_000))))
    with pytest.raises(ValueError, match="UTF-16"):
        read_edges(write("1 2\n".encode("utf-16")))
    packed = gzip.compress(SNAP * 100)
    for damaged in (
        packed[:-9],
        packed[:40],
        packed[:-6] + b"xxxxxx",
        packed + b"rest",
        packed[:15] + b"\xff" * 99,
    ):
        with pytest.raises(ValueError, match="damaged gzip"):
            read_edges(write(damaged))
    with pytest.raises(OSError, match="none"):
        read_edges(write(b"").with_name("none"))


ids = st.integers(0, 2**63 - 10)


@given(st.lists(st.tuples(ids, ids), max_size=20), st.sampled_from([b" ", b"\t", b", ", b"  \t"]))
def test_what_was_written_is_read(tmp_path_factory, links, blank):
    path = tmp_path_factory.mktemp("links") / "links"
    path.write_bytes(b"".join(b"%d%b%d\n" % (u, blank, v) for u, v in links))
    graph, expected = read_edges(path), Graph.from_edges(links)
    assert graph.labels == expected.labels
    assert list(graph.edges()) == list(expected.edges())


@given(st.binary(max_size=60) | st.text("0123456789 \n\t#,-", max_size=60).map(str.encode))
def test_the_compiled_parser_is_the_plain_one(data):
    results = []
    for parse in (parse_pairs, parse_pairs.plain):
        text = data + b"\n"
        pairs, at = np.zeros((text.count(b"\n"), 2), np.int64), np.zeros(3, np.int64)
        wrong = int(parse(np.frombuffer(text, np.uint8), pairs, at))
        results.append((wrong, at.tolist(), pairs[: at[0]].tolist()))
    assert results[0] == results[1]


def test_the_limit_keeps_memory_within_a_few_gigabytes(write):
    bomb = gzip.compress(b"# " + b"x" * 997 + b"\n") * (reading.MAX_BYTES // 1000 + 1)
    with pytest.raises(ValueError, match="more than 100,000,000 bytes"):
        read_edges(write(bomb))
