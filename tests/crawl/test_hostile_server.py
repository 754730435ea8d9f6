"""A server whose hosts do everything wrong, each another thing: the crawl ends, and says what was wrong."""

import contextlib
import gzip
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ircourse.crawl import Crawler
from ircourse.crawl.crawler.retry import RetryPolicy
from ircourse.types import FetchError

ROOT = Path(__file__).parents[2]
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
GONE = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"


def whole(body, *headers, status=b"200 OK"):
    lines = [b"HTTP/1.1 " + status, b"Content-Type: text/html", b"Content-Length: %d" % len(body), *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def redirect(place):
    return whole(b"", b"Location: " + place, status=b"302 Found")


def links(count):
    return b"".join(b"<a href=/%d>" % i for i in range(count))


ZIP = gzip.compress(b"the harbour " * 99)
BOMB = gzip.compress(bytes(30_000_000))
# What a host answers to everything but robots.txt, and what the log says of its front page.
ANSWERS = {
    "good": (whole(b"good"), "stored"),
    "closes": (b"", "reset"),
    "garbage": (bytes(range(256)) * 9, "bad answer"),
    "nostatus": (b"HTTP/1.1 abc\r\n\r\n", "bad answer"),
    "short": (OK + b"Content-Length: 999\r\n\r\nshort", "reset"),
    "negative": (OK + b"Content-Length: -5\r\n\r\nx", "stored"),
    "two-lengths": (OK + b"Content-Length: 4\r\nContent-Length: 3\r\n\r\nabcd", "stored"),
    "huge-length": (OK + b"Content-Length: 99999999999999999999\r\n\r\nx", "too large"),
    "bad-chunk": (OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nabc", "reset"),
    "bad-gzip": (whole(ZIP[:40] + b"!" + ZIP[41:], b"Content-Encoding: gzip"), "bad answer"),
    "cut-gzip": (whole(ZIP[:-9], b"Content-Encoding: gzip"), "bad answer"),
    "bomb": (whole(BOMB, b"Content-Encoding: gzip"), "too large"),
    "no-coding": (whole(b"x", b"Content-Encoding: sorcery"), "bad answer"),
    "charset": (whole(b"<meta charset=x-nonsense>\xff\xfe\x00caf\xe9", b"X-Robots-Tag: \xff"), "stored"),
    "busy": (whole(b"", b"Retry-After: 99999999", status=b"503 Service Unavailable"), "status 503"),
    "many": (whole(b"", b"Retry-After: soon", status=b"429 Too Many Requests"), "status 429"),
    "self": (redirect(b"/"), "redirect loop"),
    "circle": (redirect(b"http://circle.example/x"), "redirect"),
    "inwards": (redirect(b"http://127.0.0.1:22/"), "refused"),
    "metadata": (redirect(b"http://169.254.169.254/latest/"), "refused"),
    "nonsense": (redirect(b"http://[::/\xff\r\nX: y"), "redirect to no URL"),
    "status-999": (whole(b"x", status=b"999 Who Knows"), "status 999"),
}
# What is sent again and again after a beginning: answers without an end.
ENDLESS = {
    "headers": (b"HTTP/1.1 200 OK\r\n", b"X-More: 1\r\n" * 500, "too large|bad answer"),
    "one-header": (b"HTTP/1.1 200 OK\r\nX-Long: ", b"x" * 9999, "bad answer"),
    "interim": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 500, "too large|timeout"),
    "body": (OK + b"\r\n", b"<a href=/x>" * 999, "too large|timeout"),
    "chunks": (OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 999, "too large|timeout"),
}
# Which limit such an answer meets first, size or time, is the machine's business; the test of memory, which
# gives time, says that size ends it. The same a byte at a time, slower than any deadline.
SLOW = {"slow-body": OK + b"Content-Length: 9999\r\n\r\n", "slow-headers": b"HTTP/1.1 200 OK\r\nX-Slow: "}


class HostileServer:
    """Answers by the name of the host, and counts what it was asked."""

    def __init__(self):
        self.asked, self.ended = [], threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while not self.ended.is_set():
            with contextlib.suppress(OSError):
                connection, _ = self.listener.accept()
                threading.Thread(target=self.talk, args=[connection], daemon=True).start()

    def talk(self, connection):
        with contextlib.suppress(OSError), connection:
            connection.settimeout(20)
            asked = b""
            while b"\r\n\r\n" not in asked and (more := connection.recv(65536)):
                asked += more
            found = re.match(rb"GET (\S+) HTTP.*?\r\nHost: (\S+)\.example", asked, re.S | re.I)
            path, kind = found[1].decode(), found[2].decode()
            self.asked.append(f"http://{kind}.example{path}")
            self.answer(connection, kind, path)

    def answer(self, connection, kind, path):
        if path == "/robots.txt" and kind == "robots":
            self.repeat(connection, b"HTTP/1.1 200 OK\r\n\r\n", b"Disallow: /x\n" * 5000)
        elif path == "/robots.txt":
            connection.sendall(GONE)
        elif kind in ENDLESS:
            self.repeat(connection, *ENDLESS[kind][:2])
        elif kind in SLOW:
            connection.sendall(SLOW[kind])
            while not self.ended.wait(0.05):
                connection.sendall(b"x")
        elif kind == "million":
            connection.sendall(whole(links(10**6) if path == "/" else b"leaf " + path.encode()))
        else:
            # "robots" is good beside its robots.txt, with a body of its own: no copy of another host's
            connection.sendall(ANSWERS[kind][0] if kind in ANSWERS else whole(kind.encode()))

    def repeat(self, connection, start, more):
        connection.sendall(start)
        while not self.ended.is_set():
            connection.sendall(more)

    def resolve(self, host, port):
        if host == "nowhere.example":
            raise FetchError(host, "dns")
        return self.listener.getsockname()[:2]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ended.set()
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


def crawl(server, kinds, max_pages=None, timeout=0.7):
    log = []
    crawler = Crawler(
        [f"http://{kind}.example/" for kind in kinds],
        resolve=server.resolve,
        allow_private=True,
        delay=0,
        threads=8,
        timeout=timeout,
        max_bytes=16_000_000,
        retries=RetryPolicy(max_tries=2, first=0.01, longest=5),
        watch=lambda step, statistics: log.append(step),
    )
    done = crawler.run(max_pages)
    return crawler, done, log


def test_a_crawl_of_hostile_hosts_ends_and_each_fault_is_in_the_log():
    kinds = [*ANSWERS, *ENDLESS, *SLOW, "nowhere", "robots"]
    with HostileServer() as server:
        crawler, done, log = crawl(server, kinds)
        asked = list(server.asked)
    assert "http://good.example/" in crawler.store
    said = {}
    for step in log:
        if step.what != "robots.txt":
            said[step.url] = f"{step.what} {step.why}"
    wanted = {kind: words for kind, (_, words) in ANSWERS.items()}
    wanted |= {kind: words for kind, (*_, words) in ENDLESS.items()}
    wanted |= dict.fromkeys(SLOW, "timeout") | {"nowhere": "no such host", "robots": "stored"}
    differ = {
        kind: said.get(f"http://{kind}.example/")
        for kind, words in wanted.items()
        if not re.search(words or "", said.get(f"http://{kind}.example/", "nothing"))
    }
    assert not differ
    assert all(f"http://{kind}.example/" in said for kind in kinds)
    assert len(asked) < 4 * len(kinds)
    assert not any("127.0.0.1" in url or "169.254" in url for url in asked)
    assert done.steps["failed"] >= 10


MEMORY = """
import resource, sys
from pathlib import Path
sys.path[:0] = sys.argv[1:3]
from types import SimpleNamespace
from test_hostile_server import crawl
server = SimpleNamespace(resolve=lambda host, port: ("127.0.0.1", int(sys.argv[3])))
crawler, done, log = crawl(server, ["million", "bomb", "robots", "body"], 300, 30)
unit = 1 if sys.platform == "darwin" else 1024
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
status = Path("/proc/self/status")
if status.exists():  # Linux hands the peak of the process that starts another on to it
    peak = [int(row.split()[1]) * 1024 for row in status.read_text().splitlines() if row[:6] == "VmHWM:"][0]
print([step for step in log if step.what == "failed"], file=sys.stderr)
print(done.stored, len(crawler.ledger), peak)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no account of memory here")
def test_a_million_links_and_endless_bodies_stay_below_300_megabytes():
    with HostileServer() as server:
        port = str(server.resolve("million.example", 80)[1])
        command = [sys.executable, "-c", MEMORY, str(ROOT), str(Path(__file__).parent), port]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    stored, known, memory = map(int, ended.stdout.split())
    assert stored == 300 and 50_000 <= known < 51_000, ended.stderr + ended.stdout
    assert memory < 300e6
    assert re.search(r"http://body\.example/[^)]*too large", ended.stderr), ended.stderr
