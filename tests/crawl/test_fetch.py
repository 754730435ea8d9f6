"""Fetching over real HTTP from loopback: what is sent, what comes back, and each way to fail."""

import contextlib
import gc
import gzip
import socket
import ssl
import threading
from pathlib import Path

import pytest

from ircourse.crawl import (
    FetchError,
    Response,
    http_fetcher,
    look_up_with,
    parse_html,
    spider3,
    spider4_counting,
)
from ircourse.web import Web, serve, tiny_web

HOME = "http://harbour.example/"
HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
ZIPPED = gzip.compress(b"ferries", mtime=0)
# A key and a certificate of the host harbour.example, made for these tests and in use nowhere else.
PEM = Path(__file__).parent / "harbour.pem"


class Peer:
    """A server that sends the same bytes for every request, and keeps what it was asked.

    With ``close`` it closes after one answer; without, it stays. ``drip`` is sent again and again, with gaps
    too short for a limit on the wait for the next bytes. ``first`` is sent instead for the first request.
    """

    def __init__(self, answer: bytes, close=True, drip=b"", first=None, tls=None):
        self.answer, self.close, self.drip, self.first, self.tls = answer, close, drip, first, tls
        self.asked = []
        self.connections = []
        self.talks = []
        self.ended = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while not self.ended.is_set():
            with contextlib.suppress(OSError):
                connection, _ = self.listener.accept()
                if self.tls:
                    connection = self.tls.wrap_socket(connection, server_side=True)
                self.connections.append(connection)
                self.talks.append(threading.Thread(target=self.talk, args=[connection], daemon=True))
                self.talks[-1].start()

    def talk(self, connection):
        with contextlib.suppress(OSError), connection:
            while asked := connection.recv(65536):
                self.asked.append(asked)
                is_first = len(self.asked) == 1 and self.first is not None
                connection.sendall(self.first if is_first else self.answer)
                while self.drip and not is_first and not self.ended.wait(0.01):
                    connection.sendall(self.drip)
                if self.close:
                    return

    def resolve(self, host, port):
        return self.listener.getsockname()[:2]

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.ended.set()
        for sock in (self.listener, *self.connections):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)  # wakes the thread in accept(), where close() does not
        self.listener.close()


def answer(body: bytes, *headers: bytes, status: bytes = b"200 OK") -> bytes:
    lines = [b"HTTP/1.1 " + status, b"Content-Length: %d" % len(body), *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def kind_of(fetch, url=HOME, headers=()):
    with pytest.raises(FetchError) as caught:
        fetch(url, dict(headers))
    assert caught.value.url == url
    return caught.value.kind


def test_the_url_is_sent_unchanged_with_its_own_host():
    with Peer(answer(b"x")) as peer:
        fetch = http_fetcher(resolve=peer.resolve)
        response = fetch("http://harbour.example:8080/a%7eb;c?q={x}&r=%C3%A9|'", {"User-Agent": "ircourse"})
        assert (response.status, response.body) == (200, b"x")
        asked = peer.asked[0].split(b"\r\n")
        assert asked[0] == b"GET /a%7eb;c?q={x}&r=%C3%A9|' HTTP/1.1"
        assert b"Host: harbour.example:8080" in asked
        assert b"User-Agent: ircourse" in asked


@pytest.mark.parametrize(
    ("url", "target", "host"),
    [
        ("http://harbour.example", b"/", b"harbour.example"),
        ("http://harbour.example?q", b"/?q", b"harbour.example"),
        ("http://harbour.example/a?#f?g", b"/a?", b"harbour.example"),
        ("HTTP://me:secret@Harbour.example:81//a/../b", b"//a/../b", b"Harbour.example:81"),
        ("http://[::1]:81/x", b"/x", b"[::1]:81"),
    ],
)
def test_what_is_asked_for_stands_in_the_url(url, target, host):
    with Peer(answer(b"x")) as peer:
        http_fetcher(resolve=peer.resolve)(url, {})
        asked = peer.asked[0].split(b"\r\n")
        assert asked[0] == b"GET " + target + b" HTTP/1.1"
        assert b"Host: " + host in asked


def test_header_names_come_in_lower_case_and_seconds_are_measured():
    with Peer(answer(b"", b"X-Robots-Tag: noindex", status=b"301 Moved")) as peer:
        response = http_fetcher(resolve=peer.resolve)(HOME, {})
        assert response.headers["x-robots-tag"] == "noindex"
        assert response.status == 301
        assert response.seconds > 0


def test_headers_of_one_name_are_joined():
    robots = [b"X-Robots-Tag: otherbot: nofollow", b"X-ROBOTS-TAG: noarchive,\r\n noindex"]
    with Peer(answer(b"", *robots, b"Vary: Accept", b"vary: User-Agent")) as peer:
        headers = http_fetcher(resolve=peer.resolve)(HOME, {}).headers
        assert headers["x-robots-tag"] == "otherbot: nofollow\nnoarchive, noindex"
        assert headers["vary"] == "Accept, User-Agent"
        assert not parse_html(b"<p>", HOME, robots_tag=headers["x-robots-tag"]).index


@pytest.mark.parametrize("location", [b"http://other.example/", b"http://[::1/", b"javascript:alert(1)"])
def test_redirects_are_not_followed(location):
    with Peer(answer(b"moved", b"Location: " + location, status=b"302 Found")) as peer:
        response = http_fetcher(resolve=peer.resolve)(HOME, {})
        assert (response.status, response.body) == (302, b"moved")
        assert response.headers["location"] == location.decode()
        assert len(peer.asked) == 1


def test_cookies_are_not_kept():
    with Peer(answer(b"", b"Set-Cookie: a=b; Path=/"), close=False) as peer:
        fetch = http_fetcher(resolve=peer.resolve)
        assert [fetch(HOME, {}).status for _ in range(2)] == [200, 200]
        assert len(peer.asked) == 2
        assert b"cookie" not in b"".join(peer.asked).lower()


def test_interim_answers_are_read_past():
    interim = b"HTTP/1.1 103 Early Hints\r\nConnection: close\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
    with Peer(answer(b"second"), close=False, first=interim + answer(b"first")) as peer:
        fetch = http_fetcher(resolve=peer.resolve)
        assert [fetch(HOME, {}).body for _ in range(3)] == [b"first", b"second", b"second"]


def test_what_came_unasked_is_no_answer_to_the_next_request():
    with Peer(answer(b"second"), close=False, first=answer(b"first") + answer(b"x" * 100_000)) as peer:
        fetch = http_fetcher(resolve=peer.resolve)
        assert [fetch(HOME, {}).body for _ in range(2)] == [b"first", b"second"]
        assert len(peer.connections) == 2


def test_gzip_is_decompressed():
    with Peer(answer(gzip.compress(b"ferries " * 100), b"Content-Encoding: gzip")) as peer:
        assert http_fetcher(resolve=peer.resolve)(HOME, {}).body == b"ferries " * 100


def test_gzip_in_several_members_is_one_body():
    body = gzip.compress(b"fer") + gzip.compress(b"") + gzip.compress(b"ries")
    with Peer(answer(body, b"Content-Encoding: x-gzip")) as peer:
        assert http_fetcher(resolve=peer.resolve)(HOME, {}).body == b"ferries"


@pytest.mark.parametrize("status", [b"200 OK", b"302 Found"])
@pytest.mark.parametrize(
    "body", [b"x" * 200_000, gzip.compress(b"\0" * 50_000_000)], ids=["long", "a small bomb"]
)
def test_a_body_over_the_limit_is_refused(status, body):
    encoding = b"Content-Encoding: gzip" if body[:2] == b"\x1f\x8b" else b"X-Plain: yes"
    with Peer(answer(body, encoding, b"Location: /y", status=status)) as peer:
        assert kind_of(http_fetcher(resolve=peer.resolve, max_bytes=100_000)) == "too large"


@pytest.mark.parametrize("size", [0, 1, 999, 1000])
@pytest.mark.parametrize("zipped", [False, True])
def test_a_body_up_to_the_limit_is_whole(size, zipped):
    body = b"x" * size
    sent = answer(gzip.compress(body), b"Content-Encoding: gzip") if zipped else answer(body)
    with Peer(sent) as peer:
        fetch = http_fetcher(resolve=peer.resolve, max_bytes=max(1000, len(body)))
        assert fetch(HOME, {}).body == body


@pytest.mark.parametrize(
    ("sent", "drip"),
    [
        (HEAD + b"\r\n", b"x" * 50_000),
        (HEAD + b"Location: /y\r\n\r\n", b"x" * 50_000),
        (HEAD + CHUNKED, b"1;" + b"x" * 50_000 + b"\r\na\r\n"),
        (HEAD + CHUNKED + b"0\r\n", b"X: " + b"x" * 50_000 + b"\r\n"),
        (b"", b"HTTP/1.1 100 Continue\r\nX: " + b"x" * 50_000 + b"\r\n\r\n"),
    ],
    ids=["body", "redirect", "chunk extensions", "trailers", "interim answers"],
)
def test_no_part_of_an_answer_is_read_without_end(sent, drip):
    with Peer(sent, drip=drip) as peer:
        assert kind_of(http_fetcher(resolve=peer.resolve, max_bytes=1000)) == "too large"


@pytest.mark.parametrize("kept", [False, True], ids=["new", "kept open"])
@pytest.mark.parametrize(
    ("sent", "drip"),
    [
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (HEAD + b"X: ", b"x"),
        (HEAD + b"\r\n", b"x"),
        (b"HTTP/1.1 302 Found\r\nLocation: /y\r\n\r\n", b"x"),
        (HEAD + CHUNKED + b"5;", b"x"),
        (HEAD + CHUNKED + b"5\r\nhello\r\n0\r\n", b"X: y\r\n"),
    ],
    ids=["interim answers", "headers", "body", "redirect", "chunk size", "trailers"],
)
def test_a_trickle_ends_at_the_deadline(sent, drip, kept):
    with Peer(sent, drip=drip, first=answer(b"x") if kept else None) as peer:
        peer.close = False
        fetch = http_fetcher(resolve=peer.resolve, timeout=0.6 if kept else 0.2)
        if kept:
            assert fetch(HOME, {}).body == b"x"
        assert kind_of(fetch) == "timeout"
        assert len(peer.connections) == 1


@pytest.mark.parametrize("sent", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"])
def test_a_server_that_stays_silent_times_out(sent):
    with Peer(sent, close=False) as peer:
        assert kind_of(http_fetcher(resolve=peer.resolve, timeout=0.2)) == "timeout"


@pytest.mark.parametrize(
    ("sent", "kind"),
    [
        (b"", "reset"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", "reset"),
        (HEAD + CHUNKED + b"5\r\nhel", "reset"),
        (b"nonsense\r\n\r\n", "bad answer"),
        (b"HTTP/1.1 101 Switching Protocols\r\n\r\nhello", "bad answer"),
        (answer(b"not gzip", b"Content-Encoding: gzip"), "bad answer"),
        (answer(b"x", b"Content-Encoding: br"), "bad answer"),
        (answer(ZIPPED, b"Content-Encoding: gzip, gzip"), "bad answer"),
        (HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", "bad answer"),
    ],
    ids=["nothing", "cut", "chunk cut", "not HTTP", "101", "not gzip", "br", "gzip twice", "gzip chunks"],
)
def test_a_broken_answer_is_a_fetch_error(sent, kind):
    with Peer(sent) as peer:
        assert kind_of(http_fetcher(resolve=peer.resolve)) == kind


@pytest.mark.parametrize("kept", range(1, len(ZIPPED)))
def test_gzip_cut_anywhere_is_a_bad_answer(kept):
    with Peer(answer(ZIPPED[:kept], b"Content-Encoding: gzip")) as peer:
        assert kind_of(http_fetcher(resolve=peer.resolve)) == "bad answer"


def test_a_closed_port_is_refused():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        where = listener.getsockname()[:2]
    with pytest.raises(FetchError, match=r"http://harbour\.example/ gave no answer: refused"):
        http_fetcher(resolve=lambda host, port: where)(HOME, {})


def test_the_second_address_of_a_host_is_tried(monkeypatch):
    look_up = socket.getaddrinfo

    def two(host, *args, **kwargs):
        return [a for name in ("::1", "127.0.0.1") for a in look_up(name if host == "two" else host, *args)]

    with Peer(answer(b"x")) as peer:
        port = peer.resolve("", 0)[1]
        monkeypatch.setattr(socket, "getaddrinfo", two)
        assert http_fetcher(resolve=lambda host, _: ("two", port))(HOME, {}).body == b"x"


def test_an_unknown_host_is_a_dns_error(monkeypatch):
    with serve(Web.from_pages({HOME: []})) as server:
        assert kind_of(http_fetcher(resolve=server.resolve), "http://nowhere.example/") == "dns"

    def unknown(*args, **kwargs):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert kind_of(http_fetcher()) == "dns"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "/x",
        "no url",
        "//harbour.example/",
        "ftp://harbour.example/",
        "http:harbour.example",
        "http://",
        "http:///x",
        "http://:80/",
        "http://a..b/",
        "http://" + "a" * 64 + ".example/",
        "http://[::1",
        "http://harbour.example:0/",
        "http://harbour.example:65536/",
        "http://harbour.example:x/",
        "http://harbour.example/a b",
        "http://harbour.example/\r\nX: y",
        "http://harbour.example/\u00e9",
        "http://\u0430.example/",
    ],
)
def test_what_is_no_http_url_is_a_bad_url(url):
    assert kind_of(http_fetcher(resolve=lambda host, port: ("127.0.0.1", 9)), url) == "bad url"


@pytest.mark.parametrize("header", [("X", "a\r\nb"), ("X\n", "z"), ("X", "\u4e2d")])
def test_a_header_that_cannot_be_sent_is_told_before_anything_is(header):
    with Peer(answer(b"x"), close=False) as peer:
        fetch = http_fetcher(resolve=peer.resolve)
        assert kind_of(fetch, headers=[header]) == "bad url"
        assert fetch(HOME, {}).body == b"x"
        assert len(peer.asked) == 1


def test_the_environment_s_proxy_is_not_used(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example:3128")
    with Peer(answer(b"direct")) as peer:
        assert http_fetcher(resolve=peer.resolve)(HOME, {}).body == b"direct"


def test_connections_are_kept_open_and_a_closed_one_is_replaced():
    with Peer(answer(b"x"), close=False) as peer:
        fetch = http_fetcher(resolve=peer.resolve)
        assert [fetch(HOME, {}).status for _ in range(3)] == [200] * 3
        assert len(peer.connections) == 1
        peer.connections[0].shutdown(socket.SHUT_RDWR)
        assert fetch(HOME, {}).status == 200
        assert len(peer.connections) == 2


def test_the_connection_unused_for_longest_is_closed():
    with Peer(answer(b"x"), close=False) as peer:
        fetch = http_fetcher(resolve=peer.resolve)
        for number in [*range(10), 0, 10, 0]:
            fetch(f"http://host{number}.example/", {})
        assert len(peer.connections) == 11
        fetch("http://host1.example/", {})
        assert len(peer.connections) == 12


def test_a_fetcher_that_is_dropped_closes_its_connections():
    with Peer(answer(b"x"), close=False) as peer:
        fetch = http_fetcher(resolve=peer.resolve)
        fetch(HOME, {})
        del fetch
        gc.collect()
        peer.talks[0].join(10)
        assert not peer.talks[0].is_alive()


@pytest.fixture
def tls():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(PEM)
    return context


def test_https_checks_the_certificate_for_the_host_and_keeps_the_connection(tls, monkeypatch):
    trusted = ssl.create_default_context(cafile=PEM)
    monkeypatch.setattr("ircourse.crawl.net.connection._tls", lambda: trusted)
    with Peer(answer(b"x"), close=False, tls=tls) as peer:
        fetch = http_fetcher(resolve=peer.resolve)
        assert [fetch("https://harbour.example/", {}).body for _ in range(3)] == [b"x"] * 3
        assert len(peer.connections) == 1
        assert kind_of(fetch, "https://other.example/") == "reset"


def test_https_distrusts_a_certificate_that_nobody_vouches_for(tls):
    with Peer(answer(b"x"), tls=tls) as peer:
        assert kind_of(http_fetcher(resolve=peer.resolve), "https://harbour.example/") == "reset"


def test_a_tls_server_that_stays_silent_times_out():
    with Peer(b"", close=False, drip=b"") as peer:
        assert (
            kind_of(http_fetcher(resolve=peer.resolve, timeout=0.2), "https://harbour.example/") == "timeout"
        )


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
