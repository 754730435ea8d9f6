"""Odd webs: one clear error each; hostile sizes: short pages and few turns."""

import pytest

from ircourse.show.link_map import link_map
from ircourse.show.seeds import count_in_links, cover_with_seeds
from ircourse.show.spiders import MOST_TURNS, SPIDERS, Shown, record, told, watch_spiders
from ircourse.show.webs import links_of
from ircourse.types import Page

EXPLORERS = [watch_spiders, count_in_links, cover_with_seeds]
ODD = {
    "empty": ({}, r"no pages in \{\}: give a mapping"),
    "a list": (["a"], r"no pages in \['a'\]: give a mapping"),
    "no page": ({"a": None}, "page 'a' is None: give a list"),
    "a page of no links": ({"a": Page("", links=None)}, "page 'a' is None: give a list"),
    "a text": ({"a": "bc"}, "page 'a' is 'bc': give a list"),
    "a number": ({"a": [], "b": 3}, "page 'b' is 3: give a list"),
    "a list as a link": ({"a": [["b"]]}, r"page 'a' holds \['b'\], the name of no page: give a list"),
}


@pytest.mark.parametrize("make", EXPLORERS)
@pytest.mark.parametrize("odd", ODD)
def test_an_odd_web_is_told(make, odd):
    web, message = ODD[odd]
    with pytest.raises(ValueError, match=message):
        make(web)


@pytest.mark.parametrize("make", [watch_spiders, count_in_links])
@pytest.mark.parametrize(
    ("seeds", "message"),
    [([], "seeds is empty: give a list"), ("A", "seeds is 'A': give a list"), (3, "is 3")],
)
def test_odd_seeds_are_told(make, seeds, message):
    with pytest.raises(ValueError, match=message):
        make({"A": []}, seeds)


@pytest.mark.parametrize("make", [watch_spiders, count_in_links])
def test_a_seed_that_is_not_there_is_a_dead_link(make):
    explorer = make({"A": []}, ["gone", "A"])
    explorer.drive(4)


@pytest.mark.parametrize("url", [1, "http://["])
def test_seeds_are_spread_over_hosts_of_urls(url):
    with pytest.raises(ValueError, match="is no URL: seeds are spread over hosts"):
        cover_with_seeds({url: [], "http://a.example/": []})


def test_pages_and_lists_have_the_same_links():
    assert links_of({"a": Page("", links=("b",)), "b": ["a"]}) == {"a": ["b"], "b": ["a"]}


@pytest.mark.parametrize("spider", SPIDERS)
def test_any_crawl_is_cut_after_sixty_turns(spider):
    turns = record(SPIDERS[spider], {"a": [f"dead{i}" for i in range(8_000)]}, ["a"])
    assert (len(turns), turns[-1].cut, turns[-1].event) == (MOST_TURNS + 1, True, "dead")
    says = told(Shown(spider, None, turns[-1]))
    assert f"is a dead link. 60 turns and {spider} has not come to an end" in says
    assert ("it never will" in says) == (spider == "SPIDER1")


def test_a_crawl_of_sixty_turns_is_not_cut():
    path = {i: [i + 1] for i in range(MOST_TURNS - 1)} | {MOST_TURNS - 1: []}
    turns = record(SPIDERS["SPIDER3"], path, [0])
    assert (len(turns), turns[-1].cut) == (MOST_TURNS + 1, False)
    assert "60 turns" not in told(Shown("SPIDER3", None, turns[-1]))


def test_a_crawl_cut_at_an_empty_stack_is_told():
    web = {"a": [], "b": []}
    turns = record(SPIDERS["SPIDER4"], web, ["a", *["b", "a"] * 40])
    assert turns[-1].cut and turns[-1].event == "empty"
    assert told(Shown("SPIDER4", None, turns[-1])).startswith("60 turns and SPIDER4")


@pytest.mark.parametrize("make", EXPLORERS)
def test_a_name_of_a_million_letters_makes_no_large_page(make):
    web = {"http://a.example/": ["http://b.example/" + "x" * 1_000_000], "http://b.example/": []}
    explorer = make(web)
    explorer.fold.click()
    shown = explorer._says.value + explorer._view.value + explorer._twin.value
    assert len(shown) + len(explorer._repr_mimebundle_()["text/html"]) < 100_000


def test_a_map_takes_what_no_url_can_be_as_a_host_of_its_own():
    still = link_map({"http://[": ["http://a.example/"], "http://a.example/": Page("", links=["http://["])})
    assert still.rows[1:] == [["a.example", 1, 0, 1], ["http://[", 1, 0, 1]]
    with pytest.raises(ValueError, match="1 is no URL: give a mapping from URLs"):
        link_map({1: Page("")})
    with pytest.raises(ValueError, match="page 'a' is None: give a list"):
        link_map({"a": None})


def test_a_map_asks_for_each_host_once(monkeypatch):
    import ircourse.show.link_map as module

    asked = []
    monkeypatch.setattr(module, "host_of", lambda url: asked.append(url) or f"h{url[-1]}")
    link_map({f"http://h/{i}": [f"http://h/{j}" for j in range(i)] for i in range(40)})
    assert len(asked) == 40
