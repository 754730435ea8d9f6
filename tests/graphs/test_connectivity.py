"""The connectivity server answers as the graph does, takes less room, and comes back from its file."""

import contextlib
import hashlib
import random
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.graphs import ConnectivityServer, Graph, UnknownNode, explain_row, host_graph
from ircourse.graphs.row_reading import read_row
from ircourse.graphs.server_file import HEADER, MARK
from ircourse.web import random_web

urls = st.lists(st.text("abc/é☃", max_size=6), unique=True, min_size=1, max_size=40)


def address(i):
    return f"http://host{i % 7}.example/{i // 7}.html"


def web(n=400, seed=0):
    """A small web and its URLs, in no order."""
    order = random.Random(seed).sample(range(n), n)
    return [address(i) for i in order], host_graph(max(1, n // 30), n, seed, links=5)


def check_answers(server, urls, graph):
    links, back = {url: [] for url in urls}, {url: [] for url in urls}
    for u, v in graph.edges():
        u, v = (u, v) if isinstance(u, str) else (urls[u], urls[v])
        links[u].append(v)
        back[v].append(u)
    for url in urls:
        assert server.out_links(url) == sorted(links[url])
        assert server.in_links(url) == sorted(back[url])


@given(urls, st.data())
def test_answers_are_the_graphs(urls, data):
    n = len(urls)
    edges = data.draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=60))
    graph = Graph.from_edges(edges, nodes=range(n))
    server = ConnectivityServer(urls, graph)
    check_answers(server, urls, graph)
    assert (server.n_pages, server.n_links) == (n, graph.n_edges)
    named = [(urls[u], urls[v]) for u, v in edges]
    if named:
        check_answers(ConnectivityServer(urls, named), urls, graph)


def test_a_larger_web():
    urls, graph = web(3000)
    server = ConnectivityServer(urls, graph)
    check_answers(server, urls, graph)
    assert repr(server) == f"<ConnectivityServer: 3000 pages, {graph.n_edges} links>"
    for url in urls[:50]:
        for explained in (server.explain_out(url), server.explain_in(url)):
            assert len(explained[0].bits + explained[1].bits) >= 4


def test_the_room_that_links_take():
    # The whole of both directions counts. Pages of a host stand together, so that gaps are small.
    n = 20_000
    urls = [f"http://host{i // 100:04}.example/{i % 100:02}.html" for i in range(n)]
    server = ConnectivityServer(urls, host_graph(200, n, 1, links=9))
    sizes = server.sizes
    assert server.bits_per_link == 8 * (sizes["out"] + sizes["in"]) / (2 * server.n_links)
    assert server.bits_per_link < 11 < np.log2(n)
    assert sizes["urls"] < 0.4 * sum(map(len, urls))


def test_what_explains_a_row_is_the_rows_code():
    urls, graph = web(60)
    server = ConnectivityServer(sorted(urls), [(urls[u], urls[v]) for u, v in graph.edges()])
    rows = server._parts.out
    text = "".join(f"{byte:08b}" for byte in rows.bits.tolist())
    parts = ["".join(field.bits for field in server.explain_out(url)) for url in sorted(urls)]
    assert text[: len("".join(parts))] == "".join(parts)
    assert len(text) - len("".join(parts)) < 8
    place = {url: i for i, url in enumerate(sorted(urls))}
    row = [place[v] for v in server.out_links(sorted(urls)[0])]
    assert explain_row(0, row, [], rows.k) == server.explain_out(sorted(urls)[0])


def test_nodes_that_are_numbers_in_any_order():
    assert ConnectivityServer(["a", "b", "c"], [(2, 0), (0, 1)]).out_links("c") == ["a"]
    assert ConnectivityServer(["c", "b", "a"], [(2, 0), (0, 1)]).out_links("a") == ["c"]


def test_pages_without_links_and_no_pages():
    alone = ConnectivityServer(["http://harbour.example/"], [])
    assert alone.out_links("http://harbour.example/") == alone.in_links("http://harbour.example/") == []
    assert alone.bits_per_link == 0
    empty = ConnectivityServer([], {})
    assert (empty.n_pages, empty.n_links) == (0, 0)
    with pytest.raises(UnknownNode, match="none of the 0 pages"):
        empty.out_links("http://harbour.example/")


def test_unknown_urls():
    urls, graph = web(40)
    server = ConnectivityServer(urls, graph)
    for url in ("", "http://", urls[0][:-1], urls[0] + "x", "zzz", "\udc80", 3, None):
        with pytest.raises(UnknownNode, match="none of the 40 pages"):
            server.in_links(url)


def test_wrong_input():
    with pytest.raises(ValueError, match="'a' is given twice, as number 0 and 2"):
        ConnectivityServer(["a", "b", "a"], {})
    with pytest.raises(ValueError, match="URL 1 is 7: give a text"):
        ConnectivityServer(["a", 7], {})
    with pytest.raises(ValueError, match="the node 2, which is none of the 2 URLs"):
        ConnectivityServer(["a", "b"], [(0, 1), (1, 2)])
    with pytest.raises(ValueError, match="the node 'c'"):
        ConnectivityServer(["a", "b"], [("a", "c")])
    with pytest.raises(ValueError, match=r"URL 0 .* UTF-8"):
        ConnectivityServer(["\udc80"], {})


@pytest.fixture
def saved(tmp_path):
    urls, graph = web()
    server = ConnectivityServer(urls, graph)
    server.save(tmp_path / "server")
    return tmp_path / "server", server, urls, graph


def test_saved_and_loaded(saved, tmp_path):
    path, server, urls, graph = saved
    again = ConnectivityServer.load(path)
    check_answers(again, urls, graph)
    assert (again.sizes, again.bits_per_link) == (server.sizes, server.bits_per_link)
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()
    again.save(path)  # over the file that it came from
    assert sorted(file.name for file in tmp_path.iterdir()) == ["again", "server"]
    ConnectivityServer([], {}).save(path)
    assert ConnectivityServer.load(path).n_pages == 0


def test_the_older_file_stays_when_saving_fails(saved, tmp_path, monkeypatch):
    path, server, *_ = saved
    with pytest.raises(OSError):
        server.save(tmp_path / "nowhere" / "server")
    before = path.read_bytes()
    (tmp_path / "server.part").write_text("a file of the user's", encoding="ascii")

    def no_room(*_):
        raise OSError("no room")

    monkeypatch.setattr(Path, "replace", no_room)
    with pytest.raises(OSError, match="no room"):
        server.save(path)
    assert path.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["server", "server.part"]


def test_a_file_cut_off_or_altered_is_refused(saved):
    path, *_ = saved
    data = path.read_bytes()
    for length in [*range(140), *range(140, len(data), 97), len(data) - 1]:
        path.write_bytes(data[:length])
        with pytest.raises(ValueError, match=r"cut off or altered|no connectivity server"):
            ConnectivityServer.load(path)
    for at in [*range(140), *range(140, len(data), 97), len(data) - 1]:
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(ValueError, match=r"cut off or altered|no connectivity server"):
            ConnectivityServer.load(path)
    path.write_bytes(data + b"x")
    with pytest.raises(ValueError, match="cut off or altered"):
        ConnectivityServer.load(path)
    with pytest.raises(FileNotFoundError):
        ConnectivityServer.load(path.with_name("none"))


def signed(body):
    return body + hashlib.sha256(body).digest()


@given(st.integers(0, 6), st.integers(-(2**63), 2**63 - 1) | st.integers(-1, 50))
def test_a_header_made_to_deceive_is_refused(place, value):
    header = [2, 1, 3, 3, 0, 0, 0]
    header[place] = value
    body = MARK + HEADER.pack(*header) + bytes(24)
    path_data = signed(body)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pathlib.Path.read_bytes", lambda self: path_data)
        try:
            server = ConnectivityServer.load("made")
        except ValueError as error:
            assert "save()" in str(error)
        else:
            with pytest.raises(UnknownNode):
                server.out_links("a")


@given(st.data())
def test_content_made_to_deceive_does_no_harm(data):
    body = bytearray(CONTENT)
    for _ in range(data.draw(st.integers(1, 6))):
        body[data.draw(st.integers(len(MARK) + HEADER.size, len(body) - 1))] = data.draw(st.integers(0, 255))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pathlib.Path.read_bytes", lambda self: signed(bytes(body)))
        try:
            server = ConnectivityServer.load("made")
        except ValueError as error:
            assert "contradicts itself" in str(error)
            return
    for url in URLS:
        for ask in (server.out_links, server.in_links):
            with contextlib.suppress(UnknownNode, ValueError):
                assert len(ask(url)) <= len(URLS)


@pytest.mark.parametrize("start", [2**63 - 1, 2**62, -1, -(2**63)])
def test_a_row_that_starts_nowhere_is_refused_and_read_without_harm(saved, start):
    path, *_ = saved
    body = path.read_bytes()[:-32]
    path.write_bytes(signed(body[:-8] + struct.pack("<q", start)))
    with pytest.raises(ValueError, match="contradicts itself"):
        ConnectivityServer.load(path)
    bits = np.full(9, 0xFF, np.uint8)
    for read in (read_row, read_row.plain):
        assert len(read(0, 5, bits, np.array([start]), 3)) <= 5


def content():
    import tempfile
    from pathlib import Path

    urls, graph = web(40)
    with tempfile.TemporaryDirectory() as folder:
        ConnectivityServer(urls, graph).save(Path(folder, "server"))
        return urls, Path(folder, "server").read_bytes()[:-32]


URLS, CONTENT = content()


def test_the_file_is_the_same_on_every_machine(saved):
    path, *_ = saved
    assert path.read_bytes()[len(MARK) : len(MARK) + 8] == struct.pack("<q", 400)


def test_a_generated_web():
    graph = random_web(2000, 3).graph
    urls = [f"http://{i:04}.example/" for i in range(2000)]
    server = ConnectivityServer(urls, graph)
    check_answers(server, urls, graph)
