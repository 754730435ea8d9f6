"""HEAD before GET, over real HTTP."""

from collections import Counter

import pytest

from ircourse.crawl import Crawler, http_fetcher
from ircourse.crawl.net.head import head_first
from ircourse.types import Response
from ircourse.web import serve

HOME = "http://a.example/"
DATES = ["Sun, 06 Nov 1994 08:49:37 GMT", "Mon, 07 Nov 1994 08:49:37 GMT"]


class Deaf:
    """A host that names the edition of its page, and heeds no condition."""

    hosts = ("a.example",)

    def __init__(self, *names, status=200):
        self.names, self.edition, self.status = names, 0, status

    def respond(self, url, headers=None, *, day=0):
        said = {"etag": f'W/"{self.edition}"', "last-modified": DATES[self.edition]}
        head = {"content-type": "text/html", **{name: said[name] for name in self.names}}
        return Response(self.status, head, b"<p>edition %d " % self.edition + b"herring " * 5000)


@pytest.mark.parametrize("names", [("etag",), ("last-modified",), ("etag", "last-modified")])
def test_the_body_is_asked_for_only_where_the_headers_are_others(names):
    site = Deaf(*names)
    with serve(site) as server:
        fetch = head_first(http_fetcher(resolve=server.resolve))
        first = fetch(HOME, {})
        asked = {
            "If-None-Match": first.headers.get("etag"),
            "If-Modified-Since": first.headers.get("last-modified"),
        }
        asked = {name: value for name, value in asked.items() if value}
        again = fetch(HOME, asked)
        site.edition = 1
        other = fetch(HOME, asked)
        assert (again.status, again.body, other.status) == (304, b"", 200)
        assert b"edition 1" in other.body and other.seconds > 0
        assert [visit.method for visit in server.visits] == ["GET", "HEAD", "HEAD", "GET"]
        assert not server.errors


@pytest.mark.parametrize("status", [404, 405, 500])
def test_what_does_not_answer_head_is_asked_by_get(status):
    with serve(Deaf("etag", status=status)) as server:
        fetch = head_first(http_fetcher(resolve=server.resolve))
        assert fetch(HOME, {"If-None-Match": 'W/"0"'}).status == status
        assert [visit.method for visit in server.visits] == ["HEAD", "GET"]


def test_a_head_of_a_compressed_or_long_page_has_no_body():
    with serve(Deaf()) as server:
        fetch = http_fetcher(resolve=server.resolve, max_bytes=100)
        answer = fetch(HOME, {"Accept-Encoding": "gzip"}, method="HEAD")
        assert (answer.status, answer.body, answer.headers["content-encoding"]) == (200, b"", "gzip")
        assert fetch(HOME, {}, method="HEAD").body == b""


def test_a_crawl_without_end_saves_the_bodies_of_such_a_server():
    with serve(Deaf("etag")) as server:
        fetch = head_first(http_fetcher(resolve=server.resolve))
        done = Crawler(
            [HOME],
            fetch=fetch,
            delay=0,
            revisit=lambda url, visits: 0.01 if len(visits) < 4 else float("inf"),
        ).run()
        methods = Counter(visit.method for visit in server.visits if visit.url == HOME)
    assert methods == {"GET": 1, "HEAD": 3} and done.steps["not modified"] == 3 and done.saved > 3 * 40_000
