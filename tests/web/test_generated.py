"""Generated webs: what was planted is there, and the same seed gives the same web."""

import itertools
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.crawl import parse_html
from ircourse.types import FetchError
from ircourse.web import REGIONS, copying, generator, random_web, serve
from ircourse.web.wording import spelled, two_words_changed, wording


@pytest.fixture(scope="module")
def web():
    return random_web(3000, 7)


def text_of(web, url, day=0):
    return parse_html(web.respond(url, day=day).body, url).text


def regions_of(graph):
    """The bow-tie by its definition, with networkx: the oracle. Tubes and tendrils by reachability."""
    core = max(nx.strongly_connected_components(graph), key=len)
    some = next(iter(core))
    out = nx.descendants(graph, some) - core
    in_ = nx.ancestors(graph, some) - core
    weak = nx.node_connected_component(graph.to_undirected(), some)
    from_in = set().union(*(nx.descendants(graph, node) for node in in_)) if in_ else set()
    to_out = set().union(*(nx.ancestors(graph, node) for node in out)) if out else set()
    rest = weak - core - in_ - out
    tubes = rest & from_in & to_out
    return [core, in_, out, tubes, rest - tubes, set(graph) - weak]


@pytest.mark.parametrize("seed", [0, 7])
def test_the_planted_bow_tie_is_there(seed):
    web = random_web(1000, seed)
    found = regions_of(web.graph.to_networkx())
    for region, (name, pages) in enumerate(zip(REGIONS, found, strict=True)):
        assert set(np.flatnonzero(web.regions == region).tolist()) == pages, name
        assert abs(len(pages) / 1000 - generator.SHARES[region]) < 0.002


@settings(max_examples=40)
@given(st.integers(1, 60), st.integers(0, 2**62 - 1), st.floats(0, 1), st.floats(0, 1), st.integers(0, 20))
def test_any_small_web_holds_together(n, seed, local, copied, host_size):
    web = random_web(n, seed, local=local, copied=copied, host_size=host_size, links=3)
    core, *_ = regions_of(web.graph.to_networkx())
    planted = set(np.flatnonzero(web.regions == 0).tolist())
    assert len(planted) == len(core) and (len(core) == 1 or planted == core)
    assert len(web) == n and [web.number(url) for url in web] == list(range(n))
    assert not any(i in web.graph.links(i) for i in range(n)), "no page links to itself"


def test_kinds_of_webs():
    chain = random_web(50, 1, links=0)
    assert (chain.graph.out_degrees[chain.regions == 0] >= 1).all(), "the ring is always there"
    whole = random_web(50, 1, shares=(1, 0, 0, 0, 0, 0))
    assert (whole.regions == 0).all()
    apart = random_web(50, 1, shares=(0, 0, 0, 0, 0, 1))
    assert (apart.regions == 5).all()
    single = random_web(200, 1, host_size=0)
    assert len(single.hosts) == 200 and "http://site199.example/" in single


def test_a_web_of_one_page():
    web = random_web(1)
    assert list(web) == ["http://site0.example/"] and web.graph.n_edges == 0
    assert web[web.url(0)].links == ()


def test_the_same_seed_gives_the_same_web(web):
    again = random_web(3000, 7)
    assert np.array_equal(again.graph.indices, web.graph.indices)
    assert np.array_equal(again.graph.indptr, web.graph.indptr)
    assert again.page(17) == web.page(17) and again.respond(web.url(5)).body == web.respond(web.url(5)).body
    assert not np.array_equal(random_web(3000, 8).graph.indptr, web.graph.indptr)
    rng = np.random.default_rng(1)
    assert random_web(100, rng).page(1) != random_web(100, rng).page(1)


def test_this_web_is_this_web_on_every_machine():
    web = random_web(100, 1)
    assert web.graph.n_edges == 440
    assert (web.page(3).title, web.url(60)) == ("sove thilu lohe deri", "http://site28.example/")


def test_compiled_and_plain_links_are_equal(monkeypatch):
    compiled = random_web(300, 3)
    monkeypatch.setattr(generator, "copy_links", copying.copy_links.plain)
    plain = random_web(300, 3)
    assert np.array_equal(plain.graph.indices, compiled.graph.indices)


def test_urls_and_numbers(web):
    assert web.url(0) == "http://site0.example/"
    for i in (0, 1, 1499, 2999):
        assert web.number(web.url(i)) == i and web.url(i) in web
    for wrong in (
        "A",
        "",
        "http://site0.example",
        "http://site0.example/page0.html",
        "http://site00.example/",
    ):
        assert web.number(wrong) is None and wrong not in web
    past = f"http://site0.example/page{int(np.diff(web._recipe.start)[0])}.html"
    assert web.number(past) is None and web.respond(past).status == 404
    assert web.number(f"http://site{len(web.hosts)}.example/") is None
    with pytest.raises(FetchError, match="dns"):
        web.respond(f"http://site{len(web.hosts)}.example/")
    with pytest.raises(IndexError, match="page 3000 is none of 0 … 2999"):
        web.url(3000)
    with pytest.raises(IndexError):
        web.url(-1)


def test_pages_as_served_are_pages_as_looked_up(web):
    few = int(np.argmin(web.graph.out_degrees))
    many = int(np.argmax(web.graph.out_degrees))
    for i in (0, 5, few, many):
        page, response = web.page(i), web.respond(web.url(i))
        parsed = parse_html(response.body, page.url, response.headers["content-type"])
        assert (parsed.text, parsed.title, tuple(parsed.links)) == (page.text, page.title, page.links)
        assert [link.anchor for link in parsed.links] == [link.anchor for link in page.links]
        assert [web.number(link) for link in page.links] == web.graph.links(i)


def test_more_links_than_words():
    web = random_web(2000, 1, links=400, local=0.0, copied=0.0)
    i = int(np.argmax(web.graph.out_degrees))
    assert web.graph.out_degrees[i] > 300
    parsed = parse_html(web.respond(web.url(i)).body, web.url(i))
    assert parsed.text == web.page(i).text and tuple(parsed.links) == web.page(i).links


def shingles(text):
    words = text.split()
    return {tuple(words[i : i + 4]) for i in range(len(words) - 3)}


def test_duplicates_are_what_they_are_said_to_be(web):
    copies = list(web.duplicates())
    assert Counter(kind for *_, kind in copies) == {"exact": 300, "near": 300}
    originals = {original for _, original, _ in copies}
    assert not originals & {page for page, *_ in copies}
    for page, original, kind in itertools.islice(copies, 150):
        a, b = web.page(page).text, web.page(original).text
        if kind == "exact":
            assert a == b and text_of(web, web.url(page)) == a
        else:
            x, y = shingles(a), shingles(b)
            assert a != b and len(x & y) / len(x | y) >= 0.84
    others = [i for i in range(200) if i not in {page for page, *_ in copies}]
    texts = [shingles(web.page(i).text) for i in others]
    assert max(len(x & y) for x, y in itertools.combinations(texts, 2)) < 20, "others have little in common"


@given(st.integers(0, 2**63 - 1), st.integers(0, 2**63 - 1))
def test_a_near_copy_is_near_and_not_equal(key, edit):
    words = wording(key, key % 50)
    near = two_words_changed(words, edit)
    assert 100 <= len(words) <= 299 and 1 <= (words != near).sum() <= 2
    a, b = shingles(" ".join(spelled(words))), shingles(" ".join(spelled(near)))
    assert len(a & b) / len(a | b) >= 0.84


def test_words_are_all_different_and_follow_zipf(web):
    assert len(set(spelled(range(5000)))) == 5000
    counts = Counter(itertools.chain.from_iterable(web.page(i).text.split() for i in range(300)))
    (_, first), *_ = counts.most_common(1)
    assert first > 10 * sorted(counts.values(), reverse=True)[50]


def test_pages_change_at_their_rates(web):
    days = 64
    for rate in (1.0, 1 / 8, 0.0):
        pages = np.flatnonzero(web.change_rates == rate)[:200].tolist()
        changes = [web.version(i, days) for i in pages]
        assert abs(np.mean(changes) - rate * days) < 4 * np.sqrt(rate * days / len(pages)) + 1e-12
    assert set(np.unique(web.change_rates)) == {0.0, *(0.5**k for k in range(9))}


def test_a_change_shows_in_words_and_validators(web):
    i = next(i for i in range(3000) if web.version(i, 3) == 1 and web.version(i, 2) == 0)
    url = web.url(i)
    first, same, after = (web.respond(url, day=day) for day in (0, 2, 3))
    assert same == first and after.body != first.body
    assert after.headers["etag"] != first.headers["etag"]
    assert first.headers["last-modified"] == "Wed, 01 Jan 2025 00:00:00 GMT"
    assert after.headers["last-modified"].startswith("Fri, 03 Jan 2025") or after.headers[
        "last-modified"
    ].startswith("Sat, 04 Jan 2025")
    asked = {"if-none-match": first.headers["etag"]}
    assert web.respond(url, asked, day=2).status == 304 and web.respond(url, asked, day=3).status == 200
    since = {"if-modified-since": first.headers["last-modified"]}
    assert web.respond(url, since, day=2).status == 304 and web.respond(url, since, day=3).status == 200
    assert web.page(i, 3).links == tuple(web.page(i, 3).links)
    assert [str(link) for link in web.page(i, 3).links] == [str(link) for link in web.page(i).links]


def test_an_exact_copy_changes_with_its_original(web):
    page, original, _ = next(c for c in web.duplicates() if c[2] == "exact" and web.version(c[1], 30) > 0)
    assert text_of(web, web.url(page), 30) == text_of(web, web.url(original), 30) != web.page(page).text
    assert web.version(page, 30) == web.version(original, 30)
    assert web.change_rates[page] == web.change_rates[original]


def test_hosts_and_in_degrees_have_heavy_tails():
    web = random_web(50_000, 1)
    sizes = np.diff(web._recipe.start)
    assert sizes.sum() == 50_000 and sizes.max() > 50 * np.median(sizes) and np.median(sizes) > 5
    degrees = np.sort(web.graph.in_degrees)
    assert degrees[-1] > 100 * np.median(degrees)
    tail = degrees[degrees >= 30]
    assert 2.0 < 1 + len(tail) / np.log(tail / 29.5).sum() < 3.0


def test_local_links_stay_on_the_host():
    def share(local):
        web = random_web(3000, 1, local=local, host_size=30)
        graph = web.graph
        host = np.searchsorted(web._recipe.start, np.arange(3000), side="right")
        sources = np.repeat(np.arange(3000), graph.out_degrees)
        return (host[sources] == host[graph.indices]).mean()

    assert share(0.0) < 0.1 < share(0.5) < share(1.0) and share(1.0) > 0.6


def test_link_graph_by_url(web):
    graph = web.link_graph()
    assert graph.labels[7] == web.url(7) and graph.neighbours(web.url(7)) == list(map(str, web.page(7).links))


def test_it_can_be_served(web):
    import http.client
    from contextlib import closing

    with serve(web) as server:
        host = web.hosts[3]
        with closing(http.client.HTTPConnection(*server.resolve(host, 80), timeout=20)) as client:
            client.request("GET", "/", headers={"Host": host})
            assert client.getresponse().read() == web.respond(f"http://{host}/").body


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 0}, "n is 0"),
        ({"n": -3}, "n is -3"),
        ({"rng": -1}, "rng is -1"),
        ({"rng": 2**62}, "rng is"),
        ({"links": -1}, "links is -1"),
        ({"links": float("nan")}, "links is nan"),
        ({"links": 501}, "links is 501"),
        ({"local": 1.5}, "local is 1.5"),
        ({"copied": float("nan")}, "copied is nan"),
        ({"exact": -0.1}, "exact is -0.1"),
        ({"exact": 0.5, "near": 0.5}, "a sum below 1"),
        ({"host_size": -1}, "host_size is -1"),
        ({"shares": (1, 0, 0)}, "give six shares that sum to 1, for core, in, out"),
        ({"shares": (0.5, 0, 0, 0, 0, 0)}, "sum to 1"),
        ({"shares": (1.2, -0.2, 0, 0, 0, 0)}, "sum to 1"),
        ({"shares": (0, 0.5, 0.5, 0, 0, 0)}, "need a core"),
        ({"shares": (0.5, 0.4, 0, 0.1, 0, 0)}, "tubes and tendrils need in and out"),
    ],
)
def test_what_cannot_be_made(arguments, message):
    with pytest.raises(ValueError) as caught:
        random_web(**{"n": 100, **arguments})
    assert message in str(caught.value)
