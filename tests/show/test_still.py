"""Still pictures: what they say, hostile names, and nothing to draw."""

import base64
import re

import pytest

from ircourse.show.link_map import link_map
from ircourse.show.still import still_curves, still_graph
from ircourse.types import Page

HOSTILE = "<img src=x onerror=alert(1)>\"'&"


def bundle(still):
    return still._repr_mimebundle_()


def picture(still):
    """The SVG inside a still picture."""
    return base64.b64decode(re.search(r"base64,([^\"]+)", bundle(still)["text/html"])[1]).decode()


@pytest.mark.parametrize(
    "still",
    [
        link_map({f"http://{HOSTILE}.example/{HOSTILE}": Page("", links=(HOSTILE,))}, notice=HOSTILE),
        still_graph({HOSTILE: [HOSTILE, "b"]}, HOSTILE, alt=HOSTILE, notice=HOSTILE),
        still_curves({HOSTILE: [(0, 1), (1, 2)]}, HOSTILE, HOSTILE, alt=HOSTILE, notice=HOSTILE),
    ],
    ids=["link_map", "still_graph", "still_curves"],
)
def test_hostile_names_are_escaped(still):
    for text in (bundle(still)["text/html"], picture(still)):
        assert "<img src=x" not in text and 'onerror=alert(1)>"' not in text


def test_a_map_counts_pages_hosts_and_links():
    pages = {
        "http://a.example/": Page(
            "", links=("http://a.example/1", "http://b.example/", "http://out.example/")
        ),
        "http://a.example/1": Page("", links=("http://a.example/1",)),
        "http://b.example/": Page("", links=("http://a.example/1",)),
    }
    still = link_map(pages)
    assert still.alt == (
        "A map of 3 pages on 2 hosts with 4 links between them. "
        "The page with most in-links, 3, is http://a.example/1."
    )
    assert still.rows[1:] == [["a.example", 2, 2, 1], ["b.example", 1, 0, 1]]
    assert picture(still).count("<circle") == 3


def test_a_map_is_the_same_for_any_order_of_pages():
    urls = [f"http://h{i % 3}.example/{i}" for i in range(12)]
    pages = {url: Page("", links=urls[i // 2 : i]) for i, url in enumerate(urls)}
    assert picture(link_map(pages)) == picture(link_map(dict(reversed(pages.items()))))


def test_no_pages_have_no_map():
    with pytest.raises(ValueError, match="no pages to draw a map of"):
        link_map({})


def test_the_values_of_curves_stand_in_the_table():
    still = still_curves({"a": [(1, 2), (3, 4)], "b": [(1, 5)]}, "x", "y", alt="Two curves.")
    assert still.rows == [["x", "a", "b"], ["1", "2", "5"], ["3", "4", ""]]
    assert bundle(still)["text/plain"] == "Two curves."
    assert repr(still) == "<Still: Two curves.>"
