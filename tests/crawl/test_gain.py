"""The policy that spends a budget of visits where they gain most, alone and in crawls of webs that change."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.crawl import adaptive, by_gain, policy_means, revisit_rates, uniform_rates
from ircourse.crawl.crawler.returns import Returns
from ircourse.crawl.crawler.revisit import Visit
from ircourse.crawl.crawler.schedule import Known, Schedule
from ircourse.web import Web, crawl_changing

DAY = 86_400.0
SITE = "http://a.example/"
RATES = [20.0] * 4 + [2.0] * 4 + [0.5] * 8 + [0.1] * 8  # changes a day; the first ones at every fetch
PAGES = {f"{SITE}{n}": rate / DAY for n, rate in enumerate(RATES)}
DAYS = 100


def looks(rate, rng, n=50):
    """Daily looks at a page that changes so often a day."""
    changed = rng.random(n) < 1 - np.exp(-rate)
    return [Visit(day * DAY, bool(changed[day]) and day > 0) for day in range(n)]


def watch(policy, days=DAYS):
    """The mean freshness after a while, and the visits a day of each page."""
    web = Web.from_pages({url: [] for url in PAGES})
    watched = crawl_changing(web, PAGES, policy, seconds=days * DAY, settle=days / 2 * DAY, rng=5)
    schedule, often = watched.crawler.returns.schedule, []
    for url in PAGES:
        times = [visit.time for visit in schedule.visits(url)][-15:]
        often.append((len(times) - 1) / (times[-1] - times[0]) * DAY)
    return watched, np.array(often)


def test_intervals_are_those_of_the_best_rates():
    rng, worth = np.random.default_rng(1), {f"{SITE}{n}": q for n, q in enumerate([1.0, 2.0, 0.5, 3.0])}
    visits = {url: looks(rate, rng) for url, rate in zip(worth, [0.1, 0.5, 1.0, 2.0], strict=True)}
    policy = by_gain(8.0, worth.get)
    for _ in range(2):
        intervals = [policy(url, seen) for url, seen in visits.items()]
    policy._solve()
    intervals = [policy(url, seen) for url, seen in visits.items()]
    rates = np.array([rate for rate, _ in policy._pages.values()]) * DAY
    assert [DAY / seconds for seconds in intervals] == pytest.approx(
        revisit_rates(rates, 8.0, list(worth.values())), rel=1e-6
    )


def test_a_page_that_changes_at_every_fetch_does_not_win():
    watched, often = watch(by_gain(12.0))
    assert 0.7 * 12 < often.sum() < 1.15 * 12
    assert often[:4].max() < 0.15 < 0.3 < often[4:16].min()
    best, equal = (
        policy_means(RATES, policy(RATES, 12.0)).freshness for policy in (revisit_rates, uniform_rates)
    )
    assert equal + 0.02 < watched.mean < best + 0.02
    assert watch(adaptive(), days=5)[1][:4].min() > 20  # that spends most on them


def test_quality_draws_visits_and_none_keeps_them_off():
    quality = {url: n % 2 * 10.0 for n, url in enumerate(PAGES)}
    _, often = watch(by_gain(6.0, quality.__getitem__))
    assert often[5:16:2].min() > 0.3 and often[4:16:2].max() < 0.1


def test_a_further_run_knows_how_many_pages_share_the_budget():
    rng = np.random.default_rng(2)
    visits = {f"{SITE}{n}": looks(0.5, rng) for n in range(40)}
    policy = by_gain(4.0)
    policy.recall(visits.items())
    assert policy(SITE + "0", visits[SITE + "0"]) > 1.5 * DAY  # alone it would have all of the budget
    assert by_gain(4.0)(SITE + "0", visits[SITE + "0"]) < 0.5 * DAY


def test_a_crawl_tells_its_policy_of_the_living_pages_of_an_earlier_run(database):
    schedule = Schedule(database)
    for n in range(3):
        schedule.note(f"{SITE}{n}", Known(0, dead=int(n == 1)))
        schedule.visit(f"{SITE}{n}", Visit(5.0, False))
    policy = by_gain(1.0)
    Returns(schedule, policy).adopt((), 9.0)
    assert list(policy._pages) == [f"{SITE}0", f"{SITE}2"]


@given(st.lists(st.tuples(st.floats(0, 1e7), st.booleans()), min_size=1, max_size=30), st.floats(1e-3, 1e6))
@settings(max_examples=100)
def test_intervals_keep_their_bounds_whatever_the_visits(looks, budget):
    times = sorted(time for time, _ in looks)
    visits = [Visit(time, changed) for time, (_, changed) in zip(times, looks, strict=True)]
    most = max(30 * DAY, 10 * DAY / budget)
    assert 3600 <= by_gain(budget)(SITE, visits) <= most
    assert by_gain(budget, lambda url: 0)(SITE, visits[:1]) == most


def test_what_cannot_be_is_refused():
    for bad in (
        {"visits_a_day": 0},
        {"visits_a_day": np.inf},
        {"first": 0},
        {"shortest": 9e9},
        {"longest": np.nan},
    ):
        with pytest.raises(ValueError, match="numbers above 0 expected"):
            by_gain(**{"visits_a_day": 5.0} | bad)
    for bad in (-1, np.nan, np.inf):
        with pytest.raises(ValueError, match=r"the quality of http://a\.example/ is"):
            by_gain(5.0, lambda url, bad=bad: bad)(SITE, [Visit(0.0, False)])
