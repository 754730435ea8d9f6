"""A web that changes at random moments, and how fresh copies of it are."""

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.crawl import http_fetcher
from ircourse.types import Response, VirtualClock
from ircourse.web import Web, serve
from ircourse.web.changing import changing_web, crawl_changing

A, B = "http://a.example/", "http://a.example/b"
DAY = 86_400.0


def web(rates, rng=1, **pages):
    clock = VirtualClock()
    return clock, changing_web(Web.from_pages({A: [B], B: []}), rates, clock, rng)


def test_changes_are_a_poisson_process_that_a_seed_repeats():
    _, one = web({A: 0.01, B: 0.001})
    _, two = web({A: 0.01, B: 0.001})
    assert one.changes(A, 1e6) == two.changes(A, 1e6)
    # 10,000 changes are expected, give or take 100; their gaps have the mean 100 and as large a deviation.
    times = one.changes(A, 1e6)
    assert abs(len(times) - 10_000) < 400 and times == sorted(times) and times[-1] <= 1e6
    gaps = [after - before for before, after in pairwise(times)]
    mean = sum(gaps) / len(gaps)
    deviation = math.sqrt(sum((gap - mean) ** 2 for gap in gaps) / len(gaps))
    assert mean == pytest.approx(100, rel=0.05) and deviation == pytest.approx(100, rel=0.05)
    assert len(one.changes(B, 1e6)) < 1200


def test_what_was_asked_before_does_not_change_what_comes():
    (_, one), (_, two) = web({A: 0.01, B: 0.01}), web({A: 0.01, B: 0.01})
    early = one.changes(A, 50), one.changes(B, 700), one.changes(A, 2000)
    assert early == (two.changes(A, 2000)[: len(early[0])], two.changes(B, 700), two.changes(A, 2000))


def test_an_edition_has_its_tag_and_its_date_and_304_says_that_it_stands():
    clock, changing = web({A: 0.01})
    first = changing.respond(A)
    assert b"Edition 0" in first.body and first.headers["last-modified"] == "Thu, 01 Jan 1970 00:00:00 GMT"
    assert changing.respond(A, {"If-None-Match": first.headers["etag"]}).status == 304
    clock.wait(changing.changes(A, 1e5)[0] + 1)
    second = changing.respond(A, {"If-None-Match": first.headers["etag"]})
    assert (second.status, b"Edition 1" in second.body) == (200, True)
    assert changing.respond(A, {"If-Modified-Since": second.headers["last-modified"]}).status == 304
    assert changing.respond(B).body == Web.from_pages({A: [B], B: []}).respond(B).body
    assert changing.respond("http://a.example/none").status == 404


def test_freshness_is_exact():
    clock, changing = web({A: 0.01, B: 0.0})
    first, second = changing.changes(A, 1e4)[:2]
    clock.wait(first / 2)
    changing.respond(A)
    clock.wait(first / 2 + (second - first) / 2)
    changing.respond(A)
    end = second + 10
    expected = (first / 2 + (second - first) / 2) / end
    assert changing.freshness(0.0, end) == {A: pytest.approx(expected), B: 0.0}
    assert changing.freshness(second, end)[A] == 0.0
    with pytest.raises(ValueError, match="no time"):
        changing.freshness(5.0, 5.0)


@pytest.mark.parametrize(
    "rates", [{"http://b.example/": 1.0}, {A: -1.0}, {A: float("nan")}, {A: float("inf")}]
)
def test_rates_that_cannot_be_are_refused(rates):
    with pytest.raises(ValueError, match="a page and a rate"):
        web(rates)


def test_it_can_be_served():
    _, changing = web({A: 0.0})
    with serve(changing) as server:
        fetch = http_fetcher(resolve=server.resolve)
        first = fetch(A, {})
        assert fetch(A, {"If-None-Match": first.headers["etag"]}).status == 304


@given(st.floats(0.05, 20.0), st.integers(0, 9))
@settings(max_examples=6, deadline=None)
def test_mean_freshness_is_the_formula_s_whatever_the_rate(changes, seed):
    # 400 visits; the freshness of one interval deviates by at most 1/2, their mean by 0.025.
    watched = crawl_changing(
        Web.from_pages({A: []}), {A: changes / DAY}, lambda url, visits: DAY, seconds=400 * DAY, rng=seed
    )
    assert watched.mean == pytest.approx(-math.expm1(-changes) / changes, abs=0.1)
    assert watched.statistics.saved > 0 or changes > 3


def test_a_page_that_is_not_kept_does_not_count():
    pages = Web.from_pages({A: [B], B: []})
    pages.answer, plain = (lambda url, day: None if url == B else plain(url, day)), pages.answer
    watched = crawl_changing(pages, {A: 0.0, B: 0.0}, lambda url, visits: DAY, seconds=2 * DAY)
    assert set(watched.freshness) == {A} and watched.mean == pytest.approx(1, abs=0.01)
    assert isinstance(watched.crawler.store[A], Response)
