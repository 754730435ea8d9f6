"""Indexes in pieces: the same answers as one index, and what they cost."""

from heapq import merge

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.distribute import (
    BROKER,
    DocumentPartitioned,
    QueryAnswer,
    QueryCost,
    TermPartitioned,
    query_load,
    top_changes,
    zipf_log,
)
from ircourse.distribute.partitions_merge import comparisons, merge_hits
from ircourse.index import InvertedIndex
from ircourse.ranking import Statistics
from ircourse.types import Hit

NODES = ("north", "east", "south", "west")
DOCS = [
    "a rose is a rose",
    "is it a rose",
    "the harbour",
    "",
    "the old harbour town",
    "a rose in the harbour",
]
KINDS = [DocumentPartitioned, TermPartitioned]
WORDS = ["a", "rose", "is", "harbour", "old", "é"]

texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
docs = texts | st.fixed_dictionaries({"title": texts, "text": texts})
queries = st.lists(
    st.lists(st.sampled_from([*WORDS, "none"]), min_size=1, max_size=3).map(" ".join), max_size=3
)
changes = st.lists(docs | st.integers(0, 9), max_size=6)


@settings(max_examples=150)
@given(st.lists(docs, max_size=10), changes, queries, st.integers(1, 4), st.integers(0, 6), st.data())
def test_both_answer_as_one_index_does(given_docs, more, query, d, n, data):
    mode = data.draw(st.sampled_from(["and", "or"]))
    one = InvertedIndex(given_docs)
    pieces = [kind(given_docs, NODES[:d]) for kind in KINDS]
    for change in more:
        if not isinstance(change, int):
            assert {one.add(change)} == {each.add(change) for each in pieces}
        elif change in one:
            one.remove(change)
            for each in pieces:
                each.remove(change)
    for each in pieces:
        assert len(each) == len(one)
        assert each.search(query, n, mode) == one.search(query, n, mode)  # bit for bit


def test_queries_as_text_with_phrases_and_other_parameters():
    for kind in KINDS:
        one, pieces = InvertedIndex(DOCS, k1=2, b=0.1), kind(DOCS, NODES, k1=2, b=0.1)
        for query in (
            '"a rose" is',
            '"rose is a"',
            '"a a"',
            '"harbour the"',
            "",
            "nothing",
            '"old harbour town" the',
        ):
            for mode in ("and", "or"):
                assert pieces.search(query, mode=mode) == one.search(query, mode=mode)


def test_a_phrase_never_runs_from_one_field_into_the_next():
    fields = [{"title": "a rose", "text": "is a rose is"}, {"a": "rose", "b": "is"}]
    for kind in KINDS:
        assert [hit.doc for hit in kind(fields, NODES).search('"rose is"')] == [0]


def test_by_document_every_node_is_asked_and_one_is_touched():
    pieces = DocumentPartitioned(DOCS, NODES)
    cost = pieces.ask("the harbour").cost
    assert cost.nodes == NODES and cost.messages == 8 and cost.moved == 0
    assert all(len(pieces.nodes_of(number)) == 1 for number in range(len(DOCS)))
    ask, answers = len("the harbour ") + 8 * (2 + 2), 12 * 3
    assert cost.bytes == 4 * ask + answers
    assert cost.read == 3 + 3


def test_by_term_the_nodes_of_the_terms_are_asked_and_many_are_touched():
    at = {"the": "north", "harbour": "east", "old": "south", "town": "south"}
    pieces = TermPartitioned(DOCS, NODES, place=lambda term: at.get(term, "west"))
    assert pieces.nodes_of(4) == ("north", "east", "south")
    cost = pieces.ask("the harbour").cost
    assert cost == QueryCost(("north", "east"), 4, len("the harbour ") + 8 * 6, 6, 6, 3 + 3)
    assert pieces.ask("the the").cost.nodes == ("north",)
    assert pieces.ask('"the harbour"').cost.bytes == cost.bytes + 4 * 6  # positions travel too
    assert pieces.ask("").cost == QueryCost()


@pytest.mark.parametrize("kind", KINDS)
def test_steps_end_in_the_answer(kind):
    pieces = kind(DOCS, NODES)
    steps = list(pieces.query_steps('rose "the harbour"', 3, "or"))
    answer = pieces.ask('rose "the harbour"', 3, "or")
    assert answer == QueryAnswer(list(steps[-1].hits), steps[-1].cost, ())
    assert (steps[-1].action, steps[-1].node) == ("merge", BROKER)
    sent = [step for step in steps if step.action in ("count", "ask", "answer")]
    assert sum(step.size for step in sent) == answer.cost.bytes
    assert sum(1 + (step.action == "count") for step in sent) == answer.cost.messages
    assert sum(step.size for step in steps if step.action == "read") == answer.cost.read
    assert {step.action for step in steps} >= {"ask", "read", "answer"}


@pytest.mark.parametrize("kind", KINDS)
def test_the_index_may_grow_between_two_steps(kind):
    pieces = kind(DOCS, NODES)
    actions = []
    for step in pieces.query_steps('rose "the harbour"', 3, "or"):
        actions.append(step.action)
        pieces.add("a rose in the harbour")
    assert actions[-1] == "merge"


def test_a_lost_node_takes_its_documents_from_every_query():
    pieces = DocumentPartitioned(DOCS, NODES, keys=["north", "east"] * 3, place=str)
    whole = pieces.search("rose")
    assert {hit.doc for hit in whole} == {0, 1, 5}
    pieces.lose("east")
    hits, cost, missing = pieces.ask("rose")
    assert [hit.doc for hit in hits] == [0] and hits[0] in whole  # ranked by what all nodes knew
    assert missing == ("east",) and "east" not in cost.nodes and pieces.down == ("east",)
    pieces.bring_back("east")
    assert pieces.search("rose") == whole


def test_a_lost_node_takes_whole_words_with_it():
    pieces = TermPartitioned(DOCS, NODES, place=lambda term: "north" if term == "rose" else "east")
    pieces.lose("north")
    assert pieces.ask("rose") == ([], QueryCost(), ("rose",))
    hits, _, missing = pieces.ask('rose "a rose" harbour')
    assert hits == pieces.search("harbour") and missing == ("rose",)
    assert pieces.search("harbour") == InvertedIndex(DOCS).search("harbour")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lost", NODES)
def test_a_second_copy_mends_the_loss_of_any_node(kind, lost):
    pieces, one = kind(DOCS, NODES, copies=2), InvertedIndex(DOCS)
    pieces.lose(lost)
    for query in ('"a rose"', "the harbour", "rose harbour"):
        for mode in ("and", "or"):
            hits, cost, missing = pieces.ask(query, mode=mode)
            assert hits == one.search(query, mode=mode) and missing == () and lost not in cost.nodes
    assert all(len(pieces.nodes_of(number)) >= 2 for number in (0, 1, 2))


@pytest.mark.parametrize("kind", KINDS)
def test_all_nodes_lost(kind):
    pieces = kind(DOCS, NODES, copies=4)
    for node in NODES:
        pieces.lose(node)
    hits, cost, missing = pieces.ask("rose harbour")
    assert (
        hits == []
        and cost == QueryCost()
        and missing == (NODES if kind is DocumentPartitioned else ("rose", "harbour"))
    )


def test_statistics_are_as_of_the_last_refresh():
    one = InvertedIndex([*DOCS, "a harbour"])
    every, second, never = (DocumentPartitioned(DOCS, NODES, refresh_every=each) for each in (1, 2, None))
    for pieces in (every, second, never):
        pieces.add("a harbour")
    right = one.search("harbour")
    assert every.search("harbour") == right
    old = InvertedIndex(DOCS).statistics("harbour")
    assert (
        second.search("harbour") == never.search("harbour") == one.search("harbour", statistics=old) != right
    )
    for pieces in (second, never):
        pieces.remove(0)
    one.remove(0)
    assert second.search("harbour") == one.search("harbour") != never.search("harbour")
    size = (
        sum(len(term) + 1 + 8 for term in ["is", "it", "a", "rose", "the", "harbour", "old", "town", "in"])
        + 16
    )
    cost = never.refresh()
    assert (cost.nodes, cost.messages) == (NODES, 8) and 4 * size < cost.bytes < 8 * size
    assert never.search("harbour") == one.search("harbour")


def test_a_phrase_newer_than_the_statistics():
    pieces = DocumentPartitioned(["rose"], NODES, refresh_every=None)
    for _ in range(3):
        pieces.add("old rose")
    assert [hit.doc for hit in pieces.search('"old rose"')] == [1, 2, 3]
    empty = DocumentPartitioned([], NODES, refresh_every=None)
    empty.add("old rose")
    assert [hit.doc for hit in empty.search('old "old rose"')] == [0]


def test_local_idf_changes_scores():
    pieces = DocumentPartitioned(DOCS, NODES, shared=False)
    right = InvertedIndex(DOCS).search("harbour rose", mode="or")
    local = pieces.search("harbour rose", mode="or")
    assert {hit.doc for hit in local} == {hit.doc for hit in right} and local != right
    for node, docs_there in (("north", DOCS[::2]), ("east", DOCS[1::2])):
        pieces = DocumentPartitioned(DOCS, NODES, keys=["north", "east"] * 3, place=str, shared=False)
        pieces.lose("east" if node == "north" else "north")
        alone = InvertedIndex(docs_there).search("harbour rose", mode="or")
        assert [hit.score for hit in pieces.search("harbour rose", mode="or")] == [hit.score for hit in alone]


def test_top_changes_counts_them():
    pieces = DocumentPartitioned(DOCS, ["alone"])
    assert top_changes(pieces, ["rose", "harbour", "none"]).kept == 1  # one node knows all
    assert top_changes(pieces, ["none"]) == top_changes(pieces, [])
    pieces = DocumentPartitioned(DOCS, NODES, shared=False)
    changed = top_changes(pieces, ["rose harbour", "the", "none"], n=2)
    assert changed.queries == 2 and changed.members <= changed.order <= 2 and pieces.shared is False


hits = st.builds(Hit, st.integers(0, 99), st.sampled_from([0.5, 1.0, 2.0]))
best_first = st.lists(hits, max_size=6).map(lambda each: sorted(each, key=lambda hit: (-hit.score, hit.doc)))


@given(st.lists(best_first, max_size=4), st.integers(0, 8))
def test_merging_takes_the_best_with_few_comparisons(answers, n):
    merged, count = merge_hits(answers, n)
    assert merged == list(merge(*answers, key=lambda hit: (-hit.score, hit.doc)))[:n]
    assert count <= 2 * (len(answers) * (1 + n))  # a heap of D heads: at most D to make, 2 log D a result


@given(st.lists(st.sets(st.integers(0, 12)), max_size=4), st.sampled_from(["and", "or"]))
def test_comparisons_are_those_of_the_books_merging(sets, mode):
    lists = {
        (str(i),): (np.array(sorted(each), np.int64), np.ones(len(each), np.int64))
        for i, each in enumerate(sets)
    }
    count = 0
    left, *others = sorted((sorted(each) for each in sets), key=len) or [[]]
    for other in others:
        i = j = 0
        while i < len(left) and j < len(other):  # INTERSECT of Figure 1.6
            count += 1
            i, j = i + (left[i] <= other[j]), j + (other[j] <= left[i])
        left = sorted(set(left) & set(other) if mode == "and" else set(left) | set(other))
    assert comparisons(lists, mode) == count + len(left)


def test_load_adds_up():
    log = zipf_log(["rose", "the harbour", "town"], 40, rng=1)
    for kind in KINDS:
        pieces = kind(DOCS, NODES)
        load = query_load(pieces, log)
        costs = [pieces.ask(query).cost for query in log]
        assert load.queries == 40 and sum(load.read) == load.total.read == sum(cost.read for cost in costs)
        assert load.total.messages == sum(cost.messages for cost in costs) == 2 * sum(load.asked)
        assert load.imbalance >= 1
    assert query_load(pieces, []).imbalance == 1


def test_zipf_log_follows_the_law():
    log = zipf_log([str(i) for i in range(1, 11)], 20_000, rng=3)
    ratio = log.count("1") / log.count("10")
    assert ratio == pytest.approx(10, rel=0.15)
    assert log == zipf_log([str(i) for i in range(1, 11)], 20_000, rng=3)
    assert zipf_log(["x"], 0, 1) == []


@pytest.mark.parametrize("kind", KINDS)
def test_bad_input_is_told(kind):
    pieces = kind(DOCS, NODES)
    for bad, error in [
        (lambda: kind(DOCS, "north"), TypeError),
        (lambda: kind("a rose", NODES), TypeError),
        (lambda: kind([7], NODES), TypeError),
        (lambda: kind([{"title": 7}], NODES), TypeError),
        (lambda: kind(DOCS, []), ValueError),
        (lambda: kind(DOCS, ["a", "a"]), ValueError),
        (lambda: kind(DOCS, [BROKER]), ValueError),
        (lambda: kind(DOCS, [1]), ValueError),
        (lambda: kind(DOCS, NODES, copies=5), ValueError),
        (lambda: kind(DOCS, NODES, copies=0), ValueError),
        (lambda: kind(DOCS, NODES, place=lambda key: "nowhere"), ValueError),
        (lambda: pieces.lose("nowhere"), ValueError),
        (lambda: pieces.bring_back("nowhere"), ValueError),
        (lambda: pieces.search("rose", -1), ValueError),
        (lambda: pieces.search("rose", mode="not"), ValueError),
        (lambda: pieces.search(7), TypeError),
        (lambda: pieces.remove(99), IndexError),
        (lambda: pieces.remove(-1), IndexError),
        (lambda: pieces.nodes_of(99), IndexError),
        (lambda: kind(DOCS, NODES, k1=-1), ValueError),
        (lambda: kind(DOCS, NODES, b=2), ValueError),
        (lambda: query_load(pieces, "rose"), TypeError),
        (lambda: zipf_log([], 1, 1), ValueError),
        (lambda: zipf_log(["x"], 1, 1, exponent=float("nan")), ValueError),
    ]:
        with pytest.raises(error):
            bad()
    pieces.remove(2)
    with pytest.raises(IndexError, match="there is no document 2"):
        pieces.remove(2)
    assert len(pieces) == len(DOCS) - 1


def test_refreshing_counts_nodes_that_are_down():
    pieces, whole = (DocumentPartitioned(DOCS, NODES, refresh_every=None) for _ in range(2))
    pieces.lose("north")
    assert pieces.refresh() == whole.refresh() and pieces.known == whole.known


@pytest.mark.parametrize("kind", [DocumentPartitioned, TermPartitioned])
def test_more_results_than_there_are_may_be_asked_for(kind):
    pieces = kind(DOCS, NODES)
    assert pieces.ask("rose", n=10**30) == pieces.ask("rose", n=100)


def test_keys_are_one_a_document():
    with pytest.raises(ValueError):
        DocumentPartitioned(DOCS, NODES, keys=["north"])
    with pytest.raises(ValueError, match="refresh_every is 0"):
        DocumentPartitioned(DOCS, NODES, refresh_every=0)
    assert Statistics(0, 0.0, {}) == DocumentPartitioned([], NODES).known
