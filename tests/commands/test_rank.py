"""The command ``rank``, from a file to the pages on top."""

import io
import json
import sys

import networkx as nx
import pytest

from ircourse import __main__ as main_module
from ircourse.__main__ import main
from ircourse.commands import rank as rank_module
from ircourse.commands.rank import rank
from ircourse.crawl import PageStore
from ircourse.types import NotConverged
from ircourse.web import tiny_web

EDGES = [(1, 2), (1, 3), (2, 3), (3, 1), (4, 3)]


@pytest.fixture
def edges(tmp_path):
    path = tmp_path / "links.txt"
    path.write_text("".join(f"{u}\t{v}\n" for u, v in EDGES))
    return path


def run(path, code=0, **options):
    out, log = io.StringIO(), io.StringIO()
    assert rank(str(path), out=out, log=log, **options) == code
    return out.getvalue(), log.getvalue()


def test_three_lists_the_best_first(edges):
    out, log = run(edges, top=2)
    ranks = nx.pagerank(nx.DiGraph(EDGES), tol=1e-12)
    best = sorted(ranks, key=ranks.get, reverse=True)[:2]
    lines = out.splitlines()
    assert lines[0] == "4 pages, 5 links" and log == ""
    assert lines[2:5] == ["PageRank (damping 0.85)", *(f"  {ranks[page]:<#10.4g}  {page}" for page in best)]
    assert [line for line in lines if line and not line.startswith(" ")][2:] == ["Authority", "Hub"]
    assert lines[7].endswith("  3") and lines[11].endswith("  1") and len(lines) == 13


def test_json_has_the_scores_of_networkx(edges):
    said = json.loads(run(edges, as_json=True)[0])
    graph = nx.DiGraph(EDGES)
    hubs, authorities = nx.hits(graph, tol=1e-12)
    expected = {"pagerank": nx.pagerank(graph, tol=1e-12), "authority": authorities, "hub": hubs}
    assert (said["pages"], said["links"]) == (4, 5)
    for kind, scores in expected.items():
        found = {item["page"]: item["score"] for item in said[kind]}
        assert found == pytest.approx(scores, abs=1e-8)
        assert list(found.values()) == sorted(found.values(), reverse=True)


def test_another_damping(edges):
    ranks = nx.pagerank(nx.DiGraph(EDGES), alpha=0.5, tol=1e-12)
    said = json.loads(run(edges, damping=0.5, as_json=True)[0])
    assert {item["page"]: item["score"] for item in said["pagerank"]} == pytest.approx(ranks, abs=1e-8)
    assert said["damping"] == 0.5 and "PageRank (damping 0.5)" in run(edges, damping=0.5)[0]


def test_names_are_ranked_and_weights_told(edges):
    edges.write_text("source,target,weight\nharbour,ferries,2\nferries,harbour,1\n")
    out, _ = run(edges)
    assert out.startswith("2 pages, 2 links with weights\n") and "  0.5000      harbour\n" in out


def test_the_crawl_of_the_tiny_web(tmp_path):
    web = tiny_web()
    with PageStore(tmp_path / "crawl") as store:
        for url in web:
            store.add(url, web.respond(url), date=0)
        store.commit()
    said = json.loads(run(tmp_path / "crawl", as_json=True, top=5)[0])
    assert said["pages"] > 100 and all(len(said[kind]) == 5 for kind in ("pagerank", "authority", "hub"))
    assert said["pagerank"][0]["page"].startswith("http://")
    alone = json.loads(run(next((tmp_path / "crawl").glob("*.warc.gz")), as_json=True, top=5)[0])
    assert (alone["pages"], alone["links"]) == (said["pages"], said["links"])
    assert alone["pagerank"][0]["page"] == said["pagerank"][0]["page"]


def test_without_links_there_are_no_hubs(tmp_path):
    path = tmp_path / "two.gml"
    path.write_text("graph [ node [ id 1 ] node [ id 2 ] ]")
    assert run(path)[0].splitlines() == [
        "2 pages, 0 links",
        "",
        "PageRank (damping 0.85)",
        *(f"  0.5000      {i}" for i in (1, 2)),
    ]
    assert list(json.loads(run(path, as_json=True)[0])) == ["pages", "links", "damping", "pagerank"]
    path.write_text("graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 weight 0 ] ]")
    assert "Hub" not in run(path)[0]


# ---- what goes wrong is one line and code 1


def test_no_graph_is_one_line(tmp_path, edges):
    assert run(tmp_path / "nowhere", code=1)[1].endswith("nowhere: no such file\n")
    edges.write_text("# no links\n")
    assert run(edges, code=1) == ("", f"ircourse: {edges} holds no pages\n")
    edges.write_text("1 2\nx y\n")
    out, log = run(edges, code=1)
    assert (
        out == "" and log.startswith(f"ircourse: could not read {edges}: line 2: ") and log.count("\n") == 1
    )


def test_a_file_that_may_not_be_read(edges, monkeypatch):
    def refuse(*arguments):
        raise PermissionError(13, "Permission denied", str(edges))

    monkeypatch.setattr(rank_module, "read_graph", refuse)
    assert run(edges, code=1)[1] == f"ircourse: could not read {edges}: Permission denied\n"


def test_scores_that_do_not_settle(edges, monkeypatch):
    def fail(graph):
        raise NotConverged(0.1, 7)

    monkeypatch.setattr(rank_module, "hits", fail)
    out, log = run(edges, code=1)
    assert "not converged after 7 steps" in log and log.count("\n") == 1
    assert "PageRank" in out and "Hub" not in out  # what is known is written all the same


def test_labels_cannot_speak_to_the_terminal(tmp_path):
    path = tmp_path / "x.gml"
    path.write_text('graph [ directed 1 node [ id 1 label "a\x1b[2Jb" ] node [ id 2 label "&#10;c" ] ]')
    out, _ = run(path)
    assert "\x1b" not in out and "a\\x1b[2Jb" in out and "\\nc" in out


# ---- the picture


@pytest.mark.parametrize("name", ["ranks.png", "ranks.SVG"])
def test_a_picture_of_labels_of_every_kind(tmp_path, name):
    labels = ["$\\frac{$", "東京", "<img onerror=x>", "a" * 300, "$x$", "tab\tand\x01"]
    path = tmp_path / "x.gml"
    nodes = "".join(f'node [ id {i} label "{label}" ]\n' for i, label in enumerate(labels))
    path.write_text(f"graph [ directed 1\n{nodes} edge [ source 0 target 1 ] ]", encoding="utf-8")
    out, log = run(path, plot=str(tmp_path / name))
    data = (tmp_path / name).read_bytes()
    assert out and log == ""
    assert data.startswith(b"\x89PNG") if name.endswith("png") else b"<svg" in data and b"<img" not in data


def test_a_picture_is_the_same_each_time(edges, tmp_path):
    for name in ("a.svg", "b.svg"):
        run(edges, plot=str(tmp_path / name))
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_a_picture_that_cannot_be_written(edges, tmp_path):
    out, log = run(edges, code=1, plot=str(tmp_path / "none" / "a.png"))
    assert (
        out == ""
        and log.startswith("ircourse: could not write ")
        and log.endswith(": No such file or directory\n")
    )


def test_progress_is_for_terminals(edges):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    log = Terminal()
    rank(str(edges), out=io.StringIO(), log=log)
    assert "4 pages, 5 links: PageRank" in log.getvalue() and log.getvalue().endswith("\r")


# ---- the command line


def test_the_command_line_reads_the_options(edges, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(main_module, "environment", lambda *names: sys.executable)
    picture = tmp_path / "a.png"
    assert main(["rank", str(edges), "--top", "1", "--plot", str(picture)]) == 0
    assert capsys.readouterr().out.count("\n") == 10 and picture.exists()
    assert main(["rank", str(edges), "--json", "--damping", "0.9"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["links"], said["damping"]) == (5, 0.9)
    assert main(["rank", str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"ircourse: could not read {tmp_path}: a folder without WARC files\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("", "required: FILE"),
        ("a b", "takes no b"),
        ("a --top 0", "--top: '0' is not a whole number of at least 1"),
        ("a --top x", "--top: 'x' is not a whole number of at least 1"),
        ("a --damping 1", "--damping: '1' is not a damping: give a number from 0 to just below 1"),
        ("a --damping nan", "--damping: 'nan' is not a damping"),
        ("a --plot a.%pdf", "--plot: 'a.%pdf' is no picture: give a name that ends in .png or .svg"),
    ],
)
def test_bad_options_are_refused_with_the_value_and_the_remedy(arguments, words, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["rank", *arguments.split()])
    said = capsys.readouterr().err
    assert stop.value.code == 2 and "usage:" in said and words in said


def test_another_environment_runs_the_same_command(monkeypatch):
    started = []
    monkeypatch.setattr(main_module, "environment", lambda *names: "PYTHON")
    monkeypatch.setattr(main_module, "call", lambda command, **extra: started.append(command) or 0)
    assert main(["rank", "a", "--json"]) == 0
    assert started[0][0] == "PYTHON" and started[0][2:] == ["rank", "a", "--json"]
