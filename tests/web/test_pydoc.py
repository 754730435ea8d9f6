"""Python's own documentation server: it runs, it ends, and what may be crawled of it does nothing else."""

import http.client
import json
import socket
import subprocess
import sys
from contextlib import ExitStack, closing, suppress
from time import monotonic

import pytest

from ircourse.crawl import parse_html
from ircourse.types import FetchError
from ircourse.web import pydoc, serve_pydoc
from ircourse.web.pydoc import IMPORT_SYSTEM, SIDE_EFFECTS, PydocServer

DEADLINE = 60.0
SITE = "http://pydoc.example/"


def get(server, path):
    with closing(
        http.client.HTTPConnection(*server.resolve("pydoc.example", 80), timeout=DEADLINE)
    ) as client:
        client.request("GET", path, headers={"Host": "pydoc.example"})
        answer = client.getresponse()
        return answer.status, answer.read()


def refused(address):
    """Whether nobody listens there."""
    with closing(socket.socket()) as client:
        client.settimeout(DEADLINE)
        return client.connect_ex(address) != 0


def wait_for_end(address):
    """Return when nobody listens there any more: each connection blocks until the system closes it."""
    deadline = monotonic() + DEADLINE
    while monotonic() < deadline:
        with suppress(ConnectionError), closing(socket.socket()) as client:
            client.settimeout(DEADLINE)
            if client.connect_ex(address) != 0:
                return
            assert client.recv(1) == b""
    raise AssertionError(f"{address} still listens")


@pytest.fixture(scope="module")
def server():
    with serve_pydoc() as running:
        yield running


def test_the_index_links_the_standard_library(server):
    status, body = get(server, "/")
    links = set(parse_html(body, server.start, "text/html").links)
    assert status == 200 and server.start == SITE
    assert {SITE + name for name in ("json.html", "heapq.html", "topics.html", "keywords.html")} <= links
    assert not {SITE + "numpy.html", SITE + "pytest.html", SITE + "ircourse.html"} & links, "isolated"
    assert SITE + "antigravity.html" in links and not server.in_scope(SITE + "antigravity.html")


def test_a_module_a_topic_and_a_soft_404(server):
    assert b"JSON" in get(server, "/json.html")[1]
    assert b"lambda" in get(server, "/topic?key=lambda")[1]
    status, body = get(server, "/no_such_module.html")
    assert status == 200 and b"could not find object" in body


def test_names(server):
    assert server.resolve("pydoc.example") == server.address and server.address[0] == "127.0.0.1"
    for host, port in (("docs.python.example", 80), ("pydoc.example", 443)):
        with pytest.raises(FetchError, match="dns"):
            server.resolve(host, port)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "json.html",
        "topics.html",
        "email.mime.text.html",
        "topic?key=FORMATTING",
        "testing.html",
        "thisbe.html",
    ],
)
def test_within_scope(path):
    assert PydocServer.in_scope(SITE + path)


@pytest.mark.parametrize(
    "url",
    [
        SITE + "antigravity.html",
        SITE + "this.html",
        SITE + "this",
        SITE + "this.s.html",
        SITE + "idlelib.idle.html",
        SITE + "test.support.html",
        SITE + "unittest.__main__.html",
        SITE + "importlib._bootstrap.html",
        SITE + "importlib._bootstrap.ModuleSpec.html",
        SITE + "search?key=json",
        SITE + "get?key=antigravity",
        SITE + "topic?key=antigravity",
        SITE + "topic?json",
        SITE + "pydoc_data/_pydoc.css",
        "https://pydoc.example/json.html",
        "http://pydoc.example:81/json.html",
        "http://docs.example/json.html",
        "file:///usr/lib/python3/json.html",
        "",
    ],
)
def test_out_of_scope(url):
    assert not PydocServer.in_scope(url)


def test_two_run_at_once_and_end_with_their_blocks(server):
    with serve_pydoc() as other:
        assert other.address != server.address and other.pid != server.pid
        assert get(other, "/json.html")[0] == get(server, "/json.html")[0] == 200
    assert refused(other.address) and not refused(server.address)


def test_it_ends_when_the_block_fails():
    with pytest.raises(KeyError), serve_pydoc() as server:
        raise KeyError
    assert refused(server.address)


def test_a_silent_client_does_not_hold_up_the_others(monkeypatch):
    monkeypatch.setattr(pydoc, "SILENCE", 0.2)
    with serve_pydoc() as server, ExitStack() as clients:
        first, second = (
            clients.enter_context(closing(socket.create_connection(server.address, DEADLINE)))
            for _ in range(2)
        )
        second.sendall(b"GET / HTTP/1.1\r\n")  # half a request
        assert get(server, "/topics.html")[0] == 200
        assert first.recv(1) == b"", "dropped"


CALLER = """
import sys
from ircourse.web import serve_pydoc
with serve_pydoc() as server:
    print(server.address[1], flush=True)
    sys.stdin.read()
"""


def test_it_ends_when_the_caller_is_killed():
    with subprocess.Popen(
        [sys.executable, "-c", CALLER], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as caller:
        address = ("127.0.0.1", int(caller.stdout.readline()))
        assert not refused(address)
        caller.kill()
    wait_for_end(address)


@pytest.mark.parametrize(
    ("child", "said"),
    [
        ("raise SystemExit('no sockets here')", "it said: no sockets here"),
        ("pass", "it said nothing"),
        ("import sys; sys.stdin.read()", "it said nothing within 0.5 s"),
    ],
)
def test_a_server_that_does_not_start_says_why(monkeypatch, child, said):
    monkeypatch.setattr(pydoc, "CHILD", child)
    with pytest.raises(RuntimeError, match=f"did not start; {said}"), serve_pydoc(timeout=0.5):
        pass


IMPORT_ALL = """
import importlib, io, json, pkgutil, sys, warnings
side_effects, import_system = map(set, json.loads(sys.stdin.read()))
acts = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.kill",
        "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.chdir", "socket.connect", "socket.bind",
        "webbrowser.open"}
done, now, said = [], "", io.StringIO()

def notice(event, args):
    writes = event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+")
    if (event in acts or writes) and "__pycache__" not in str(args[0]):
        done.append(f"{now}: {event} {args[0]}")

def names(places, prefix=""):
    for module in pkgutil.iter_modules(places, prefix):
        if not side_effects & set(module.name.split(".")) and module.name not in import_system:
            yield module.name
            if module.ispkg and module.name in sys.modules:
                yield from names(sys.modules[module.name].__path__, module.name + ".")

warnings.simplefilter("ignore")
sys.addaudithook(notice)
sys.stdout = said
count = 0
for now in names(list(sys.path)):
    count += 1
    try:
        importlib.import_module(now)
    except Exception:
        pass  # of another system, or without a library that it needs
if said.getvalue():
    done.append(f"printed: {said.getvalue()[:200]}")
sys.__stdout__.write(json.dumps([count, done]))
"""


def test_no_module_in_scope_does_anything_when_imported():
    answer = subprocess.run(
        [sys.executable, "-I", "-S", "-c", IMPORT_ALL],
        input=json.dumps([sorted(SIDE_EFFECTS), sorted(IMPORT_SYSTEM)]),
        capture_output=True,
        text=True,
        check=True,
        timeout=5 * DEADLINE,
    )
    count, done = json.loads(answer.stdout)
    assert count > 300 and done == []
