import numpy as np
import pytest

from ircourse.crawl import parse_feed, parse_sitemap
from ircourse.crawl.feeds import finding
from ircourse.crawl.feeds.finding import ChangingSite, by_feed, by_push, by_revisiting, by_sitemap

DAY = 86_400.0


def site_of(*changes, pages=5, days=10):
    """A site that changes at the times given, in days."""
    site = ChangingSite([0.0] * pages, days, 0)
    site.changes = sorted((when * DAY, page) for when, page in changes)
    return site


def test_counted_by_hand():
    site = site_of((0.5, 0), (0.6, 1), (0.7, 1), (4.5, 0))
    revisiting = by_revisiting(site, DAY)
    assert (revisiting.requests, revisiting.states, revisiting.found) == (50, 3, 3)
    assert revisiting.delay == pytest.approx((0.5 + 0.3 + 0.5) / 3 * DAY)
    assert by_sitemap(site, DAY) == by_feed(site, DAY) == finding.Found(13, 0, 3, 3, revisiting.delay)
    assert by_push(site) == finding.Found(1 + 4, 4, 4, 4, 1.0)


def test_looks_can_be_watched():
    site = site_of((0.5, 0), (0.6, 1), (4.5, 0))
    for way in (by_revisiting, by_sitemap, by_feed):
        looks = []
        watched = way(site, DAY, watch=lambda now, urls, looks=looks: looks.append((now / DAY, len(urls))))
        assert watched == way(site, DAY)
        assert looks == [
            (day, 5 if way is by_revisiting else {1: 2, 5: 1}.get(day, 0)) for day in range(1, 11)
        ]


def test_a_feed_that_is_too_short_misses_what_fell_out():
    site = site_of(*((0.1 * n, n - 1) for n in range(1, 6)))
    found = by_feed(site, DAY, length=2)
    assert (found.requests, found.states, found.found) == (12, 5, 2)
    assert by_feed(site, DAY / 10, length=2).found == 5


def test_nothing_changes():
    site = site_of()
    assert by_sitemap(site, DAY) == by_feed(site, DAY) == finding.Found(10, 0, 0, 0, 0.0)
    assert by_push(site) == finding.Found(1, 0, 0, 0, 0.0)


def test_the_lists_of_the_site():
    site = site_of((1.0, 3), (2.0, 1), (3.0, 3))
    assert len(parse_sitemap(site.sitemap(0)).entries) == 5
    assert [entry.url[-6] for entry in parse_feed(site.feed(2.5 * DAY, 9)).entries] == ["1", "3"]
    assert [entry.url[-6] for entry in parse_feed(site.feed(9 * DAY, 1)).entries] == ["3"]
    assert parse_feed(site.feed(0, 9)).entries == ()


def test_the_same_again_and_as_many_changes_as_the_rates_say():
    one, two = (ChangingSite([0.5] * 400, 30, 7) for _ in range(2))
    assert one.changes == two.changes
    assert abs(len(one.changes) - 6000) < 4 * np.sqrt(6000)


@pytest.mark.parametrize(
    "rates, days", [([], 1), ([-1], 1), ([float("nan")], 1), ([1], 0), ([1], float("inf"))]
)
def test_a_site_that_cannot_be(rates, days):
    with pytest.raises(ValueError, match="give rates of at least 0"):
        ChangingSite(rates, days, 0)


@pytest.mark.parametrize("interval", [0, -1, float("nan")])
def test_an_interval_that_cannot_be(interval):
    with pytest.raises(ValueError, match="give a number above 0"):
        by_revisiting(site_of(), interval)
