"""What the explorers of PageRank show is what the package computes."""

import numpy as np
import pytest

from ircourse.index import InvertedIndex
from ircourse.links import pagerank, pagerank_steps, random_surfer, search_with_links, transition_matrix
from ircourse.show.link_search import search_the_town
from ircourse.show.matrix_view import watch_matrix
from ircourse.show.pagerank import READY, SEVEN, rank_a_graph, watch_power
from ircourse.show.rank_picture import RADIUS, RankPicture, parse_pages
from ircourse.show.surfer import MOMENTS, watch_surfer
from ircourse.web import tiny_web

MAKERS = [rank_a_graph, watch_power, watch_surfer, watch_matrix, search_the_town]


def text_of(explorer):
    """The control in which a graph is written."""
    return explorer.controls["edges" if "edges" in explorer.controls else "text"].widget


def test_the_scores_are_pagerank_s():
    explorer = rank_a_graph()
    for text in READY.values():
        text_of(explorer).value = text
        for d in (0, 0.86, 0.99):
            explorer.controls["damping"].widget.value = d
            assert explorer.trace[0].scores == pagerank(parse_pages(text), damping=d).as_dict()
    explorer.controls["to"].widget.value = "fish nowhere"
    scores = pagerank(parse_pages(text), damping=0.99, teleport={"fish": 1}).as_dict()
    assert explorer.trace[0].scores == scores and "No page is called nowhere." in explorer.alt()


def test_the_picture_keeps_areas_and_room():
    explorer = rank_a_graph()
    for text in READY.values():
        text_of(explorer).value = text
        ranked = explorer.trace[0]
        spots = RankPicture(ranked.links).centres
        assert len(set(spots.values())) == len(spots)
        svg = str(explorer.picture())
        for page, (x, y) in spots.items():
            r = f"{RADIUS * np.sqrt(ranked.scores[page]):.2f}".rstrip("0").rstrip(".")
            assert f'cx="{x}" cy="{y}" r="{r}"' in svg
        pages = list(spots)
        for i, u in enumerate(pages):
            for v in pages[:i]:
                room = np.hypot(*np.subtract(spots[u], spots[v]))
                assert room > RADIUS * (np.sqrt(ranked.scores[u]) + np.sqrt(ranked.scores[v])), (u, v)


def test_pages_stand_in_the_order_of_their_lines():
    assert list(parse_pages(SEVEN)) == list("0123456")
    assert parse_pages("a, a -> b b\n,\n\nc") == {"a": ["a", "b"], "c": [], "b": []}
    with pytest.raises(ValueError, match="13 pages are too many"):
        parse_pages(" ".join(map(str, range(13))))


def test_the_power_iteration_and_its_errors():
    explorer = watch_power()
    truth = pagerank(parse_pages(SEVEN), damping=0.86, tol=1e-12).scores
    steps = pagerank_steps(parse_pages(SEVEN), damping=0.86, start={"0": 1}, tol=1e-12)
    for state, step in zip(explorer.trace, steps, strict=False):
        assert list(state.scores.values()) == step.scores.tolist()
        assert len(state.errors) == step.step + 1
        assert abs(state.errors[-1] - abs(step.scores - truth).sum()) < 1e-10
    assert state.errors[-1] < 5e-3
    assert "Orange dashes: the error" in str(explorer.picture())
    explorer.controls["damping"].widget.value = 0.85
    assert "d = 0.85" in explorer.alt()
    explorer.controls["damping"].widget.value = 0.86
    text_of(explorer).value = READY["two islands"]
    errors = np.array(explorer.trace[-1].errors)
    assert np.allclose(errors[1:] / errors[:-1], 0.86)
    explorer.controls["start"].widget.value = "on all pages alike"
    assert len(explorer.trace) == 1 and "off by 0.0000" in explorer.alt()


def test_the_walk_is_the_package_s():
    explorer = watch_surfer()
    walk = random_surfer(parse_pages(SEVEN), MOMENTS[-1], rng=0, damping=0.86)
    assert [moment.steps for moment in explorer.trace] == list(MOMENTS)
    for moment in explorer.trace:
        assert list(moment.shares().values()) == walk.shares(moment.steps).tolist()
        explorer.go(MOMENTS.index(moment.steps))
        way = "teleports to" if walk.teleported[moment.steps - 1] else "follows a link to"
        assert moment.steps == 1 or way in explorer.alt()
    assert moment.off() < 0.1


def test_the_columns_of_a_step():
    explorer = watch_matrix()
    P = transition_matrix(parse_pages(SEVEN), 0.86)
    assert len(explorer.trace) == 3 * 8
    for n, state in enumerate(explorer.trace):
        step, done = divmod(n, 8)
        assert (state.step, state.done) == (step + 1, done)
        assert np.allclose(state.new(), (state.x @ P)[:done])
        assert abs(state.shown().sum() - 7) < 1e-12
    assert np.allclose(explorer.trace[8].x, P[0])
    explorer.controls["cells"].widget.value = "what flows, x · P"
    assert abs(explorer.trace[12].shown().sum() - 1) < 1e-12
    text_of(explorer).value = "1 2 3 4 5 6 7 8 9"
    assert "9 pages make too large a matrix" in explorer._says.value


def test_the_search_is_the_package_s():
    explorer = search_the_town()
    web = tiny_web()
    index, scores = InvertedIndex([page.text for page in web.values()]), pagerank(web.link_graph()).scores
    for weight in (0, 0.5, 1):
        explorer.controls["weight"].widget.value = weight
        assert explorer.trace[0].hits == search_with_links(index, scores, "crab", weight=weight)
    explorer.controls["query"].widget.value = "no such words"
    assert "No page has no such words." in explorer.alt()


@pytest.mark.parametrize("make", MAKERS[:-1])
def test_every_graph_is_driven_through(make):
    explorer = make()
    for text in READY.values():
        text_of(explorer).value = text
        explorer._drive_steps(4)
        assert explorer.failure is None


@pytest.mark.parametrize("text", ["a", "a a", "a b", "a a b\nb b a", "a\nb\nc"])
def test_the_least_graphs(text):
    for make in MAKERS[:-1]:
        explorer = make()
        text_of(explorer).value = text
        assert explorer.drive(2) and "nan" not in str(explorer.static())
