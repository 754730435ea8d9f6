"""What an answer says to a crawler: keep it, follow it, or leave it (book, section 20.2.1; notes, redirects).

chain    the URLs that redirects have led through, the one asked for last
clicks   links followed from a seed to the page
links    URLs of the page that the filter lets through, in order, each once, but for those met lately
met      links that were judged lately: most links of a site lead to a few pages
relative a link without what it has in common with the page's own address: two mirrors have the same ones

The author's wishes count: a page that says noindex is not kept, links of one that says nofollow are not
followed. Both are read in the page itself, so it has to be fetched for them (claim C84). A long page is read
for its links alone, unless near copies are to be told: it is no apology, and a copy only byte by byte.

Differs from the book: there a page whose content was seen is dropped, with its links. Mirrors are left that
way, and with them what they alone have; so here copies are kept, and followed until their host has shown the
same content `MOST_COPIES` times, which ends the traps that say the same for ever. ``follow_copies`` False is
the book's way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ircourse.crawl.crawler.content import ContentSeen, SoftNotFound, made_up_url
from ircourse.crawl.crawler.retry import REDIRECTS, redirect
from ircourse.crawl.crawler.robots_files import origin_of
from ircourse.crawl.filters import UrlFilter
from ircourse.crawl.pages.html import ParsedPage, parse_html
from ircourse.crawl.pages.skim import LONG, skim_html
from ircourse.crawl.pages.wishes import AGENT
from ircourse.types import Response

__all__ = ["Reader", "Reading"]

MOST_MET = 200_000
MOST_COPIES = 5


class Reading(NamedTuple):
    """What is to be done with an answer.

    what    as in `Step`; "unsure" where the answer of ``ask``, a URL that cannot exist, has to come first
    why     in words
    keep    whether the answer is stored
    links   URLs to follow
    target  of a redirect
    content what makes the page another when it changes
    """

    what: str
    why: str = ""
    keep: bool = False
    links: tuple[str, ...] = ()
    target: str | None = None
    ask: str = ""
    content: str | bytes = ""


class Reader:
    """Reads answers.

    urls     the filter; its budgets are spent for URLs that are new to the crawl: `spend`
    seen     contents so far; None: copies are not told
    soft     what hosts answer to URLs that cannot exist; None: every page is believed
    follow_copies  see the module
    agent    the crawler's name, to which wishes may be addressed
    refused  how many links each rule of the filter has left out

    >>> reader = Reader(UrlFilter(["a.example"]))
    >>> page = b"<a href=/b>b</a> <a href=http://c.example/>c</a> <a href=/d rel=nofollow>d</a>"
    >>> reader.read(["http://a.example/"], Response(200, {"content-type": "text/html"}, page)).links
    ('http://a.example/b',)
    >>> reader.read(["http://a.example/x"], Response(301, {"location": "/y"})).target
    'http://a.example/y'
    """

    def __init__(
        self,
        urls: UrlFilter,
        seen: ContentSeen | None = None,
        soft: SoftNotFound | None = None,
        follow_copies: bool = True,
        agent: str = AGENT,
    ) -> None:
        self.urls, self.seen, self.soft, self.follow_copies = urls, seen, soft, follow_copies
        self._agent = agent.partition("/")[0].strip().lower()
        self._exact = seen is None or seen.threshold is None
        self._copies: Counter[tuple[str, str]] = Counter()  # by site and first URL of the content
        self.refused: Counter[str] = Counter()
        self._met: set[str] = set()

    def read(self, chain: Sequence[str], response: Response, clicks: int = 0) -> Reading:
        """Return what the answer to the last URL of ``chain`` amounts to."""
        if response.status in REDIRECTS:
            return self._redirect(chain, response, clicks)
        if not 200 <= response.status < 300:
            return Reading("dead", f"status {response.status}")
        url = chain[-1]
        is_long = len(response.body) > LONG and self._exact
        page = _skimmed(url, response, self._agent) if is_long else _parsed(url, response, self._agent)
        if self.soft and not is_long:
            if self.soft.hints(page.text, page.title) and self.is_unsure(url):
                return Reading("unsure", ask=made_up_url(url))
            if why := self.soft.judge(url, page.text, page.title):
                return Reading("soft 404", why)
        content = response.body if is_long else _content(page, url)
        copy = self.seen.look(url, content) if self.seen else None
        follow = page.follow and (copy is None or self._is_followed(url, copy.url))
        links = self._links(page, clicks + 1) if follow else ()
        if not page.index:
            return Reading("noindex", links=links)
        what, why = ("copy", f"of {copy.url}") if copy else ("stored", "")
        return Reading(what, why, keep=True, links=links, content=content)

    def learn(self, url: str, response: Response) -> None:
        """Take in what a host answered for the made-up ``url``; a redirect's target need not be asked."""
        if self.soft and response.status in REDIRECTS:
            self.soft.learn(url, response.status, end=redirect(response, [url]).url or "")
        elif self.soft:
            self.soft.learn(url, response.status, _parsed(url, response).text)

    def is_unsure(self, url: str) -> bool:
        """Whether it is not known what the host of ``url`` answers for a URL that cannot exist."""
        return self.soft is not None and not self.soft.knows(url)

    def forget(self, url: str) -> None:
        """Let links to a URL be followed again where they were met lately."""
        self._met.discard(url)

    def spend(self, url: str) -> bool:
        """Return whether the budgets let a URL in that is new to the crawl."""
        if rule := self.urls.spend(url):
            self.refused[rule] += 1
        return not rule

    def _is_followed(self, url: str, first: str) -> bool:
        """Whether the links of a copy are followed."""
        self._copies[origin_of(url), first] += 1
        return self.follow_copies and self._copies[origin_of(url), first] < MOST_COPIES

    def _redirect(self, chain: Sequence[str], response: Response, clicks: int) -> Reading:
        target, why = redirect(response, chain)
        if target is None:
            return Reading("dead", why)
        target = self.urls.clean(target)
        if target == chain[-1] and chain.count(target) > 1:  # another session each time
            return Reading("dead", "redirect loop")
        if rule := self.urls.refuse(target, clicks):
            return Reading("refused", f"a redirect to {target:.200}, by the rule {rule}")
        return Reading("redirect", f"to {target}", target=target)

    def _links(self, page: ParsedPage, clicks: int) -> tuple[str, ...]:
        met = self._met
        new = [link for link in page.links if link not in met and not link.nofollow]
        if len(met) > MOST_MET:
            met.clear()
        met.update(new)
        return tuple(dict.fromkeys(self._allowed(map(str, new), clicks)))

    def _allowed(self, links: Iterable[str], clicks: int) -> Iterator[str]:
        for link in links:
            url = self.urls.clean(link)
            if rule := self.urls.refuse(url, clicks):
                self.refused[rule] += 1
                if rule == "clicks":  # there may be a shorter way
                    self._met.discard(link)
            else:
                yield url


def _parsed(url: str, response: Response, agent: str = AGENT) -> ParsedPage:
    headers = response.headers
    kind, tag = headers.get("content-type"), headers.get("x-robots-tag")
    return parse_html(response.body, url, kind, robots_tag=tag, agent=agent)


def _skimmed(url: str, response: Response, agent: str) -> ParsedPage:
    headers = response.headers
    kind = headers.get("content-type", "")
    if kind.partition(";")[0].strip().lower() not in ("text/html", "application/xhtml+xml"):
        return _parsed(url, response, agent)
    return skim_html(response.body, url, kind, robots_tag=headers.get("x-robots-tag"), agent=agent)


def _content(page: ParsedPage, url: str) -> str:
    """Return what makes a page a copy of another: its text and its links, relative to itself."""
    path, origin = url.partition("?")[0], origin_of(url)
    folder = path[: path.rindex("/") + 1]
    relative = [
        link[len(folder) :] if link.startswith(folder) else link.removeprefix(origin) for link in page.links
    ]
    return "\n".join([page.text, *relative])
