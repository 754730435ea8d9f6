"""Claims C54 and C80: conditional requests, and what a page store is; a crawl without end and the formula."""

import io
import math
from itertools import pairwise

import pytest
from warcio.archiveiterator import ArchiveIterator

from ircourse.crawl import Crawler, PageStore, mean_freshness
from ircourse.crawl.crawler.revisit import every
from ircourse.types import Response, SystemClock, VirtualClock
from ircourse.web import serve, tiny_web
from ircourse.web.changing import changing_web, crawl_changing

DAY = 86_400.0
DATE, MODIFIED = "Mon, 07 Nov 1994 08:00:00 GMT", "Sun, 06 Nov 1994 08:49:37 GMT"


def twice(url, visits):
    return 0.01 if len(visits) < 2 else math.inf


def test_c54_conditional_requests_save_the_bodies_of_unchanged_pages():
    # The tiny web over real HTTP, each page visited twice; nothing changes but one page.
    web, moved = tiny_web(), "http://www.saltmere.example/"
    pages = [url for url in web if url.startswith(moved) and web.respond(url).status == 200]
    served = changing_web(web, dict.fromkeys(pages, 0.0), SystemClock(), rng=1)
    sent = []

    class Counted:
        hosts = served.hosts

        def respond(self, url, headers=None, *, day=0):
            if url == moved and "if-none-match" in (headers or {}):
                headers = {"if-none-match": '"another"'}
            answer = served.respond(url, headers, day=day)
            if url in served.rates:
                sent.append((answer.status, len(answer.body)))
            return answer

    with serve(Counted()) as server:
        crawler = Crawler(
            pages,
            resolve=server.resolve,
            allow_private=True,
            delay=0,
            revisit=twice,
            in_scope=set(pages).__contains__,
        )
        done = crawler.run()
    stored = [url for url in pages if url in crawler.store]
    sizes = {url: len(crawler.store[url].body) for url in stored}
    assert done.steps["not modified"] == len(stored) - 1 > 40
    assert done.saved == sum(sizes.values()) - sizes[moved] > 40_000
    assert [size for status, size in sent if status == 304] == [0] * (len(stored) - 1)
    share = done.saved / sum(sizes.values())
    assert share > 0.9  # of the bytes of the second round: 42,784 of 45,035


@pytest.mark.parametrize(("name", "bodies"), [("last-modified", 1), ("date", 5)])
def test_c54_erratum_it_is_last_modified_that_is_sent_back_not_the_date(name, bodies):
    # A server that compares the dates for equality, as some do, never says 304 to its own Date.
    def fetch(url, headers):
        if url.endswith("robots.txt"):
            return Response(404)
        said = {"content-type": "text/html", "last-modified": MODIFIED, "date": DATE}
        if headers.get("If-Modified-Since") == MODIFIED:
            return Response(304, said)
        return Response(200, {**said, "last-modified": said[name]}, b"cod")

    crawler = Crawler(["http://a.example/"], fetch=fetch, clock=VirtualClock(), revisit=every(DAY))
    done = crawler.run(seconds=4.5 * DAY)
    assert done.bytes == bodies * len(b"cod")


def filled(folder, pages=40):
    store = PageStore(folder)
    for number in range(pages):
        body = b"".join(b"<p>herring %d, cod %d</p>" % (number, line) for line in range(400))
        store.add(
            f"http://a.example/{number}", Response(200, {"content-type": "text/html"}, body), date=number
        )
    store.commit()
    return store


def test_c80_a_page_store_is_random_access_by_url(tmp_path):
    with filled(tmp_path) as store:
        starts = [store._index.newest(url).place[0] for url in store]
    warc = next(tmp_path.glob("*.warc.gz"))
    data = warc.read_bytes()
    for number, (start, end) in list(enumerate(pairwise([*starts, len(data)])))[::13]:
        # Whatever stands before and after, the page is read from its own bytes alone.
        head, gap = data[: starts[0]], bytes(start - starts[0])
        warc.write_bytes(head + gap + data[start:end] + bytes(len(data) - end))
        with PageStore(tmp_path) as store:
            assert b"herring %d," % number in store[f"http://a.example/{number}"].body


def test_c80_a_page_store_is_compressed_and_updatable(tmp_path):
    with filled(tmp_path) as store:
        warc, url = next(tmp_path.glob("*.warc.gz")), "http://a.example/7"
        before, raw = warc.stat().st_size, sum(len(page.body) for page in store.values())
        assert before < raw / 5
        old = store[url]
        store.add(url, old, date=100)  # no change: the body is not written again
        store.commit()
        assert warc.stat().st_size - before < 1000 < len(old.body)
        store.add(url, Response(200, old.headers, b"eel"), date=200)
        store.add(url, Response(304), date=300)
        store.bury(url, 400)
        store.commit()
    with PageStore(tmp_path) as store:
        assert len(store) == 40 and store[url].body == b"eel"
        kinds = [capture.kind for capture in store.captures(url)]
        assert kinds == ["response", "same body", "response", "not modified"]
        assert [store.get(url, at=at).body for at in (7, 150, 250.0, 999)] == [
            old.body,
            old.body,
            b"eel",
            b"eel",
        ]
        assert store.get(url, at=6.9) is None and store.gone(url).timestamp() == 400
        assert len({capture.digest for capture in store.captures(url)}) == 2


def test_c80_a_store_round_trips_as_warc(tmp_path):
    with filled(tmp_path / "a") as store:
        store.add("http://a.example/3", store["http://a.example/3"], date=50)
        store.add("http://a.example/3", Response(304, {"etag": '"3"'}), date=60)
        store.commit()
        before = {url: (store.history(url), list(store.captures(url))) for url in store}
    warc = next((tmp_path / "a").glob("*.warc.gz"))
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "others.warc.gz").write_bytes(warc.read_bytes())
    with PageStore(tmp_path / "b") as store:  # the file alone, without the index
        assert {url: (store.history(url), list(store.captures(url))) for url in store} == before
    records = list(ArchiveIterator(io.BytesIO(warc.read_bytes())))  # and by another reader
    assert [record.rec_type for record in records] == ["warcinfo", *["response"] * 40, *["revisit"] * 2]
    profiles = [record.rec_headers["WARC-Profile"].rpartition("/")[2] for record in records[-2:]]
    assert profiles == ["identical-payload-digest", "server-not-modified"]


def test_the_mean_freshness_of_a_continuous_crawl_is_the_formula_s():
    # Pages of the tiny web that change once in ten days to ten times a day, visited daily for 40 days.
    web = tiny_web()
    pages = [url for url in web if web.respond(url).status == 200][:40]
    rates = {url: 10 ** (2 * n / len(pages) - 1) / DAY for n, url in enumerate(pages)}
    watched = crawl_changing(web, rates, every(DAY), seconds=40 * DAY, rng=7)
    expected = [mean_freshness(rates[url], DAY) for url in watched.freshness]
    assert len(expected) > 30
    # The standard error of the mean is 0.3 / sqrt(pages * days), 0.008; visits come a little late.
    assert watched.mean == pytest.approx(sum(expected) / len(expected), abs=0.03)
    half = len(expected) // 2
    slow, fast = (list(watched.freshness.values())[part] for part in (slice(half), slice(half, None)))
    assert sum(slow) / len(slow) > 0.75 > 0.45 > sum(fast) / len(fast)
