"""What the explorers of 20.1 show is what the spiders do."""

from collections import Counter

import pytest

from ircourse.crawl.lookup import look_up_in
from ircourse.crawl.spiders import spider2
from ircourse.graphs import breadth_first, depth_first
from ircourse.show.graphs import parse_edges, search_a_graph
from ircourse.show.samples import DIAMONDS, HARBOUR, LOOP, WEBS, hosts_and_pages
from ircourse.show.seeds import count_in_links, cover_with_seeds
from ircourse.show.spiders import SPIDERS, record, seeds_of, watch_spiders


def test_the_turns_are_the_spiders_own():
    turns = record(SPIDERS["SPIDER2"], HARBOUR, ["home"])
    assert list(turns[-1].collection) == [url for url, _ in spider2(look_up_in(HARBOUR), "home")]
    assert Counter(turn.event for turn in turns[1:]) == {"stored": 9, "dead": 1, "empty": 1}


@pytest.mark.parametrize("spider", ["SPIDER2", "SPIDER3", "SPIDER4"])
@pytest.mark.parametrize("name", WEBS)
def test_correct_spiders_store_each_page_once(spider, name):
    last = record(SPIDERS[spider], WEBS[name], seeds_of(WEBS[name]))[-1]
    assert len(set(last.collection)) == len(last.collection)
    if spider == "SPIDER4":
        assert set(last.collection) == set(WEBS[name])  # and not the dead link


def test_the_endless_loop_is_shown_where_it_is_cut():
    turns = record(SPIDERS["SPIDER1"], LOOP, ["A"])
    assert (turns[-1].cut, len(turns) - 1, turns[-1].collection.count("A")) == (True, 60, 30)


def test_copies_along_paths():
    assert record(SPIDERS["SPIDER1"], DIAMONDS, ["A"])[-1].collection.count("G") == 4


def test_the_empty_stack_is_told_at_its_step():
    explorer = watch_spiders()
    explorer.controls["name"].widget.value = "two pages in a loop"
    explorer.controls["spider"].widget.value = "SPIDER2"
    explorer.buttons["end"].click()
    assert "pop from an empty stack" in explorer.alt()
    explorer.controls["spider"].widget.value = "SPIDER1"
    explorer.buttons["end"].click()
    assert "30th time" in explorer.alt() and "never will" in explorer.alt()


def test_dead_links_are_told():
    explorer = watch_spiders({"A": ["gone"]}, ["A"])
    explorer.controls["spider"].widget.value = "SPIDER3"
    explorer.go(2)
    assert "gone is a dead link" in explorer.alt()


def test_states_are_copies():
    first = record(SPIDERS["SPIDER3"], HARBOUR, ["home"])[1]
    assert first.collection == first.visited == ("home",)
    assert first.stack == tuple(HARBOUR["home"])


@pytest.mark.parametrize(("way", "visit"), [("depth first", depth_first), ("breadth first", breadth_first)])
def test_the_search_shown_is_the_search_tested(way, visit):
    explorer = search_a_graph()
    explorer.controls["way"].widget.value = way
    graph = parse_edges(explorer.controls["text"].widget.value)
    assert explorer.trace[-1].order == list(visit(graph, "A"))
    assert "No path of links leads from A to H, I, J, K, L." in explorer.trace[-1].says


def test_the_forest_has_n_minus_k_edges():
    explorer = search_a_graph("A B\nC D\nE")
    explorer.controls["way"].widget.value = "spanning forest"
    assert len(explorer.trace[-1].tree) == 5 - 3
    assert "5 nodes less 3 trees is 2 edges" in explorer.trace[-1].says


@pytest.mark.parametrize("text", ["", "\n , ->\n"])
def test_an_empty_graph_is_told(text):
    with pytest.raises(ValueError, match="No graph yet"):
        parse_edges(text)


def test_too_many_nodes_are_told():
    with pytest.raises(ValueError, match="41 nodes"):
        parse_edges("\n".join(map(str, range(41))))


def test_diverse_seeds_reach_more_of_the_sample_web():
    explorer = cover_with_seeds()
    shares = explorer.trace[0].shares
    assert shares["diverse seeds"][11] > shares["random seeds"][11] + 0.1
    assert len(hosts_and_pages()) == explorer.trace[0].pages == 71


def test_counts_are_the_in_degrees():
    counts = count_in_links().trace[-1].turn.counts
    found = {page: out for page, out in HARBOUR.items() if page in counts}
    assert counts == {u: sum(u in set(out) for out in found.values()) for u in counts}
    assert set(counts) == {*HARBOUR, "eels"} - {"newspaper", "mirror"}


def test_a_ready_graph_fills_the_text_and_is_marked_while_it_stands_there():
    explorer = search_a_graph()
    text, buttons = explorer.controls["text"], explorer.controls["text"].shown.children[0].buttons
    assert buttons["three pieces"].description == "● three pieces"
    buttons["a harbour town"].click()
    assert parse_edges(text.widget.value) == {page: list(links) for page, links in in_order(HARBOUR)}
    assert explorer.trace[-1].order[0] == "home" and explorer.at == 3
    text.widget.value += "\nisland"
    assert all(button.description.startswith("○") for button in buttons.values())
    buttons["a harbour town"].click()  # chosen before, and the text was changed since
    assert "island" not in explorer.trace[-1].links


def in_order(web):
    """The pages of a web as `parse_edges` meets them, dead links as pages without links."""
    met = dict.fromkeys(page for line, links in web.items() for page in (line, *links))
    return [(page, web.get(page, ())) for page in met]


def test_a_graph_of_ones_own_can_be_chosen_again():
    explorer = search_a_graph("X Y")
    buttons = explorer.controls["text"].shown.children[0].buttons
    buttons["a tree"].click()
    buttons["your graph"].click()
    assert explorer.controls["text"].widget.value == "X Y"


def test_every_ready_graph_is_searched_every_way():
    assert search_a_graph().drive(5) > 0


def test_a_node_of_a_million_letters_makes_no_large_page():
    explorer = search_a_graph("A " + "x" * 1_000_000)
    assert len(explorer._says.value + explorer._view.value + str(explorer.static())) < 100_000
