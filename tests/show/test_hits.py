"""Explorers of HITS, base sets and communities: the sources' numbers, and what each control changes."""

import re

import numpy as np
import pytest

from ircourse.links import hits, hits_steps
from ircourse.show.base_sets import draw, grow_base_set, stages
from ircourse.show.communities import MOST_CLIQUE, clique_share, community, watch_community
from ircourse.show.four_scores import score_a_graph
from ircourse.show.hits import FIGURE, JAGUAR, MOST_PAGES, READY, parse_links, watch_hits


def put(explorer, **values):
    for name, value in values.items():
        explorer.controls[name].widget.value = value
    return explorer.trace


def test_the_slides_sums_are_spelled_out():
    explorer = watch_hits()
    assert "a(1) = h(2) + h(3) + h(4) = 0.143 + 0.143 + 0.143 = 0.429" in explorer.alt()
    explorer.go(2)
    assert "h(1) = a(5) + a(6) + a(7) = 0.167 + 0.167 + 0.167 = 0.500" in explorer.alt()


def test_what_is_watched_is_hits_steps():
    trace = put(watch_hits(), text=JAGUAR)
    states = list(hits_steps(parse_links(JAGUAR), tol=1e-4))
    assert len(trace) == 2 * len(states) - 1
    for i, state in enumerate(states):
        assert (trace[2 * i].hubs == state.hubs).all()
        assert (trace[2 * i].authorities == state.authorities).all()
        if i:
            assert (trace[2 * i - 1].authorities == state.authorities).all()
            assert (trace[2 * i - 1].hubs == states[i - 1].hubs).all()


def test_steps_are_counted_whole():
    explorer = watch_hits()
    assert "Step 1 of 2, first half. New authorities" in explorer._says.value
    explorer.go(2)
    assert "Step 1 of 2, second half. New hubs" in explorer._says.value
    explorer.go(99)
    assert "not yet at the end" not in explorer.alt()
    explorer = watch_hits(READY["two communities"], "v")
    explorer.go(99)
    assert "Stopped after 12 steps, not yet at the end." in explorer.alt()


def test_a_weight_stands_in_the_sum():
    explorer = watch_hits(JAGUAR, "6")
    explorer.go(2)
    assert "h(6) = 2 a(3) + a(4) + a(6) = 2 · " in explorer.alt()
    put(explorer, page="no such page")
    explorer.go(1)
    assert "a(0) = h(2)" in explorer.alt()


def test_a_page_that_nothing_links_to_has_an_empty_sum():
    explorer = watch_hits(FIGURE, "2")
    assert "a(2) is an empty sum, 0" in explorer.alt()


@pytest.mark.parametrize(
    "text, says", [("", "No graph yet"), ("a\nb", "No link yet"), (" ".join(map(str, range(20))), "20 pages")]
)
@pytest.mark.parametrize("make, name", [(watch_hits, "text"), (score_a_graph, "edges")])
def test_what_cannot_be_drawn_is_told(make, name, text, says):
    explorer = make()
    before = explorer.trace
    assert put(explorer, **{name: text}) is before
    assert says in explorer._says.value


def test_the_largest_graph_is_drawn():
    explorer = watch_hits(" ".join(map(str, range(MOST_PAGES))))
    assert explorer.trace[0].graph.n_nodes == MOST_PAGES


def test_the_book_s_digits():
    scored = score_a_graph().trace[0]
    assert scored.kinds["hub"].round(2).tolist() == [0.03, 0.04, 0.33, 0.18, 0.04, 0.04, 0.35]
    assert scored.kinds["authority"].round(2).tolist() == [0.10, 0.01, 0.12, 0.47, 0.16, 0.01, 0.13]
    assert (scored.first("hub"), scored.first("authority")) == ("6", "3")


def test_the_base_set_grows():
    trace = stages("museum", 20, 50, False)
    sizes = [sum(map(len, stage.fields())) for stage in trace]
    assert sizes == sorted(sizes) and sizes[0] == 20
    assert trace[3].dropped == len(trace[2].links) - len(trace[3].links) > 0
    assert len(trace[4].scores.labels) == sizes[4]
    inside = {page for part in trace[2].fields() for page in part}
    assert all(u in inside and v in inside for u, v in trace[2].links)


def test_links_to_the_best_authority_are_dark():
    final = stages("museum", 20, 50, False)[-1]
    best = final.leaders("authority")[0][0]
    dark = re.search(r'd="([^"]*)"[^>]*stroke-width="1.6"', str(draw(final).body))
    assert dark.group(1).count("M") == sum(v == best for _, v in final.links) > 1


def test_a_doubled_link_is_heavy():
    assert str(score_a_graph().picture()).count('stroke-width="3.2"') == 2
    assert 'stroke-width="3.2"' not in str(score_a_graph(FIGURE).picture())


def test_the_cap_and_the_hosts():
    explorer = grow_base_set("harbour")
    before = len(explorer.trace[4].pages.linking)
    after = put(explorer, cap=2)[4].pages
    assert len(after.linking) < before and after.left_out
    kept = put(explorer, within=True)
    assert kept[3].dropped == 0 and kept[3].links == kept[2].links


def test_no_page_found_and_no_links_left():
    explorer = grow_base_set("no such words")
    assert "No page holds all words" in explorer.alt()
    trace = put(explorer, query="museum", n=1, cap=0)
    lonely = [stage for stage in trace if stage.step == 5 and stage.scores is None]
    explorer.go(4)
    assert ("No links remain" in explorer.alt()) == bool(lonely)


def test_the_clique_takes_all_where_its_eigenvalue_is_larger():
    for words in range(4):
        for clique in range(2, MOST_CLIQUE + 1):
            mine, theirs = clique - 1, 3 * (1 + words)  # square roots of the eigenvalues of the parts
            if mine != theirs:
                assert (clique_share(clique, words) > 0.5) == (mine > theirs)
            else:
                assert 0.4 < clique_share(clique, words) < 0.6


def test_the_parts_of_the_community():
    A = community(6, 1).to_scipy().toarray()
    assert A.sum() == 24 * 2 + 30 + 1
    explorer = watch_community()
    assert "the clique 0.919" in explorer.alt()
    (knit,) = put(explorer, words=1)
    assert knit.share() == pytest.approx(dict(knit.shares["1 word"])[5])
    assert knit.scores.authorities == pytest.approx(hits(community(5, 1)).authorities)
    assert np.isclose(knit.scores.hubs.sum(), 1)


@pytest.mark.parametrize("make", [watch_hits, score_a_graph, grow_base_set, watch_community])
def test_driven(make):
    assert make().drive(5) > 8
