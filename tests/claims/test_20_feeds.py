"""Claim C55: sitemaps and feeds find changes with fewer requests than revisiting; where that ends."""

import numpy as np
import pytest

from ircourse.crawl.feeds.finding import (
    ChangingSite,
    by_feed,
    by_push,
    by_revisiting,
    by_sitemap,
    requests_to_find,
)

DAY = 86_400.0
SLOW = np.full(200, 1 / 60)  # 200 pages, each changing once in two months


def test_c55_sitemaps_and_feeds_find_changes_with_fewer_requests_than_revisiting():
    costs = requests_to_find(SLOW, rng=0)
    revisiting, sitemap, feed, push = costs.values()
    assert revisiting.requests == 30 * 200
    # One a day for the list and one a state found; 100 changes expected, standard error 10.
    assert abs(len(ChangingSite(SLOW, 30, 0).changes) - 100) < 40
    assert sitemap.requests == feed.requests == 30 + sitemap.found
    assert sitemap.found == feed.found == revisiting.found == revisiting.states
    assert revisiting.requests / sitemap.requests > 30
    assert push.requests == 3 + push.found and push.found >= sitemap.found


def test_c55_the_delay_is_that_of_revisiting_and_push_has_none():
    costs = requests_to_find(SLOW, rng=1)
    # A change falls anywhere in a day: 12 hours on average, standard error 24/sqrt(12 n) = 0.7 for n = 100.
    for way in ("revisiting", "sitemap", "feed"):
        assert costs[way].delay == pytest.approx(DAY / 2, abs=3 * DAY / np.sqrt(12 * costs[way].found))
    assert costs["push"].delay == 1.0
    # For less than a daily round of revisiting, the sitemap can be asked every two hours.
    site = ChangingSite(SLOW[:100], 30, 1)
    often, revisiting = by_sitemap(site, DAY / 12), by_revisiting(site, DAY)
    assert often.requests < revisiting.requests / 5 and often.delay < 0.06 * DAY


def test_c55_revisiting_as_seldom_as_it_costs_no_more_misses_changes():
    site = ChangingSite(SLOW, 30, 2)
    sitemap, seldom = by_sitemap(site, DAY), by_revisiting(site, 30 * DAY)
    assert seldom.requests > sitemap.requests and seldom.delay > 15 * sitemap.delay


def test_c55_it_ends_where_every_page_changes_between_looks():
    site = ChangingSite(np.full(50, 20.0), 30, 3)
    sitemap, revisiting = by_sitemap(site, DAY), by_revisiting(site, DAY)
    assert sitemap.requests == revisiting.requests + 30
    assert by_push(site).requests > 10 * revisiting.requests  # every change is told of, none can be left out


def test_c55_a_feed_shorter_than_the_changes_between_looks_misses_some():
    site = ChangingSite(np.full(200, 0.5), 8, 4)  # about 80 pages change a day
    feed, sitemap = by_feed(site, DAY, length=20), by_sitemap(site, DAY)
    assert sitemap.found == sitemap.states and feed.found == 8 * 20 < 0.3 * feed.states
    hourly = by_feed(site, DAY / 24, length=20)  # about 4 an hour
    assert hourly.found == hourly.states
