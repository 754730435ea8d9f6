"""What the explorers of 20.2 show is what the frontier, the parser of robots.txt and the filter do."""

from itertools import pairwise

import numpy as np
import pytest

from ircourse.crawl import BloomFilter, Frontier, Robots
from ircourse.crawl.frontier.visits import busiest, too_early, utilisation, visits
from ircourse.show.bloom import STRANGERS, fill_a_filter, filling
from ircourse.show.bursts import compare_queues, crawled, share_busy
from ircourse.show.frontier import watch_frontier
from ircourse.show.frontier_steps import TOWN, moments, parse_urls
from ircourse.show.robots import FILES, parse_file, parse_paths, try_robots, verdicts


def test_the_steps_are_the_frontier_s():
    wanted = parse_urls(TOWN)
    frontier = Frontier(
        front_queues=3, back_queues=3, min_gap=0.0, depth=3, prioritise=lambda item: wanted[item.url].level
    )
    for url in wanted:
        frontier.add(url)
    trial = visits(frontier, 1, lambda url: wanted[url].seconds)
    steps = moments(wanted, back=3, threads=1, gap=10)
    taken = [step.says.split()[-3] for step in steps if step.says.endswith("is fetched.")]
    assert taken == [visit.url.removeprefix("http://") for visit in trial]
    assert set(steps[-1].fetched) == {url.removeprefix("http://") for url in wanted}
    assert too_early(trial) == []


def test_every_url_is_in_one_place_at_each_step():
    wanted = parse_urls(TOWN)
    for threads in (1, 3):
        for step in moments(wanted, back=2, threads=threads, gap=4):
            places = [*step.out, *step.fetched]
            places += [url for queue in step.front for url in queue]
            places += [url for _, queue in step.back for url in queue]
            assert sorted(places) == sorted(url.removeprefix("http://") for url in wanted)
            hosts = [host for host, _ in step.back if host]
            assert len(set(hosts)) == len(hosts)


def test_refills_and_waits_are_told():
    says = [step.says for step in moments(parse_urls("a/1 1\na/2 1\nb/1 2"), back=1, threads=1, gap=10)]
    assert says[0] == "3 URLs of 2 hosts wait in the front queues."
    assert "The selector turns to F1: its first URL whose host has no back queue is a/1" in says[1]
    assert "so empty B1 goes to a." in says[1] and "a/1 is fetched" in says[1]
    assert any("No host may be asked before t = 11 s" in said for said in says)
    assert any("B1 is empty and waits for a host." in said for said in says)
    assert says[-1].endswith("the crawl is over.")
    busy = moments(parse_urls("a/1 1"), back=1, threads=2, gap=1)
    assert any("only a fetch that ends can change that" in step.says for step in busy)


def test_the_selector_turns_to_the_smallest_due():
    # Before a turn: the queue chosen has a host without a back queue, and none that has one is due earlier.
    turns = 0
    for before, after in pairwise(moments(parse_urls(TOWN), back=3, threads=1, gap=10)):
        busy = {host for host, _ in before.back}
        free = {
            level
            for level, urls in enumerate(before.front)
            if any(url.partition("/")[0] not in busy for url in urls)
        }
        if len(after.chosen) == 1:
            turns += 1
            (level,) = after.chosen
            assert level in free and before.due[level] == min([before.due[i] for i in free])
            assert after.due[level] == before.due[level] + 2**level
            assert f"turns to F{level + 1}" in after.says
        elif not after.chosen:
            assert after.due == before.due or before.front != after.front
    assert turns >= 3


def test_back_queues_due_at_once_are_told():
    says = [step.says for step in moments(parse_urls(TOWN), back=3, threads=1, gap=10)]
    assert "B1 has t_e = 0 s like B2 and B3, and entered the heap first" in says[1]


@pytest.mark.parametrize(
    "text", ["", "harbour/ferries", "a/1 4", "a/1 1 0", "a/1 1 x", "a/1 1 1 1", "/x 1", "<b>/1 1", "a/1 ²"]
)
def test_lines_that_cannot_be_read_are_told(text):
    with pytest.raises(ValueError, match="write"):
        parse_urls(text)
    explorer = watch_frontier()
    before = explorer._view.value
    explorer.controls["text"].widget.value = text
    assert "write" in explorer._says.value and explorer._view.value == before


def test_too_many_urls_are_told():
    with pytest.raises(ValueError, match="41 URLs"):
        parse_urls("\n".join(f"a/{n} 1" for n in range(41)))


def test_bursts_beside_the_frontier():
    explorer = compare_queues()
    explorer.go(90)
    plain, polite = explorer.trace[90]
    for side, name in ((plain, False), (polite, True)):
        trial = [visit for visit in crawled(name, 0.8, 4, 10.0) if visit.start < 90]
        assert list(side.visits) == trial
        assert f"{busiest(trial, 10.0)} request" in explorer.alt()
    assert not too_early(polite.visits) and len(too_early(plain.visits)) > 100
    assert max(polite.connections.values()) == 1 < max(plain.connections.values())
    assert plain.over and not polite.over
    first = explorer.trace[0]
    assert first[0].visits == first[1].visits == ()


def test_bursts_need_a_second_thread_for_two_connections():
    explorer = compare_queues()
    explorer.controls["threads"].widget.value = 1
    assert max(explorer.trace[90][0].connections.values()) == 1
    assert too_early(explorer.trace[90][0].visits)


def test_busy_threads_are_measured():
    explorer = share_busy()
    now = explorer.trace[0]
    assert now.measured[12] == utilisation(4, 12, 10, rounds=3) == pytest.approx(3 / 11)
    for gap in (0, 2, 15):
        explorer.controls["gap"].widget.value = gap
        now = explorer.trace[0]
        for back, share in now.measured.items():
            assert share == pytest.approx(now.formula(back), rel=1e-9)
    assert "busy from B = (1 + 15) · 4 = 64 on" in explorer.alt()


@pytest.mark.parametrize("name", FILES)
def test_verdicts_are_the_parser_s(name):
    robots = Robots.parse(FILES[name])
    paths = parse_paths(try_robots().controls["paths"].widget.value)
    for agent in ("ircourse", "copybot"):
        for verdict in verdicts(FILES[name], paths, agent):
            path, allowed, rule = verdict.all[verdict.number]
            assert allowed == robots.allows(f"http://harbour.example{path}", agent)
            assert rule is None or (rule.allow == allowed and rule.line in verdict.counting)


def test_the_rule_that_wins_is_told():
    explorer = try_robots()
    explorer.go(2)
    assert "may fetch /shop/opening-hours: line 4 decides" in explorer.alt()
    explorer.controls["agent"].widget.value = "copybot"
    explorer.go(2)
    assert "copybot may not fetch /shop/opening-hours: line 11 decides" in explorer.alt()
    explorer.controls["text"].widget.value = FILES["everything open"]
    assert all(allowed for _, allowed, _ in explorer.trace[0].all)


def test_verdicts_to_come_are_not_told():
    explorer = try_robots()
    rows = explorer._table(explorer.trace[2])[1:]
    assert [row[1] for row in rows] == ["no", "yes", "yes", "?", "?", "?", "?"]
    assert str(explorer._draw(explorer.trace[2]).body).count("? /") == 4


def test_paths_and_files_that_cannot_be_shown_are_told():
    for paths in ("", "ferries", "/\n" * 13, "/" + "x" * 501):
        with pytest.raises(ValueError, match="path"):
            parse_paths(paths)
    with pytest.raises(ValueError, match="at most 30 lines"):
        parse_file("\n" * 31)


def test_the_filter_shown_is_the_filter():
    states = filling(20, 0.1)
    seen = BloomFilter(20, 0.1)
    for n, state in enumerate(states[1:], 1):
        assert state.new == (state.url not in seen) and seen.add(state.url) == state.new
        assert list(state.bits) == seen.bits.tolist() and all(state.bits[place] for place in state.places)
        assert state.new == (set(state.before) != set(state.places))
        assert len(state.measured) == n + 1
        assert state.added == sum(earlier.new for earlier in states[1 : n + 1])
    others = [f"http://elsewhere.example/{i}" for i in range(STRANGERS)]
    assert states[-1].measured[-1] == np.mean(seen.contains_many(others))
    assert states[-1].expected[-1] == seen.expected_error


def test_a_url_that_is_lost_is_told():
    explorer = fill_a_filter()
    lost = next(n for n, state in enumerate(explorer.trace) if not state.new)
    assert explorer.at == lost == 21
    assert "a crawler would lose it" in explorer.alt()
    explorer.go(0)
    assert "An empty filter of 96 bits" in explorer.alt()


@pytest.mark.parametrize("make", [watch_frontier, compare_queues, share_busy, try_robots, fill_a_filter])
def test_explorers_are_driven_and_quick(make):
    explorer = make()
    assert explorer.drive(6) > 0
