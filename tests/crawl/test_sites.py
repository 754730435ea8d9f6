"""Whole small sites that crawlers are known to trip over, each crawled on the virtual clock.

A site is a function from URL, number of earlier requests for it and a dict to an answer: (status, headers,
body) or the kind of a `FetchError`. Each fetch takes 0.2 s.
"""

from collections import Counter, defaultdict
from itertools import pairwise

import pytest

from ircourse.crawl import Crawler
from ircourse.crawl.filters import UrlFilter
from ircourse.types import FetchError, Response, VirtualClock

HTML = {"content-type": "text/html; charset=utf-8"}
NOTHING = 404, {}, b"nothing here"


class Visits:
    """A ``fetch`` for a site, and what was asked of it: (URL, time, status or kind)."""

    def __init__(self, site):
        self.site, self.clock, self.made, self.memory = site, VirtualClock(), [], {}
        self.times = Counter()

    def __call__(self, url, headers):
        answer = self.site(url, self.times[url], self.memory)
        self.times[url] += 1
        self.made.append((url, self.clock.now(), answer if isinstance(answer, str) else answer[0]))
        if isinstance(answer, str):
            raise FetchError(url, answer)
        return Response(*answer, 0.2)

    @property
    def pages(self):
        """What was asked for, robots.txt left out, in order."""
        return [url for url, _, _ in self.made if not url.endswith("/robots.txt")]

    @property
    def answered(self):
        return {url for url, _, status in self.made if status == 200}


def page(*hrefs, words="words of its own"):
    links = "".join(f"<p><a href='{href}'>{href}</a></p>" for href in hrefs)
    return 200, HTML, f"<title>a page</title><p>{words}</p>{links}".encode()


def split(url):
    host, _, path = url.removeprefix("http://").partition("/")
    return host, "/" + path


def crawl(site, seeds=("http://town.example/",), max_pages=None, **options):
    visits = Visits(site)
    crawler = Crawler(seeds, fetch=visits, clock=visits.clock, threads=5, delay=2.0, **options)
    return visits, crawler, crawler.run(max_pages)


def test_an_ordinary_site_is_crawled_as_its_robots_txt_says():
    def site(url, tries, memory):
        path = split(url)[1]
        if path == "/robots.txt":
            return 200, {"content-type": "text/plain"}, b"User-agent: *\nDisallow: /till\nAllow: /till/open"
        pages = {
            "/": page(
                "/fish", "till/open", "till/closed", "gone", "http://elsewhere.example/", "mailto:a@b.c"
            ),
            "/fish": page("/", "cod", "#cod"),
            "/cod": page("fish"),
            "/till/open": page(words="open"),
            "/till/closed": page(words="closed"),
        }
        return pages.get(path, NOTHING)

    visits, crawler, done = crawl(site)
    home = "http://town.example/"
    assert sorted(visits.pages) == [home, *(home + path for path in ("cod", "fish", "gone", "till/open"))]
    assert set(crawler.store) == visits.answered - {home + "robots.txt"}
    assert done.steps == {"robots.txt": 1, "robots": 1, "stored": 4, "dead": 1}
    assert done.refused == {"scope": 1}
    starts = [time for _, time, _ in visits.made]
    assert all(later - sooner >= 2.2 - 1e-9 for sooner, later in pairwise(starts))


def test_an_endless_calendar_does_not_starve_the_real_pages():
    def site(url, tries, memory):
        path = split(url)[1]
        if path == "/":
            return page("/month?n=0", *[f"/shop{i}" for i in range(8)])
        if path.startswith("/month?n="):
            month = int(path[9:])
            return page(f"/month?n={month + 1}", f"/month?n={month - 1}", words=f"month {month}")
        return page("/", words=path) if path[5:] in "01234567" else NOTHING

    visits, _, done = crawl(site, max_pages=60)
    assert done.stored == 60 and len(visits.pages) == 60
    assert {f"http://town.example/shop{i}" for i in range(8)} <= visits.answered


def test_paths_that_grow_for_ever_with_the_same_words_are_left():
    def site(url, tries, memory):
        path = split(url)[1]
        if path == "/":
            return page("about", "prices/")
        return page("prices/", "www.bank.example/terms/", words="about" if path == "/about" else "the same")

    visits, _, _ = crawl(site)
    assert "http://town.example/about" in visits.answered
    assert len(visits.pages) < 20


def test_redirects_of_every_kind():
    def to(place, status=302):
        return status, {} if place is None else {"location": place}, b""

    def site(url, tries, memory):
        path = split(url)[1]
        if path == "/":
            links = "self cookie ping hops/6 hops/60 deep/up nowhere mark script end wander away"
            return page(*[f"/{link}" for link in links.split()])
        if path.startswith("/hops/"):
            left = int(path[6:])
            return to(f"/hops/{left - 1}", 307) if left else page(words="the last hop")
        answers = {
            "/self": to("/self"),
            "/cookie": page(words="with a cookie") if tries else to("/cookie"),
            "/ping": to("/pong"),
            "/pong": to("/ping", 301),
            "/deep/up": to("../high", 308),
            "/high": page(words="high"),
            "/nowhere": to(None),
            "/mark": to("/end#mark", 303),
            "/script": to("javascript:alert(1)"),
            "/end": page(words="end"),
            "/wander": to(f"/wander;jsessionid={tries}A"),
            "/away": to("http://elsewhere.example/"),
        }
        return answers.get(path, NOTHING)

    visits, crawler, done = crawl(site)
    home = "http://town.example/"
    assert {home + path for path in ("cookie", "hops/0", "high", "end")} <= set(crawler.store)
    assert visits.times[home + "cookie"] == 2 and visits.times[home + "self"] == 2
    assert visits.times[home + "end"] == visits.times[home + "ping"] == visits.times[home + "pong"] == 1
    assert not any("elsewhere" in url for url in visits.pages)
    assert done.steps["refused"] == 1 and len(visits.pages) < 50


def test_what_a_host_without_robots_txt_means_depends_on_why():
    open_hosts = ["s200.example", "s404.example", "s410.example", "s301.example", "far.example"]
    closed_hosts = ["s500.example", "s503.example", "silent.example", "hops.example", "mark.example"]

    def site(url, tries, memory):
        host, path = split(url)
        if path == "/shop":
            return page(words=host)
        if path == "/elsewhere":
            return 200, {}, b"User-agent: *\nDisallow: /till"
        special = {
            "silent.example": "timeout",
            "hops.example": (302, {"location": "/3"}, b""),
            "mark.example": (200, {}, "\ufeffUser-agent: *\r\nDisallow: /\r\n".encode()),
            "s301.example": (301, {}, b""),
            "far.example": (301, {"location": "http://s404.example/elsewhere"}, b""),
        }
        if host == "hops.example" and path != "/robots.txt":
            left = int(path[1:])
            return (
                (302, {"location": f"/{left - 1}"}, b"") if left else (200, {}, b"User-agent: *\nDisallow: /")
            )
        return special.get(host) or (int(host[1:4]), {}, b"")

    seeds = [f"http://{host}/shop" for host in open_hosts + closed_hosts]
    visits, crawler, done = crawl(site, [*seeds, "http://far.example/till"])
    assert set(crawler.store) == set(seeds[: len(open_hosts)])
    assert {url for url in visits.pages if url.endswith(("/shop", "/till"))} == set(crawler.store)
    assert done.steps["robots"] == 3 and done.steps["failed"] == 3


def test_a_dead_host_holds_up_no_other_and_one_that_recovers_is_crawled():
    def site(url, tries, memory):
        host, path = split(url)
        if host == "dead.example":
            return "dns"
        if host == "late.example":
            memory["late"] = memory.get("late", 0) + 1
            if memory["late"] < 3:
                return "dns"
        return NOTHING if path == "/robots.txt" else page(*[f"/{i}" for i in range(9)], words=url)

    seeds = ["http://dead.example/", "http://late.example/", "http://live.example/"]
    visits, crawler, _ = crawl(site, seeds)
    assert {"http://late.example/", *(f"http://live.example/{i}" for i in range(9))} <= set(crawler.store)
    assert visits.times["http://dead.example/"] == 0 and visits.times["http://dead.example/robots.txt"] <= 4
    last = max(time for url, time, _ in visits.made if "live" in url)
    assert last < 30  # ten pages, each 2.2 s after the one before, and robots.txt


def test_hosts_overlap_and_each_keeps_its_own_gap():
    def site(url, tries, memory):
        host, path = split(url)
        if path == "/robots.txt":
            return (200, {}, b"User-agent: *\nCrawl-delay: 3") if host == "slow.example" else NOTHING
        if path == "/":
            names = ("town.example", "slow.example", "quick.example")
            return page(*[f"http://{name}/{i}" for name in names for i in range(6)])
        return page(words=url)

    visits, _, done = crawl(site, hosts=["town.example", "slow.example", "quick.example"])
    starts = defaultdict(list)
    for url, time, _ in visits.made:
        starts[split(url)[0]].append(time)
    for host, least in (("town.example", 2.2), ("slow.example", 3.2), ("quick.example", 2.2)):
        assert min(later - sooner for sooner, later in pairwise(starts[host])) >= least - 1e-9
    assert done.stored == 19 and visits.clock.now() < 25


def test_one_page_under_many_spellings_is_asked_for_once():
    def site(url, tries, memory):
        spellings = ["a/b", "HTTP://TOWN.example:80/a/b", "/a/./b", "/a/c/../b", "/a/b#c", " /a/b ", "/%61/b"]
        return page(*spellings) if split(url)[1] == "/" else page(words="b")

    visits, _, _ = crawl(site)
    assert visits.pages == ["http://town.example/", "http://town.example/a/b"]


def test_busy_servers_are_asked_again_when_they_say_and_not_for_ever():
    def site(url, tries, memory):
        path = split(url)[1]
        busy = {
            "/soon": (503, {"retry-after": "120"}, b""),
            "/date": (429, {"retry-after": "Thu, 01 Jan 1970 00:10:00 GMT"}, b""),
            "/never": (503, {}, b""),
            "/drops": "reset",
        }
        if path == "/":
            return page("/soon", "/date", "/never", "/drops", "/large")
        if path == "/large":
            return "too large"
        return page(words=path) if tries and path in ("/soon", "/date", "/drops") else busy.get(path, NOTHING)

    visits, crawler, done = crawl(site)
    home = "http://town.example/"
    assert {home + path for path in ("soon", "date", "drops")} <= set(crawler.store)
    when = defaultdict(list)
    for url, time, _ in visits.made:
        when[url].append(time)
    assert when[home + "soon"][1] - when[home + "soon"][0] >= 120
    assert when[home + "date"][1] >= 600
    assert len(when[home + "never"]) == 5 and len(when[home + "large"]) == 1
    assert done.steps["failed"] == 1 and done.steps["dead"] == 1  # too large; still busy at the fifth try


def test_the_wishes_of_authors_count():
    def site(url, tries, memory):
        path = split(url)[1]
        robots = "<meta name=robots content={}><p>{} <a href=/{}>on</a>"
        if path == "/":
            return page("/hidden", "/leaf", "/neither")
        said = {"/hidden": ("noindex", "from-hidden"), "/leaf": ("nofollow", "from-leaf")}
        if path in said:
            wish, link = said[path]
            return 200, HTML, robots.format(wish, path, link).encode()
        if path == "/neither":
            return 200, {**HTML, "x-robots-tag": "none"}, b"neither <a href=/from-neither>on</a>"
        return page(words=path)

    _, crawler, done = crawl(site)
    home = "http://town.example/"
    assert set(crawler.store) == {home, home + "leaf", home + "from-hidden"}
    assert done.steps["noindex"] == 2


def test_an_apology_is_told_by_what_a_made_up_url_gets():
    def site(url, tries, memory):
        path = split(url)[1]
        if path == "/robots.txt":
            return NOTHING
        if path == "/":
            return page("/sorry", "/gone", "/fish")
        if path == "/fish":
            return page(
                words="Sorry, no herring today; there is cod and there is eel, fresh from the harbour."
            )
        return page(words="Sorry! Page not found. Try the search, or write to the harbour master about it.")

    visits, crawler, done = crawl(site)
    home = "http://town.example/"
    assert set(crawler.store) == {home, home + "fish"}
    assert done.steps["soft 404"] == 2 and len(visits.pages) == 5  # one of them made up


@pytest.mark.parametrize("follow", [True, False])
def test_a_copy_is_stored_and_its_links_are_followed_or_not(follow):
    def site(url, tries, memory):
        if split(url)[1] == "/":
            return page("fish", words="the same front page")
        return page(words=url)

    seeds = ["http://one.example/", "http://two.example/"]
    _, crawler, done = crawl(site, seeds, follow_copies=follow)
    there = ["http://one.example/", "http://one.example/fish", "http://two.example/"]
    assert sorted(crawler.store) == ([*there, "http://two.example/fish"] if follow else there)
    assert done.steps["copy"] == 1


def test_a_host_that_says_the_same_for_ever_is_left():
    def site(url, tries, memory):
        return NOTHING if url.endswith("robots.txt") else page("on/", words="the same")

    visits, _, done = crawl(site, urls=UrlFilter(["town.example"], max_repeats=1000, max_segments=1000))
    assert done.steps == {"robots.txt": 1, "stored": 1, "copy": 5} and len(visits.pages) == 6
