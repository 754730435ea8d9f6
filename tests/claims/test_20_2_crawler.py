"""Claims C41, C42, C48, C49 and C84: the crawler as a whole."""

from itertools import pairwise

import pytest

from ircourse.crawl import Crawler, PageStore
from ircourse.types import FetchError, Response, VirtualClock
from ircourse.web import random_web

HOME = "http://harbour.example/"
HTML = {"content-type": "text/html"}


def page(*links, head="", words=""):
    anchors = "".join(f"<a href='{link}'>{link}</a> " for link in links)
    return Response(200, HTML, f"<head>{head}</head>{words} {anchors}".encode(), 0.2)


def test_c41_a_billion_pages_a_month_is_several_hundred_a_second():
    assert round(1e9 / (30 * 24 * 3600)) == 386


def test_c42_the_crawler_keeps_the_gap_whatever_goes_wrong():
    # 4,000 pages of a random web, some of which fail, redirect or are busy at first; robots.txt counts.
    web, clock, log, tries = random_web(4000, 1, host_size=20), VirtualClock(), [], {}

    def fetch(url, headers):
        tries[url] = tries.get(url, 0) + 1
        seconds = 0.1 + len(url) * 7 % 31 / 10
        log.append((url, clock.now(), clock.now() + seconds))
        if url.endswith("/robots.txt"):
            rules = b"User-agent: *\nCrawl-delay: 5" if len(url) % 3 == 0 else b""
            return Response(200, {}, rules, seconds)
        fault = sum(url.encode()) % 23
        if fault == 0 and tries[url] == 1:
            return Response(503, {"retry-after": "40"}, b"", seconds)
        if fault == 1:
            return Response(302, {"location": url + "?"}, b"", seconds)
        if fault == 2 and tries[url] < 3:
            log[-1] = (url, clock.now(), clock.now())
            raise FetchError(url, "reset")
        answer = web.respond(url.removesuffix("?"))
        return Response(answer.status, answer.headers, answer.body, seconds)

    crawler = Crawler(list(web)[::40], fetch=fetch, clock=clock, hosts="*", threads=50, delay=0.5)
    done = crawler.run()
    assert done.stored > 2000 and done.steps["again"] > 100 and done.steps["redirect"] > 50
    by_host = {}
    for url, start, end in log:
        by_host.setdefault(url.split("/")[2], []).append((start, end))
    gaps = [
        (following - end, 10 * (end - start))
        for visits in by_host.values()
        for (start, end), (following, _) in pairwise(visits)
    ]
    assert len(gaps) > 2000
    assert sum(gap < least - 1e-6 for gap, least in gaps) == 0


@pytest.mark.parametrize("orderly", [True, False])
def test_c48_a_restart_loses_no_url_and_repeats_none_or_only_what_was_not_committed(tmp_path, orderly):
    web, asked = random_web(300, 1, host_size=20), []
    seeds = list(web)[::10]

    class Killed(BaseException):
        pass

    def fetch(url, headers):
        if not orderly and len(asked) % 60 == 59:
            asked.append("killed")
            raise Killed
        asked.append(url)
        return web.respond(url)

    runs = 0
    while True:
        runs += 1
        store = PageStore(tmp_path)
        crawler = Crawler(seeds, fetch=fetch, clock=VirtualClock(), hosts="*", store=store, threads=5)
        try:
            done = crawler.run(40 * runs if orderly else None)
            store.close()
        except Killed:
            store.rollback()  # what a kill leaves is what was committed
            store.close()
            continue
        if done.waiting == 0:
            break
    whole = Crawler(seeds, fetch=web, clock=VirtualClock(), hosts="*")
    whole.run()
    with PageStore(tmp_path) as store:
        assert set(store) == set(whole.store) and len(store) > 200
        assert all(len(store.history(url)) == 1 for url in store)
    pages = [url for url in asked if url != "killed" and not url.endswith("robots.txt")]
    assert runs > 4
    if orderly:
        assert len(pages) == len(set(pages))
    else:  # at each kill at most five were under way and one was being read
        assert len(pages) - len(set(pages)) <= 6 * (runs - 1)


@pytest.mark.parametrize("again", [True, False])
def test_c49_a_page_closed_after_its_link_was_found_is_fetched_unless_robots_txt_is_asked_again(again):
    # The site closes /late a day after the crawl began, while /late waits behind slow pages.
    clock, asked = VirtualClock(), []
    closed_at = 86_400.0

    def fetch(url, headers):
        asked.append(url)
        if url.endswith("/robots.txt"):
            closed = clock.now() >= closed_at
            return Response(200, {}, b"User-agent: *\nDisallow: /late" if closed else b"")
        if url == HOME:
            return page(*[f"/slow{i}" for i in range(200)], "/late")
        return page(words=url)

    crawler = Crawler([HOME], fetch=fetch, clock=clock, delay=600)
    if not again:  # as a crawler does that believes what it read when the link was found
        files = crawler.core.robots
        first = {}

        def current(url, now):
            site = files.site(url)
            first.setdefault(site.origin, site.robots) if site.robots else None
            return first.get(site.origin)

        files.current = current
    done = crawler.run()
    assert (HOME + "late" in asked) is not again
    assert done.steps["robots"] == again
    assert asked.count(HOME + "robots.txt") == (2 if again else 1)


def test_c84_noindex_is_read_by_fetching_only():
    noindex = "<meta name=robots content=noindex>"

    def fetch(url, headers):
        asked.append(url)
        path = url.removeprefix(HOME)
        if path == "robots.txt":
            return Response(200, {}, b"User-agent: *\nDisallow: /closed")
        if not path:
            return page("/open", "/closed")
        return page(f"/from-{path}", head=noindex, words=path) if path in ("open", "closed") else page()

    asked = []
    crawler = Crawler([HOME], fetch=fetch, clock=VirtualClock())
    done = crawler.run()
    # The open page is fetched, read, not kept, and its links are followed.
    assert (
        HOME + "open" in asked and HOME + "open" not in crawler.store and HOME + "from-open" in crawler.store
    )
    # The closed one is not fetched: nobody learns that it says noindex, and a link still names it.
    assert HOME + "closed" not in asked and b"closed" in crawler.store[HOME].body
    assert done.steps["noindex"] == done.steps["robots"] == 1
