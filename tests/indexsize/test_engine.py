"""The engine: what it shows, what it costs, and each of its limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.indexsize import Refused, SearchEngine, TimedOut, ask
from ircourse.text import tokenize
from ircourse.types import VirtualClock

WEB = ["a rose", "a rose is a rose", "a harbour", "the old harbour", "old rose, the harbour"]
texts = st.lists(st.lists(st.sampled_from("abcde"), max_size=6).map(" ".join), max_size=8)


@given(texts, st.sets(st.integers(0, 7)), st.lists(st.sampled_from("abcdef"), min_size=1, max_size=3))
def test_it_shows_exactly_its_members_that_hold_every_term(web, members, query):
    members = {m for m in members if m < len(web)}
    engine = SearchEngine(web, members)
    expected = {m for m in members if set(query) <= set(tokenize(web[m]))}
    answer = engine.search(query)
    assert set(answer) == expected
    assert len(answer) == len(expected)
    assert engine.search(" ".join(query)) == answer
    assert engine.search(query, 2) == answer[:2]
    assert engine.members.tolist() == sorted(members)


def test_phrases_ranks_and_numbers_are_those_of_the_web():
    engine = SearchEngine(WEB, [1, 3, 4])
    assert engine.search('"old harbour"') == engine.search(["old harbour"]) == [3]
    assert engine.search("old harbour") == [3, 4]  # the shorter text ranks first
    assert engine.search("rose") == [1, 4]
    assert engine.search([]) == engine.search("nothing") == []
    assert engine.text(0) == "a rose"  # on the web, though not in the index


def test_only_the_top_results_are_shown():
    engine = SearchEngine(["x"] * 10, top=4)
    assert engine.top == 4
    assert engine.search("x") == [0, 1, 2, 3]
    assert engine.search("x", 2) == [0, 1]
    assert engine.search("x", 0) == []


def test_results_come_in_pages_and_each_costs_a_request():
    engine = SearchEngine(["x"] * 10, per_page=3)
    for n, requests in ((None, 4), (10, 4), (9, 3), (7, 3), (3, 1), (0, 1)):
        before = engine.requests
        engine.search("x", n)
        assert engine.requests - before == requests
    before = engine.requests
    engine.search("y")
    assert engine.requests == before + 1


def test_long_queries_find_nothing_or_are_cut():
    web = ["a b c d", "a b c", "a b"]
    assert SearchEngine(web, max_terms=3).search("a b c") == [1, 0]
    assert SearchEngine(web, max_terms=3).search("a b c d") == []
    assert SearchEngine(web, max_terms=3).search("a a a a b") == [2, 1, 0]  # repeats count once
    assert SearchEngine(web, max_terms=2, cuts=True).search("a b c d") == [2, 1, 0]
    assert SearchEngine(web, max_terms=2).search('"a b c"') == []  # a phrase counts its words
    assert SearchEngine(web, max_terms=3).search('"a b" c') == [1, 0]
    assert SearchEngine(web, max_terms=2, cuts=True).search('d "a b"') == [0]
    assert SearchEngine(web, max_terms=1, cuts=True).search('"a b"') == []


def test_a_host_is_shown_so_many_times():
    hosts = ["h", "h", "i", "h", "i"]
    web = ["x", "x y", "x y z", "x x", "x"]
    everything = SearchEngine(web).search("x")
    engine = SearchEngine(web, hosts=hosts, per_host=1)
    first = {host: next(d for d in everything if hosts[d] == host) for host in "hi"}
    assert engine.search("x") == sorted(first.values(), key=everything.index)
    assert len(SearchEngine(web, hosts=hosts, per_host=2).search("x")) == 4
    assert len(SearchEngine(web, hosts=hosts, per_host=2, top=3).search("x")) == 3


def test_too_many_requests_in_a_minute_are_refused():
    clock = VirtualClock()
    engine = SearchEngine(WEB, per_minute=2, clock=clock)
    engine.search("rose")
    clock.wait(20)
    engine.search("rose")
    clock.wait(20)
    with pytest.raises(Refused, match="again in 20 s") as refusal:
        engine.search("rose")
    assert refusal.value.seconds == 20
    clock.wait(20)
    assert engine.search("harbour")  # the first is a minute ago
    with pytest.raises(Refused):
        engine.search("rose")
    assert engine.requests == 5


def test_reading_all_pages_of_a_long_answer_can_be_refused_half_way():
    engine = SearchEngine(["x"] * 10, per_page=3, per_minute=3)
    with pytest.raises(Refused):
        engine.search("x")
    assert engine.requests == 4


def test_time_outs_take_time_and_have_their_chance():
    engine = SearchEngine(WEB, timeouts=0.25, rng=3)
    late = 0
    for _ in range(2000):
        try:
            engine.search("rose")
        except TimedOut:
            late += 1
    assert abs(late - 500) < 4.5 * np.sqrt(2000 * 0.25 * 0.75)
    assert engine.clock.now() == late * 30
    again = SearchEngine(WEB, timeouts=0.25, rng=3)
    assert [ask(again, "rose", tries=1) is None for _ in range(20)].count(True) > 0
    assert SearchEngine(WEB, seconds=0.5).search("rose")


def test_asking_again_waits_as_told():
    engine = SearchEngine(WEB, per_minute=1, seconds=1)
    assert [ask(engine, "rose", tries=2) for _ in range(3)] == [engine_answer()] * 3
    assert engine.clock.now() == pytest.approx(121)
    assert ask(engine, "rose", tries=1) is None
    assert engine.clock.now() == pytest.approx(121)  # who does not ask again does not wait
    assert ask(SearchEngine(WEB, timeouts=1), "rose", tries=4) is None


def engine_answer():
    return SearchEngine(WEB).search("rose")


def test_no_pages_and_no_members():
    assert SearchEngine([]).search("a") == []
    assert SearchEngine(WEB, []).search("rose") == []


def test_wrong_arguments_are_told():
    for name in ("top", "per_page", "max_terms", "per_minute"):
        with pytest.raises(ValueError, match=f"{name} is 0"):
            SearchEngine(WEB, **{name: 0})
    with pytest.raises(ValueError, match=r"timeouts is 1\.5"):
        SearchEngine(WEB, timeouts=1.5)
    with pytest.raises(ValueError, match="seconds is nan"):
        SearchEngine(WEB, seconds=float("nan"))
    with pytest.raises(ValueError, match="no page 5"):
        SearchEngine(WEB, [2, 5])
    with pytest.raises(ValueError, match="no page -1"):
        SearchEngine(WEB, [-1])
    with pytest.raises(ValueError, match="give hosts"):
        SearchEngine(WEB, per_host=1)
    with pytest.raises(TypeError, match="several texts"):
        SearchEngine("a rose")
    with pytest.raises(TypeError):
        SearchEngine(WEB, top=2.5)
    engine = SearchEngine(WEB)
    with pytest.raises(ValueError, match="n is -1"):
        engine.search("rose", -1)
    with pytest.raises(IndexError, match="no page 5"):
        engine.text(5)
    with pytest.raises(ValueError, match="tries is 0"):
        ask(engine, "rose", tries=0)
