"""What the explorers of index size show is what the package computes."""

import math

import numpy as np
import pytest

from ircourse.indexsize import Estimate, query_bias, size_ratio
from ircourse.show.document_walks import MOMENTS, PAGES, walk_documents
from ircourse.show.index_size import SURVEYS, repeat_survey, sample
from ircourse.show.intervals_svg import covers, intervals
from ircourse.show.sampled_lengths import METHODS, chances, engine, sampled_lengths, shares
from ircourse.show.survey_biases import BIASES, switch_biases
from ircourse.show.survey_ways import DRAWS, TRUTH, mends, survey
from ircourse.show.surveyed_web import (
    COMMON,
    GENERAL,
    WORDS,
    hosts,
    lengths,
    links,
    members,
    plain,
    servers,
)
from ircourse.show.surveyed_web import engine as web_engine


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


SIGNS = {  # alone, and mended
    "query log": (1, 1),  # nothing mends it
    "IP addresses": (1, -1),  # small hosts first; mended, virtual hosts stay missed
    "link walk": (-1, 0),  # B holds the long pages, which have many links
    "random queries": (-1, 0),  # and which answer many queries
    "first 5 results": (1, 1),  # short pages rank high
    "1 result a host": (1, 1),  # long pages are on large hosts
    "30 results overflow": (1, 0),  # rare words are those of short pages
    "general words": (-1, 0),
    "B takes 5 words": (1, 0),
    "a third times out": (1, 0),
    "B refuses": (1, 0),
}


def sign(found):
    return (found.low > TRUTH) - (found.high < TRUTH)


def test_each_bias_has_the_sign_that_the_chapter_tells():
    explorer = switch_biases()
    assert set(SIGNS) == set(BIASES) and sign(put(explorer, **dict.fromkeys(BIASES, False)).all) == 0
    for name, (alone, mended) in SIGNS.items():
        for mend, expected in ((False, alone), (True, mended)):
            found = put(explorer, **{name: True, "mend": mend}).all
            assert sign(found) == expected, (name, mend, found)
            said = {1: "A seems to be without end" if math.isinf(found.size) else "too high", -1: "too low"}
            assert said.get(expected, "near the truth") in explorer.alt()
            assert ("nothing mends" in explorer.alt()) == (mend and not mends(name))
        put(explorer, **{name: False, "mend": False})


def test_biases_together_share_the_draws_and_may_cancel():
    explorer = switch_biases()
    state = put(explorer, **{"random queries": False, "general words": True, "a third times out": True})
    assert list(state.found) == ["uniform", "general words", "a third times out", "together"]
    one, other, both = list(state.found.values())[1:]
    assert sign(one) == -1 and sign(other) == 1 and sign(both) == 0
    together = put(explorer, **dict.fromkeys(BIASES, True)).all
    assert len(together.a.docs) == len(together.b.docs) == DRAWS
    half = put(explorer, **{name: name in ("link walk", "query log") for name in BIASES}).all
    parts = [survey([name]).a.share for name in ("link walk", "query log")]
    assert min(parts) < half.a.share < max(parts)


def test_mending_weighs_what_the_engine_answers():
    found = survey(["random queries"], True).b
    page = int(found.docs[0])
    chances = [query_bias(web_engine("B"), int(p), WORDS).chance for p in (page, found.docs[1])]
    assert found.weights[0] / found.weights[1] == pytest.approx(chances[1] / chances[0])


def test_hosts_and_links_of_the_web_are_as_told():
    sizes = {host: hosts().count(host) for host in hosts()}
    assert sorted(sizes.values(), reverse=True)[:8] == [20, 20, 6, 6, 6, 6, 6, 2]
    missed = set(range(100)) - {page for shown in servers().values() for page in shown}
    assert len(missed) == 41 and not missed & set(members("A")) & set(members("B"))
    web = links()
    assert {(v, u) for u, v in web.edges()} == set(web.edges()) and web.out_degrees.min() >= 3
    assert np.corrcoef(web.out_degrees, lengths())[0, 1] > 0.5


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
