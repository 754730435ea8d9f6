"""The server on loopback, with the standard library's clients for independence."""

import errno
import gzip
import http.client
import random
import socket
import socketserver
import threading
import urllib.request
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.types import FetchError, Page, Response
from ircourse.web import Resource, Web, serve

A, B = "http://a.example/", "http://b.example/"
LONG = b"<p>" + b"a tide table " * 1000
DEADLINE = 20.0


def a_web():
    """Two hosts, and one that fails."""
    validators = {
        "content-type": "text/html",
        "etag": '"1"',
        "last-modified": "Mon, 03 Mar 2025 06:00:00 GMT",
    }
    table = {
        A: Resource(A, b"<title>A</title>"),
        A + "long": Resource(A, LONG, headers=validators),
        A + "picture": Resource(A, LONG, headers={"content-type": "image/png"}),
        A + "old": Resource(A, status=301, headers={"location": "/"}),
        A + "slow": Resource(A, b"slow", delay=0.01),
        A + "//x": Resource(A, b"two slashes"),
        A + "reset": Resource(A, fail="reset"),
        A + "timeout": Resource(A, fail="timeout"),
        B: Resource(B, b"<title>B</title>"),
    }

    def answer(url, day):
        if url == A + "day":
            return Resource(url, b"day %d" % day)
        return table.get(url)

    return Web([A, A + "long", B], answer)


@pytest.fixture
def server():
    with serve(a_web()) as running:
        yield running
    assert running.errors == []


def get(server, url, method="GET", **headers):
    """Status, headers and body as the standard library's client sees them; underscores stand for hyphens."""
    host, _, path = url.removeprefix("http://").partition("/")
    with closing(http.client.HTTPConnection(*server.resolve(host, 80), timeout=DEADLINE)) as client:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        client.request(method, "/" + path, headers={"Host": host, **names})
        answer = client.getresponse()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()


def raw(server, data, *, end=True):
    """What comes back for these bytes, until the server closes or the deadline."""
    with closing(socket.create_connection(server.address, timeout=DEADLINE)) as client:
        try:
            client.sendall(data)
            if end:
                client.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: client.recv(65536), b""))
        except ConnectionError:
            return b""


def test_hosts_by_name_from_one_port(server):
    assert get(server, A)[2] == b"<title>A</title>" and get(server, B)[2] == b"<title>B</title>"
    assert server.resolve("a.example", 80) == server.resolve("b.example") == server.address
    assert server.address[0] == "127.0.0.1"
    for host, port in (("c.example", 80), ("a.example", 8080), ("", 80)):
        with pytest.raises(FetchError, match="dns"):
            server.resolve(host, port)


def test_an_ordinary_client_can_read_it(server):
    request = urllib.request.Request(f"http://127.0.0.1:{server.address[1]}/", headers={"Host": "b.example"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=DEADLINE) as answer:
        assert answer.read() == b"<title>B</title>" and answer.headers["Content-Length"] == "16"


def test_statuses_and_redirects(server):
    assert get(server, A + "old")[:1] == (301,) and get(server, A + "old")[1]["location"] == "/"
    assert get(server, A + "nowhere")[::2] == (404, b"no such page\n")


def test_urls_are_read_in_their_canonical_form(server):
    assert get(server, A + "%6Cong")[0] == 200 and get(server, A + "x/../long")[0] == 200
    assert get(server, A + "//x")[2] == b"two slashes", "slashes are kept"
    assert [visit.url for visit in server.visits] == [A + "long", A + "long", A + "//x"]


def test_head_has_the_headers_alone(server):
    status, headers, body = get(server, A + "long", "HEAD")
    assert (status, body, headers["content-length"]) == (200, b"", str(len(LONG)))


@pytest.mark.parametrize(
    ("accepted", "path", "compressed"),
    [
        ("gzip", "long", True),
        ("br, gzip;q=0.5", "long", True),
        ("gzip;q=0", "long", False),
        ("gzip; q=0.0, br", "long", False),
        ("identity", "long", False),
        ("", "long", False),
        ("gzip", "picture", False),
        ("gzip", "", False),  # too short
    ],
)
def test_gzip_where_the_client_takes_it(server, accepted, path, compressed):
    _, headers, body = get(server, A + path, Accept_Encoding=accepted)
    assert (headers.get("content-encoding") == "gzip") is compressed
    assert int(headers["content-length"]) == len(body)
    expected = a_web().respond(A + path).body
    assert (gzip.decompress(body) if compressed else body) == expected


def test_conditional_requests_and_ranges(server):
    status, headers, body = get(server, A + "long", If_None_Match='"1"')
    assert (status, body, headers["etag"]) == (304, b"", '"1"') and "content-length" not in headers
    assert get(server, A + "long", If_Modified_Since="Mon, 03 Mar 2025 06:00:00 GMT")[0] == 304
    assert get(server, A + "long", Range="bytes=0-3")[::2] == (200, LONG)


def test_one_connection_takes_many_requests(server):
    with closing(http.client.HTTPConnection(*server.address, timeout=DEADLINE)) as client:
        for path, host in [("/long", "a.example"), ("/old", "a.example"), ("/nowhere", "b.example")] * 3:
            client.request("HEAD" if path == "/old" else "GET", path, headers={"Host": host})
            client.getresponse().read()
        client.request("GET", "/long", headers={"Host": "a.example", "If-None-Match": '"1"'})
        assert client.getresponse().read() == b""
        client.request("GET", "/", headers={"Host": "a.example"})
        assert client.getresponse().read() == b"<title>A</title>"
    assert len({visit.connection for visit in server.visits}) == 1 and len(server.visits) == 11


def test_days(server):
    assert get(server, A + "day")[2] == b"day 0"
    server.day = 3
    assert get(server, A + "day")[2] == b"day 3"


def test_requests_are_counted_with_their_times(server):
    for url in (A, B, A, A + "nowhere"):
        get(server, url, User_Agent="tester")
    assert server.counts() == {A: 2, B: 1, A + "nowhere": 1}
    times = [visit.seconds for visit in server.visits]
    assert times == sorted(times)
    assert server.visits[0].method == "GET" and server.visits[0].headers["user-agent"] == "tester"
    assert not server.wait_until(lambda visits: len(visits) > 4, timeout=0.01)


def in_background(call, *args):
    """Run a call on a thread; the list gets its result, or the exception."""
    result = []

    def run():
        try:
            result.append(call(*args))
        except (OSError, http.client.HTTPException) as error:
            result.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, result


def test_a_held_page_waits_for_its_release(server):
    server.fault(A, "hold")
    thread, result = in_background(get, server, A)
    assert server.wait_until(lambda visits: len(visits) == 1)
    assert get(server, B)[0] == 200 and result == [], "others are served meanwhile"
    server.heal(A)
    thread.join(DEADLINE)
    assert result[0][2] == b"<title>A</title>"


def test_a_dropped_connection(server):
    server.fault(A, "drop")
    with pytest.raises(http.client.RemoteDisconnected):
        get(server, A)
    server.heal(A)
    assert get(server, A)[0] == 200
    with pytest.raises(http.client.RemoteDisconnected):
        get(server, A + "reset")


def test_a_cut_body(server):
    server.fault(A + "long", "cut")
    with pytest.raises(http.client.IncompleteRead) as caught:
        get(server, A + "long")
    assert caught.value.partial == LONG[: len(LONG) // 2]


def test_a_body_that_stalls(server):
    server.fault(A + "long", "stall")
    with closing(http.client.HTTPConnection(*server.address, timeout=DEADLINE)) as client:
        client.request("GET", "/long", headers={"Host": "a.example"})
        answer = client.getresponse()
        assert answer.read(len(LONG) // 2) == LONG[: len(LONG) // 2]
        server.heal(A + "long")
        assert answer.read() == LONG[len(LONG) // 2 :]


@pytest.mark.parametrize("path", ["", "long", "empty"])
def test_a_body_without_end(server, path):
    server.fault(A + path, "endless")
    with closing(http.client.HTTPConnection(*server.address, timeout=DEADLINE)) as client:
        client.request("GET", "/" + path, headers={"Host": "a.example"})
        assert len(client.getresponse().read(3_000_000)) == 3_000_000


def test_a_status_on_demand(server):
    server.fault(A, 503)
    assert get(server, A)[::2] == (503, b"out of order\n")
    assert get(server, A, "HEAD")[::2] == (503, b"")
    server.fault(A, 410)
    assert get(server, A)[0] == 410
    server.heal(A)
    server.heal(A)
    assert get(server, A)[0] == 200


@pytest.mark.parametrize("kind", ["explode", 99, 700, None, 1.5])
def test_unknown_faults(server, kind):
    with pytest.raises(ValueError, match="is no fault: give a status from 200 to 599, or one of hold, drop"):
        server.fault(A, kind)


def test_delays_are_real_only_if_asked_for(monkeypatch):
    waits = []
    with serve(a_web(), delays=True) as server:
        monkeypatch.setattr(server._stopping, "wait", waits.append)
        assert get(server, A + "slow")[2] == b"slow" and get(server, A)[0] == 200
        assert waits == [0.01]
        server.delays = False
        assert get(server, A + "slow")[2] == b"slow" and waits == [0.01]


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost:\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a.example/../..\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: user@a.example\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a.example:99999999\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: \xff\xfe\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: [::1\r\n\r\n",
        b"GET relative HTTP/1.1\r\nHost: a.example\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: a.example\r\n\r\n",
        b"GET ftp://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n",
        b"GET  HTTP/1.1\r\nHost: a.example\r\n\r\n",
        b"GET / HTTP/x.y\r\nHost: a.example\r\n\r\n",
        b"GET / x HTTP/1.1\r\nHost: a.example\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 is TLS\r\n\r\n",
        b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\nHost: a.example\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a.example\r\nX: " + b"x" * 70_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a.example\r\n" + b"X: y\r\n" * 200 + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: a.example\r\n" + (b"X: " + b"y" * 9_000 + b"\r\n") * 8 + b"\r\n",
    ],
)
def test_hostile_requests_are_refused_and_closed(server, data):
    answer = raw(server, data, end=False)
    status = answer.split(b" ")[1] if answer.startswith(b"HTTP/") else answer
    assert (
        status in (b"400", b"414", b"431")
        or b"Error code: 400" in answer
        or (len(data) > 65536 and not answer)
    )
    assert get(server, A)[0] == 200


def test_other_methods_and_hosts(server):
    assert raw(server, b"DELETE / HTTP/1.1\r\nHost: a.example\r\n\r\n").startswith(b"HTTP/1.1 501 ")
    assert raw(server, b"GET / HTTP/1.1\r\nHost: c.example\r\n\r\n").startswith(b"HTTP/1.1 421 ")
    assert raw(server, b"GET http://b.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n").endswith(
        b"<title>B</title>"
    )
    assert raw(server, b"GET / HTTP/1.0\r\nHost: A.EXAMPLE:80\r\n\r\n").endswith(b"<title>A</title>")


def test_the_body_of_a_request_is_not_the_next_request(server):
    smuggled = b"GET /old HTTP/1.1\r\nHost: a.example\r\n\r\n"
    head = b"GET / HTTP/1.1\r\nHost: a.example\r\nContent-Length: %d\r\n\r\n" % len(smuggled)
    assert raw(server, head + smuggled).count(b"HTTP/1.1") == 1
    assert server.counts() == {A: 1}


@settings(max_examples=60)
@given(
    st.lists(
        st.one_of(
            st.binary(max_size=40), st.sampled_from([b"GET / HTTP/1.1\r\n", b"Host: a.example\r\n", b"\r\n"])
        )
    )
)
def test_garbage_never_ends_the_server(pieces):
    server = test_garbage_never_ends_the_server.server
    raw(server, b"".join(pieces))
    assert get(server, A)[0] == 200 and server.errors == []


@pytest.fixture(autouse=True, scope="module")
def one_server_for_all_garbage():
    with serve(a_web()) as server:
        test_garbage_never_ends_the_server.server = server
        yield


def test_an_exception_inside_is_kept_and_the_server_goes_on():
    class Broken:
        hosts = ("a.example",)

        def respond(self, url, headers=None, *, day=0):
            if url == A:
                raise ZeroDivisionError
            return Response(200, {"content-type": "text/plain"}, b"fine")

    with serve(Broken()) as server:
        with pytest.raises(http.client.RemoteDisconnected):
            get(server, A)
        assert get(server, A + "x")[2] == b"fine"
    assert [type(error) for error in server.errors] == [ZeroDivisionError]


def test_stopping_lets_go_of_every_client():
    before = set(threading.enumerate())
    clients = []
    with serve(a_web()) as server:
        server.fault(A, "hold")
        server.fault(A + "long", "stall")
        server.fault(B, "endless")
        urls = [A, A + "long", B, A + "timeout"]
        for url in urls:
            host, _, path = url.removeprefix("http://").partition("/")
            client = socket.create_connection(server.address, timeout=DEADLINE)
            client.sendall(f"GET /{path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            clients.append(client)
        clients.append(socket.create_connection(server.address, timeout=DEADLINE))  # says nothing
        assert server.wait_until(lambda visits: {visit.url for visit in visits} == set(urls))
    assert {thread for thread in threading.enumerate() if thread.is_alive()} <= before
    for client in clients:
        client.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(server.address, timeout=DEADLINE)


def test_the_server_stops_also_when_the_block_fails():
    with pytest.raises(KeyError), serve(a_web()) as server:
        raise KeyError
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(server.address, timeout=DEADLINE)


def test_several_servers_and_many_clients_at_once():
    pages = {f"{A}{i}": Page(f"{A}{i}", f"page {i}") for i in range(20)}
    with serve(Web.from_pages(pages)) as one, serve(a_web()) as other:
        assert one.address != other.address
        order = random.Random(1).choices(sorted(pages), k=60)
        calls = [in_background(get, one, url) for url in order]
        for (thread, result), url in zip(calls, order, strict=True):
            thread.join(DEADLINE)
            assert f"page {url.removeprefix(A)}".encode() in result[0][2]
        assert one.counts().total() == 60 and other.counts().total() == 0
        assert get(other, A)[0] == 200


def silent(server, n):
    """Open connections that ask for nothing."""
    return [socket.create_connection(server.address, timeout=DEADLINE) for _ in range(n)]


def test_silent_clients_make_room_the_first_one_first(server, monkeypatch):
    monkeypatch.setattr("ircourse.web.listener.MOST", 3)
    clients = silent(server, 3)
    assert get(server, A)[0] == 200
    assert clients[0].recv(1) == b"", "dropped"
    clients[2].sendall(b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
    assert clients[2].recv(12) == b"HTTP/1.1 200", "kept"
    clients += silent(server, 9)
    assert get(server, A)[0] == 200
    for client in clients:
        client.close()


def test_where_all_are_busy_newcomers_wait(server, monkeypatch):
    monkeypatch.setattr("ircourse.web.listener.MOST", 2)
    server.fault(A, "hold")
    calls = [in_background(get, server, A) for _ in range(2)]
    assert server.wait_until(lambda visits: len(visits) == 2)
    calls.append(in_background(get, server, B))
    assert not server.wait_until(lambda visits: len(visits) == 3, timeout=0.05)
    server.heal(A)
    for thread, result in calls:
        thread.join(DEADLINE)
        assert result[0][0] == 200


def test_a_full_server_stops_all_the_same(monkeypatch):
    monkeypatch.setattr("ircourse.web.listener.MOST", 2)
    with serve(a_web()) as server:
        server.fault(A, "hold")
        calls = [in_background(get, server, A) for _ in range(3)]
        assert server.wait_until(lambda visits: len(visits) == 2)
    for thread, result in calls:
        thread.join(DEADLINE)
        assert len(result) == 1


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENFILE])
def test_with_no_file_left_the_server_waits(server, monkeypatch, code):
    waits, left = [], [code] * 3
    accept, wait = socketserver.TCPServer.get_request, server._http._changed.wait
    (client,) = silent(server, 1)
    client.sendall(b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
    assert client.recv(12) == b"HTTP/1.1 200"

    def failing(self):
        if left:
            raise OSError(left.pop(), "no file left")
        return accept(self)

    def noted(timeout=None):
        waits.append(timeout)
        return wait(timeout)

    monkeypatch.setattr(socketserver.TCPServer, "get_request", failing)
    monkeypatch.setattr(server._http._changed, "wait", noted)
    assert get(server, A)[0] == 200
    assert len(waits) >= 3 and left == [], "one wait for each failure, no spinning"
    client.settimeout(DEADLINE)
    assert b"".join(iter(lambda: client.recv(65536), b"")), "the idle one was dropped"
    client.close()


def test_visits_on_record_are_bounded(server, monkeypatch):
    monkeypatch.setattr("ircourse.web.server.KEPT", 30_000)
    for i in range(9):
        get(server, f"{A}{i}", X="y" * 9_000)
    assert [visit.url for visit in server.visits] == [A + "6", A + "7", A + "8"]
    assert server.counts().total() == 3
