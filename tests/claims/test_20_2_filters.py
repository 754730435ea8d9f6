"""Claims C50 and C51: spider traps, stacks, queues and filters; copies by fingerprint and by sketch."""

from collections import deque
from math import sqrt

import numpy as np

from ircourse.crawl.crawler.content import ContentSeen
from ircourse.crawl.filters import UrlFilter

S = "http://site.example"
BUDGET = 2000
REAL = [f"{S}/page{letter}.html" for letter in "abcdefghijklmnopqrst"]


def deep_trap(url):
    """A start page with 20 real pages and a way into a trap: each of its pages leads two steps deeper."""
    if url == f"{S}/":
        return [*REAL, f"{S}/trap/"]
    return [f"{url}more/", f"{url}on/"] if "/trap/" in url else [f"{S}/"]


def wide_trap(url):
    """The same pages and a calendar of short URLs, each page of which leads to 50 others."""
    if url == f"{S}/":
        return [f"{S}/day/0", *REAL]
    if "/day/" not in url:
        return [f"{S}/"]
    day = int(url.rpartition("/")[2])
    return [f"{S}/day/{50 * day + step}" for step in range(1, 51)]


def crawl(links, take, filter_=None, budget=BUDGET):
    """The pages fetched within a budget, by a plain spider that takes from either end of what it holds."""
    waiting, seen, fetched = deque([(f"{S}/", 0)]), {f"{S}/"}, []
    while waiting and len(fetched) < budget:
        url, clicks = take(waiting)
        fetched.append(url)
        for link in links(url):
            if link not in seen:
                seen.add(link)
                if filter_ is None or not filter_.judge(link, clicks + 1).rule:
                    waiting.append((link, clicks + 1))
    return fetched


def stack(waiting):
    return waiting.pop()


def queue(waiting):
    return waiting.popleft()


def in_trap(fetched):
    return sum("/trap/" in url or "/day/" in url for url in fetched)


def test_c50_a_deep_trap_takes_nearly_the_whole_budget_of_a_stack():
    fetched = crawl(deep_trap, stack)
    assert (len(fetched), in_trap(fetched)) == (2000, 1999)


def test_c50_a_queue_still_reaches_the_real_pages_near_the_top():
    fetched = crawl(deep_trap, queue)
    assert fetched[1:21] == REAL
    assert in_trap(fetched) == 2000 - 21  # what is left of the budget goes to the trap all the same


def test_c50_filters_bound_a_deep_trap_for_both():
    for take in (stack, queue):
        fetched = crawl(deep_trap, take, UrlFilter(["site.example"]))
        assert set(REAL) < set(fetched)
        # "more" and "on" at most twice each: paths of up to 4 steps, 1 + 2 + 4 + 6 + 6 of them.
        assert (in_trap(fetched), len(fetched)) == (19, 40)


def test_c50_a_wide_trap_defeats_queues_and_limits_on_depth():
    assert set(REAL) < set(crawl(wide_trap, queue, budget=22))
    limit = UrlFilter(["site.example"], max_clicks=4, per_pattern=10**9)
    for take in (stack, queue):
        fetched = crawl(wide_trap, take, limit)
        assert (len(fetched), in_trap(fetched) > 1970) == (2000, True)
    # A page that the trap hides, five clicks deep, is out of reach of the queue: 50 + 50² + … come first.
    chain = {
        f"{S}/pagea.html": [f"{S}/deep-a"],
        f"{S}/deep-a": [f"{S}/deep-b"],
        f"{S}/deep-b": [f"{S}/deep-c"],
    }
    assert f"{S}/deep-c" not in crawl(lambda url: chain.get(url, wide_trap(url)), queue)


def test_c50_a_budget_for_each_pattern_bounds_a_wide_trap():
    for take in (stack, queue):
        fetched = crawl(wide_trap, take, UrlFilter(["site.example"], per_pattern=100))
        assert (in_trap(fetched), len(fetched)) == (100, 121)
        assert set(REAL) < set(fetched)


def test_c51_sketches_find_mirrors_with_another_date_and_fingerprints_do_not():
    rng = np.random.default_rng(51)
    words = [f"w{n}" for n in range(3000)]
    texts = [" ".join(rng.choice(words, 200)) for _ in range(200)]
    exact, near = ContentSeen(None), ContentSeen(0.8)
    for number, text in enumerate(texts):
        for seen in (exact, near):
            assert seen.look(f"http://a.example/{number}", f"Printed on 3 March. {text}") is None
    mirrored = [(f"http://mirror.example/{n}", f"Printed on 4 June. {text}") for n, text in enumerate(texts)]
    assert [exact.look(*page) for page in mirrored] == [None] * 200
    copies = [near.look(*page) for page in mirrored]
    assert [copy.url for copy in copies] == [f"http://a.example/{n}" for n in range(200)]
    # The date is in 4 of 201 shingles on each side. n = 200 pairs; the estimate from 128 values has a
    # standard error of sqrt(J (1 - J) / 128) = 0.017, so that 0.8 is 9 of them below J.
    j = shared(f"Printed on 3 March. {texts[0]}", f"Printed on 4 June. {texts[0]}")
    assert j == 197 / 205
    assert all(abs(copy.similarity - j) < 5 * sqrt(j * (1 - j) / 128) for copy in copies)


def shared(a, b, k=4):
    """J of the word 4-shingles, by their definition."""
    sets = [{tuple(text.split()[i : i + k]) for i in range(len(text.split()) - k + 1)} for text in (a, b)]
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])
