"""Graphs from files: what is read, by content and by name, and what strangers' files may not do."""

import gzip

import networkx as nx
import pytest

from ircourse.commands import graph_files
from ircourse.commands.graph_files import read_graph
from ircourse.crawl import PageStore
from ircourse.types import Response

EDGES = "# links\n1 2\n2 3\n3 1\n"
URLS = "2 1\n1 http://a.example/\n2 http://b.example/\n1 2\n"
GML = """Creator "a hand"
graph [
  directed 1
  node [ id 0 label "harbour" ]
  node [ id 1 label "ferries" ]
  edge [ source 0 target 1 weight 2.5 ]
]
"""
GRAPHML = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="label" attr.type="string"/>
<graph edgedefault="directed"><node id="a"><data key="d0">Harbour</data></node>
<node id="b"><data key="d0">Ferries</data></node><edge source="a" target="b"/></graph></graphml>
"""


def read(path):
    notes = []
    graph = read_graph(path, notes.append, lambda text: None)
    return graph, notes


def refused(path):
    with pytest.raises(ValueError) as error:
        read(path)
    return str(error.value)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("name", "text", "edges"),
    [
        ("links.txt", EDGES, [(1, 2), (2, 3), (3, 1)]),
        ("links", URLS, [("http://a.example/", "http://b.example/")]),
        ("small.gml", GML, [("harbour", "ferries")]),
        ("untold", GML, [("harbour", "ferries")]),
        ("small.graphml", GRAPHML, [("Harbour", "Ferries")]),
        ("small.xml", GRAPHML, [("Harbour", "Ferries")]),
        ("untold", GRAPHML, [("Harbour", "Ferries")]),
        ("bom.xml", "\ufeff" + GRAPHML, [("Harbour", "Ferries")]),
    ],
)
def test_each_form_is_told_by_name_or_content(tmp_path, name, text, edges, packed):
    data = text.encode("utf-8")
    path = tmp_path / (name + ".gz" if packed else name)
    path.write_bytes(gzip.compress(data) if packed else data)
    graph, notes = read(path)
    assert list(graph.edges()) == edges and notes == []


@pytest.mark.parametrize("write", [nx.write_gml, nx.write_graphml])
def test_what_networkx_writes_is_read(tmp_path, write):
    path = tmp_path / f"club.{write.__name__[6:]}"
    write(nx.karate_club_graph(), path)
    graph, _ = read(path)
    assert graph.n_nodes == 34 and graph.n_edges == 2 * 78 and graph.weights is not None


def test_labels_that_are_not_each_nodes_own_leave_its_id(tmp_path):
    path = tmp_path / "two.gml"
    path.write_text(GML.replace("ferries", "harbour"))
    assert list(read(path)[0].labels) == [0, 1]
    path.write_text(GML.replace('label "ferries"', ""))
    assert list(read(path)[0].labels) == [0, 1]


def test_drawn_graphs_are_read_without_their_drawing(tmp_path):
    path = tmp_path / "ports.graphml"
    path.write_text(GRAPHML.replace("<edge", '<node id="c"><port name="p"/></node><edge'))
    assert read(path)[0].n_nodes == 3


# ---- edge lists of names


@pytest.mark.parametrize(
    "text",
    [
        "a b\nb  c\n",
        "a\tb\nb\tc",
        "a,b\nb, c\n",
        '"a","b"\r\n"b","c"\r\n',
        "source,target\na,b\nb,c\n",
        "From\tTo\na\tb\nb\tc\n",
        "# source,target\n% links\n\na b # the ferry\nb c\n",
        "\ufeffa b\rb c\r",
    ],
)
def test_edge_lists_of_names(tmp_path, text):
    path = tmp_path / "links.txt"
    path.write_bytes(text.encode("utf-8"))
    graph, _ = read(path)
    assert list(graph.edges()) == [("a", "b"), ("b", "c")] and graph.weights is None


def test_names_hold_what_separates_in_other_files(tmp_path):
    path = tmp_path / "links.txt"
    path.write_text("http://a.example/x,y http://b.example/#top\nhttp://b.example/%20 http://a.example/\n")
    assert list(read(path)[0].labels)[:2] == ["http://a.example/x,y", "http://b.example/#top"]
    path.write_text("Old Harbour,New Harbour\nNew Harbour,Saltmere\n")
    assert list(read(path)[0].labels) == ["Old Harbour", "New Harbour", "Saltmere"]
    path.write_text("Old, or first\tNew\n")
    assert list(read(path)[0].labels) == ["Old, or first", "New"]


@pytest.mark.parametrize("text", ["a,b,0.5\nb,a,2\na,b,1\n", "source target weight\na b 0.5\nb a 2\na b 1"])
def test_a_third_column_has_weights(tmp_path, text):
    path = tmp_path / "links.csv.gz"
    path.write_bytes(gzip.compress(text.encode()))
    graph, _ = read(path)
    assert list(graph.edges()) == [("a", "b"), ("b", "a")] and graph.weights.tolist() == [1.5, 2]


def test_numbers_stay_numbers_under_a_head_and_with_weights(tmp_path):
    path = tmp_path / "links.txt"
    path.write_text("from,to\n4,7\n7,4\n")
    assert read(path)[0].labels == (4, 7)
    path.write_text("4 7 0.5\n7 4 1\n")
    assert read(path)[0].labels == (4, 7)
    path.write_text("04 7 0.5\n7 4 1\n")
    assert read(path)[0].labels == ("04", "7", "4")
    path.write_text(URLS.replace("2 1\n", "2 1 9\n", 1))
    assert read(path)[0].labels == ("http://a.example/", "http://b.example/")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a b\nb\n", "line 2: 'b'; give two names, from and to"),
        ("harbour\n", "line 1: 'harbour'; give two names"),
        ("a,b\n# or\n,c\n", "line 3: ',c'; give two names"),
        ("a b 1\nb c\n", "line 2: 'b c'; give two names and a weight"),
        ("a b 1\nb c x\n", "line 2: 'b c x'; the weight 'x' is no number"),
        ("a,b,1\nb,c,-1\n", "the weight '-1'"),
        ("a b nan\n", "the weight 'nan'"),
        ("a" * 200_000 + ",b\n", "line 1: 'aaa"),
        ("d\xe9j\xe0 vu\n", "save it as UTF-8"),
    ],
)
def test_names_that_are_none(tmp_path, text, said):
    path = tmp_path / "links.txt"
    path.write_bytes(text.encode("latin-1"))
    assert said in refused(path)


# ---- crawls

PAGES = {
    "http://a.example/": Response(
        200,
        {"content-type": "text/html"},
        b"<a href=/old>b</a> <a href=/c>c</a> <a href=http://z.example/>z</a>",
    ),
    "http://a.example/old": Response(301, {"location": "/older"}),
    "http://a.example/older": Response(301, {"location": "/b"}),
    "http://a.example/b": Response(
        200, {"content-type": "text/html"}, b"<a href=/>home</a><a href=/loop>l</a>"
    ),
    "http://a.example/c": Response(404, {"content-type": "text/html"}, b"<a href=/>home</a>"),
    "http://a.example/loop": Response(302, {"location": "/loop"}),
}


@pytest.fixture
def crawl(tmp_path):
    with PageStore(tmp_path / "crawl") as store:
        for url, response in PAGES.items():
            store.add(url, response, date=0)
        store.commit()
    return tmp_path / "crawl"


def test_a_crawl_has_its_pages_and_redirects_lead_on(crawl):
    home, b = "http://a.example/", "http://a.example/b"
    graph, notes = read(crawl)
    assert graph.labels == (home, b) and notes == []
    assert list(graph.edges()) == [(home, b), (b, home)]
    [file] = crawl.glob("*.warc.gz")
    assert list(read(file)[0].edges()) == [(home, b), (b, home)]


def test_a_warc_file_cut_short_is_read_up_to_there(crawl, tmp_path):
    [file] = crawl.glob("*.warc.gz")
    plain = gzip.decompress(file.read_bytes())
    cut = tmp_path / "cut.warc"
    cut.write_bytes(plain[:-5])
    graph, notes = read(cut)
    assert graph.n_nodes == 2 and len(notes) == 1
    assert notes[0].startswith("cut.warc is damaged, and was read up to there: ")
    cut.write_bytes(plain[:50])
    assert refused(cut)


def test_the_progress_of_a_crawl_is_told(crawl, monkeypatch):
    monkeypatch.setattr(graph_files, "_EVERY", 1)
    said = []
    read_graph(crawl, said.append, said.append)
    assert said == ["1 pages read", "2 pages read"]


def test_an_index_of_something_else_is_refused(crawl):
    for file in crawl.iterdir():
        if ".warc" not in file.name:
            file.write_bytes(b"no index at all, but long enough to be looked at" * 100)
    assert "index" in refused(crawl)


def test_folders_without_a_crawl_stay_as_they_are(tmp_path):
    assert refused(tmp_path) == "a folder without WARC files"
    assert list(tmp_path.iterdir()) == []


# ---- strangers' files

LAUGHS = '<?xml version="1.0"{}?><!DOCTYPE g [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><graphml>&b;</graphml>'


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (LAUGHS.format("").encode(), "declares entities"),
        (LAUGHS.format(' encoding="utf-16"').encode("utf-16"), "declares entities"),
        (b'<!DOCTYPE g SYSTEM "file:///etc/hostname" [<!ENTITY % x SYSTEM "y">]><graphml/>', "entities"),
        (b"<a>" * 101, "nested over 100 deep"),
        (b"<graphml/>", ""),
        (b"<graphml>", "no XML: no element found"),
        (b"", "no XML"),
        (b"\xff" * 99, "no XML"),
        (b'<!DOCTYPE html><html><p class="a">A page</p></html>', ""),
        (GRAPHML.replace("<edge", "<hyperedge/><edge").encode(), "hyperedges"),
    ],
)
def test_graphml_that_is_none(tmp_path, data, reason):
    path = tmp_path / "strange.graphml"
    path.write_bytes(data)
    assert reason in refused(path)


def test_too_many_elements(tmp_path, monkeypatch):
    monkeypatch.setattr(graph_files, "MAX_ELEMENTS", 7)
    path = tmp_path / "many.graphml"
    path.write_text(GRAPHML)
    assert "over 7 elements" in refused(path)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"graph [ " + b"a [ " * 100_000, "recursion"),
        (b"graph [ node [ id " + b"1" * 10_000 + b" ] ]", "4300 digits"),
        (b"graph [ node [ id 1 ] node [ id 1 ] ]", "duplicated"),
        (GML.replace("2.5", "-2.5").encode(), "weight 0 is -2.5"),
        (b'graph [ node [ id "' + b"a" * 10_000, ""),
        (bytes(range(128, 256)), "decode"),
        (b"graph [ \n\n\n", "expected"),
        (b"", "no graph"),
    ],
)
def test_gml_that_is_none(tmp_path, data, reason):
    path = tmp_path / "strange.gml"
    path.write_bytes(data)
    said = refused(path)
    assert reason in said and 0 < len(said) <= 200 and "\n" not in said


@pytest.mark.parametrize("name", ["bomb.gml.gz", "bomb.graphml.gz"])
def test_small_files_that_unpack_to_large_ones(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(gzip.compress(b" " * (graph_files.MAX_MARKUP + 1)))
    assert refused(path) == "over 32 MiB unpacked"


def test_damage_and_absence(tmp_path):
    path = tmp_path / "links.gz"
    path.write_bytes(gzip.compress(EDGES.encode())[:-9])
    assert "damaged gzip" in refused(path)
    assert refused(tmp_path / "nowhere") == "no such file"
    path.write_text("1 2\none two\n")
    assert refused(path).startswith("line 2: 'one two'")


def test_a_file_of_comments_has_no_nodes(tmp_path):
    path = tmp_path / "links.txt"
    path.write_text("# nothing yet\n")
    assert read(path)[0].n_nodes == 0
