"""What the explorers of 20.4 show is what the connectivity server writes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.graphs import ConnectivityServer, as_graph, encode_row, front_code, reference_lengths
from ircourse.show.connectivity import BOOK, NEAR, code_a_row, coding, parse_rows, saltmere_rows
from ircourse.show.front_coding import front_code_urls
from ircourse.show.row_references import choose_reference
from ircourse.web import tiny_web


def previous(rows):
    return [rows[page] for page in sorted(rows)[-2::-1]]


@given(
    st.lists(st.sets(st.integers(0, 60), max_size=9).map(sorted), min_size=1, max_size=8), st.integers(1, 5)
)
def test_the_groups_shown_are_the_row_s_bits_and_tell_its_links(lists, k):
    rows = dict(enumerate(lists, 20))
    page = max(rows)
    *_, last = steps = coding(rows, k)
    bits = encode_row(page, rows[page], previous(rows), k)
    assert "".join(field.bits for field in last.fields) == bits and last.bits() == len(bits)
    assert [step.shown for step in steps] == list(range(len(last.fields) + 1))
    base = set() if last.base is None else set(rows[last.base])
    gone, new = ({v for v, kind in last.told() if kind == name} for name in ("dropped", "added"))
    assert (base - gone) | new == set(rows[page])
    assert last.told() == last.changes() and steps[0].told() == []
    for step in steps[1:]:  # each group that tells of a link names it
        for v, kind in step.told()[-1:]:
            if kind == "added" and step.told() != steps[step.shown - 1].told():
                assert step.fields[step.shown - 1].meaning.startswith(f"page {v} added")


def test_the_book_s_fourth_row_refers_to_the_second():
    last = coding(parse_rows(BOOK), 3)[-1]
    assert (last.base, last.changes()) == (102, [(9, "dropped"), (8, "added")])
    explorer = code_a_row()
    explorer.buttons["end"].click()
    assert "30 bits of 30 are written; plainly the row takes 256." in explorer.alt()


def test_a_row_without_reference_and_one_without_links():
    assert coding(parse_rows("5: 9 11"), 3)[-1].base is None
    explorer = code_a_row("5:")
    explorer.go(1)
    assert "takes 3 bits more" in explorer.alt()
    explorer.go(2)
    assert "000: refers to no row" in explorer.alt()


def test_saltmere_s_rows_are_its_server_s():
    rows = parse_rows(saltmere_rows())
    town = dict(tiny_web())
    links = {url: [link for link in page.links if link in town] for url, page in town.items()}
    order = sorted(town)
    server = ConnectivityServer(order, as_graph(links))
    page = max(rows)
    assert order[page] == "http://gazette.saltmere.example/letters.html" and len(rows) == 8
    assert [order[v] for v in rows[page]] == server.out_links(order[page])
    assert rows[page] != [] and server.explain_out(order[page])[1].bits != "000"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "0 rows"),
        ("7 8 9", "cannot read"),
        ("7: 8\n9: 1", "page 9 follows page 7"),
        ("1: " + " ".join(map(str, range(25))), "25 links"),
        ("\n".join(f"{i}:" for i in range(9)), "9 rows"),
        ("1: 9999999999", "cannot read"),
    ],
)
def test_rows_that_cannot_be_read_are_told(text, words):
    with pytest.raises(ValueError, match=words):
        parse_rows(text)


@pytest.mark.parametrize("text", [BOOK, NEAR, saltmere_rows()])
def test_the_row_marked_is_the_one_taken(text):
    rows = parse_rows(text)
    explorer = choose_reference(text)
    chosen = explorer.trace[0]
    assert chosen.lengths == reference_lengths(max(rows), rows[max(rows)], previous(rows), 3)
    base = coding(rows, 3)[-1].base
    assert chosen.taken == (0 if base is None else max(rows) - base)
    assert explorer._view.value.count("taken") == 0 or "taken" in str(explorer._table(chosen))


def test_fronts_are_the_package_s():
    explorer = front_code_urls("b/y\nb/x\na/x")
    fronts = explorer.trace[0]
    assert fronts.urls == ["a/x", "b/x", "b/y"] and fronts.coded == front_code(fronts.urls)
    assert "3 URLs: 9 bytes plain, 13 front-coded" in explorer.alt()
    explorer.controls["block"].widget.value = 1
    assert [front.shared for front in explorer.trace[0].coded] == [0, 0, 0]


def test_too_many_urls_are_told():
    explorer = front_code_urls()
    explorer.controls["urls"].widget.value = "\n".join(map(str, range(21)))
    assert "21 URLs: write one to 20" in explorer._says.value


def test_kept_links_are_marked_when_all_dropped_ones_are_told():
    steps = coding(parse_rows(BOOK), 3)
    assert [step.settled() for step in steps] == [False, False, False, False, True, True]
    assert not any(step.settled() for step in coding(parse_rows("5: 9 11"), 3))
