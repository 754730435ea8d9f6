"""Claims C01 to C10: spanning trees and forests, and what SPIDER1 to SPIDER4 do."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.crawl import (
    coverage,
    diverse_seeds,
    look_up_in,
    random_seeds,
    spider1,
    spider2,
    spider3,
    spider4,
    spider4_counting,
)
from ircourse.crawl.comparisons import comparisons
from ircourse.graphs import Graph, source_components, spanning_forest, spanning_tree

FIGURE = {1: [2], 2: [3, 5, 6], 3: [4], 4: [], 5: [], 6: [7], 7: []}
LOOP = {"a": ["b"], "b": ["a"]}


def webs(max_nodes=8, acyclic=False):
    """Small link graphs as mappings from a number to the numbers that it links to."""

    def build(n):
        rows = [
            st.lists(st.integers(i + 1, n - 1) if acyclic else st.integers(0, n - 1), max_size=4)
            if not acyclic or i + 1 < n
            else st.just([])
            for i in range(n)
        ]
        return st.tuples(*rows).map(lambda links: dict(enumerate(links)))

    return st.integers(1, max_nodes).flatmap(build)


def as_networkx(web):
    """The same links for the oracle."""
    graph = nx.DiGraph()
    graph.add_nodes_from(web)
    graph.add_edges_from((page, link) for page, links in web.items() for link in links)
    return graph


def reachable(web, root):
    """What the oracle reaches from a root, the root included."""
    return {root} | nx.descendants(as_networkx(web), root)


@given(web=webs(), start=st.integers(0, 7))
def test_c01_depth_first_search_builds_a_spanning_tree_from_any_node(web, start):
    pieces = sorted(nx.weakly_connected_components(as_networkx(web)), key=min)
    piece = max(pieces, key=len)
    nodes = sorted(piece)
    connected = Graph.from_edges([(a, b) for a in nodes for b in web[a]], nodes=nodes)
    tree = spanning_tree(connected, nodes[start % len(nodes)])
    assert len(tree) == len(nodes) - 1
    drawn = nx.Graph(list(tree))
    drawn.add_nodes_from(nodes)
    assert nx.is_tree(drawn)
    assert {frozenset(edge) for edge in tree} <= {frozenset((a, b)) for a in nodes for b in web[a]}


@given(web=webs())
def test_c02_k_components_have_a_k_spanning_forest_of_n_minus_k_edges(web):
    graph = Graph.from_edges([(a, b) for a in web for b in web[a]], nodes=list(web))
    forest = spanning_forest(graph)
    k = nx.number_weakly_connected_components(as_networkx(web))
    assert len(forest) == k
    edges = [edge for tree in forest for edge in tree]
    assert len(edges) == len(web) - k
    drawn = nx.Graph(edges)
    drawn.add_nodes_from(web)
    assert nx.is_forest(drawn)
    assert nx.number_connected_components(drawn) == k


@given(web=webs(max_nodes=6))
def test_c03_spider1_halts_unless_a_cycle_is_reachable(web):
    part = as_networkx(web).subgraph(reachable(web, 0))
    budget = (
        5_000  # an acyclic web of 6 pages with at most 4 links each has at most 1 + 4 + … + 4^5 = 1365 paths
    )
    stored = sum(1 for _ in itertools.islice(spider1(look_up_in(web), 0), budget))
    assert (stored == budget) == (not nx.is_directed_acyclic_graph(part))


@pytest.mark.parametrize("n", [0, 1, 2, 5, 10])
def test_c04_a_chain_of_n_diamonds_gives_two_to_the_n_copies(n):
    chain = {i: [f"left {i}", f"right {i}"] for i in range(n)}
    chain |= {f"{side} {i}": [i + 1] for side in ("left", "right") for i in range(n)}
    chain[n] = []
    copies = sum(url == n for url, _ in spider1(look_up_in(chain), 0))
    assert copies == 2**n
    assert len(list(spider3(look_up_in(chain), 0))) == 3 * n + 1


@given(web=webs(acyclic=True))
def test_c04_on_an_acyclic_web_spider1_stores_one_copy_a_path(web):
    paths = dict.fromkeys(web, 0)
    paths[0] = 1
    for page, links in web.items():  # numbered so that links go forward only
        for link in links:
            paths[link] += paths[page]
    stored = [url for url, _ in spider1(look_up_in(web), 0)]
    assert {url: stored.count(url) for url in web} == paths


@given(web=webs())
def test_c05_spider2_and_spider3_store_the_reachable_pages_once(web):
    second = [url for url, _ in spider2(look_up_in(web), 0)]
    third = [url for url, _ in spider3(look_up_in(web), 0)]
    assert second == third
    assert len(third) == len(set(third))
    assert set(third) == reachable(web, 0)


def circle(n):
    """A web of n pages in a circle, each linking to the next and to the first."""
    return {str(i): ["0", str((i + 1) % n)] for i in range(n)}


def test_c05_comparisons_grow_quadratically_for_spider2_and_linearly_for_spider3():
    quadratic = [comparisons(spider2, circle(n), "0") for n in (200, 400, 800)]
    linear = [comparisons(spider3, circle(n), "0") for n in (200, 400, 800)]
    assert np.allclose(np.diff(np.log2(quadratic)), 2, atol=0.05)
    assert np.allclose(np.diff(np.log2(linear)), 1, atol=0.05)


def printed_spider3(web, root):
    """SPIDER3 as the slides print it: Do … Until never asks whether the stack is empty."""
    stack, visited = [root], []
    while stack:
        while (url := stack.pop()) in visited:
            pass
        visited.append(url)
        stack.extend(web[url])
    return visited


def test_c06_the_printed_spiders_pop_from_an_empty_stack():
    with pytest.raises(IndexError, match="pop from empty list"):
        printed_spider3(LOOP, "a")
    events = []
    assert [url for url, _ in spider3(look_up_in(LOOP), "a", watch=lambda event, *_: events.append(event))]
    assert events == ["stored", "stored", "empty"]


def test_c06_spider4_meets_the_empty_stack_also_at_a_seed_already_reached():
    events = []
    web = {"a": ["b"], "b": []}
    list(spider4(look_up_in(web), ["a", "b"], watch=lambda event, *_: events.append(event)))
    assert events == ["stored", "stored", "empty"]


def test_c06_an_empty_stack_is_the_usual_end_on_random_webs():
    rng = np.random.default_rng(6)
    failed = 0
    for _ in range(200):
        n = 20
        web = {i: rng.integers(0, n, rng.integers(0, 6)).tolist() for i in range(n)}
        web[0] = [1, 2, 3]
        try:
            printed_spider3(web, 0)
        except IndexError:
            failed += 1
    # 200 webs; the share is 0.99 with a standard error of 0.007
    assert failed >= 190


@given(web=webs())
def test_c07_a_crawl_reaches_what_is_reachable_along_links_and_no_more(web):
    graph = as_networkx(web)
    component = nx.node_connected_component(graph.to_undirected(), 0)
    for spider in (spider2, spider3):
        stored = {url for url, _ in spider(look_up_in(web), 0)}
        assert stored == reachable(web, 0)
        assert stored <= component


def test_c07_a_page_that_links_in_but_is_never_linked_to_is_missed():
    web = {"root": ["a"], "a": [], "unlinked": ["a"]}
    assert [url for url, _ in spider3(look_up_in(web), "root")] == ["root", "a"]
    once_each = {url for url, _ in itertools.islice(spider1(look_up_in(web), "root"), 10)}
    assert once_each == {"root", "a"}


@given(web=webs())
def test_c08_one_seed_in_each_source_component_is_complete(web):
    graph = Graph.from_edges([(a, b) for a in web for b in web[a]], nodes=list(web))
    sources = source_components(graph)
    seeds = [min(component) for component in sources]
    assert {url for url, _ in spider4(look_up_in(web), seeds)} == set(web)
    for left_out in range(len(seeds)):
        fewer = seeds[:left_out] + seeds[left_out + 1 :]
        assert {url for url, _ in spider4(look_up_in(web), fewer)} < set(web)


def islands(n_hosts=60, seed=8):
    """Hosts that do not link to each other, their sizes heavy-tailed; a host is one strong component."""
    rng = np.random.default_rng(seed)
    web = {}
    for host in range(n_hosts):
        size = min(1 + int(rng.pareto(1.1) * 3), 300)
        pages = [f"http://h{host}.example/{i}" for i in range(size)]
        for i, url in enumerate(pages):
            web[url] = [pages[j] for j in rng.integers(0, size, 3)] + [pages[(i + 1) % size]]
    return web


def test_c08_more_seeds_and_more_diverse_seeds_cover_more():
    web = islands()
    urls = list(web)
    n = 30
    spread = [coverage(look_up_in(web), diverse_seeds(urls, n, rng)) for rng in range(30)]
    blind = [coverage(look_up_in(web), random_seeds(urls, n, rng)) for rng in range(30)]
    for curve in spread + blind:
        assert curve == sorted(curve)
    # 30 draws each; n diverse seeds stand on n hosts, n random ones on fewer
    hosts = [len({url.split("/")[2] for url in random_seeds(urls, n, rng)}) for rng in range(30)]
    assert max(hosts) < n
    full = coverage(look_up_in(web), diverse_seeds(urls, 60, 0))
    assert full[-1] == len(web)
    blind_full = [coverage(look_up_in(web), random_seeds(urls, 60, rng))[-1] for rng in range(30)]
    assert max(blind_full) < len(web)


@given(web=webs(), seeds=st.lists(st.integers(0, 7), min_size=1, max_size=3))
def test_c09_counting_at_the_push_gives_the_in_degree_within_the_crawled_graph(web, seeds):
    seeds = [seed % len(web) for seed in seeds]
    counts = {}
    for stored, (url, _) in enumerate(spider4_counting(look_up_in(web), seeds, counts), start=1):
        assert url in counts
        if stored == 1:
            assert counts == {url: 0}
    crawled = [url for url, _ in spider4(look_up_in(web), seeds)]
    expected = dict.fromkeys(crawled, 0)
    for page in crawled:
        for link in set(web[page]):
            expected[link] += 1
    assert counts == expected


def test_c09_pages_not_yet_fetched_and_dead_links_have_counts_too():
    web = {"a": ["b", "c"], "c": ["b", "dead"]}
    counts = {}
    crawl = spider4_counting(look_up_in(web), ["a"], counts)
    next(crawl)
    next(crawl)  # a's links were pushed before c was taken
    assert counts == {"a": 0, "b": 1, "c": 1}
    list(crawl)
    assert counts == {"a": 0, "b": 2, "c": 1, "dead": 1}


def test_c09_counting_at_the_pop_is_wrong():
    web = {"a": ["b", "c"], "b": ["c"], "c": ["a"]}
    at_pop, stack, visited = dict.fromkeys(web, 0), ["a"], set()
    waiting = None
    while stack:
        url = stack.pop()
        at_pop[url] += 1
        if url not in visited:
            visited.add(url)
            stack.extend(web[url])
        if waiting is None:
            waiting = at_pop["b"]
    assert waiting == 0  # b is linked to, and waits
    assert at_pop["a"] == 2  # one link leads to the seed
    counts = {}
    list(spider4_counting(look_up_in(web), ["a"], counts))
    assert counts == {"a": 1, "b": 1, "c": 2}


def test_c10_the_printed_stack_visits_the_figure_from_the_last_link():
    assert [url for url, _ in spider3(look_up_in(FIGURE), 1)] == [1, 2, 6, 7, 5, 3, 4]


def breadth_first(web, root):
    """The same loop with a queue."""
    queue, visited = [root], []
    while queue:
        url = queue.pop(0)
        if url not in visited:
            visited.append(url)
            queue.extend(web[url])
    return visited


def test_c10_a_queue_visits_breadth_first():
    assert breadth_first(FIGURE, 1) == [1, 2, 3, 5, 6, 4, 7]


def recursive(web, url, visited):
    """Depth-first search as a recursive function, each page's links reversed."""
    if url not in visited:
        visited.append(url)
        for link in reversed(web[url]):
            recursive(web, link, visited)
    return visited


@given(web=webs())
def test_c10_marking_at_the_pop_equals_recursive_search_with_links_reversed(web):
    assert [url for url, _ in spider3(look_up_in(web), 0)] == recursive(web, 0, [])


def marked_at_push(web, root):
    """SPIDER3 that marks a URL as visited when it is pushed."""
    stack, marked, order = [root], {root}, []
    while stack:
        url = stack.pop()
        order.append(url)
        for link in web[url]:
            if link not in marked:
                marked.add(link)
                stack.append(link)
    return order


def test_c10_marking_at_the_push_is_not_depth_first():
    web = {0: [1, 2, 3], 1: [], 2: [], 3: [1]}
    assert recursive(web, 0, []) == [0, 3, 1, 2]
    assert marked_at_push(web, 0) == [0, 3, 2, 1]
