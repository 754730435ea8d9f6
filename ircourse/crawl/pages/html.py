"""What a crawler reads in a page: links and anchors, words, the author's wishes (book, section 20.2).

body    the bytes that the server sent, 10 MiB of them at most
url     where they came from
base    what relative links are relative to: the first ``base`` element, wherever it stands, else ``url``

The bytes become text (`charset`), the text a tree (the library selectolax, which builds the tree that
browsers build, however broken the page), and one walk over the tree collects words and links. Long pages are
read without a tree (`flat`), so that no page, however it nests, takes a crawler's time.

Differs from the book: it says "extract the links"; on real pages half the work is what stands around them.
Source: WHATWG HTML.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ircourse.crawl.pages.bodies import body_of, up_to_limits
from ircourse.crawl.pages.charset import decode_html, decode_text, escape_query
from ircourse.crawl.pages.flat import BLOCKS, BREAK, READ, SILENT, Attributes, Event, flat_events, is_harmless
from ircourse.crawl.pages.wishes import AGENT, NOFOLLOW, NOINDEX, header_wishes, meta_wishes
from ircourse.crawl.urls import MAX_URL, canonical_url
from ircourse.types import Link

__all__ = ["ParsedPage", "parse_html"]

MAX_LINKS = 50_000  # as in a sitemap
MAX_ADDRESSES = 20_000_000  # characters of all links, as written and in full, and of the base for each
ESCAPE = 10  # characters that an escape counts as
MAX_CANONICALS = 10


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """What a page says: see `parse_html`."""

    text: str = ""
    title: str = ""
    links: tuple[Link, ...] = ()
    index: bool = True
    follow: bool = True
    canonical: str | None = None


def parse_html(
    body: bytes,
    url: str,
    content_type: str | None = None,
    *,
    robots_tag: str | None = None,
    agent: str = AGENT,
) -> ParsedPage:
    """Return text, title, links and the author's wishes of the page ``body`` that came from ``url``.

    text       words as a reader without scripts sees them, ``noscript`` too: a line for each block, white
               space collapsed; nothing of script, style, template, frames, title
    title      of the first ``title`` element outside drawings
    links      every ``a`` and ``area`` with an href that `canonical_url` accepts, in document order, repeats
               too; ``.anchor`` is the text within, with the alt of images; ``.nofollow`` where rel says so
    index      False where ``meta`` robots (for all or for ``agent``) or X-Robots-Tag says noindex or none
    follow     False where one of them says nofollow or none
    canonical  URL of the first usable ``link rel=canonical`` of ten, else None

    content_type  header; other types than HTML give an empty page, ``text/plain`` its text, none at all HTML
    robots_tag    X-Robots-Tag, several headers joined by newlines; ``agent:`` before directives limits them

    No bytes raise, and none take much over a second: after 10 MiB, 200,000 tags, 50,000 links, 300,000
    entities, or 20,000,000 characters of addresses (as written, in full and of the base for each; an escape
    counts as ten) the page is not read on. The query of a link on a page that is not in UTF-8 is escaped in
    the encoding of the page, as browsers do. Raises TypeError where ``body`` is not bytes.

    >>> page = parse_html(b"<base href=/news/><p>See <a href='june.html' rel=nofollow>all of June</a>",
    ...                   "http://gazette.example/")
    >>> page.links, page.links[0].anchor, page.links[0].nofollow, page.text
    (('http://gazette.example/news/june.html',), 'all of June', True, 'See all of June')
    """
    body, kind = body_of(body, content_type)
    reader = _Reader(url, wishes=header_wishes(robots_tag or "", agent), agent=agent)
    if kind == "text":
        reader.words = [decode_text(body, content_type)[0].replace("\r", "\n").replace("\0", "")]
    elif kind == "html":
        html, reader.encoding = decode_html(body, content_type)
        reader.read(events(html))
    return reader.page()


def events(html: str) -> Iterator[Event]:
    """Yield words, breaks, anchors and instructions of a page, from its tree unless it is long."""
    if is_harmless(html):
        return tree_events(html)
    return flat_events(up_to_limits(html))


def tree_events(html: str) -> Iterator[Event]:
    """Yield words, breaks, anchors and instructions of a page in the order of its tree.

    >>> [kind for kind, words, attributes in tree_events("<a href=/q>quay<p>side</a>") if kind != "br"]
    ['a', 'text', '/a', 'a', 'text', '/a']
    """
    root = LexborHTMLParser(html).root
    for node, leaving in _walk(root) if root else ():
        tag = node.tag
        if tag == "-text":
            yield "text", (node.text_content or "").replace("\0", ""), {}
        elif tag in BLOCKS:
            yield BREAK
        elif tag == "a":
            yield ("/a", "", {}) if leaving else ("a", "", node.attributes)
        elif tag in READ and not leaving:
            yield tag, "", node.attributes
        elif tag == "title" and not leaving and node.parent and node.parent.tag != "svg":
            yield "title", node.text(), {}


def _walk(root: LexborNode) -> Iterator[tuple[LexborNode, bool]]:
    """Yield the nodes below ``root`` in document order with False, then elements with True at their end."""
    node = root.first_child
    while node is not None:
        yield node, False
        following = None if node.tag in SILENT else node.first_child
        while following is None:
            if node.is_element_node:
                yield node, True
            following, parent = node.next, node.parent
            if following is None:
                if parent is None or parent.mem_id == root.mem_id:
                    return
                node = parent
        node = following


@dataclass(slots=True)
class _Reader:
    """Puts events together to a page.

    spoken   words and alternative texts since the outermost open anchor began
    anchors  attributes and anchor text of each link, in document order
    open     for each open anchor: attributes, its place in anchors, where its words begin in spoken
    """

    url: str
    wishes: set[str]
    agent: str = AGENT
    encoding: str = "utf-8"
    title: str | None = None
    base: str | None = None
    words: list[str] = field(default_factory=list)
    spoken: list[str] = field(default_factory=list)
    anchors: list[tuple[Attributes, str]] = field(default_factory=list)
    open: list[tuple[Attributes, int, int]] = field(default_factory=list)
    canonical: list[str] = field(default_factory=list)

    def read(self, events: Iterable[Event]) -> None:
        """Take all events in."""
        for kind, words, attributes in events:
            if len(self.anchors) >= MAX_LINKS and (kind == "area" or not self.open):
                break
            if kind == "text" or kind == "br":
                words = words.replace("\n", " ") if words else "\n" if kind == "br" else ""
                self.words.append(words)
                if self.open:
                    self.spoken.append(words)
            elif kind == "a":
                self.open.append((attributes, len(self.anchors), len(self.spoken)))
                if "href" in attributes:
                    self.anchors.append((attributes, ""))
            elif kind == "/a":
                self.leave_anchor()
            elif kind == "title":
                self.title = words if self.title is None else self.title
            else:
                self.take_instruction(kind, attributes)
        while self.open:
            self.leave_anchor()

    def leave_anchor(self) -> None:
        """End the innermost anchor: its words are known."""
        attributes, place, start = self.open.pop()
        if "href" in attributes:
            self.anchors[place] = attributes, " ".join("".join(self.spoken[start:]).split())
        if not self.open:
            self.spoken.clear()

    def take_instruction(self, kind: str, attributes: Attributes) -> None:
        """Take in an element that has no words of its own."""
        href = attributes.get("href")
        if kind == "img" and self.open:
            self.spoken.append(f" {attributes.get('alt') or ''} ")
        elif kind == "area" and "href" in attributes:
            self.anchors.append((attributes, " ".join((attributes.get("alt") or "").split())))
        elif kind == "meta":
            self.wishes |= meta_wishes(
                attributes.get("name") or "", attributes.get("content") or "", self.agent
            )
        elif kind == "base" and "href" in attributes and self.base is None:
            self.base = href or ""
        elif kind == "link" and href and "canonical" in _words_of(attributes.get("rel")):
            self.canonical.append(href)

    def page(self) -> ParsedPage:
        """Return the page."""
        base = canonical_url(self.url)
        if self.base is not None:
            base = canonical_url(self.base, base) or base
        named = (self.address(href, base) for href in self.canonical[:MAX_CANONICALS])
        lines = (" ".join(line.split()) for line in "".join(self.words).split("\n"))
        return ParsedPage(
            text="\n".join(filter(None, lines)),
            title=" ".join((self.title or "").split()),
            links=tuple(self.links(base)),
            index=NOINDEX not in self.wishes,
            follow=NOFOLLOW not in self.wishes,
            canonical=next(filter(None, named), None),
        )

    def links(self, base: str | None) -> Iterator[Link]:
        """Yield the link of each ``a`` and ``area`` that can be crawled, until they are too long together."""
        left = MAX_ADDRESSES
        for attributes, anchor in self.anchors:
            href = attributes["href"] or ""
            url = self.address(href, base)
            left -= sum(map(_cost, (base, href, url)))
            if left < 0:
                break
            if url:
                yield Link(url, anchor, NOFOLLOW in _words_of(attributes.get("rel")))

    def address(self, href: str, base: str | None) -> str | None:
        """Return the URL of ``href`` as it stands in the page, None where there is nothing to crawl."""
        return canonical_url(escape_query(href, self.encoding), base) if len(href) <= MAX_URL else None


def _cost(address: str | None) -> int:
    """Return the characters of an address, its escapes counted for what they take."""
    return len(address) + (ESCAPE - len("%41")) * address.count("%") if address else 0


def _words_of(attribute: str | None) -> list[str]:
    """Return the words of an attribute in lower case."""
    return attribute.lower().split() if attribute else []
