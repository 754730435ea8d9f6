"""Fetching over real HTTP from loopback: what is sent, what comes back, and each way to fail."""

import contextlib
import gzip
import socket
import threading

import pytest

from ircourse.crawl import FetchError, Response, http_fetcher, look_up_with, spider3, spider4_counting
from ircourse.web import Web, serve, tiny_web

HOME = "http://harbour.example/"


class Peer:
    """A server that sends the same bytes to whoever connects, and keeps what it was sent."""

    def __init__(self, answer: bytes | None, close: bool = True):
        self.answer, self.close = answer, close
        self.asked = []
        self.kept = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.asked.append(connection.recv(65536))
            if self.answer:
                connection.sendall(self.answer)
            if self.close:
                connection.close()
            else:
                self.kept.append(connection)

    def resolve(self, host, port):
        return self.listener.getsockname()[:2]

    def __enter__(self):
        return self

    def __exit__(self, *error):
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)  # wakes the thread in accept(), where close() does not
        self.listener.close()
        for connection in self.kept:
            connection.close()


def answer(body: bytes, *headers: bytes, status: bytes = b"200 OK") -> bytes:
    lines = [b"HTTP/1.1 " + status, b"Content-Length: %d" % len(body), b"Connection: close", *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def test_the_url_is_sent_unchanged_with_its_own_host():
    with Peer(answer(b"x")) as peer:
        fetch = http_fetcher(resolve=peer.resolve)
        response = fetch("http://harbour.example:8080/a%7eb;c?q={x}&r=%C3%A9|'", {"User-Agent": "ircourse"})
        assert (response.status, response.body) == (200, b"x")
        asked = peer.asked[0].split(b"\r\n")
        assert asked[0] == b"GET /a%7eb;c?q={x}&r=%C3%A9|' HTTP/1.1"
        assert b"Host: harbour.example:8080" in asked
        assert b"User-Agent: ircourse" in asked


def test_header_names_come_in_lower_case_and_seconds_are_measured():
    with Peer(answer(b"", b"X-Robots-Tag: noindex", status=b"301 Moved")) as peer:
        response = http_fetcher(resolve=peer.resolve)(HOME, {})
        assert response.headers["x-robots-tag"] == "noindex"
        assert response.status == 301
        assert response.seconds > 0


def test_redirects_are_not_followed():
    with Peer(answer(b"", b"Location: http://other.example/", status=b"302 Found")) as peer:
        response = http_fetcher(resolve=peer.resolve)(HOME, {})
        assert (response.status, response.headers["location"]) == (302, "http://other.example/")
        assert len(peer.asked) == 1


def test_gzip_is_decompressed():
    with Peer(answer(gzip.compress(b"ferries " * 100), b"Content-Encoding: gzip")) as peer:
        assert http_fetcher(resolve=peer.resolve)(HOME, {}).body == b"ferries " * 100


@pytest.mark.parametrize(
    "body", [b"x" * 200_000, gzip.compress(b"\0" * 50_000_000)], ids=["long", "a small bomb"]
)
def test_a_body_over_the_limit_is_refused(body):
    encoding = b"Content-Encoding: gzip" if body[:2] == b"\x1f\x8b" else b"X-Plain: yes"
    with Peer(answer(body, encoding)) as peer, pytest.raises(FetchError) as caught:
        http_fetcher(resolve=peer.resolve, max_bytes=100_000)(HOME, {})
    assert caught.value.kind == "too large"
    assert caught.value.url == HOME


@pytest.mark.parametrize(
    ("sent", "kind"),
    [
        (b"", "reset"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", "reset"),
        (b"nonsense\r\n\r\n", "reset"),
        (answer(b"not gzip", b"Content-Encoding: gzip"), "bad answer"),
    ],
    ids=["nothing", "cut short", "not HTTP", "not gzip"],
)
def test_a_broken_answer_is_a_fetch_error(sent, kind):
    with Peer(sent) as peer, pytest.raises(FetchError) as caught:
        http_fetcher(resolve=peer.resolve)(HOME, {})
    assert caught.value.kind == kind


@pytest.mark.parametrize("sent", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"])
def test_a_server_that_stays_silent_times_out(sent):
    with Peer(sent, close=False) as peer, pytest.raises(FetchError) as caught:
        http_fetcher(resolve=peer.resolve, timeout=0.2)(HOME, {})
    assert caught.value.kind == "timeout"


def test_a_closed_port_is_refused():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        where = listener.getsockname()[:2]
    with pytest.raises(FetchError, match=r"http://harbour\.example/ gave no answer: refused"):
        http_fetcher(resolve=lambda host, port: where)(HOME, {})


def test_an_unknown_host_is_a_dns_error():
    with serve(Web.from_pages({HOME: []})) as server, pytest.raises(FetchError) as caught:
        http_fetcher(resolve=server.resolve)("http://nowhere.example/", {})
    assert caught.value.kind == "dns"


@pytest.mark.parametrize("url", ["", "ftp://harbour.example/", "http://", "http:///x", "no url"])
def test_what_is_no_http_url_is_a_fetch_error(url):
    with pytest.raises(FetchError):
        http_fetcher(resolve=lambda host, port: ("127.0.0.1", 9))(url, {})


def test_the_environment_s_proxy_is_not_used(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example:3128")
    with Peer(answer(b"direct")) as peer:
        assert http_fetcher(resolve=peer.resolve)(HOME, {}).body == b"direct"


def test_connections_are_kept_open_and_a_stale_one_is_replaced():
    with serve(Web.from_pages({HOME: [HOME + "a"], HOME + "a": []})) as server:
        fetch = http_fetcher(resolve=server.resolve)
        assert [fetch(url, {}).status for url in (HOME, HOME + "a", HOME + "gone")] == [200, 200, 404]


def test_the_tiny_web_over_http_gives_the_pages_of_the_web_in_memory():
    web = tiny_web()
    start = "http://www.saltmere.example/"

    def in_town(url):
        return url.split("/")[2].removesuffix(".saltmere.example") in {"www", "ferries", "gazette", "museum"}

    with serve(web) as server:
        over_http = look_up_with(http_fetcher(resolve=server.resolve), in_scope=in_town)
        crawled = dict(spider3(over_http, start))
    in_memory = dict(spider3(look_up_with(web.respond, in_scope=in_town), start))
    assert crawled == in_memory
    assert len(crawled) > 80


def test_a_redirect_loop_is_an_ordinary_loop():
    web = {HOME: (301, "/a"), HOME + "a": (302, HOME)}

    def fetch(url, headers):
        status, target = web[url]
        return Response(status, {"location": target})

    counts = {}
    assert [url for url, _ in spider4_counting(look_up_with(fetch), [HOME], counts)] == [HOME, HOME + "a"]
    assert counts == {HOME: 1, HOME + "a": 1}


@pytest.mark.parametrize("location", [None, "javascript:alert(1)", "mailto:x@y.example"])
def test_a_redirect_to_nowhere_has_no_links(location):
    headers = {} if location is None else {"location": location}
    page = look_up_with(lambda url, _: Response(302, headers))(HOME)
    assert page.links == ()
