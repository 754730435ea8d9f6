"""Coverage curves and the choice of seeds."""

import pytest

from ircourse.crawl import coverage, diverse_seeds, look_up_in, random_seeds

URLS = [
    f"http://{host}.example/{page}" for host, pages in (("a", 5), ("b", 2), ("c", 1)) for page in range(pages)
]


def test_coverage_counts_a_seed_already_reached_and_a_dead_one():
    assert coverage(look_up_in({"a": ["b"], "b": []}), ["a", "b", "dead"]) == [2, 2, 2]
    assert coverage(look_up_in({}), []) == []


@pytest.mark.parametrize("choose", [random_seeds, diverse_seeds])
def test_seeds_are_different_urls_and_repeat_with_their_rng(choose):
    for rng in range(20):
        seeds = choose(URLS, 5, rng)
        assert len(set(seeds)) == 5 and set(seeds) <= set(URLS)
        assert seeds == choose(URLS, 5, rng)
    assert sorted(choose(URLS, len(URLS), 0)) == sorted(URLS)
    assert choose(URLS, 0, 0) == []


def test_diverse_seeds_take_every_host_before_any_host_twice():
    for rng in range(20):
        assert {url.split("/")[2] for url in diverse_seeds(URLS, 3, rng)} == {
            "a.example",
            "b.example",
            "c.example",
        }


@pytest.mark.parametrize("choose", [random_seeds, diverse_seeds])
@pytest.mark.parametrize("n", [-1, 9])
def test_a_number_of_seeds_that_cannot_be_is_refused(choose, n):
    with pytest.raises(ValueError, match=f"cannot choose {n} seeds of 8 URLs"):
        choose(URLS, n, 0)
