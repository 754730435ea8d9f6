import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.crawl.pages.main_text import best_run, main_text, without_recurring
from ircourse.web import tiny_web

BAR = b"<ul><li><a href=/>Home</a><li><a href=/map>Map</a><li><a href=/shop>Shop</a></ul>"
STORY = b"<h1>Gale over Orra</h1><p>The gale took the roof of the smokehouse at noon.</p>"
TEXT = "Gale over Orra\nThe gale took the roof of the smokehouse at noon."


def test_a_bar_of_links_goes_and_links_within_the_text_stay():
    linked = STORY.replace(b"the smokehouse", b"<a href=/smoke>the smokehouse</a>")
    assert main_text(BAR + STORY + BAR) == TEXT
    assert main_text(b"<html><body>" + BAR + linked + BAR) == TEXT


def test_margins_go_however_long_they_are():
    page = b"<nav>Here is a long sentence in a menu, for once.</nav>" + STORY
    page += b"<aside>An aside of many words, of which none is wanted.</aside>"
    page += b"<footer>Printed at the quay by hand.</footer>"
    assert main_text(page) == TEXT


@pytest.mark.parametrize(
    "page, text",
    [
        (b"<nav>All of it stands in a menu.</nav>", "All of it stands in a menu."),
        (b"<nav>never closed<p>The words go on and on.", "never closed\nThe words go on and on."),
        (b"</nav>The words go on.</footer></aside>", "The words go on."),
        (b"<nav>one<nav>two</nav>three</nav>The words go on.", "The words go on."),
        (b"<nav><aside>a note</aside><p>The words go on.", "The words go on."),
        (b"<nav>a b c<footer>d e f</nav>g h i</footer>j k l", "j k l"),
        (b"", ""),
        (b"<p><p><p>", ""),
        (b"<a href=/>Home</a>", ""),
        (b"no tags at all", "no tags at all"),
        (b"<script>var x = 'a b c d e'</script><style>p {}</style><title>T</title>Words.", "Words."),
        (b"<template>not this at all</template>These words.", "These words."),
        (b"<textarea>a < b</textarea>These words.", "a < b\nThese words."),
        (b"caf&eacute; &amp; quay, cut <p class=", "café & quay, cut"),
        (b"one\0two three", "onetwo three"),
    ],
)
def test_odd_pages(page, text):
    assert main_text(page, "text/html") == text


def test_words_written_without_spaces_count_one_by_one():
    story = "<p>渡船在下午六点离开港口</p>"
    assert main_text((BAR.decode() + story).encode(), "text/html; charset=utf-8") == "渡船在下午六点离开港口"


def test_types_are_those_of_parse_html():
    assert main_text(b"a  <b>\r\n\n c\0d", "text/plain") == "a <b>\ncd"
    assert main_text(b"words", "application/pdf") == main_text(b"\0words") == ""
    assert main_text("<p>Words in here".encode("utf-16")) == "Words in here"
    assert main_text(bytearray(b"Words in here")) == "Words in here"
    with pytest.raises(TypeError, match="encode it first"):
        main_text("words")


def recall_and_precision(keep):
    town, got, true, both = tiny_web(), 0, 0, 0
    for url in town:
        answer = town.respond(url)
        found = re.search(rb"<main>(.*)</main>", answer.body, re.S)
        if not (found and answer.headers.get("content-type") == "text/html; charset=utf-8"):
            continue
        lines = keep(answer.body).split("\n")
        truth = main_text(b"<nav></nav>" + found[1], "text/html; charset=utf-8").split("\n")
        got, true = got + len(lines), true + len(truth)
        both += sum(line in truth for line in lines)
    assert true > 1000
    return both / true, both / got


def test_the_pages_of_saltmere_keep_what_they_mark_as_main():
    recall, precision = recall_and_precision(lambda body: main_text(body, "text/html; charset=utf-8"))
    assert recall > 0.98
    assert precision > 0.98


def test_without_marks_the_menu_of_links_still_goes_from_most_pages():
    bare = lambda body: re.sub(rb"(</?)(?:nav|main|footer)\b[^>]*", rb"\1div", body)  # noqa: E731
    recall, precision = recall_and_precision(lambda body: main_text(bare(body), "text/html; charset=utf-8"))
    assert recall > 0.98
    assert precision > 0.85


def test_best_run_by_hand_and_ties():
    assert best_run([]) == best_run([-1.0, 0.0]) == (0, 0)
    assert best_run([1, -1, 1]) == (0, 1)
    assert best_run([2, -1, 2]) == (0, 3)
    assert best_run([-1, 0, 2]) == (1, 3)


@given(st.lists(st.integers(-5, 5), max_size=12))
@settings(max_examples=100)
def test_best_run_is_the_largest_sum(worths):
    first, end = best_run(worths)
    runs = [sum(worths[i:j]) for i in range(len(worths) + 1) for j in range(i, len(worths) + 1)]
    assert sum(worths[first:end]) == max(runs)


PART = st.sampled_from(
    [f"<{mark}{tag}>" for tag in ("nav", "footer", "aside", "p", "a", "div", "b") for mark in ("", "/")]
    + ["some words ", "&amp;", "<!--", "-->", "<", "港", "\0", "<script>", "</script>", "<template>"]
)


@given(st.lists(PART, max_size=30).map("".join))
@settings(max_examples=150)
def test_any_page_gives_tidy_lines(page):
    text = main_text(page.encode(), "text/html; charset=utf-8")
    assert all(line and line == " ".join(line.split()) for line in text.split("\n") if text)


@pytest.mark.parametrize(
    "page",
    [
        b"<p>" * 200_000,
        b"<nav>" * 50_000 + b"three words here" + b"</nav>" * 50_000,
        b"<footer>x" * 200_000,
        b"<a href=x>y</a>" * 100_000,
        b"word " * 10**6,
    ],
    ids=["tags", "nested margins", "open margins", "links", "no tags"],
)
def test_hostile_pages_end(page):
    assert len(main_text(page)) <= len(page)


def test_lines_recur_from_half_of_the_pages_on():
    pages = [f"Town and harbour\nStory {name}\nLast changed on day {i}" for i, name in enumerate("ABCD")]
    assert without_recurring(pages) == [f"Story {name}" for name in "ABCD"]
    assert without_recurring(["a b\nmenu", "c\nmenu", "d\nmenu", "e", "f", "g"])[0] == "a b"
    assert without_recurring(["a b\nmenu", "c\nmenu", "d\nmenu", "e", "f", "g"], 0.7)[0] == "a b\nmenu"


def test_what_does_not_recur():
    assert without_recurring([]) == []
    assert without_recurring(["menu", "menu"]) == ["menu", "menu"]
    assert without_recurring(["12\n3.5"] * 4) == ["12\n3.5"] * 4
    assert without_recurring(["menu\nmenu\nmenu", "a", "b", "c"])[0] == "menu\nmenu\nmenu"


@pytest.mark.parametrize("share", [0, -1, 1.1, float("nan")])
def test_a_share_is_above_0_and_at_most_1(share):
    with pytest.raises(ValueError, match="share is"):
        without_recurring(["a"], share)
