"""What the explorers of index size show is what the package computes."""

import math

import numpy as np
import pytest

from ircourse.indexsize import Estimate, query_bias, size_ratio
from ircourse.show.document_walks import MOMENTS, PAGES, walk_documents
from ircourse.show.index_size import SURVEYS, repeat_survey, sample
from ircourse.show.intervals_svg import covers, intervals
from ircourse.show.sampled_lengths import METHODS, chances, engine, sampled_lengths, shares
from ircourse.show.survey_biases import CHECKS, FAIR, SAMPLERS, TRUTH, WELL, switch_biases
from ircourse.show.surveyed_web import COMMON, GENERAL, lengths, members, plain


def put(explorer, **values):
    for name, value in values.items():
        explorer.controls[name].widget.value = value
    return explorer.trace[0]


def test_the_surveys_are_size_ratio_s_of_uniform_draws():
    explorer = repeat_survey()
    state = explorer.trace[0]
    rng = np.random.default_rng(0)
    first = size_ratio(*(sample(state.n, size, state.both, rng) for size in (state.a, state.b)))
    assert state.found[0] == first
    assert len(state.found) == SURVEYS and f"{state.covering} of {SURVEYS}" in explorer.alt()
    assert str(explorer.picture()).count("\u2715") == SURVEYS - state.covering
    # 840 intervals of 95%: 798 hold the truth, give or take 6.3.
    held = sum(put(explorer, seed=seed).covering for seed in range(21))
    assert abs(held - 798) < 4 * 6.3


def test_overlaps_that_do_not_fit_and_none_at_all():
    explorer = repeat_survey()
    state = put(explorer, both=5000)
    assert state.both == 1500 and "Both hold 1,500, not 5,000" in explorer.alt()
    state = put(explorer, both=0)
    assert all(math.isnan(one.size) and (one.low, one.high) == (0, math.inf) for one in state.found)
    assert state.covering == SURVEYS and "nan" not in str(explorer.picture())


def test_every_end_beyond_the_axis_is_an_arrow_and_a_miss_a_cross():
    found = [Estimate(1, 0.9, 1.2), Estimate(math.inf, 8, math.inf), Estimate(math.nan, 0, math.inf)]
    svg = str(intervals(found, 1.1, "ratio").body)
    assert svg.count("<path") == 1 + 2 and svg.count("\u2715") == 1 and svg.count("<circle") == 1
    assert [covers(one, 1.1) for one in found] == [True, False, True]


def test_the_web_of_two_engines_is_as_told():
    a, b = set(members("A")), set(members("B"))
    assert (len(a), len(b), len(a & b)) == (80, 50, COMMON)
    size = np.array(lengths())
    assert (size.min(), size.max()) == (4, 16)
    assert size[sorted(b)].mean() > size[sorted(a)].mean() > size[sorted(a - b)].mean()


SIGNS = {
    (FAIR, WELL): 0,
    ("random queries", WELL): -1,  # B holds the long pages, which come more often
    ("queries, first 5 results", WELL): 1,  # short pages rank high
    ("queries, general words", WELL): -1,
    ("queries, weighted", WELL): 0,
    (FAIR, "B takes 5 words"): 1,
    (FAIR, "B takes 5 words, asked by phrase"): 0,
    (FAIR, "a third times out"): 1,
    (FAIR, "B refuses"): 1,
    (FAIR, "B refuses, told apart"): 0,
}


def test_each_bias_has_the_sign_that_the_chapter_tells():
    explorer = switch_biases()
    assert {s for s, _ in SIGNS} == set(SAMPLERS) and {c for _, c in SIGNS} == set(CHECKS)
    for (sampler, check), sign in SIGNS.items():
        found = put(explorer, sampler=sampler, check=check).found
        assert (found.low > TRUTH) - (found.high < TRUTH) == sign, (sampler, check, found)
        said = {1: "A seems to be without end" if math.isinf(found.size) else "too high", -1: "too low"}
        assert said.get(sign, "near the truth") in explorer.alt()


def test_the_walk_s_shares_tend_to_the_rings():
    explorer = walk_documents()
    for uniform in (False, True):
        explorer.controls["uniform"].widget.value = uniform
        assert [walked.n for walked in explorer.trace] == list(MOMENTS)
        for walked in explorer.trace:
            assert walked.shares()[list(PAGES)[walked.step.page]] > 0
            assert abs(sum(walked.shares().values()) - 1) < 1e-9
        last = explorer.trace[-1]
        assert last.target["choir"] == last.shares()["choir"] == 0
        assert max(abs(last.shares()[name] - share) for name, share in last.target.items()) < 0.15
        news = last.target["news"]
        assert news == pytest.approx(1 / 7 if uniform else 28 / 59)


def test_a_step_says_pair_answer_and_page():
    explorer = walk_documents()
    for at in range(len(explorer.trace)):
        explorer.go(at)
        step, names = explorer.trace[at].step, list(PAGES)
        assert all(f"“{word}”" in explorer.alt() for word in step.pair)
        holders = [name for name in names if set(step.pair) <= set(PAGES[name].split())]
        assert sorted(names[i] for i in step.answer) == sorted(holders)


def test_corrections_bring_the_lengths_back():
    explorer = sampled_lengths()
    truth = np.array(lengths())[plain()].mean()
    assert chances()[0] == query_bias(engine(), 0, GENERAL).chance
    means = {method: put(explorer, method=method).mean() for method in METHODS}
    assert means.pop("none") > truth + 1.5
    assert all(abs(mean - truth) < 0.8 for mean in means.values()), means
    for method in METHODS:
        state = put(explorer, method=method)
        assert sum(shares(state.docs, state.weights)) == pytest.approx(1)
    kept = put(explorer, method="rejection sampling")
    assert f"{len(kept.docs)} of 400 draws kept" in explorer.alt()


@pytest.mark.parametrize("make", [repeat_survey, switch_biases, walk_documents, sampled_lengths])
def test_all_are_driven_through(make):
    explorer = make()
    assert explorer.drive(8) and "nan" not in str(explorer.static())
