"""Claims C63 to C65: popularity, link farms, anchor text."""

import numpy as np
import pytest

from ircourse.graphs import Graph, as_graph
from ircourse.links import (
    AnchorIndex,
    directed_popularity,
    farm_effect,
    link_farm,
    pagerank,
    undirected_popularity,
)
from ircourse.types import Link, Page
from ircourse.web import tiny_web

FIGURE = [("a", "t"), ("b", "t"), ("c", "t"), ("t", "d"), ("t", "e")]
COUNCIL = "http://www.saltmere.example/council/"


def power_iteration(graph, d=0.85):
    """PageRank by the textbook, to the last digit."""
    links = as_graph(graph)
    n = links.n_nodes
    matrix = links.to_scipy().toarray()
    sums = matrix.sum(axis=1, keepdims=True)
    matrix = np.where(sums > 0, matrix / np.where(sums > 0, sums, 1), 1 / n)
    scores = np.full(n, 1 / n)
    for _ in range(300):
        scores = d * scores @ matrix + (1 - d) / n
    return scores


def test_c63_popularity_on_the_figure_and_m_spam_pages_add_m():
    assert undirected_popularity(FIGURE).as_dict()["t"] == 5
    assert directed_popularity(FIGURE).as_dict()["t"] == 3
    for m in (1, 10, 1000):
        farm = link_farm(FIGURE, "t", m)
        assert undirected_popularity(farm).as_dict()["t"] == 5 + m
        assert directed_popularity(farm).as_dict()["t"] == 3 + m
    # The undirected kind needs no helpers: a page inflates it by linking out.
    assert undirected_popularity([*FIGURE, *(("d", f"x{i}") for i in range(9))]).ranking()[0] == ("d", 10)


@pytest.mark.parametrize("m", [0, 1, 30, 3000])
def test_c64_a_farms_gain_without_dangling_pages(m):
    rng = np.random.default_rng(64)
    n, d, t = 60, 0.85, 7
    graph = Graph.from_edges([(i, int(j)) for i in range(n) for j in rng.choice(n, 1 + i % 5, replace=False)])
    t = graph.number(t)
    matrix = graph.to_scipy().toarray()
    z = np.linalg.inv(np.eye(n) - d * matrix / matrix.sum(axis=1, keepdims=True))
    before = power_iteration(graph, d)
    formula = (n * before[t] + m * d * (1 - d) * z[t, t]) / (n + m)
    with_farm = power_iteration(link_farm(graph, graph.labels[t], m), d)
    assert with_farm[t] == pytest.approx(formula, abs=1e-13)
    measured = pagerank(link_farm(graph, graph.labels[t], m), damping=d, tol=1e-12)
    assert measured.scores[t] == pytest.approx(formula, abs=1e-11)
    effect = farm_effect(graph, graph.labels[t], m, damping=d)
    assert effect.gain == pytest.approx(formula - before[t], abs=1e-13)
    # What the farm does to the rest: what the target gains flows on to where it links …
    everywhere = (n * before + m * d * (1 - d) * z[t]) / (n + m)
    np.testing.assert_allclose(with_farm[:n], everywhere, atol=1e-13)
    np.testing.assert_allclose(effect.after, everywhere, atol=1e-13)
    # … and who gets no visits from there loses m / (N + m) of its score.
    loses = z[t] < 1e-12
    np.testing.assert_allclose(effect.after[loses], before[loses] * n / (n + m), atol=1e-13)


def test_c64_the_simple_formula_needs_pages_that_all_link():
    graph = Graph.from_edges([("a", "t"), ("b", "t"), ("t", "a"), ("a", "end")])  # "end" has no links
    n, m, d = 4, 20, 0.85
    matrix = np.array([[0, 0.5, 0, 0.5], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
    assert graph.labels == ("a", "t", "b", "end")
    z = np.linalg.inv(np.eye(n) - d * matrix)
    simple = (n * power_iteration(graph)[1] + m * d * (1 - d) * z[1, 1]) / (n + m)
    measured = power_iteration(link_farm(graph, "t", m))[1]
    assert abs(simple - measured) > 0.05
    assert farm_effect(graph, "t", m).after[1] == pytest.approx(measured, abs=1e-13)


def attack(m, anchor="evil empire"):
    """Pages that call the town council names, all in the same words."""
    said = f"Read the truth about the {anchor} and buy cheap pills"
    return [Page(f"http://s{i}.example/", said, "", [Link(COUNCIL, anchor)]) for i in range(m)]


def test_c65_a_page_ranks_for_words_that_it_does_not_contain():
    pages = list(tiny_web().values())
    assert all("evil" not in page.text.lower() for page in pages)
    assert AnchorIndex(pages).search("evil empire") == []
    hits = AnchorIndex([*pages, *attack(30)]).search("evil empire", 50)
    assert hits[0].url == COUNCIL
    assert hits[0].text == 0 and hits[0].score == hits[0].anchors > 3 * hits[1].score
    # Without anchor text the attackers find themselves alone; honest requests not to follow take its force.
    found = AnchorIndex([*pages, *attack(30)]).search("evil empire", 50, anchors=0)
    assert COUNCIL not in {hit.url for hit in found} and len(found) == 30
    asked = [
        Page(p.url, p.text, "", [Link(COUNCIL, "evil empire", nofollow=True)]) for p in attack(30)
    ]  # a forum's posts
    assert COUNCIL not in {hit.url for hit in AnchorIndex([*pages, *asked]).search("evil empire", 50)}


def test_c65_idf_keeps_click_here_harmless():
    hosts = [f"http://h{i}.example/" for i in range(20)]
    shop = Page(
        "http://shop.example/", "", "", [Link(url, f"click here for w{i}") for i, url in enumerate(hosts)]
    )
    shouts = [Page(f"http://s{i}.example/", "", "", [Link(hosts[3], "click here")]) for i in range(500)]
    index = AnchorIndex([shop, *shouts])
    weights = {term.term: (term.pages, term.weight) for term in index.anchor_terms(hosts[3])}
    assert weights["click"] == (501, 0.0) and weights["w3"] == (1, pytest.approx(np.log(20)))
    assert index.search("click here") == []
    assert [hit.url for hit in index.search("click here w5")] == [hosts[5]]  # 500 links weigh nothing


def found_right(window):
    """Of twelve topics, each named before a link "here": how many are found, and the part that is right."""
    topics = [(f"first{i}", f"second{i}") for i in range(12)]
    urls = [f"http://t{i}.example/" for i in range(12)]
    text = " ".join(f"For {a} {b} look here and go on." for a, b in topics)
    index = AnchorIndex(
        [Page("http://list.example/", text, "", [Link(url, "here") for url in urls])], window=window
    )
    results = [index.search(" ".join(topic), 12, text=0) for topic in topics]
    right = sum(url in {hit.url for hit in hits} for url, hits in zip(urls, results, strict=True))
    return right, right / max(1, sum(map(len, results)))


def test_c65_words_around_the_anchor_help_and_a_window_too_wide_hurts():
    found = {window: found_right(window) for window in (0, 1, 3, 10, 20)}
    assert found[0] == found[1] == (0, 0)  # the anchors say "here", and the word before "look"
    assert found[3] == (12, 1)
    assert found[10] == (12, pytest.approx(12 / 34))  # the topics before and after come in …
    assert found[20] == (12, pytest.approx(12 / 54))  # … and those beyond


def test_c65_the_window_gives_the_spam_away():
    pages = [*tiny_web().values(), *attack(30)]
    index = AnchorIndex(pages)
    snippets = index.snippets(COUNCIL, n=1000)
    said = [(s.before, s.after) for s in snippets if s.source.startswith("http://s")]
    assert len(said) == 30 and len(set(said)) == 1  # thirty strangers in the same words
    honest = [(s.before, s.after) for s in index.snippets("http://ferries.saltmere.example/", n=1000)]
    honest = [words for words in honest if any(words)]
    assert len(honest) >= 5 and len(set(honest)) > len(honest) / 2
