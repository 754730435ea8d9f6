"""Orders of page selection and their race."""

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.crawl import Frontier, look_up_in, spider3
from ircourse.crawl.race import order_of, race
from ircourse.crawl.selection import (
    BreadthFirst,
    Combined,
    DepthFirst,
    InLinks,
    PartialPageRank,
    RandomOrder,
    TopicDriven,
    share_of_words,
    short_pagerank,
)
from ircourse.types import Link, Page

ALL = (BreadthFirst, DepthFirst, RandomOrder, InLinks, PartialPageRank)
WEBS = st.integers(1, 9).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, n - 1), max_size=4), min_size=n, max_size=n)
)


def as_web(rows):
    """A mapping from node to links."""
    return dict(enumerate(rows))


@given(rows=WEBS)
def test_every_order_fetches_what_can_be_reached_once(rows):
    graph = nx.DiGraph([(a, b) for a, links in enumerate(rows) for b in links])
    graph.add_node(0)
    reachable = {0} | nx.descendants(graph, 0)
    for policy in [*[kind() for kind in ALL], Combined([InLinks(), DepthFirst()]), PartialPageRank(every=1)]:
        got = list(order_of(look_up_in(as_web(rows)), [0], policy))
        assert len(got) == len(set(got))
        assert set(got) == reachable


@given(rows=WEBS)
def test_depth_first_is_spider3_and_breadth_first_is_a_queue(rows):
    look_up = look_up_in(as_web(rows))
    assert list(order_of(look_up, [0], DepthFirst())) == [url for url, _ in spider3(look_up, 0)]
    queue, met = [0], {0}
    for url in queue:
        for link in rows[url]:
            if link not in met:
                met.add(link)
                queue.append(link)
    assert list(order_of(look_up, [0], BreadthFirst())) == queue


@given(rows=WEBS)
def test_in_links_takes_what_most_pages_fetched_link_to(rows):
    got = list(order_of(look_up_in(as_web(rows)), [0], InLinks()))
    for i, url in enumerate(got[1:], 1):
        counts = {v: sum(v in rows[u] for u in got[:i]) for v in set(range(len(rows))) - set(got[:i])}
        assert counts[url] == max(counts.values())


@given(rows=WEBS)
def test_short_pagerank_is_networkx(rows):
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(rows)))
    edges = sorted({(a, b) for a, links in enumerate(rows) for b in links})
    graph.add_edges_from(edges)
    ours = short_pagerank(len(rows), np.array(edges, np.int64).reshape(-1, 2), steps=200)
    theirs = nx.pagerank(graph, tol=1e-13 / len(rows), max_iter=500)
    assert ours == pytest.approx([theirs[i] for i in range(len(rows))], abs=1e-9)


def test_partial_pagerank_scores_all_urls_met_with_the_function_given():
    asked = []

    def score(n, edges):
        asked.append((n, edges.tolist()))
        return np.arange(1, n + 1) / n

    policy = PartialPageRank(every=2, score=score)
    first = dict(policy.found("a", Page("a", links=("b", "c", "b"))))
    assert first == {"b": pytest.approx(0.15 + 0.85 * 0.15 / 2), "c": pytest.approx(0.15 + 0.85 * 0.15 / 2)}
    assert dict(policy.found("b", Page("b", links=("a",)))) == {"a": 1.0, "b": 2.0, "c": 3.0}
    assert asked == [(3, [[0, 1], [0, 2], [1, 0]])]
    assert dict(policy.found("c", Page("c", links=("d",)))) == {"d": pytest.approx(0.15 + 0.85 * 3.0)}


def test_the_work_of_partial_pagerank_grows_with_the_crawl():
    calls = []
    policy = PartialPageRank(every=1, score=lambda n, edges: calls.append(n) or np.full(n, 1 / n))
    for i in range(2000):
        list(policy.found(i, Page(str(i), links=(i + 1,))))
    assert len(calls) < 80


def test_topic_driven_takes_the_best_of_page_and_anchor():
    policy = TopicDriven(share_of_words(["Ferry"]))
    links = (Link("b", "ferry times"), Link("c", "news"), Link("d"))
    page = Page("a", text="ferry one two three", links=links)
    assert list(policy.found("a", page)) == [("b", 0.5), ("c", 0.25), ("d", 0.25)]
    better = Page("e", text="ferry ferry", links=("b", "c"))
    assert list(policy.found("e", better)) == [("b", 1.0), ("c", 1.0)]
    assert list(policy.found("f", Page("f", text="", links=("c", "g")))) == [("g", 0.0)]


def test_combined_knows_the_latest_of_each():
    policy = Combined([InLinks(), TopicDriven(share_of_words(["ferry"]))], weights=[1.0, 3.0])
    assert list(policy.found("a", Page("a", "ferry", links=("b",)))) == [("b", 0.5 + 1.5)]
    assert list(policy.found("c", Page("c", "news", links=("b",)))) == [
        ("b", pytest.approx(2 / 3 + 1.5)),
    ]
    for weights in ([1.0], [1.0, -1.0], [1.0, math.nan]):
        with pytest.raises(ValueError, match="weights"):
            Combined([InLinks(), BreadthFirst()], weights=weights)


def test_random_order_follows_its_seed():
    web = look_up_in({0: list(range(1, 50)), **{i: [] for i in range(1, 50)}})
    orders = [list(order_of(web, [0], RandomOrder(seed))) for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]


def test_dead_links_are_no_pages():
    web = look_up_in({"a": ["b", "dead"], "b": []})
    assert list(order_of(web, ["a", "a", "gone"], BreadthFirst())) == ["a", "b"]
    assert list(order_of(web, [], BreadthFirst())) == []


def test_a_race_counts_what_is_found():
    web = look_up_in({"a": ["b", "c"], "b": ["d"], "c": [], "d": []})
    shares = race(web, iter("a"), {"one": BreadthFirst(), "two": DepthFirst()}, ["d"], n=3)
    assert {name: share.tolist() for name, share in shares.items()} == {
        "one": [0, 0, 0, 0],
        "two": [0, 0, 0, 0],
    }
    with pytest.raises(ValueError, match="important"):
        race(web, "a", {"one": BreadthFirst()}, [])


def test_policies_feed_a_frontier():
    web = look_up_in(
        {f"http://h{i}.example/": [f"http://h{j}.example/" for j in range(i)] for i in range(30)}
    )
    for policy in [*[kind() for kind in ALL], TopicDriven(lambda text: 0.5), Combined([InLinks()])]:
        frontier, seen, got = Frontier(), {"http://h29.example/"}, []
        frontier.add("http://h29.example/")
        while fetch := frontier.take(now=0.0):
            if not hasattr(fetch, "url"):
                break
            got.append(fetch.url)
            frontier.done(fetch.url, now=0.0)
            for link, priority in policy.found(fetch.url, web(fetch.url)):
                if link not in seen:
                    seen.add(link)
                    frontier.add(link, priority)
        assert len(got) == len(set(got)) == 30
