"""Canonical URLs: the standard's examples, what is merged and what is not, and any string at all."""

import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ircourse.crawl.urls import MAX_AUTHORITY, MAX_URL, canonical_url
from ircourse.types import Link

CASES = json.loads((Path(__file__).parent / "urls.json").read_text(encoding="utf-8"))
BASE = "http://harbour.example/ferries/times.html?day=1"
PARTS = [
    *"/\\.%@:?#&='\"<>|^`{}[];+*~-_ \t\n\0é日😀ß\ud800\udfff\u00a0\u200d\u3002",
    *(
        "http://",
        "HTTPS://",
        "//",
        "..",
        "%2e",
        "%2E",
        "%4",
        "%41",
        "%7e",
        "%25",
        "example",
        "www.",
        "xn--a",
        "::1",
    ),
    *(
        "127.0.0.1",
        "0x7f",
        "4294967296",
        "javascript:",
        "mailto:",
        "data:",
        "file:///C:",
        "u:p@",
        ":80",
        "a",
        "Z",
    ),
]
hrefs = st.one_of(st.text(), st.lists(st.sampled_from(PARTS), max_size=12).map("".join))
bases = st.one_of(
    st.none(), hrefs, st.sampled_from([BASE, "https://u:p@h.example:8443", "mailto:x", "", "//"])
)


@pytest.mark.parametrize(("href", "wanted"), CASES["resolve"])
def test_a_link_on_a_page_becomes_its_url(href, wanted):
    assert canonical_url(href, BASE) == wanted


@pytest.mark.parametrize("names", CASES["same"])
def test_two_spellings_of_one_page_are_one_url(names):
    assert len({canonical_url(name) for name in names}) == 1
    assert None not in map(canonical_url, names)


@pytest.mark.parametrize("names", CASES["distinct"])
def test_pages_that_a_server_can_tell_apart_stay_apart(names):
    assert len({canonical_url(name) for name in names}) == len(names)
    assert None not in map(canonical_url, names)


@given(hrefs, bases)
@example("http://a.example/%%34%31", None)
@example("http://a.example/%2541%7E", None)
@example("http://a.example/%25%34%31", None)
@example("http://a.example/.%2e/%2E%2e/b", None)
@example("http://@a.example/", None)
def test_any_string_gives_none_or_a_fixed_point(href, base):
    url = canonical_url(href, base)
    if url is not None:
        assert canonical_url(url) == canonical_url(url, base) == url
        assert url.isascii() and url.startswith(("http://", "https://")) and len(url) <= MAX_URL
        host = url.split("/")[2]
        assert host and "@" not in host and "#" not in url
        assert not set("\t\n\r \0") & set(url)


@given(hrefs, bases)
def test_a_base_counts_as_its_own_canonical_url(href, base):
    assert canonical_url(href, base) == canonical_url(href, canonical_url(base) if base is not None else None)


@given(
    st.lists(st.sampled_from(["%41", "%7e", "%2D", "%25", "%2f", "%3F", "a", "Z", "~", "-", "/"]), max_size=8)
)
def test_octets_outlive_the_spelling(parts):
    """Decoded, the path is what it was: a rule for names must not change what they name."""
    from urllib.parse import unquote_to_bytes

    path = "".join(parts)
    url = canonical_url(f"http://a.example/x{path}")
    assert unquote_to_bytes(url) == unquote_to_bytes(f"http://a.example/x{path}")
    assert url.count("/") == 3 + path.count("/")


def test_ten_thousand_broken_urls_never_raise():
    rng = random.Random(7)
    for _ in range(10_000):
        href = rng.choice(["", "http://", "//a.example"]) + "".join(rng.choices(PARTS, k=rng.randrange(9)))
        url = canonical_url(href, rng.choice([None, BASE]))
        assert url is None or canonical_url(url) == url


def test_a_repeated_link_comes_from_the_cache_the_same():
    assert canonical_url("a", BASE) == canonical_url("a", BASE) == "http://harbour.example/ferries/a"
    assert canonical_url("a") is None


def test_a_link_object_is_a_url():
    assert canonical_url(Link("http://a.example/x#y", anchor="y")) == "http://a.example/x"
    assert canonical_url("z", Link("http://a.example/x")) == "http://a.example/z"


@pytest.mark.parametrize("longest", [MAX_URL, MAX_URL + 1])
def test_too_long_is_none(longest):
    url = "http://a.example/".ljust(longest, "x")
    assert canonical_url(url) == (url if longest == MAX_URL else None)
    assert canonical_url("é" * (MAX_URL // 4), "http://a.example/") is None  # too long once it is escaped
    assert canonical_url("http://b.example/", url) == "http://b.example/"


@pytest.mark.parametrize("start", ["http://", "\t HTTPS:", "//", "\\\n/", "http:///"])
def test_a_long_authority_is_none(start):
    host = "@a.example/"
    for length, wanted in ((MAX_AUTHORITY, True), (MAX_AUTHORITY + 1, False)):
        url = canonical_url(start + "u" * (length - len(host) + 1) + host, "http://b.example/")
        assert (url is not None) == wanted
    assert canonical_url(start + "a.example/" + "é" * 1000, "http://b.example/") is not None
    assert canonical_url("x" * 2000 + "//y", "http://b.example/") is not None


@given(st.text(st.sampled_from("%%%0123456789abcdefABCDEFg")))
@example("".join(f"%{byte:02x}%{byte:02X}" for byte in range(256)))
def test_escapes_are_spelt_as_octet_by_octet(text):
    """The plain version: one escape after the other."""
    broken = re.search("%(?![0-9A-Fa-f]{2})", text)

    def spelling(match):
        plain = re.fullmatch("[A-Za-z0-9._~-]", chr(int(match[1], 16)))
        return plain[0] if plain and not broken else match[0].upper()

    wanted = re.sub("%([0-9A-Fa-f]{2})", spelling, text)
    assert canonical_url("http://a.example/?" + text) == "http://a.example/?" + wanted


@pytest.mark.parametrize("wrong", [b"http://a.example/", None, 7, ["http://a.example/"]])
def test_what_is_no_str_is_a_type_error(wrong):
    with pytest.raises(TypeError, match=r"must be a str, not \w+ .*decode"):
        canonical_url(wrong)
    if wrong is not None:
        with pytest.raises(TypeError, match="must be a str"):
            canonical_url("a", wrong)
