"""The server over real HTTP: pages, JSON, refusals, headers, and clients that misbehave."""

import json
import re
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from ircourse.engine import COMPONENTS, Engine
from ircourse.engine.server import PortError, bound, serving
from ircourse.engine.server.security import HEADERS
from ircourse.types import NotConverged

sys.path.insert(0, str(Path(__file__).parent))
from asking import COPY, TIMES, A, B, ask, pages, raw
from hostile import ATTACKS, URLS, hostile_pages


@pytest.fixture(scope="module")
def server():
    with serving(Engine.build(pages())) as running:
        yield running


@pytest.fixture(scope="module")
def hostile():
    with serving(Engine.build(hostile_pages())) as running:
        yield running


class Links(HTMLParser):
    """The tags of a page, and where its links lead."""

    def __init__(self, source):
        super().__init__()
        self.tags, self.links = set(), []
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        names = dict(attrs)
        assert not [name for name in names if name.startswith("on") or name == "style"]
        if tag == "a":
            self.links.append(names)


def test_the_first_page_says_what_is_searched(server):
    status, headers, body = ask(server, "/")
    assert status == 200 and headers["Content-Type"] == "text/html; charset=utf-8"
    assert "<dt>Pages</dt><dd>27</dd>" in body and "<dt>Near-duplicates folded</dt><dd>1</dd>" in body
    assert ask(server, "/?q=+")[2] == body


def test_results_with_marks_address_mirrors_and_reasons(server):
    status, _, body = ask(server, "/?q=ferry")
    assert status == 200 and "1 result<" in body and "<mark>ferry</mark>" in body
    assert f'<a href="{B}" rel="noopener noreferrer nofollow">' in body
    assert "1 near-duplicate folded" in body and "http://copy.example/ferry" in body
    assert all(name in body for name in ("Text", "Title", "Link texts", "PageRank", "Meaning (LSI)"))
    rows = re.findall(r'scope="row"[^>]*>[^<]+</th><td>([\d.]+)</td><td>([\d.]+)</td><td>([\d.]+)</td>', body)
    assert len(rows) == len(COMPONENTS)
    for match, weight, share in rows:
        assert float(match) * float(weight) == pytest.approx(float(share), abs=0.01)


def test_an_address_that_leads_nowhere_leads_to_the_text_kept(server):
    body = ask(server, "/?q=town")[2]
    assert f'<a href="/page?url={quote(A, safe="")}&amp;q=town">The &lt;<mark>town</mark>&gt;</a>' in body


def test_weights_rank_again_and_stay_in_the_links(server):
    body = ask(server, "/?q=harbour+ferry&text=0&pagerank=100")[2]
    assert 'name="pagerank" min="0" max="100" step="1" value="100"' in body
    assert "/hubs?q=harbour+ferry&amp;text=0&amp;pagerank=100" in body
    one, other = (
        [hit["url"] for hit in json.loads(ask(server, f"/search?q=quay+harbour{weights}")[2])["hits"]]
        for weights in ("", "&text=0&title=100&anchors=0&pagerank=0&lsi=0")
    )
    assert one[0] == A and other[0].startswith("http://many.example/")


def test_pages_of_results(server):
    first, second, last = (ask(server, f"/?q=quay&page={page}")[2] for page in (1, 2, 3))
    assert "25 results, page 1 of 3" in first and "Next →" in first and "Previous" not in first
    assert '<ol class="hits" start="11">' in second and "/?q=quay&amp;page=3" in second
    assert "Next" not in last and last.count("<li data-url") == 5
    assert "there are 3 pages of them" in ask(server, "/?q=quay&page=9")[2].lower()


def test_spelling_and_nothing_found(server):
    body = ask(server, "/?q=harbur")[2]
    assert 'Did you mean <a href="/?q=harbour">harbour</a>?' in body and "No page here holds: harbur" in body
    assert "No page was found" in ask(server, "/?q=zzzzzzzzz")[2]


def test_related_pages_kept_pages_and_hubs(server):
    assert "Pages like" in ask(server, f"/like?url={quote(A)}")[2]
    body = ask(server, f"/page?url={quote(A)}")[2]
    assert "A town with a harbour &amp; an inn." in body and "Linked from (1)" in body
    assert "Folded under" in ask(server, f"/page?url={quote(COPY)}")[2]
    body = ask(server, "/hubs?q=ferry")[2]
    assert "Authorities" in body and "Hubs" in body and "Ferries" in body
    assert "No links to follow" in ask(server, "/hubs?q=quay")[2]
    for path in ("/like", "/page", "/page?url=http://not.example/"):
        assert ask(server, path)[0] == 404


def test_hits_without_one_answer_is_a_sentence(server, monkeypatch):
    def undecided(graph):
        raise NotConverged(0.1, 2000)

    monkeypatch.setattr("ircourse.engine.answers.hits", undecided)
    status, _, body = ask(server, "/hubs?q=ferry&text=0")
    assert status == 200 and "too much alike for HITS to say which of them leads" in body
    assert '<a href="/?q=ferry&amp;text=0">Pages</a>' in body  # the way back


def test_json(server):
    status, headers, body = ask(server, "/search?q=ferry")
    assert status == 200 and headers["Content-Type"] == "application/json; charset=utf-8"
    answer = json.loads(body)
    assert answer["query"] == "ferry" and answer["total"] == 1 and answer["suggestion"] is None
    (hit,) = answer["hits"]
    assert hit["url"] == B and hit["title"] == "Ferries" and hit["mirrors"] == [COPY] and hit["date"] is None
    assert "".join(piece["text"] for piece in hit["snippet"]) == TIMES
    assert [piece["text"] for piece in hit["snippet"] if piece["marked"]] == ["ferry"]
    assert sum(hit["parts"].values()) == pytest.approx(hit["score"])
    assert ask(server, "/search.json?q=ferry")[2] == body
    assert len(json.loads(ask(server, "/search?q=quay&n=20&offset=10")[2])["hits"]) == 15


@pytest.mark.parametrize("path", ["/?q=", "/search?q="])
@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("a" * 100_000, "100,000 characters"),
        (quote("🦀" * 100_000), "100,000 characters"),
        ("a%00b", "U+0000"),
        ("a%1b", "U+001B"),
        ("%ff%fe", "UTF-8"),
        ("?!", "no words"),
        ("a&text=x", "no number"),
        ("a&page=0", "whole number of at least 1"),
    ],
)
def test_what_cannot_be_answered_is_said(server, path, query, why):
    status, _, body = ask(server, path + query)
    assert status == 400 and why in body and "Traceback" not in body
    if path.startswith("/search"):
        assert list(json.loads(body)) == ["error"]


def test_json_has_limits(server):
    assert ask(server, "/search?q=quay&n=101")[0] == 400
    assert ask(server, "/search?q=")[0] == 400


@pytest.mark.parametrize(
    "path", ["/", "/?q=ferry", "/search?q=ferry", "/nothing", "/?q=%00", "/style.css", "/x.php"]
)
def test_every_answer_has_every_header(server, path):
    headers = ask(server, path)[1]
    assert "Server" not in headers
    for name, value in HEADERS.items():
        assert headers.get_all(name) == ["no-cache" if path == "/style.css" and "Cache" in name else value]


@pytest.mark.parametrize("method", ["POST", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_only_get(server, method):
    for path in ("/", "/search?q=a", "/style.css", "/nothing"):
        assert ask(server, path, method)[0] == 405


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example:80", "", "192.0.2.1"])
def test_other_hosts_are_refused(server, host):
    for path in ("/", "/search?q=ferry", "/style.css", "/nothing"):
        status, _, body = ask(server, path, headers={"Host": host})
        assert status in (400, 403) and "ferry" not in body.lower()


def test_two_hosts_or_none_are_refused(server):
    for hosts in (b"", b"Host: localhost\r\nHost: evil.example\r\n"):
        assert b" 200 " not in raw(server, b"GET / HTTP/1.1\r\n" + hosts + b"\r\n").split(b"\r\n")[0]


def test_clients_that_misbehave_do_not_stop_the_others(server):
    parts = urlsplit(server.address)
    slow = [socket.create_connection((parts.hostname, parts.port)) for _ in range(20)]
    for client in slow:
        client.sendall(b"GET / HTTP/1.1\r\nHost: loc")
    assert ask(server, "/?q=ferry")[0] == 200
    for data in (b"\x16\x03\x01\0\0", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"A" * 3_000_000):
        with suppress(ConnectionError):
            assert b" 200 " not in raw(server, data)[:20]
    with suppress(ConnectionError):  # it may close the connection before it has read the body
        assert ask(server, "/", body="x" * 5000)[0] == 400
    for client in slow:
        client.close()
    assert ask(server, "/?q=ferry")[0] == 200


def test_four_clients_at_once(server):
    paths = [f"/search?q=word{i}+quay&text={i}" for i in range(25)] * 4
    with ThreadPoolExecutor(4) as clients:
        answers = list(clients.map(lambda path: ask(server, path), paths))
    assert {status for status, _, _ in answers} == {200}
    assert [body for _, _, body in answers[:25]] == [body for _, _, body in answers[75:]]


PATHS = ["/", "/?q=harbour", "/?q=mirrored", "/hubs?q=harbour", "/?q=" + quote(ATTACKS[1])]
PATHS += [f"/{kind}?url={quote(url, safe='')}" for kind in ("page", "like") for url in URLS]


@pytest.mark.parametrize("path", PATHS)
def test_attacks_are_shown_as_text(hostile, path):
    status, _, body = ask(hostile, path)
    assert status == 200
    assert body.count("<script") == 1
    read = Links(body)
    assert not read.tags & {"img", "iframe", "object", "embed", "base", "style", "textarea"}
    for link in read.links:
        assert re.match(r"/(?!/)|#|https?://", link["href"])
        if link["href"].startswith("http"):
            assert link["rel"] == "noopener noreferrer nofollow"


def test_nothing_turns_the_order_of_letters_in_an_address(hostile):
    body = ask(hostile, "/?q=turned+address")[2]
    assert "http://odd.example/%E2%80%AEgnp.exe" in re.sub("<[^>]*>", "", body)


def test_attacks_in_json_are_no_markup(hostile):
    body = ask(hostile, "/search?q=harbour+" + quote(ATTACKS[0]))[2]
    assert not set("<>&") & set(body)
    assert json.loads(body)["hits"]


def test_a_port_in_use_is_one_sentence(server):
    port = urlsplit(server.address).port
    with pytest.raises(PortError, match=rf"port {port} .*--port"):
        bound(port=port)


def test_it_is_gone_after_the_block():
    with serving(Engine.build(pages())) as running:
        assert ask(running, "/")[0] == 200
    with pytest.raises(OSError):
        ask(running, "/")
