"""Claims C46, C47 and C49: looking up names, a Bloom filter's size and mistakes, robots.txt at fetch time."""

import itertools
import math

import pytest

from ircourse.crawl import BloomFilter, Robots
from ircourse.crawl.net.dns import TIMEOUTS
from ircourse.crawl.net.lookups import simulated

HOST = "http://harbour.example"


def test_c46_five_time_outs_grow_from_1_to_90_seconds():
    assert len(TIMEOUTS) == 5 and TIMEOUTS[0] == 1 and TIMEOUTS[-1] == pytest.approx(90)
    factors = [b / a for a, b in itertools.pairwise(TIMEOUTS)]
    assert factors == pytest.approx([90 ** (1 / 4)] * 4) and round(factors[0], 2) == 3.08
    assert round(sum(TIMEOUTS)) == 133


def test_c46_one_look_up_at_a_time_stalls_every_thread():
    """Each of 20 threads waits for a host; the name servers of the first never answer."""
    seconds = {"silent.example": None} | {f"host{i}.example": 0.1 for i in range(19)}
    one_by_one, together = simulated(seconds, at_once=1), simulated(seconds)
    others = [host for host in seconds if host != "silent.example"]
    assert min(one_by_one[host][0] for host in others) > 132
    assert max(together[host][0] for host in others) == pytest.approx(0.1)
    assert together["silent.example"][0] == pytest.approx(sum(TIMEOUTS))


def test_c46_even_without_a_dead_server_one_at_a_time_takes_the_sum():
    seconds = {f"host{i}.example": 0.5 for i in range(100)}
    assert max(end for end, _ in simulated(seconds, at_once=1).values()) == pytest.approx(50)
    assert max(end for end, _ in simulated(seconds).values()) == pytest.approx(0.5)


def test_c47_two_hundred_million_urls_take_20_gb_as_they_are_and_240_mb_in_a_filter():
    n = 200_000_000
    assert n * 100 == 20e9
    bits_per_url = BloomFilter(10**6, 0.01).n_bits / 10**6
    assert bits_per_url == pytest.approx(math.log(100) / math.log(2) ** 2, rel=1e-5)
    assert bits_per_url * n / 8 == pytest.approx(240e6, rel=0.002)


@pytest.mark.parametrize("capacity", [1_000, 50_000])
@pytest.mark.parametrize("rate", [0.2, 0.01, 0.001])
@pytest.mark.parametrize("filled", [0.5, 1.0, 2.0])
def test_c47_mistakes_are_as_many_as_the_formula_says(capacity, rate, filled):
    """500,000 URLs that were not added; the band is five standard errors.

    Beside the error of the sample stands that of the bits set by n URLs, which is the filter's own luck, and
    what two hashes in place of k add, of the order of k n / m^2.
    """
    seen, n, tests = BloomFilter(capacity, rate), int(filled * capacity), 500_000
    seen.add_many(f"{HOST}/page/{i}" for i in range(n))
    wrong = int(seen.contains_many(f"{HOST}/other/{i}" for i in range(tests)).sum())
    k, m = seen.n_hashes, seen.n_bits
    unset = math.exp(-k * n / m)
    expected = (1 - unset) ** k
    of_sample = math.sqrt(expected * (1 - expected) / tests)
    of_bits = k * (1 - unset) ** (k - 1) * math.sqrt(unset / m)  # d expected / d unset, times its deviation
    assert abs(wrong / tests - expected) < 5 * math.hypot(of_sample, of_bits) + k * n / m**2
    if filled == 1.0:
        assert expected == pytest.approx(rate, rel=0.05)


def crawl(links, file_at, ask_again):
    """Return the URLs fetched, one a minute, after all were found at time 0 and checked then.

    file_at    the site's robots.txt by time
    ask_again  whether the file is asked for again when it has expired, and the URL checked when it is fetched
    """
    robots = Robots.from_answer(200, file_at(0.0), now=0.0)
    waiting = [url for url in links if robots.allows(url, "ircourse")]
    fetched = []
    for minute, url in enumerate(waiting):
        now = 60.0 * minute
        if ask_again and now >= robots.expires_at:
            robots = Robots.from_answer(200, file_at(now), now=now)
        if not ask_again or robots.allows(url, "ircourse"):
            fetched.append((now, url))
    return fetched


def test_c49_a_check_when_a_link_is_found_fetches_what_was_closed_since():
    """The site closes /cabin after 30 hours; its file holds for a day, so from 48 hours on we must know."""
    closing, known = 30 * 3600.0, 48 * 3600.0
    links = [f"{HOST}/{'cabin' if i % 2 else 'deck'}/{i}" for i in range(4_000)]  # 66 hours of fetching

    def file_at(now):
        return b"User-agent: *\nDisallow: /hold" + (b"\nDisallow: /cabin" if now >= closing else b"")

    found_only = crawl([*links, f"{HOST}/hold/1"], file_at, ask_again=False)
    assert len(found_only) == 4_000
    assert sum("/cabin/" in url and now >= closing for now, url in found_only) == 1_100
    asked_again = crawl(links, file_at, ask_again=True)
    late = [url for now, url in asked_again if now >= known]
    assert len(late) == 560 and not any("/cabin/" in url for url in late)
    assert sum("/deck/" in url for _, url in asked_again) == 2_000
