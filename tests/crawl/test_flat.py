"""Pages read without a tree: the same links and words as from the tree, the same tags and entities."""

import html

from hypothesis import example, given
from hypothesis import strategies as st

from ircourse.crawl.pages.flat import attributes_of, flat_events, is_harmless
from ircourse.crawl.pages.html import ParsedPage, _Reader, tree_events

URL = "http://harbour.example/dir/page.html"


def read_events(events) -> ParsedPage:
    reader = _Reader(URL, set())
    reader.read(events)
    return reader.page()


def with_anchors(page: ParsedPage):
    return page, [(link.anchor, link.nofollow) for link in page.links]


NAMES = ["p", "div", "b", "i", "span", "ul", "section", "h1", "em", "x-y", "blockquote", "noscript"]
texts = st.text(st.sampled_from("ab <>&;=\"'é日\n\t\u00a0#"), max_size=8)
values = st.text(st.sampled_from("ab/?&=;:<>\"'é #.copy"), max_size=8)


def escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


@st.composite
def elements(draw, depth=4, in_anchor=False):
    kind = draw(st.sampled_from(["text", "text", "a", "img", "comment", "script", "area", *NAMES]))
    if kind == "comment":
        return f"<!-- {escape(draw(texts))} <a href=/no>-->"
    if kind == "script":
        return "<script>'<a href=/no>'</script>"
    if kind == "img":
        return f'<img src=x alt="{escape(draw(values))}">'
    if kind == "area":
        return f'<area alt=x href="{escape(draw(values))}">'
    if kind == "text" or depth == 0 or (kind == "a" and in_anchor):
        return escape(draw(texts))
    inner = "".join(draw(st.lists(elements(depth - 1, in_anchor or kind == "a"), max_size=4)))
    if kind == "p" or kind == "h1":  # a block would end these
        inner = escape(draw(texts))
    attributes = f' href="{escape(draw(values))}" rel="{escape(draw(values))}"' if kind == "a" else ""
    return f"<{kind}{attributes}>{inner}</{kind}>"


@given(st.lists(elements(), max_size=6))
def test_tree_and_flat_reading_agree(parts):
    html = (
        "<!doctype html><html><head><title>t &amp; u</title></head><body>" + "".join(parts) + "</body></html>"
    )
    assert with_anchors(read_events(tree_events(html))) == with_anchors(read_events(flat_events(html)))


@example("&#1")
@example("&#x00001f;&#xfdd0")
@given(st.text(st.sampled_from("ab&#x0123456789;=copyltampnotin "), max_size=20))
def test_entities_in_values_are_those_of_the_parser(value):
    page = f"<title>x</title><img alt='{value}'>"
    (tree,) = [attributes for kind, _, attributes in tree_events(page) if kind == "img"]
    flat = attributes_of(f" alt='{value}'")
    assert (tree["alt"] or "").replace("\ufffd", "") == (flat["alt"] or "").replace("\ufffd", "")


NAMES_READ = {"alt", "charset", "content", "href", "http-equiv", "name", "rel"}


@example("<a ab rel\0 REL=x relx alt =y alt=z =href=/ href")
@given(st.lists(st.sampled_from([*"<>!-/ab='\" \n\0", "rel", "ALT", "href "]), max_size=60).map("".join))
def test_tags_are_those_of_the_parser(text):
    """Where words end and tags begin, in soup of the characters that decide it."""
    flat = [attributes for kind, _, attributes in flat_events("<p>" + text) if kind == "a"]
    tree = [attributes for kind, _, attributes in tree_events("<p>" + text) if kind == "a"]
    written = [{name: a[name] or "" for name in a if name in NAMES_READ} for a in tree]
    unrepeated = [a for i, a in enumerate(written) if a not in written[:i]]
    assert [a for i, a in enumerate(flat) if a not in flat[:i]] == unrepeated


@example("&#128;&#0;&#xD800;&#1;&#xFDD0;&#160;&#xaD;&notit;&amp=&#0000000000065;&#99999999999999999999")
@given(st.text(st.sampled_from("ab&#x0123456789;=copyltampnotinCD é"), max_size=20))
def test_entities_in_words_are_those_of_the_standard_library(text):
    assert "".join(words for _, words, _ in flat_events(text)) == html.unescape(text)


def test_a_long_page_is_read_flat_and_a_short_one_as_a_tree():
    assert is_harmless("<p>" * 6_000) and not is_harmless("<p>" * 7_000)
    assert not is_harmless("<b>" * 1_000)
