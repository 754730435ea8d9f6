"""Crawls without end: pages visited again, when and how, what a second answer means, and over restarts."""

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.crawl import Crawler, FetchError, PageStore
from ircourse.crawl.crawler.returns import LONGEST, MOST_MISSES
from ircourse.crawl.crawler.revisit import Visit, adaptive, every
from ircourse.crawl.crawler.schedule import BATCH, KEPT, Known, Schedule, stand_down
from ircourse.types import Response, VirtualClock

HOME = "http://a.example/"
HTML = {"content-type": "text/html"}
DATE = "Sun, 06 Nov 1994 08:49:37 GMT"
DAY = 86_400.0


def page(words, *links, **headers):
    body = f"<p>{words}</p>" + "".join(f" <a href={link}>{link}</a>" for link in links)
    return Response(
        200, HTML | {name.replace("_", "-"): v for name, v in headers.items()}, body.encode(), 0.1
    )


class Site:
    """Answers by URL, a response or a function from the time and the headers to one; a log of requests."""

    def __init__(self, **answers):
        self.clock, self.log = VirtualClock(), []
        self.otherwise = lambda url: Response(404)
        self.answers = {HOME + name.removeprefix("home"): answer for name, answer in answers.items()}

    def __call__(self, url, headers):
        self.log.append((url, self.clock.now(), dict(headers)))
        answer = self.answers[url] if url in self.answers else self.otherwise(url)
        if callable(answer):
            answer = answer(self.clock.now(), headers)
        if isinstance(answer, str):
            raise FetchError(url, answer)
        return answer

    def times(self, url=HOME):
        return [time for asked, time, _ in self.log if asked == url]

    def asked(self, url=HOME):
        """The conditions of each request for a URL."""
        return [
            (headers.get("If-None-Match"), headers.get("If-Modified-Since"))
            for asked, _, headers in self.log
            if asked == url
        ]

    def crawl(self, days, policy=None, most=None, **options):
        options.setdefault("seeds", [HOME])
        steps = []
        self.crawler = Crawler(
            options.pop("seeds"),
            fetch=self,
            clock=self.clock,
            revisit=policy or every(DAY),
            watch=lambda step, _: steps.append((step.url, step.what, step.why)),
            **options,
        )
        self.done = self.crawler.run(most, seconds=days * DAY)
        return [step for step in steps if "robots" not in step[0]]


def test_each_page_is_visited_again_after_the_interval():
    site = Site(home=page("herring", "/x"), x=page("cod"))
    site.crawl(3.5)
    for url in (HOME, f"{HOME}x"):
        times = site.times(url)
        assert len(times) == 4 and all(
            after - t == pytest.approx(DAY, abs=30) for t, after in pairwise(times)
        )
    assert site.done.stored == len(site.crawler.store) == 2 and site.done.steps["unchanged"] == 6
    assert site.clock.now() == pytest.approx(3.5 * DAY, abs=1)


def test_without_revisit_a_page_is_fetched_once_and_there_are_no_tables():
    site = Site(home=page("herring", etag='"1"'))
    crawler = Crawler([HOME], fetch=site, clock=site.clock)
    crawler.run(seconds=90 * DAY)
    assert len(site.times()) == 1 and site.clock.now() < 60
    tables = {name for (name,) in crawler._connection.execute("SELECT name FROM sqlite_master")}
    assert not tables & {"revisits", "visits", "shelf"}


def test_a_policy_is_given_the_visits_and_may_say_never():
    given = []

    def policy(url, visits):
        given.append([(round(visit.time / 100), visit.changed) for visit in visits])
        return 100.0 if len(visits) < 4 else float("inf")

    site = Site(home=lambda now, headers: page("cod" if now < 150 else "eel"))
    site.crawl(1, policy)
    assert given[-1] == [(0, False), (1, False), (2, True), (3, False)]
    assert len(site.times()) == 4 and site.clock.now() < 400  # nothing is left to do, so it ends


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan")])
def test_a_policy_that_gives_no_time_is_told(seconds):
    with pytest.raises(ValueError, match="seconds above 0"):
        Site(home=page("cod")).crawl(1, lambda url, visits: seconds)


def test_what_cannot_be_is_refused():
    crawler = Crawler([HOME], fetch=Site(), clock=VirtualClock(), revisit=every(5))
    with pytest.raises(ValueError, match="no end: give seconds"):
        crawler.run()
    with pytest.raises(ValueError, match="seconds is -1"):
        crawler.run(seconds=-1)
    for bad in (0, float("inf"), float("nan"), -3):
        with pytest.raises(ValueError, match="interval"):
            every(bad)
    for bad in ({"aim": 1.0}, {"aim": 0.0}, {"shortest": 0.0}, {"longest": 1.0}, {"first": float("nan")}):
        with pytest.raises(ValueError, match="expected"):
            adaptive(**bad)


def test_no_request_begins_after_the_end_and_a_further_run_goes_on():
    site = Site(home=page("herring"))
    site.crawl(1.5)
    assert len(site.times()) == 2
    site.crawler.run(seconds=DAY)
    assert len(site.times()) == 3 and site.clock.now() == pytest.approx(2.5 * DAY, abs=30)


# Conditional requests


def test_an_unchanged_page_costs_no_body_and_a_changed_one_is_kept(tmp_path):
    def home(now, headers):
        tag = f'"{int(now // (2 * DAY))}"'
        if headers.get("If-None-Match") == tag:
            return Response(304, {"etag": tag}, b"", 0.1)
        return page(f"edition {tag}", etag=tag, last_modified=DATE)

    site = Site(home=home)
    with PageStore(tmp_path) as store:
        site.crawl(4.5, store=store)
        kinds = [(capture.status, capture.kind) for capture in store.captures(HOME)]
        assert kinds == [(200, "response"), (304, "not modified")] * 2 + [(200, "response")]
        first, *_, last = store.history(HOME)
        assert b'"0"' in first.body and b'"2"' in last.body
        assert b'"1"' in store.get(HOME, at=3.5 * DAY).body
    assert site.asked() == [(None, None), *[(f'"{n // 2}"', DATE) for n in range(4)]]
    assert site.done.saved == sum(len(page(f'edition "{n}"').body) for n in (0, 1))
    assert (site.done.steps["not modified"], site.done.steps["changed"]) == (2, 2)


def test_a_date_is_sent_back_and_it_is_not_the_answer_s_own():
    site = Site(home=page("cod", last_modified=DATE, date="Mon, 07 Nov 1994 00:00:00 GMT"))
    site.crawl(1.5)
    assert site.asked() == [(None, None), (None, DATE)]


@pytest.mark.parametrize(
    ("etag", "sent"),
    [
        ('"7"', '"7"'),
        ('W/"7"', 'W/"7"'),
        (' "7" ', '"7"'),
        ('""', '""'),
        ("7", None),
        ('w/"7"', None),
        ('"7", "8"', None),
        ('"a"b"', None),
        ('"a\tb"', None),
        ('"a\x00"', None),
        ('"a\r\nX-Evil: 1"', None),
        ('"é"', None),
        (f'"{"x" * LONGEST}"', None),
        (f'"{"x" * 10_000}"', None),
        ("", None),
    ],
)
def test_a_tag_is_sent_back_as_it_came_or_not_at_all(etag, sent):
    site = Site(home=page("cod", etag=etag))
    site.crawl(1.5)
    assert site.asked() == [(None, None), (sent, None)]


@pytest.mark.parametrize(
    "date",
    [
        *["", "yesterday", "1994-11-06", "Sun, 06\r\nX: 1", DATE + "x" * 99, "Sunday\x00 6 x", DATE.lower()],
        *["Fri, ;<script>alert(1)</script>", "Sun, 06 Nov 1994 08:49:37 <b>", DATE.replace("GMT", "CET")],
        *[DATE.replace("06", "31"), DATE.replace("Nov", "Nix"), DATE.replace("08:", "28:")],
    ],
)
def test_what_is_no_date_is_not_sent_back(date):
    site = Site(home=page("cod", last_modified=date))
    site.crawl(1.5)
    assert site.asked() == [(None, None)] * 2


@pytest.mark.parametrize(
    "date", [DATE, "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun Nov 16 08:49:37 1994"]
)
def test_a_date_in_any_form_of_http_s_is_sent_back(date):
    site = Site(home=page("cod", last_modified=date))
    site.crawl(1.5)
    assert site.asked() == [(None, None), (None, date)]


@given(st.text(st.characters(codec="utf-8"), max_size=40))
@settings(max_examples=100)
def test_whatever_headers_say_what_is_sent_back_is_one_line_of_ascii(value):
    site = Site(home=page("cod", etag=f'"{value}"', last_modified=value))
    site.crawl(1.5)
    for sent in filter(None, site.asked()[-1]):
        assert re.fullmatch("[ -~]+", sent)


def test_304_without_conditions_is_no_page():
    site = Site(home=lambda now, headers: Response(304) if now > 9 else page("cod"))
    steps = site.crawl(9)
    assert [what for _, what, _ in steps] == ["stored", "missed", "missed", "gone"]
    site = Site(home=Response(304))
    assert site.crawl(9) == [(HOME, "dead", "status 304")] and not site.crawler.store


def test_after_412_the_page_is_asked_for_without_conditions():
    def home(now, headers):
        return Response(412) if "If-None-Match" in headers else page(f"{now // DAY}", etag='"7"')

    site = Site(home=home)
    steps = site.crawl(1.5)
    assert [what for _, what, _ in steps] == ["stored", "again", "changed"]
    assert site.asked() == [(None, None), ('"7"', None), (None, None)]
    assert [
        what for _, what, _ in Site(home=lambda now, _: Response(412) if now > 9 else page("x")).crawl(9)
    ][-1] == "gone"


def test_a_server_that_ignores_conditions_is_found_out_by_the_bytes(tmp_path):
    site = Site(home=page("cod", etag='"7"'))
    with PageStore(tmp_path) as store:
        site.crawl(1.5, store=store)
        assert [capture.kind for capture in store.captures(HOME)] == ["response", "same body"]
    assert site.done.saved == 0 and site.done.steps["unchanged"] == 1


def test_a_body_that_the_store_has_lost_is_asked_for_anew(tmp_path):
    site = Site(home=page("cod", etag='"7"'))
    with PageStore(tmp_path) as store:
        site.crawl(0.5, store=store)
    warc = next(tmp_path.glob("*.warc.gz"))
    warc.write_bytes(warc.read_bytes()[:-9])
    with PageStore(tmp_path) as store:
        assert store.lost == [HOME]
        site.crawl(1.5, store=store)
        assert store[HOME].body == page("cod").body
    assert site.asked()[1] == (None, None)


# Changes


def test_markup_is_no_change_but_words_and_links_are():
    bodies = [
        "<p>cod</p>",
        "<div><!-- 2 -->cod</div>",
        "<p>cod</p><a href=/x></a>",
        "<p>cod, eel</p><a href=/x></a>",
    ]
    site = Site(home=lambda now, headers: Response(200, HTML, bodies[min(3, int(now // DAY))].encode(), 0.1))
    site.crawl(3.5)
    visits = site.crawler.returns.schedule.visits(HOME)
    assert [visit.changed for visit in visits] == [False, False, True, True]


def test_new_links_of_a_changed_page_are_followed():
    site = Site(home=lambda now, _: page("cod", *["/x"] * (now > DAY)), x=page("eel"))
    site.crawl(2.5)
    assert set(site.crawler.store) == {HOME, f"{HOME}x"} and len(site.times(f"{HOME}x")) == 2


def test_contents_that_are_gone_are_no_longer_copied_from():
    # The words of /x move to /y; then /x, which says something else, does not make /y a copy.
    long = " ".join(f"the {n} herring" for n in range(60))
    site = Site(
        home=page("home", "/x", "/y"),
        x=lambda now, _: page(long if now < DAY else f"edition {now // DAY}"),
        y=lambda now, _: page("soon" if now < DAY else long),
    )
    site.crawl(9, near_copies=0.8)
    assert site.done.steps["copy"] == 0
    held = site.crawler._connection.execute("SELECT count(*) FROM content").fetchone()
    assert held == (3,)  # one content a page, however often it changed
    assert len(site.crawler.core.harvest.reader.seen._exact) == 3


# Deaths and come-backs


@pytest.mark.parametrize(
    "end", [Response(404), Response(410), "timeout", Response(301, {"location": "/x"}), Response(503)]
)
def test_a_page_is_dead_after_so_many_misses_in_a_row(tmp_path, end):
    site = Site(home=lambda now, _: end if now > 9 else page("cod"), x=page("eel"))
    with PageStore(tmp_path) as store:
        steps = [step[1] for step in site.crawl(20, store=store) if step[0] == HOME]
        assert [what for what in steps if what != "again"] == ["stored", "missed", "missed", "gone"]
        assert store.gone(HOME).timestamp() == pytest.approx(MOST_MISSES * DAY, abs=3000)
        assert store.get(HOME).body == page("cod").body and len(store.history(HOME)) == 1
    assert max(site.times()) < (MOST_MISSES + 0.5) * DAY


def test_misses_that_are_not_in_a_row_kill_nothing():
    site = Site(home=lambda now, _: Response(404) if int(now // DAY) % 3 else page("cod"))
    site.crawl(12.5)
    assert site.done.steps["missed"] == 8 and site.done.steps["gone"] == 0


def test_noindex_is_heeded_at_once(tmp_path):
    site = Site(home=lambda now, _: page("cod", **{"x_robots_tag": "noindex"} if now > 9 else {}))
    with PageStore(tmp_path) as store:
        assert [what for _, what, _ in site.crawl(9, store=store)] == ["stored", "gone"]
        assert store.gone(HOME) is not None
    assert len(site.times()) == 2


def test_robots_txt_that_closes_a_page_is_a_miss():
    rules = Response(200, {}, b"User-agent: *\nDisallow: /x")
    site = Site(home=page("cod", "/x"), x=page("eel"))
    site.answers[f"{HOME}robots.txt"] = lambda now, _: rules if now > DAY else Response(404)
    steps = [what for url, what, _ in site.crawl(9) if url == f"{HOME}x"]
    assert steps[0] == "stored" and steps[-3:] == ["missed", "missed", "gone"]


def test_a_dead_page_that_a_changed_page_links_to_comes_back(tmp_path):
    def x(now, headers):
        return Response(404) if DAY / 2 < now < 8 * DAY else page("eel")

    home = [page("cod", "/x"), page("cod"), page("cod is back", "/x")]
    site = Site(home=lambda now, _: home[0 if now < 5 * DAY else 1 if now < 9.5 * DAY else 2], x=x)
    with PageStore(tmp_path) as store:
        steps = [what for url, what, _ in site.crawl(12.5, store=store) if url == f"{HOME}x"]
        assert steps[:4] == ["stored", "missed", "missed", "gone"] and steps[4] == "unchanged"
        assert store.gone(f"{HOME}x") is None and len(steps) >= 6


def test_a_come_back_has_one_try():
    site = Site(
        home=lambda now, _: page(f"{now // DAY}", "/x"),
        x=lambda now, _: Response(404) if now > 9 + 9 else page("x"),
    )
    steps = [what for url, what, _ in site.crawl(8.5) if url == f"{HOME}x"]
    assert steps[:4] == ["stored", "missed", "missed", "gone"] and set(steps[4:]) == {"gone"}


def test_an_apology_in_place_of_a_page_is_a_miss():
    sorry = page("Sorry, we are out of that. Ask for herring.")
    site = Site(home=page("cod", "/x"), x=lambda now, _: sorry if now > 99 else page("eel"))
    site.otherwise = lambda url: Response(404) if "robots" in url else sorry
    steps = [what for url, what, _ in site.crawl(9) if url == f"{HOME}x"]
    assert steps == ["stored", "missed", "missed", "gone"]


# Bounds


def test_once_enough_pages_are_stored_only_these_are_visited(tmp_path):
    site = Site(
        home=page("0", "/1", "/2", "/3"), **{str(n): page(f"n {n}", f"/{n + 3}") for n in range(1, 20)}
    )
    with PageStore(tmp_path) as store:
        site.crawl(3.5, most=2, store=store)
        assert len(store) == site.done.stored == 2
        assert {url for url, *_ in site.log} <= {
            HOME,
            *(f"{HOME}{name}" for name in ("robots.txt", 1, 2, 3, 4, 5)),
        }
        assert len(site.times()) == len(site.times(f"{HOME}1")) == 4
        site.crawler.run(5, seconds=DAY)
        assert len(store) == 5
    with PageStore(tmp_path) as store:  # and without revisits the rest follows
        Crawler([HOME], fetch=site, clock=site.clock, store=store).run()
        assert len(store) == 20


def test_a_store_of_a_crawl_without_revisits_is_taken_up(tmp_path):
    site = Site(home=page("cod", "/x"), x=page("eel"))
    with PageStore(tmp_path) as store:
        Crawler([HOME], fetch=site, clock=site.clock, store=store).run()
    with PageStore(tmp_path) as store:
        site.crawl(1.5, store=store)
        assert site.done.stored == 2 and len(site.times()) == len(site.times(f"{HOME}x")) == 3
        assert len(list(store.captures(HOME))) == 3


def test_a_narrower_scope_leaves_pages_alone_but_not_for_ever(tmp_path):
    site = Site(home=page("cod", "/x"), x=page("eel"))
    with PageStore(tmp_path) as store:
        site.crawl(1.5, store=store)
    with PageStore(tmp_path) as store:
        site.crawl(1, store=store, in_scope=lambda url: url == HOME)
        assert len(site.times(f"{HOME}x")) == 2 and store.gone(f"{HOME}x") is None
    with PageStore(tmp_path) as store:
        site.crawl(1, store=store)
        assert len(site.times(f"{HOME}x")) == 3


def test_a_clock_that_went_back_stops_no_visit(tmp_path):
    with PageStore(tmp_path / "s") as store:
        site = Site(home=page("cod", "/x"), x=page("eel"))
        site.clock = VirtualClock(100 * DAY)
        site.crawl(2.5, store=store)
        visits = site.crawler.returns.schedule.visits(HOME)
    for _ in range(2):  # the second time no page was visited since, and nothing moves again
        with PageStore(tmp_path / "s") as store:
            site.clock = VirtualClock(10 * DAY)
            site.crawl(0, store=store)
            schedule = site.crawler.returns.schedule
            assert [visit.time for visit in schedule.visits(HOME)] == pytest.approx(
                [visit.time - 92 * DAY for visit in visits], abs=60
            )
            assert schedule.next == pytest.approx(11 * DAY, abs=60)
    with PageStore(tmp_path / "s") as store:
        site.log.clear()
        site.crawl(3.5, store=store)
        assert len(site.times()) == len(site.times(f"{HOME}x")) == 3


def test_overdue_pages_come_a_batch_a_turn(monkeypatch, database):
    schedule = Schedule(database)
    schedule.adopt([f"{HOME}{n}" for n in range(BATCH + 5)], 1.0)
    assert [len(list(schedule.due(9.0))) for _ in range(3)] == [BATCH, 5, 0]
    site = Site(home=page("cod", *(f"/{n}" for n in range(12))))
    site.otherwise = lambda url: page(url)
    site.crawl(0.5)
    site.clock.wait(9 * DAY)
    monkeypatch.setattr("ircourse.crawl.crawler.schedule.BATCH", 5)
    site.log.clear()
    site.crawler.run(seconds=3600)
    assert len({url for url, _, _ in site.log if "robots" not in url}) == 13


@pytest.mark.parametrize("stop_at", range(1, 16))
def test_a_crawl_that_breaks_off_at_any_request_goes_on_with_nothing_lost(tmp_path, stop_at):
    class Broken(Exception):
        pass

    def fetch(url, headers):
        nonlocal asked
        asked += 1
        if asked == stop_at:
            raise Broken
        return site(url, headers)

    site = Site(
        home=lambda now, _: page(f"{now // DAY}", "/1", "/2", etag='"1"'),
        **{str(n): page(f"n {n}") for n in (1, 2)},
    )
    asked, pages = 0, [HOME, f"{HOME}1", f"{HOME}2"]
    for _ in range(2):
        store = PageStore(tmp_path)
        try:
            Crawler([HOME], fetch=fetch, clock=site.clock, store=store, revisit=every(DAY)).run(
                seconds=3.5 * DAY - site.clock.now()
            )
            break
        except Broken:
            store.rollback()
        finally:
            store.close()
    with PageStore(tmp_path) as store:
        for url in pages:
            assert len(list(store.captures(url))) == len(site.times(url)) == 4
        schedule = Schedule(store.connection)
        assert all(len(schedule.visits(url)) == 4 for url in pages)


# The schedule


def test_a_schedule_keeps_the_last_visits_and_what_is_due_in_order(database):
    schedule = Schedule(database)
    for number, url in enumerate("abc"):
        schedule.note(url, Known(clicks=number))
        schedule.put(url, 10.0 - number)
    for number in range(KEPT + 5):
        schedule.visit("a", Visit(float(number), number % 2 == 1))
    assert [visit.time for visit in schedule.visits("a")] == [float(n) for n in range(5, KEPT + 5)]
    assert list(schedule.due(9.0)) == [("c", 2), ("b", 1)] and schedule.next == 10.0
    assert list(schedule.due(9.0)) == [] and schedule.known("d") is None


@pytest.mark.parametrize("value", ["'x'", "NULL", "x'00'"])
def test_a_damaged_schedule_is_told(database, value):
    schedule = Schedule(database)
    schedule.note("a", Known(0))
    database.execute(f"UPDATE revisits SET clicks = {value}")
    with pytest.raises(ValueError, match="damaged"):
        schedule.known("a")


def test_a_view_in_place_of_a_table_is_refused(database):
    database.execute("CREATE VIEW revisits AS SELECT 1 AS url")
    with pytest.raises(ValueError, match="view 'revisits'"):
        Schedule(database)
    with pytest.raises(ValueError, match="view 'revisits'"):
        stand_down(database)


# The policy


@given(st.lists(st.tuples(st.floats(1e-3, 1e7), st.booleans()), min_size=1, max_size=60))
@settings(max_examples=100)
def test_the_adaptive_policy_keeps_its_bounds(looks):
    now, visits = 0.0, []
    for seconds, changed in looks:
        now += seconds
        visits.append(Visit(now, changed))
    assert 3600 <= adaptive()(HOME, visits) <= 30 * DAY


def test_the_adaptive_policy_visits_pages_that_change_more_often_more_often():
    def interval(period):
        visits = [Visit(DAY * n, n % period == 0) for n in range(40)]
        return adaptive()(HOME, visits)

    assert interval(1) < interval(2) < interval(1000) == 2 * DAY


def test_an_estimate_of_one_s_own_is_asked():
    policy = adaptive(aim=0.5, estimate=lambda visits: 1 / DAY)
    assert policy(HOME, [Visit(0.0, False), Visit(5 * DAY, True)]) == pytest.approx(1.5936 * DAY, rel=1e-4)
