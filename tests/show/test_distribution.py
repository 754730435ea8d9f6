"""What the explorers of 20.3 show is what the ring, the simulated crawl and the split indexes do."""

import re

import pytest

from ircourse.distribute import ConsistentHashRing, imbalance, mod_node, moves, simulated_crawl
from ircourse.index import InvertedIndex
from ircourse.show.parallel_crawls import NODES, crawled, table, watch_nodes
from ircourse.show.ring_loads import compare_loads, loads
from ircourse.show.rings import FIRST, circles, parse_events, ring_picture, watch_ring
from ircourse.show.saltmere import hosts, saltmere, texts
from ircourse.show.split_index import parse_query, traces, watch_query


def test_hosts_move_as_the_ring_says():
    found = circles(parse_events("+dan -bob +bob"), 3)
    ring = ConsistentHashRing(FIRST, 3)
    before = ring.nodes_for(hosts())
    assert found[0].on_ring == before and found[0].moved() == (set(), set())
    ring.add("dan")
    assert found[1].on_ring == ring.nodes_for(hosts())
    assert len(found[1].moved()[0]) == moves(before, found[1].on_ring).moved
    assert {found[1].on_ring[i - 1] for i in found[1].moved()[0]} <= {"dan"}
    assert {found[2].ring_before[i - 1] for i in found[2].moved()[0]} == {"bob"}
    assert found[3].on_ring == found[1].on_ring
    names = ["ada", "bob", "cleo", "dan"]
    assert found[1].by_mod == [names[mod_node(host, 4)] for host in hosts()]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("bob", "'bob': write"),
        ("+bert", "first letter that no node has"),
        ("-emil", "one of ada, bob, cleo"),
        ("-ada -bob -cleo", "at least one"),
        ("+d +e +f +g +h +i", "at most 6 nodes"),
        ("+d -d " * 7, "at most 12 events"),
        ("+<b>", "write"),
    ],
)
def test_events_that_cannot_happen_are_told(text, says):
    with pytest.raises(ValueError, match=says.replace("+", r"\+")):
        parse_events(text)
    explorer = watch_ring()
    before = explorer._view.value
    explorer.controls["text"].widget.value = text
    assert says in explorer._says.value.replace("&#x27;", "'") and explorer._view.value == before


def test_what_moved_is_told():
    explorer = watch_ring()
    assert "19 hosts of Saltmere" in explorer.alt()  # what moves is asked before it is shown
    explorer.go(1)
    now = explorer.trace[1]
    ring, mod = (len(those) for those in now.moved())
    assert f"dan joins. On the ring {ring} of 19 hosts move" in explorer.alt()
    assert f"By hash mod D {mod} move." in explorer.alt() and ring < mod


@pytest.mark.parametrize("replicas", [1, 5])
def test_each_point_has_its_nodes_letter(replicas):
    now = circles(parse_events("+dan +emil +fay"), replicas)[-1]
    letters = re.findall(r">([A-F])</text>", str(ring_picture(now).body))
    assert sorted(letters) == sorted(node[0].upper() for _, node in now.ring.points)


def test_loads_are_the_rings():
    now = loads(100, 5, 0, 3)
    assert imbalance(now.loads) == pytest.approx(
        imbalance(ConsistentHashRing(range(100), 5, seed=3).shares.values())
    )
    assert sum(now.loads) == pytest.approx(100)
    counted = loads(10, 20, 10_000, 1)
    assert sum(counted.loads) == pytest.approx(10) and counted.loads == sorted(counted.loads)[::-1]
    assert f"{compare_loads().trace[0].loads[0]:.2f} times" in compare_loads().alt()


@pytest.mark.parametrize("how", ["host", "url", "coordinator"])
@pytest.mark.parametrize("dead", ["", "cleo"])
def test_each_second_is_the_crawls(how, dead):
    crawl, seconds = crawled(how, dead, 20)
    last = seconds[-1]
    assert sum(last.fetched.values()) == len(crawl.fetches) and last.messages == crawl.messages
    assert last.too_soon == crawl.too_soon(2.0) and (last.too_soon > 0) == (how == "url")
    assert {node: last.done(node) for node in NODES} == dict(crawl.loads)
    assert set(last.alive) == set(NODES) - {dead}
    assert [now.time for now in seconds] == list(range(len(seconds)))
    for now in seconds[:40:7]:
        assert sum(now.fetched.values()) == sum(fetch.end <= now.time + 1e-6 for fetch in crawl.fetches)


def test_a_death_is_told_and_the_hosts_move():
    explorer = watch_nodes()
    assert "18 s. cleo dies while it fetches 3 pages" in explorer.alt()
    explorer.go(28)
    assert "The others notice that cleo is dead. " in explorer.alt() and "bob takes over" in explorer.alt()
    now = explorer.trace[28]
    assert now.hosts["cleo"] == () and set(now.moved.values()) == {"cleo"}
    had = explorer.trace[18].fetched["cleo", "www.saltmere.example"]
    heir = next(node for node in NODES if "www.saltmere.example" in now.hosts[node])
    assert had and now.count(heir, "www.saltmere.example") == f"0 + {had} stored"
    assert f"www 0 + {had} stored" in str(table(now))
    assert now.room == max(len(hosts) for each in explorer.trace for hosts in each.hosts.values())
    explorer.controls["how"].widget.value = "coordinator"
    explorer.go(28)
    assert "what it was fetching goes to others" in explorer.alt() and not explorer.trace[28].moved
    whole = simulated_crawl(saltmere(), NODES)
    assert set(crawled("host", "cleo", 18)[0].pages) == set(whole.pages)


@pytest.mark.parametrize("mode", ["or", "and"])
def test_both_indexes_answer_as_one(mode):
    one = InvertedIndex([f"{title} {text}" for _, title, text in texts()])
    for query in ("the harbour ferry", "library", "tide table"):
        by_document, by_term = traces(query, mode, "")
        assert list(by_document[-1].steps[-1].hits) == list(by_term[-1].steps[-1].hits)
        assert list(by_term[-1].steps[-1].hits) == one.search(query, 3, mode)
        assert by_document[0].steps == () and by_document[-1].cost.messages == 8


def test_a_node_that_is_down_is_told_and_comes_back():
    explorer = watch_query()
    explorer.controls["down"].widget.value = "dan"
    explorer.go(99)
    assert "out of reach: dan" in explorer.alt() and "out of reach: harbour, ferry" in explorer.alt()
    assert len(traces("tide", "or", "")[0]) == 14  # all four nodes are there again


@pytest.mark.parametrize("text", ["", "a b c d e", "z" * 21, "…"])
def test_queries_that_are_too_long_are_told(text):
    with pytest.raises(ValueError, match="one to four"):
        parse_query(text)
