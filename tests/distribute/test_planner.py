"""The planner: parts in proportion, limits, cycles, hours, what is refused."""

import dataclasses
from math import ceil, cos, inf, log, nan, pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.crawl import BloomFilter
from ircourse.distribute import planner_measured
from ircourse.distribute.planner import (
    SIZES,
    Constants,
    cycles,
    limits,
    line_pages_a_day,
    measured,
    plan,
    server_day,
    sizes,
)

NUMBERS = [each.name for each in dataclasses.fields(Constants)[:-1]]
TAKES = ("amount", "memory", "disk", "bits", "seconds")
ALL_PAGES = st.floats(1, 1e13)
WEEKS = st.floats(0.1, 52)


def test_a_plan_by_hand():
    k = Constants(
        page_bytes=1000, text_share=0.5, word_bytes=5, links_per_page=3, urls_per_page=4, url_bytes=50,
        fingerprint_bytes=8, bloom_error=0.5, pages_per_host=10, fetch_seconds=2, store_share=0.4,
        index_share=0.1, sketch_values=20, link_bits=4, sweeps=10, parse_bytes=1e4, store_bytes=2e4,
        sketch_bytes=1e4, index_bytes=5e3, rank_links=1e3, memory_bytes=1e5, disk_bytes=1e6,
        line_bits=100, machine_month=60, line_month=90,
    )  # fmt: skip
    crawl = plan(6048, 1, k)  # a page in 100 seconds
    rows = {part.name: [getattr(part, name) for name in TAKES] for part in crawl.parts}
    bloom = 24_192 * log(2) / log(2) ** 2 / 8
    expected = {
        "fetching": [6048, 20, 0, 80, 604.8],
        "names": [604.8, 604.8 * 50, 0, 0, 0],
        "frontier": [18_144, 3, 18_144 * 50, 0, 0],
        "page store": [6048, 0, 6048 * 400, 0, 302.4],
        "URL-seen, exact": [24_192, 24_192 * 50, 0, 0, 0],
        "URL-seen, Bloom": [24_192, bloom, 24_192 * 8, 0, 0],
        "index": [6048, 0, 604_800, 0, 604.8],
        "sketches": [604_800, 8 * 6048, 160 * 6048, 0, 302.4],
        "graph": [18_144, 18_144, 0, 0, 0],
        "PageRank": [181_440, 16 * 6048, 0, 0, 181.44],
    }
    assert list(rows) == list(expected)
    for name, row in expected.items():
        assert rows[name] == pytest.approx(row), name
    memory = sum(row[1] for row in expected.values()) - 24_192 * 50
    assert (crawl.memory, crawl.bits, crawl.busy_seconds) == pytest.approx((memory, 80, 1995.84))
    assert crawl.disk == pytest.approx(sum(row[2] for row in expected.values()))
    assert crawl.machines_for == {"memory": ceil(memory / 1e5), "disk": 6, "time": 1}
    assert (crawl.machines, crawl.lines) == (6, 1)
    assert crawl.cost == pytest.approx((6 * 60 + 90) * 7 / 30)
    assert plan(6048, 1, k, bloom=False).memory == pytest.approx(memory - bloom + 24_192 * 50)
    assert crawl.load(crawl.part("fetching")) == pytest.approx(
        {"memory": 2e-4, "disk": 0, "time": 1e-3, "line": 0.8}
    )
    assert crawl.cost_of(crawl.part("fetching")) == pytest.approx((1e-3 * 60 + 0.8 * 90) * 7 / 30)


@settings(max_examples=30)
@given(ALL_PAGES, WEEKS, st.floats(1, 100))
def test_what_a_plan_takes_grows_with_its_pages(pages, weeks, times):
    small, large = plan(pages, weeks), plan(pages * times, weeks)
    for one, other in zip(small.parts, large.parts, strict=True):
        for name in TAKES:
            assert getattr(other, name) == pytest.approx(getattr(one, name) * times)
    assert large.machines >= small.machines >= 1 and large.lines >= small.lines >= 1
    assert large.cost >= small.cost


@settings(max_examples=30)
@given(ALL_PAGES, WEEKS)
def test_a_limit_breaks_where_it_says(pages, weeks):
    found = limits(plan(pages, weeks))
    assert [limit.breaks_at for limit in found] == sorted(limit.breaks_at for limit in found)
    for limit in found:
        assert (limit.load > 1) == (pages > limit.breaks_at) or limit.load == pytest.approx(1)
        there = {each.name: each for each in limits(plan(limit.breaks_at, weeks))}[limit.name]
        assert there.load == pytest.approx(1) and there.breaks_at == pytest.approx(limit.breaks_at)


@settings(max_examples=30)
@given(ALL_PAGES, WEEKS)
def test_the_parts_of_a_plan_cost_no_more_than_whole_machines_and_lines(pages, weeks):
    crawl = plan(pages, weeks)
    used = [crawl.load(part) for part in crawl.parts if part.used]
    for name, machines in crawl.machines_for.items():
        assert machines - 1 <= sum(load[name] for load in used) * (1 + 1e-9)
        assert machines >= sum(load[name] for load in used) * (1 - 1e-9)
    assert crawl.lines == ceil(crawl.bits / crawl.constants.line_bits)


def test_what_breaks_at_each_size_and_what_was_done():
    found = sizes()
    assert [size.plan.pages for size in found] == list(SIZES) == [10**e for e in range(6, 12)]
    assert [size.broken[0].name if size.broken else None for size in found[:3]] == [
        None,
        None,
        "URLs in memory",
    ]
    assert found[-1].next is None and len(found[-1].broken) == 7
    for limit in found[0].limits:
        assert any(source in limit.done for source in ("book", "slides", "notes", "(1998)", "2008)"))
    assert {limit.name for limit in found[0].limits if not limit.machines} == {
        "names one by one",
        "largest host",
    }


def test_machines_and_lines_do_not_help_with_the_largest_host():
    few = limits(plan(10**10))
    many = limits(plan(10**10, constants=Constants(memory_bytes=16e12, disk_bytes=4e15, line_bits=44.7e9)))
    same = [[limit for limit in found if not limit.machines] for found in (few, many)]
    assert same[0] == same[1] and all(limit.load > 1 for limit in same[0])


def test_shorter_cycles_ask_for_more_lines_and_time_but_no_more_disk():
    plans = cycles(10**9)
    assert [each.weeks for each in plans] == [1, 2, 3, 4]
    assert [each.bits * each.weeks for each in plans] == pytest.approx([plans[0].bits] * 4)
    assert {each.disk for each in plans} == {plans[0].disk}
    assert [each.lines for each in plans] == [7, 4, 3, 2]
    assert plan(10**9, 4).constants == Constants()


def test_the_bloom_part_is_as_large_as_our_filter():
    ours = BloomFilter(10**6, 0.01).n_bits / 8
    assert plan(10**5).part("URL-seen, Bloom").memory == pytest.approx(ours, rel=1e-5)


def test_the_part_that_there_is_not():
    with pytest.raises(KeyError, match="no part 'spam': there are fetching, names"):
        plan(10).part("spam")


@pytest.mark.parametrize("pages", [0, -1, nan, inf, 1e16, 0.5])
def test_pages_that_are_none(pages):
    with pytest.raises(ValueError, match=r"^pages is .* a number from 1 to 1e\+15 expected, as in plan"):
        plan(pages)


@pytest.mark.parametrize("wrong", ["1000", None, True, [5], 1j])
def test_what_is_no_number(wrong):
    with pytest.raises(TypeError, match=r"^pages is"):
        plan(wrong)
    with pytest.raises(TypeError, match=r"^weeks is"):
        plan(10, wrong)
    with pytest.raises(TypeError, match=r"^url_bytes is"):
        Constants(url_bytes=wrong)


@pytest.mark.parametrize("weeks", [0, -4, nan, 1e4])
def test_weeks_that_are_none(weeks):
    with pytest.raises(ValueError, match=r"^weeks is"):
        cycles(10**6, [1, weeks])


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", [0, -1, nan, inf])
def test_constants_that_are_none(name, value):
    with pytest.raises(ValueError, match=rf"^{name} is .* expected, as in Constants\({name}="):
        Constants(**{name: value})


def test_constants_of_another_kind():
    for call in (lambda: plan(10, 1, {"url_bytes": 5}), lambda: line_pages_a_day(5)):
        with pytest.raises(TypeError, match=r"Constants\(\.\.\.\) expected"):
            call()


@settings(max_examples=30)
@given(st.sampled_from(NUMBERS), st.sampled_from([1e-12, 1e24]), st.sampled_from([1, 10**15]))
def test_extreme_constants_still_make_a_plan(name, value, pages):
    if value > 1 and name in {"text_share", "largest_host", "bloom_error", "store_share", "index_share"}:
        value = 1
    crawl = plan(pages, 0.001, Constants(**{name: value}))
    assert crawl.machines >= 1 and crawl.cost >= 0
    assert all(limit.needed > 0 and limit.breaks_at > 0 for limit in limits(crawl))


def test_the_table_of_constants_says_whose_each_is():
    rows = Constants().table()
    assert [row.name for row in rows] == NUMBERS and all(row.unit and row.source for row in rows)
    changed = dataclasses.replace(Constants(), url_bytes=60.0, measured=(("rank_links", 300e6),))
    sources = {row.name: row.source for row in changed.table()}
    assert (sources["url_bytes"], sources["rank_links"]) == ("given", "measured here")
    again = dataclasses.replace(changed, rank_links=5.0)
    assert {row.name: row.source for row in again.table()}["rank_links"] == "given"
    assert hash(changed) != hash(Constants())
    with pytest.raises(dataclasses.FrozenInstanceError):
        changed.url_bytes = 3


def test_numbers_of_numpy_are_numbers():
    assert plan(np.int64(10**9), np.float64(4)) == plan(10**9)


def test_measured_puts_in_the_speeds_and_nothing_else(monkeypatch):
    monkeypatch.setattr(planner_measured, "LINKED", 2_000)
    ticks = iter(range(10**6))
    mine = measured(Constants(url_bytes=60.0), seconds=0.01, clock=lambda: float(next(ticks)))
    assert mine.url_bytes == 60 and len(mine.measured) == 5
    assert dict(mine.measured) == {name: getattr(mine, name) for name, _ in mine.measured}
    # By this clock each run takes one second, so a speed is the amount of a run.
    pages, texts = planner_measured._pages()
    assert mine.parse_bytes == mine.store_bytes == sum(map(len, pages))
    assert mine.sketch_bytes == mine.index_bytes == sum(len(text.encode()) for text in texts)
    assert mine.rank_links > 2_000 and mine.speeds()["pagerank"] == mine.rank_links
    assert 15_000 < mine.parse_bytes / len(pages) < 30_000  # about as long as a page of the plan
    with pytest.raises(ValueError, match=r"^seconds is"):
        measured(seconds=0)


def test_servers_move_with_the_hour():
    day = server_day(
        100, 8_640_000, answers=2, crawls=3, peak=12, swing=0.5
    )  # 100 queries a second on average
    for hour, each in enumerate(day.hours):
        rate = 100 * (1 + 0.5 * cos(2 * pi * (hour - 12) / 24))
        assert (each.hour, each.queries) == (hour, pytest.approx(rate))
        assert each.answering == ceil(each.queries / 2) and each.answering + each.crawling == 100
        assert each.pages == each.crawling * 3 * 3600
    assert max(day.hours, key=lambda hour: hour.queries).hour == 12
    assert day.fixed_pages == 25 * 3 * 86_400 and day.pages == sum(hour.pages for hour in day.hours)
    assert day.gain == day.pages / day.fixed_pages > 1.9


@settings(max_examples=30)
@given(st.floats(1, 1e8), st.floats(0, 24), st.floats(0, 1), st.integers(0, 20))
def test_moving_servers_crawl_no_less(queries, peak, swing, more):
    need = ceil(queries / 86_400 * (1 + swing) / 5)
    day = server_day(need + more, queries, answers=5, crawls=1, peak=peak, swing=swing)
    assert day.pages >= day.fixed_pages and day.gain >= 1


def test_days_without_a_server_over():
    flat = server_day(1, 86_400, answers=1, crawls=1, swing=0)
    assert (flat.pages, flat.fixed_pages, flat.gain) == (0, 0, 1)
    full = server_day(2, 86_400, answers=1, crawls=1, swing=1)
    assert full.fixed_pages == 0 < full.pages and full.gain == inf


@pytest.mark.parametrize(
    "name, wrong",
    [("servers", 0), ("servers", 2.5), ("queries_a_day", 0), ("answers", nan), ("crawls", -1), ("peak", 25),
     ("swing", 1.1)],
)  # fmt: skip
def test_a_day_that_is_none(name, wrong):
    usual = {"servers": 300, "queries_a_day": 1e8, "answers": 10, "crawls": 4}
    with pytest.raises(ValueError, match=f"^{name} is"):
        server_day(**usual | {name: wrong})


def test_too_few_servers_for_the_busiest_hour():
    with pytest.raises(
        ValueError, match="the busiest hour needs 209 servers and there are 200: more servers"
    ):
        server_day(200, 100e6, answers=10, crawls=4)
