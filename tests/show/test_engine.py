"""The capstone's explorers show what the engine says, and nothing that a page says is markup."""

import math

import numpy as np
import pytest

from ircourse.engine import COMPONENTS, Engine, SourcePage, Weights
from ircourse.show.controls import HOSTILE
from ircourse.show.engine_attack import LAST, SAYS, SIZES, attack_engine
from ircourse.show.engine_bars import MARKS, NAMES, result_rows, wrapped
from ircourse.show.engine_costs import costs
from ircourse.show.engine_manual import MANUAL, manual_engine
from ircourse.show.engine_parts import ASKED, mixes, switch_parts
from ircourse.show.engine_search import QUERIES, search_engine
from ircourse.show.engine_town import (
    DEFAULT,
    NORTHPORT,
    QUESTIONS,
    address,
    difference,
    in_links,
    mean_reciprocal,
    only,
    quality,
    ranked,
    ranks,
    shops,
    short,
    spread,
    town_engine,
    with_scores,
)
from ircourse.show.svg import text_width
from ircourse.types import Link
from ircourse.web import tiny_web


def test_each_question_means_a_page_of_the_town():
    assert [page for page in QUESTIONS.values() if address(page) not in town_engine()] == []
    assert len(set(QUESTIONS.values())) == len(QUESTIONS)
    for url in town_engine().collection.urls:
        assert address(short(url)) == url


def test_ranks_are_those_of_search():
    engine = town_engine()
    for (question, page), rank in zip(QUESTIONS.items(), ranks(), strict=True):
        kept = engine.collection.stands_for[address(page)]
        urls = [hit.url for hit in engine.search(question, len(engine)).hits]
        assert rank == (urls.index(kept) + 1 if kept in urls else math.inf)
    assert np.isinf(ranks(only("pagerank"))).all() and only("pagerank").shares()["pagerank"] == 1
    assert 0.4 < quality() < 0.9


def test_spread_of_equal_ranks_is_nothing():
    assert spread(ranks(), ranks()) == (0.0, 0.0)
    assert difference(ranks(), ranks()) == "+0.000 ± 0.000"


def test_other_scores_take_the_place_of_pagerank():
    engine = town_engine()
    found = engine.candidates("harbour")
    same = with_scores(found, engine.retrieval.pagerank)
    assert np.allclose(same.parts, found.parts)
    counts = with_scores(found, 7 * in_links(engine))
    others = [c != "pagerank" for c in COMPONENTS]
    assert np.array_equal(counts.parts[:, others], found.parts[:, others])
    assert not np.allclose(counts.parts, found.parts)
    nobody = with_scores(found, np.zeros(len(engine.collection.kept)))
    assert not nobody.parts[:, COMPONENTS.index("pagerank")].any()


def test_shops_of_one_text_are_folded_and_others_are_not():
    town = list(tiny_web().values())
    same = Engine.build([*town, *shops(5, "here", same=True)])
    each = Engine.build([*town, *shops(5, "here", linked=3)])
    assert len(same.collection.kept) == len(town_engine().collection.kept) + 1
    assert len(each.collection.kept) == len(town_engine().collection.kept) + 5
    before = len(town_engine().page(NORTHPORT).linked_from)
    assert len(same.page(NORTHPORT).linked_from) == before + 1
    assert len(each.page(NORTHPORT).linked_from) == before + 3


def test_the_search_is_the_engine_s():
    explorer = search_engine()
    (found,) = explorer.trace
    assert found == town_engine().search(QUERIES[0], 5)
    explorer.controls["lsi"].widget.value = 1
    assert explorer.trace[0] == town_engine().search(QUERIES[0], 5, 0, Weights(lsi=1.0))
    assert explorer.alt().startswith("The engine, and why. 51 results. First: gazette/news/yacht.html")


def test_the_search_says_what_it_cannot_do():
    explorer = search_engine()
    explorer.controls["query"].widget.value = "lihgthouse"
    assert "Did you mean: lighthouse?" in explorer.alt()
    explorer.controls["query"].widget.value = "?!"
    assert "no words" in explorer._says.value
    explorer.controls["query"].widget.value = "crab"
    for name in COMPONENTS:
        explorer.controls[name].widget.value = int(name == "pagerank")
    assert "PageRank alone makes none" in explorer.alt()
    explorer.controls["pagerank"].widget.value = 0
    assert "All weights are 0" in explorer.alt()


def test_a_hostile_page_stays_text():
    links = [Link("javascript:alert(1)", HOSTILE), Link("http://b.example/", HOSTILE)]
    pages = [SourcePage(f"http://a.example/{HOSTILE}", f"crab {HOSTILE}", HOSTILE, links)]
    explorer = search_engine(Engine.build([*pages, SourcePage("http://b.example/", "crab")]), "crab onerror")
    explorer.fold.click()
    for html in (explorer._view.value, explorer._twin.value, str(explorer.static())):
        assert "<img src=x" not in html and "<script" not in html
    assert "&lt;img src=x" in explorer._view.value.replace("<tspan>", "").replace("</tspan>", "")


def test_an_engine_of_nothing_is_searched():
    assert "No results" in search_engine(Engine.build([]), "crab").alt()


@pytest.mark.parametrize("how, steps", [("one after the other", 5), ("each left out", 6), ("each alone", 4)])
def test_the_parts_are_switched(how, steps):
    explorer = switch_parts()
    explorer.controls["how"].widget.value = how
    assert [state.mix for state in explorer.trace] == list(mixes(how)) and len(explorer.trace) == steps
    order = list(QUESTIONS).index(ASKED[0])
    for state, weights in zip(explorer.trace, mixes(how).values(), strict=True):
        assert state.rank == ranks(weights)[order]
        assert state.quality == quality(weights)


def test_the_last_of_the_steps_are_the_default_weights():
    assert list(mixes("one after the other").values())[-1] == DEFAULT == mixes("each left out")["all"]


def test_each_step_says_what_is_on():
    explorer = switch_parts()
    assert explorer.alt().startswith("What each part adds. With text: ")
    explorer.controls["how"].widget.value = "each left out"
    explorer.go(5)
    assert explorer.alt().startswith("What each part adds. Without LSI: ")


def test_the_page_that_is_meant_is_shown_once():
    explorer = switch_parts()
    for step, state in enumerate(explorer.trace):
        explorer.go(step)
        rows = explorer._table(state)
        assert rows[-1][1:] == ["cinema/", "(meant)"]
        assert explorer.picture()


@pytest.mark.parametrize("says", SAYS)
def test_the_attack_is_one_on_a_real_engine(says):
    explorer = attack_engine()
    explorer.controls["says"].widget.value = says
    explorer.controls["pagerank"].widget.value = DEFAULT.pagerank
    state = explorer.trace[0]
    assert list(state.by_pagerank) == list(state.by_counts) == list(SIZES)
    for linked in (0, 5, LAST):
        engine = Engine.build([*tiny_web().values(), *shops(LAST, says, linked=linked)])
        found = engine.candidates("fish market")
        assert ranked(found, DEFAULT, engine).index(NORTHPORT) + 1 == state.by_pagerank[linked]
        found = with_scores(found, in_links(engine))
        assert ranked(found, DEFAULT, engine).index(NORTHPORT) + 1 == state.by_counts[linked]
    assert state.first_after == tuple(hit.url for hit in engine.search("fish market", 3).hits)
    assert state.quality_after == mean_reciprocal(ranks(DEFAULT, engine))
    assert state.quality == quality()
    assert state.by_pagerank[LAST] < state.by_pagerank[0]


def test_planted_words_do_more_than_links_alone():
    explorer = attack_engine()
    explorer.controls["pagerank"].widget.value = DEFAULT.pagerank
    by_links_alone = explorer.trace[0].by_pagerank[LAST]
    explorer.controls["says"].widget.value = "fish market"
    assert explorer.trace[0].by_pagerank[1] < by_links_alone


def test_costs_are_of_all_parts():
    pages = list(tiny_web().values())[:40]
    spent = costs(pages, ["crab", "old harbour"])
    assert list(spent) == ["duplicates", *COMPONENTS, "spelling", "pages"]
    assert all(cost.build > 0 and cost.size > 0 and cost.query >= 0 for cost in spent.values())
    assert all(spent[name].query > 0 for name in (*COMPONENTS, "pages"))
    assert spent["spelling"].query == spent["duplicates"].query == 0


def test_sizes_of_the_parts_are_all_that_is_saved(tmp_path):
    pages = list(tiny_web().values())[:40]
    Engine.build(pages).save(tmp_path / "saved")
    saved = sum(path.stat().st_size for path in (tmp_path / "saved").iterdir()) / 1000
    assert sum(cost.size for cost in costs(pages, ["crab"]).values()) == pytest.approx(saved, rel=0.01)


def test_each_question_means_a_page_of_the_manual():
    engine = manual_engine()
    assert [page for page in MANUAL.values() if address(page) not in engine] == []
    assert mean_reciprocal(ranks(DEFAULT, engine, MANUAL)) > 0.7


def test_every_component_has_a_name_and_a_mark():
    assert list(NAMES) == list(MARKS) == list(COMPONENTS)
    assert len(result_rows(town_engine().search("crab", 3).hits)[1]) == len(result_rows([])[0])


def test_lines_are_no_wider_than_asked():
    pieces = [("the ferry " * 20, False), ("Kittiwake", True), ("x" * 500, False)]
    lines = list(wrapped(pieces, 200))
    assert len(lines) > 5
    for line in lines:
        assert text_width("".join(text for text, _ in line)) <= 200


@pytest.mark.parametrize("make", [attack_engine, search_engine, switch_parts])
def test_each_is_driven_through_its_range(make):
    assert make().drive() > 0
