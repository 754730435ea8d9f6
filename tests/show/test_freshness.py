"""What the explorers of freshness and storage show is what formulas, policies, estimates and stores say."""

import numpy as np
import pytest

from ircourse.crawl import mean_age, mean_freshness, naive_rate, policy_means, rate_from_visits
from ircourse.crawl.feeds.finding import DAY, ChangingSite, requests_to_find
from ircourse.show.change_rates import VISITS, estimate_a_rate, guesses
from ircourse.show.feeds import DAYS, PAGES, hear_of_changes, heard
from ircourse.show.freshness import kept, watch_a_copy
from ircourse.show.revisit_policies import parse_numbers, spend_visits, spent
from ircourse.show.store_anatomy import open_a_store, opened


def test_a_copy_is_fresh_until_the_first_change_after_a_visit():
    state = kept(0.5, 7.0, 4)
    times = np.linspace(0, 27.9, 2000)
    told = np.array([state.at(float(time)) for time in times])
    fresh, old, since = told.T
    assert set(fresh) <= {0.0, 1.0} and ((old == 0) == (fresh == 1)).all()
    assert (old <= since).all() and since.max() < 7
    assert float(state.measured.freshness[0]) == pytest.approx(fresh.mean(), abs=0.01)
    assert float(state.measured.age[0]) == pytest.approx(old.mean(), abs=0.02)


def test_many_months_of_copies_come_near_the_formulas():
    # 200 months of 30 visits each: freshness and age between two visits vary by less than 0.4, so the
    # errors of the means are below 0.4 / √6000 = 0.0052.
    states = [kept(1.0, 1.0, seed) for seed in range(200)]
    fresh = np.mean([state.measured.freshness[0] for state in states])
    old = np.mean([state.measured.age[0] for state in states])
    assert fresh == pytest.approx(mean_freshness(1.0, 1.0), abs=0.021)
    assert old == pytest.approx(mean_age(1.0, 1.0), abs=0.021)


def test_a_copy_in_words():
    explorer = watch_a_copy()
    assert "In the long run: 63% and 0.92 days." in explorer.alt()
    explorer.controls["interval"].widget.value = 1
    assert "a visit every day." in explorer.alt()


def test_policies_spend_what_you_spend():
    state = spent([1.0, 2.0, 3.0, 4.0, 5.0], [0.0, 0.0, 1.0, 2.0, 2.0])
    for name, visits in state.visits.items():
        assert sum(visits) == pytest.approx(5)
        assert state.means[name] == policy_means(state.rates, visits)
        assert np.mean(state.fresh[name]) == pytest.approx(state.means[name].freshness)
    best = state.means["for freshness"].freshness
    assert all(best >= each.freshness for each in state.means.values())
    assert state.visits["for freshness"][-1] == 0 and state.note == ""


def test_what_does_not_fit_is_told():
    assert "cut, or filled up" in spent([1.0, 2.0], [1.0, 1.0, 1.0]).note
    assert spent([1.0, 2.0], [0.0, 0.0, 1.0]).visits["yours"] == [1.0, 1.0]
    explorer = spend_visits()
    explorer.controls["yours"].widget.value = "5 of them"
    assert "write some like" in explorer._says.value
    explorer.controls["yours"].widget.value = "1 1 1 1 1"
    assert explorer.trace[0].means["yours"] == explorer.trace[0].means["equal"]


@pytest.mark.parametrize("text", ["", "1", "1 " * 9, "1 -2", "nan 1", "inf 1", "0 0", "1e-9 1", "1 x"])
def test_numbers_that_will_not_do(text):
    with pytest.raises(ValueError, match="rite"):
        parse_numbers(text)


def test_the_estimates_are_those_of_the_visits():
    for even in (True, False):
        states = guesses(1.0, even, 3)
        assert len(states) == VISITS
        last = states[-1]
        assert [count > 0 for count in last.counts] == list(last.changed)
        if even:
            assert last.naive[-1] == naive_rate([1.0] * VISITS, list(last.changed))
            assert last.better[-1] == rate_from_visits([1.0] * VISITS, list(last.changed))
        assert states[9].naive == last.naive[:10] and states[9].changed == last.changed[:10]


def test_the_naive_estimate_is_too_low_and_the_corrected_one_is_not():
    # 12 pages, 40 visits each: the standard errors of the means are 0.022 and 0.06.
    last = [guesses(1.0, True, seed)[-1] for seed in range(12)]
    assert np.mean([state.naive[-1] for state in last]) == pytest.approx(mean_freshness(1, 1), abs=0.08)
    assert np.mean([state.better[-1].rate for state in last]) == pytest.approx(1.0, abs=0.2)
    explorer = estimate_a_rate()
    explorer.go(0)
    assert explorer.alt().startswith("How often does it change?. After 1 visit in 1.0 days")


@pytest.mark.parametrize("rate", [1 / 30, 1.0, 3.0])
def test_the_requests_shown_are_those_counted(rate):
    state = heard(rate, 24, 5, 2)
    costs = requests_to_find([rate] * PAGES, days=DAYS, interval=DAY, length=5, rng=2)
    assert state.costs == costs
    for way, cost in costs.items():
        assert len(state.requests[way]) + len(state.lists[way]) == cost.requests
        assert sum(useful for _, _, useful in state.requests[way]) == cost.found
    assert len(state.changes) == len(ChangingSite([rate] * PAGES, DAYS, 2).changes)


def test_a_week_between_looks():
    explorer = hear_of_changes()
    explorer.controls["hours"].widget.value = 168
    assert explorer.trace[0].costs["revisiting"].requests == 2 * PAGES


@pytest.mark.parametrize("level", [1, 9])
def test_a_store_opened(level):
    states = opened(level)
    last = states[-1]
    starts = [each.start for each in last.records]
    assert starts[0] == 0 and all(
        a.start + a.packed == b for a, b in zip(last.records, starts[1:], strict=False)
    )
    kinds = " ".join(each.record.kind for each in last.records)
    assert kinds == "warcinfo response response revisit revisit response"
    assert {row.start for row in last.rows} == set(starts[1:])
    assert [len(state.read) for state in states] == [1, 1, 1, 1, 1, 1, 2, 1]
    assert last.rows[2].source == last.rows[3].source == last.records[1].start
    assert b"Gazette" in last.records[states[5].read[0]].record.block
    # A visit that finds nothing new costs less than half of one that does.
    assert max(last.records[i].packed for i in (3, 4)) < last.records[1].packed / 2


def test_a_store_in_words():
    explorer = open_a_store()
    assert "byte for byte the same" in explorer.alt()
    explorer.go(6)
    assert "one more seek" in explorer.alt()
