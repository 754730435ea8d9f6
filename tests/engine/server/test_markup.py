"""Markup: nothing that is said on a page can become a part of it."""

import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.engine.server.markup import Html, element, escaped, joined, link_to

sys.path.insert(0, str(Path(__file__).parent))
from hostile import ATTACKS


class Read(HTMLParser):
    """What a parser makes of markup: tags with their attributes, and text."""

    def __init__(self, source):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


@given(st.text() | st.sampled_from(ATTACKS), st.text() | st.sampled_from(ATTACKS))
def test_text_and_values_come_back_as_they_were(text, value):
    read = Read(element("p", text, title=value))
    shown = [escaped(each).count("\ufffd") == each.count("\ufffd") for each in (text, value)]
    assert [tag for tag, _ in read.tags] == ["p"]
    if all(shown) and "\r" not in text + value:
        assert read.text == text and read.tags[0][1] == {"title": value}


def test_what_is_markup_already_is_not_escaped_again_and_strings_put_together_are():
    inner = element("b", "<")
    assert element("p", inner) == "<p><b>&lt;</b></p>"
    assert not isinstance(inner + "<i>", Html)
    assert joined(inner + "<i>", None, 3) == "&lt;b&gt;&amp;lt;&lt;/b&gt;&lt;i&gt;3"


def test_control_characters_are_shown_as_such():
    assert escaped("a\0b\x1bc\ud800\n") == "a\ufffdb\ufffdc\ufffd\n"


@pytest.mark.parametrize("name", ["onclick", "style", "srcdoc", "onerror", "formaction"])
def test_no_attribute_runs_or_styles_anything(name):
    with pytest.raises(ValueError, match=name):
        element("p", **{name: "x"})


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " javascript:alert(1)",
        "java\nscript:alert(1)",
        "\x01javascript:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/hosts",
        "//evil.example/",
        "/\\evil.example/",
        "http:///nohost",
        "http://user@a.example/",
        "http://a.example:x/",
        "http://[::1/",
        'http://a.example/">',
        "http://a.example/<b>",
        "",
        "x",
    ],
)
def test_no_other_address_is_a_link(url):
    assert link_to(url) is None
    with pytest.raises(ValueError, match="address"):
        element("a", "x", href=url)


@pytest.mark.parametrize(
    "url", ["http://a.example/x?y=1&z=%20#f", "https://xn--bcher-kva.example/ü", "/", "/?q=a", "#main"]
)
def test_addresses_that_are_links(url):
    assert Read(element("a", "x", href=url)).tags == [("a", {"href": url})]
