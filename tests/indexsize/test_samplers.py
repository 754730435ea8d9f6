"""The samplers: what they draw, from the public interface alone, and when they give up."""

from functools import partial

import numpy as np
import pytest

from ircourse.graphs import UnknownNode
from ircourse.indexsize import (
    SearchEngine,
    SurveyFailed,
    document_walk,
    document_walk_steps,
    has_by_terms,
    random_ips,
    random_queries,
    random_searches,
    random_walk,
    servers_by_address,
    word_pairs,
)
from ircourse.types import VirtualClock

WEB = ["red rose", "red old rose", "old harbour", "old red harbour wall", "sea wall", "the sea"]
WORDS = ["harbour", "old", "red", "rose", "sea", "the", "wall"]
RING = {i: [(i + 1) % 6, (i - 1) % 6] for i in range(6)}
HAS = partial(has_by_terms, frequencies={})
SAMPLERS = {
    "searches": partial(random_searches, log=["rose", "old", "sea wall", "nothing"]),
    "queries": partial(random_queries, dictionary=WORDS),
    "all results": partial(random_queries, dictionary=WORDS, top=None),
    "by count": partial(random_queries, dictionary=WORDS, top=None, by_count=True),
    "addresses": partial(random_ips, servers={2: [0, 1], 5: [2, 3, 4]}, addresses=8, has=HAS),
    "links": partial(random_walk, graph=RING, start=1, has=HAS, burn_in=3, between=2),
    "links, uniform": partial(random_walk, graph=RING, start=1, has=HAS, burn_in=3, between=2, uniform=True),
    "documents": partial(document_walk, start=1, burn_in=5, between=2),
    "documents, uniform": partial(
        document_walk, start=3, dictionary=WORDS, burn_in=5, between=2, uniform=True
    ),
}
every_sampler = pytest.mark.parametrize("sampler", SAMPLERS.values(), ids=SAMPLERS)


class PublicOnly:
    """What a survey may use of an engine, and nothing else."""

    __slots__ = ("_engine", "asked")

    def __init__(self, engine):
        self._engine, self.asked = engine, 0

    top = property(lambda self: self._engine.top)
    clock = property(lambda self: self._engine.clock)

    def search(self, terms, n=None):
        self.asked += 1
        return self._engine.search(terms, n)

    def text(self, number):
        return self._engine.text(number)


@every_sampler
def test_every_page_drawn_is_held_and_found_by_public_means(sampler):
    engine = PublicOnly(SearchEngine(WEB, [1, 2, 3, 4], top=6))
    drawn = sampler(engine, 60, 4)
    assert drawn.shape == (60,) and drawn.dtype == np.int64
    assert set(drawn.tolist()) <= {1, 2, 3, 4}
    assert len(set(drawn.tolist())) > 1
    assert engine.asked > 0
    assert sampler(engine, 60, np.random.default_rng(4)).tolist() == drawn.tolist()
    assert sampler(engine, 60, 5).tolist() != drawn.tolist()


@every_sampler
def test_a_survey_waits_out_refusals_and_time_outs(sampler):
    clock = VirtualClock()
    engine = SearchEngine(WEB, [1, 2, 3, 4], top=6, per_minute=20, timeouts=0.1, clock=clock)
    assert len(sampler(engine, 40, 1)) == 40
    assert clock.now() >= 60


@every_sampler
def test_fewer_than_one_page_is_told(sampler):
    with pytest.raises(ValueError, match="n is 0"):
        sampler(SearchEngine(WEB, top=6), 0, 1)


@pytest.mark.parametrize("name", ["searches", "queries", "all results", "addresses"])
def test_an_engine_without_answers_fails_the_survey(name):
    with pytest.raises(SurveyFailed, match="1,000 draws gave 0 of 1"):
        SAMPLERS[name](SearchEngine(WEB, []), 1, 1)
    with pytest.raises(SurveyFailed):
        SAMPLERS[name](SearchEngine(WEB, timeouts=1), 1, 1)


def test_only_the_top_results_are_drawn_from():
    engine = SearchEngine(["x y"] * 9)
    assert set(random_queries(engine, 200, 1, dictionary="xy", top=3).tolist()) == {0, 1, 2}
    assert set(random_queries(engine, 200, 1, dictionary="xy", top=None).tolist()) == set(range(9))
    with pytest.raises(SurveyFailed):  # the only query overflows
        random_queries(SearchEngine(["x y"] * 9, top=9), 1, 1, dictionary="xy", top=None)


def test_the_order_of_a_dictionary_is_of_no_account():
    engine = SearchEngine(WEB)
    draws = [random_queries(engine, 30, 1, dictionary=words).tolist() for words in (WORDS, set(WORDS))]
    assert draws[0] == draws[1] == random_queries(engine, 30, 1, dictionary=WORDS[::-1] * 2).tolist()


def test_virtual_hosts_and_silent_hosts_are_missed():
    hosts = ["a", "a", "b", "c", "d", "d"]
    addresses = {"a": 3, "b": 3, "c": 1, "d": 9}
    assert servers_by_address(hosts, addresses) == {1: [3], 3: [0, 1], 9: [4, 5]}
    assert servers_by_address(hosts, addresses, silent={"a", "c"}) == {9: [4, 5]}


def test_a_walk_begins_again_at_pages_without_links():
    engine = SearchEngine(["x"] * 3)
    walk = partial(random_walk, graph={0: [1], 1: [2], 2: []}, start=0, has=lambda e, p: True, burn_in=0)
    assert walk(engine, 6, 1, between=1).tolist() == [0, 1, 2, 0, 1, 2]
    assert walk(engine, 3, 1, between=3).tolist() == [0, 0, 0]


def test_walks_refuse_what_they_cannot_mend():
    engine = SearchEngine(WEB)
    walk = partial(random_walk, engine, 3, 1, has=HAS)
    with pytest.raises(ValueError, match="one way"):
        walk(graph={0: [1], 1: [2], 2: [0]}, start=0, uniform=True)
    with pytest.raises(ValueError, match="no links"):
        walk(graph={0: [1], 1: [0], 2: []}, start=2, uniform=True)
    with pytest.raises(UnknownNode):
        walk(graph=RING, start=9)
    for wrong in ({"burn_in": -1}, {"between": 0}):
        with pytest.raises(ValueError, match="burn_in"):
            walk(graph=RING, start=0, **wrong)
        with pytest.raises(ValueError, match="burn_in"):
            document_walk(engine, 3, 1, start=0, **wrong)
    with pytest.raises(ValueError, match="fewer than two words"):
        document_walk(SearchEngine(["rose"]), 1, 1, start=0)
    with pytest.raises(ValueError, match="no start"):
        document_walk(engine, 1, 1)


def test_wrong_arguments_are_told():
    engine = SearchEngine(WEB)
    with pytest.raises(ValueError, match="no searches"):
        random_searches(engine, 1, 1, log=[])
    for terms in (0, 8):
        with pytest.raises(ValueError, match=f"terms is {terms}"):
            random_queries(engine, 1, 1, dictionary=WORDS, terms=terms)
    with pytest.raises(ValueError, match="top=None"):
        random_queries(engine, 1, 1, dictionary=WORDS, by_count=True)
    with pytest.raises(ValueError, match="addresses is 0"):
        random_ips(engine, 1, 1, servers={}, addresses=0, has=HAS)


def test_a_document_walk_finds_a_start_by_a_query():
    engine = SearchEngine(WEB, [1, 3])
    assert set(document_walk(engine, 40, 1, dictionary=WORDS, burn_in=0).tolist()) == {1, 3}


def test_each_step_of_the_document_walk_can_be_checked():
    engine = SearchEngine(WEB, top=4)
    page, rejected = 1, 0
    for _, step in zip(range(300), document_walk_steps(engine, 1, start=1), strict=False):
        assert step.page == page
        assert set(step.pair) <= set(WEB[page].split()) and step.pair[0] < step.pair[1]
        assert step.answer == tuple(engine.search(step.pair)) or not step.answer
        assert step.to == step.proposed == page if not step.answer else step.proposed in step.answer
        rejected += not step.answer
        page = step.to
    assert rejected == 0
    assert word_pairs(engine, 3) == 6
    assert word_pairs(engine, 3, {"old", "red", "elsewhere"}) == 1


def test_pairs_that_overflow_or_hide_the_page_are_steps_on_the_spot():
    crowd = SearchEngine(["x y"] * 4 + ["x y z"], top=4)
    steps = [step for _, step in zip(range(200), document_walk_steps(crowd, 1, start=4), strict=False)]
    assert {step.to for step in steps} == {4}
    assert {step.pair for step in steps if not step.answer} == {("x", "y")}
    hosts = ["h", "h"]
    hiding = SearchEngine(["x y", "x y z"], hosts=hosts, per_host=1)
    assert hiding.search("x y") == [0]
    steps = [step for _, step in zip(range(50), document_walk_steps(hiding, 1, start=1), strict=False)]
    assert {step.to for step in steps} == {1}
