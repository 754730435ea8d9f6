"""The links of a long page, without its words: what a crawler needs of it before the next request.

token    what is read: an anchor, ``area``, ``base``, ``meta`` or ``template``; all else is passed over
folder   a base without its last segment: relative links mean the same on all pages of a folder, so the cache
         of `canonical_url` serves them all

`skim_html` says of links and wishes what `parse_html` says of a long page, in less than half the time:
no Python runs for a tag that is none of these. Short pages are for `parse_html`, which builds a tree of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ircourse.crawl.pages.bodies import MAX_BODY, up_to_limits
from ircourse.crawl.pages.charset import decode_html, escape_query
from ircourse.crawl.pages.flat import ANY_ATTRIBUTES, attributes_of
from ircourse.crawl.pages.html import ESCAPE, MAX_ADDRESSES, MAX_LINKS, ParsedPage
from ircourse.crawl.pages.wishes import AGENT, NOFOLLOW, NOINDEX, header_wishes, meta_wishes
from ircourse.crawl.urls import MAX_URL, canonical_url
from ircourse.types import Link

__all__ = ["LONG", "skim_html"]

LONG = 20_000  # bytes beyond which `parse_html` builds no tree

_READ = r"(?:(?:a|area|base|meta)|/?template)(?=[\t\n\f\r />])"
_RAW_NAMES = ("script", "style", "xmp", "iframe", "noembed", "noframes", "textarea", "title")
_RAW = rf"(?:{'|'.join(_RAW_NAMES)})(?=[\t\n\f\r />])"
_RAW_ELEMENTS = "".join(
    rf"|<{name}(?=[\t\n\f\r />]){ANY_ATTRIBUTES}>.*?(?:</{name}(?=[\t\n\f\r />])[^>]*+>?|\Z)"
    for name in _RAW_NAMES
)
_TOKEN = re.compile(
    r"(?:[^<]++"
    rf"|<(?!{_READ}|{_RAW})/?[a-zA-Z][^<>\"'=]*+>"  # a tag without a value, as most are
    r"|<!--(?:-?>|.*?(?:--!?>|\Z))"
    rf"{_RAW_ELEMENTS}"
    rf"|<(?!{_READ})/?[a-zA-Z][^\t\n\f\r />]*+{ANY_ATTRIBUTES}(?:>|\Z)"
    r"|<[!?/][^>]*+(?:>|\Z)"
    r"|<(?![a-zA-Z/!?]))*+"
    rf"(?:<(?P<name>{_READ})(?P<attributes>{ANY_ATTRIBUTES})(?:>|(?P<cut>\Z))|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_IN_FOLDER = re.compile(r"[A-Za-z0-9._~-]")


def skim_html(
    body: bytes,
    url: str,
    content_type: str | None = None,
    *,
    robots_tag: str | None = None,
    agent: str = AGENT,
) -> ParsedPage:
    """Return the links and the wishes of a page of HTML; no text, title, anchors or canonical URL.

    Links that say nofollow are left out, and of several to one URL all but the first.

    >>> skim_html(b"<p>See <a href=/q#1>the quay</a>, <a href=/q>it</a>", "http://a.example/").links
    ('http://a.example/q',)
    """
    html, encoding = decode_html(bytes(body[:MAX_BODY]), content_type)
    wishes = header_wishes(robots_tag or "", agent)
    hrefs: list[str] = []
    written: str | None = None
    anchors = 0
    for name, attributes in _tokens(up_to_limits(html)):
        found = attributes_of(attributes)
        if name == "meta":
            wishes |= meta_wishes(found.get("name") or "", found.get("content") or "", agent)
        elif "href" in found and name == "base":
            written = (found["href"] or "") if written is None else written
        elif "href" in found and anchors < MAX_LINKS:
            anchors += 1
            if "nofollow" not in (found.get("rel") or "").lower().split():
                hrefs.append(found["href"] or "")
    base = canonical_url(url)
    if written is not None:
        base = canonical_url(escape_query(written, encoding), base) or base
    return ParsedPage(
        links=tuple(dict.fromkeys(_links(hrefs, base, encoding))),
        index=NOINDEX not in wishes,
        follow=NOFOLLOW not in wishes,
    )


def _tokens(html: str) -> Iterator[tuple[str, str]]:
    """Yield name and attributes of the tags that count, outside templates."""
    templates = 0
    for token in _TOKEN.finditer(html):
        name = (token["name"] or "").lower()
        if name == "template":
            templates += 1
        elif name == "/template":
            templates = max(0, templates - 1)
        elif name and not templates and token["cut"] is None:
            yield name, token["attributes"]


def _links(hrefs: list[str], base: str | None, encoding: str) -> Iterator[Link]:
    """Yield the URL of each href that can be crawled, until they are too long together."""
    left = MAX_ADDRESSES
    folder = base and base[: base.partition("?")[0].rindex("/") + 1]
    origin = base and base[: base.index("/", 8) + 1]
    for href in dict.fromkeys(hrefs):
        if len(href) > MAX_URL:
            continue
        href = escape_query(href.partition("#")[0], encoding)
        near = base
        if _IN_FOLDER.match(href):
            near = folder
        elif href.startswith("/"):
            near = origin
        url = canonical_url(href, near)
        left -= len(near or "") + len(href) + len(url or "")
        if "%" in href or "%" in (url or ""):
            left -= (ESCAPE - 3) * (href.count("%") + (url or "").count("%"))
        if left < 0:
            return
        if url:
            yield Link(url)
