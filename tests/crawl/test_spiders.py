"""The spiders as code: what they accept, what watching shows and what it cannot change."""

import itertools
import subprocess
import sys

import pytest

from ircourse.crawl import look_up_in, spider1, spider2, spider3, spider4, spider4_counting
from ircourse.types import Link, Page
from ircourse.web import Web

LOOP = {"a": ["b"], "b": ["a"]}
ONE_ROOT = [spider1, spider2, spider3]


def urls(spider, web, start, **options):
    return [url for url, _ in spider(look_up_in(web), start, **options)]


@pytest.mark.parametrize("spider", ONE_ROOT)
def test_a_dead_root_gives_nothing(spider):
    assert urls(spider, {}, "gone") == []


@pytest.mark.parametrize("spider", [spider4, spider4_counting])
def test_no_seeds_give_nothing(spider):
    assert urls(spider, LOOP, []) == []


@pytest.mark.parametrize("spider", [spider2, spider3])
def test_a_page_that_links_to_itself_is_stored_once(spider):
    assert urls(spider, {"a": ["a", "a"]}, "a") == ["a"]


def test_falsy_urls_are_urls():
    assert urls(spider3, {0: ["", 0], "": [0]}, 0) == [0, ""]


def test_a_spider_takes_seeds_one_at_a_time_and_only_as_needed():
    crawl = spider4(look_up_in({n: [] for n in range(10)}), itertools.count())
    assert [url for url, _ in itertools.islice(crawl, 3)] == [0, 1, 2]


def test_repeated_seeds_are_crawled_once():
    assert urls(spider4, LOOP, ["a", "a", "b"]) == ["a", "b"]


def test_pages_come_as_they_are_looked_up():
    page = Page("http://a.example/", "words", "title", (Link("http://a.example/b", "b"),))
    assert dict(spider3({"http://a.example/": page}.get, "http://a.example/")) == {"http://a.example/": page}


def test_a_web_in_memory_is_crawled():
    web = Web.from_pages({"http://a.example/": ["http://a.example/b"], "http://a.example/b": []})
    assert [url for url, _ in spider3(web.get, "http://a.example/")] == list(web)


def test_spider2_looks_a_dead_link_up_again_and_spider3_does_not():
    web = {"a": ["dead", "b"], "b": ["dead"]}
    asked = []

    def look_up(url):
        asked.append(url)
        return look_up_in(web)(url)

    list(spider2(look_up, "a"))
    assert asked == ["a", "b", "dead", "dead"]
    asked.clear()
    list(spider3(look_up, "a"))
    assert asked == ["a", "b", "dead"]


@pytest.mark.parametrize("spider", [*ONE_ROOT, spider4, spider4_counting])
def test_watching_tells_of_every_turn_and_changes_nothing(spider):
    web = {"a": ["b", "c"], "b": ["dead"], "c": []}
    start = "a" if spider in ONE_ROOT else ["a", "b"]
    steps = []

    def watch(event, url, page, held):
        steps.append((event, url, list(held.stack), sorted(held.visited), dict(held.counts)))
        with pytest.raises((TypeError, AttributeError)):
            held.stack.append("x")
        with pytest.raises(TypeError):
            held.stack[0] = "x"
        with pytest.raises(AttributeError):
            held.visited.add("x")
        with pytest.raises(TypeError):
            held.counts["x"] = 1

    watched = urls(spider, web, start, watch=watch)
    assert watched == urls(spider, web, start)
    events = [event for event, *_ in steps]
    assert events[:4] == ["stored", "stored", "stored", "dead"]
    assert steps[0][2] == ["b", "c"]  # after a's links were pushed
    assert steps[1][1:3] == ("c", ["b"])
    if spider is spider4_counting:
        assert steps[-1][4] == {"a": 0, "b": 1, "c": 1, "dead": 1}


def test_views_follow_the_spider():
    views = []
    list(spider3(look_up_in(LOOP), "a", watch=lambda event, url, page, held: views.append(held)))
    assert all(held is views[0] for held in views)
    assert list(views[0].stack) == [] and sorted(views[0].visited) == ["a", "b"]
    assert repr(views[0].stack) == "View([])"


def test_counting_returns_the_counts_of_a_dict_of_its_own():
    crawl = spider4_counting(look_up_in(LOOP), ["a"])
    while True:
        try:
            next(crawl)
        except StopIteration as end:
            assert end.value == {"a": 1, "b": 1}
            break


def test_a_long_chain_needs_no_recursion():
    n = 50_000
    chain = {i: [i + 1] for i in range(n)}
    chain[n] = []
    assert sum(1 for _ in spider3(look_up_in(chain), 0)) == n + 1


def test_the_order_does_not_depend_on_the_hash_seed():
    code = (
        "from ircourse.crawl import *\n"
        "web = {c: list('abcdefgh') for c in 'abcdefgh'}\n"
        "print([url for url, _ in spider4_counting(look_up_in(web), ['a', 'b'])])"
    )
    orders = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(orders) == 1
