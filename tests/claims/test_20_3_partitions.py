"""Claims C61 and C81: an index over several nodes, by documents and by terms; a table that loses nothing."""

from collections import Counter

import numpy as np
import pytest

from ircourse.distribute import (
    DocumentPartitioned,
    Tablets,
    TermPartitioned,
    load_pages,
    query_load,
    row_key,
    top_changes,
    zipf_log,
)
from ircourse.index import InvertedIndex
from ircourse.text import tokenize
from ircourse.web import random_web
from ircourse.web.core import host_of

N, D, QUERIES = 800, 8, 100
NODES = [f"node-{i}" for i in range(D)]


@pytest.fixture(scope="module")
def pages():
    web = random_web(N, 1)
    return [web.page(i) for i in range(N)]


@pytest.fixture(scope="module")
def texts(pages):
    return [page.text for page in pages]


@pytest.fixture(scope="module")
def by_document(texts):
    return DocumentPartitioned(texts, NODES)


@pytest.fixture(scope="module")
def by_host(pages, texts):
    return DocumentPartitioned(texts, NODES, keys=[host_of(page.url) for page in pages])


@pytest.fixture(scope="module")
def by_term(texts):
    return TermPartitioned(texts, NODES)


@pytest.fixture(scope="module")
def queries(texts):
    """Pairs of words that are neither in all pages nor in a few."""
    df = Counter(term for text in texts for term in set(tokenize(text)))
    words = [term for term, n in df.most_common() if 10 <= n <= N // 2]
    rng = np.random.default_rng(1)
    return [" ".join(rng.choice(words, 2, replace=False)) for _ in range(QUERIES)]


def test_c61_same_results_as_one_index(texts, by_document, by_host, by_term, queries):
    one = InvertedIndex(texts)
    for query in queries:
        for mode in ("and", "or"):
            right = one.search(query, mode=mode)
            for pieces in (by_document, by_host, by_term):
                assert pieces.search(query, mode=mode) == right


def test_c61_other_results_with_local_idf(by_document, by_host, queries):
    anywhere, hosts = top_changes(by_document, queries), top_changes(by_host, queries)
    assert anywhere.queries == hosts.queries == QUERIES
    # Most queries have other pages among their ten best; a host's pages together make a node's idf stranger.
    assert anywhere.members > 0.8 * QUERIES and hosts.members > 0.8 * QUERIES
    assert hosts.kept < anywhere.kept < 0.9


def test_c61_a_query_goes_to_every_node_or_to_one_a_term(by_document, by_term, queries):
    for query in queries:
        asked = by_document.ask(query).cost
        assert len(asked.nodes) == D and asked.messages == 2 * D and asked.moved == 0
        asked = by_term.ask(query).cost
        assert len(asked.nodes) <= 2 and asked.messages <= 4 and asked.moved == asked.read


def test_c61_merging_is_short_by_document_and_long_by_term(by_document, by_term, queries):
    short = query_load(by_document, queries, mode="or").total
    long = query_load(by_term, queries, mode="or").total
    assert short.comparisons < QUERIES * (10 + D) * 2 * np.log2(D)  # whatever the lengths of the lists
    assert long.comparisons > 1.5 * short.comparisons
    common = "baba bebi"  # words of nearly every page
    short, long = by_document.ask(common, mode="or").cost, by_term.ask(common, mode="or").cost
    assert long.comparisons > 1.5 * N > 20 * short.comparisons
    assert long.bytes > 8 * N > 4 * short.bytes


def test_c61_an_added_document_touches_one_node_or_many(by_document, by_term):
    assert all(len(by_document.nodes_of(i)) == 1 for i in range(N))
    assert np.mean([len(by_term.nodes_of(i)) for i in range(N)]) > 0.9 * D


def test_c61_load_is_even_by_document_and_skewed_by_term(by_document, by_term, queries):
    log = zipf_log(queries, 500, rng=1)
    even, skewed = query_load(by_document, log), query_load(by_term, log)
    assert even.imbalance < 1.4 < 1.6 < skewed.imbalance
    assert set(even.asked) == {500} and max(skewed.asked) > 2 * min(skewed.asked)
    # A piece of news that everybody asks for: the nodes of its words have all the work.
    burst = query_load(by_term, [queries[0]] * 100)
    assert sum(read > 0 for read in burst.read) <= 2 and burst.imbalance >= D / 2


def test_c81_a_table_by_row_ranges_loses_nothing_when_servers_die(tmp_path, pages):
    with Tablets(tmp_path, NODES, tablet_bytes=60_000, memory_bytes=20_000, durable=False) as table:
        for i, name in enumerate(NODES[:-1]):  # each dies in turn, the last one is left with all
            load_pages(table, pages[i * 40 : (i + 1) * 40])
            table.kill(name)
        loaded = pages[: 40 * (D - 1)]
        assert [server.up for server in table.servers()].count(True) == 1 and len(table.tablets()) >= D
        anchors = {
            (row_key(link), f"anchor:{host_of(page.url)}"): True for page in loaded for link in page.links
        }
        stored = {(row, column) for row, cells in table.scan(column="anchor") for column in cells}
        assert stored == set(anchors)
        for page in loaded:
            cells = table.get(row_key(page.url))
            assert (cells["text"], cells["title"]) == (page.text, page.title)


def test_c81_scanning_one_column_touches_no_other(tmp_path, pages):
    with Tablets(tmp_path, NODES, tablet_bytes=60_000, memory_bytes=20_000, durable=False) as table:
        load_pages(table, pages[:200])
        table.flush()
        table.read.clear()
        titles = [cells["title"] for _, cells in table.scan(column="title")]
        assert sorted(titles) == sorted(page.title for page in pages[:200])
        assert set(table.read) == {"title"} and table.read["title"] < 0.2 * sum(
            v.bytes for v in table.tablets()
        )
