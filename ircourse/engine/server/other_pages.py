"""What is shown beside results: pages like one, hubs and authorities, and all that is kept of a page."""

from __future__ import annotations

from collections.abc import Sequence

from ircourse.engine.results import EnginePage, HubsAndAuthorities, ScoredPage
from ircourse.engine.server.asked import Asked
from ircourse.engine.server.markup import Html, element, joined
from ircourse.engine.server.page import (
    counted,
    kept_link,
    page_link,
    reachable,
    shortened,
    shown,
    tabs,
    trouble,
)
from ircourse.engine.server.results_page import day

__all__ = ["hubs_and_authorities", "kept_page", "no_hubs", "pages_like"]

MOST_TEXT, MOST_LINKS = 100_000, 100


def pages_like(url: str, title: str, pages: Sequence[ScoredPage]) -> Html:
    """Return the pages that are most like one."""
    heading = element("h1", "Pages like ", element("bdi", shortened(title or url, 120)))
    if not pages:
        return joined(heading, element("p", "No page here has anything in common with it."))
    note = "By the cosine of their places in the space of concepts (LSI); 1 is the same mixture of concepts."
    return joined(heading, _back(url), element("p", note, class_="note"), _ranked(pages, 1.0))


def hubs_and_authorities(found: HubsAndAuthorities, asked: Asked) -> Html:
    """Return what HITS says of the pages around a query's results."""
    if not found.links:
        why = "no page among the results and around them links to another of them"
        return joined(_top(asked), trouble("No links to follow", why))
    where = (
        "links within a host count, since there are no others"
        if found.within_hosts
        else ("links within a host do not count")
    )
    note = (
        f"HITS on the base set: the best results, the pages they link to and some that link to them; "
        f"{counted(found.pages, 'page')}, {counted(found.links, 'link')}; {where}."
    )
    authorities = element(
        "section",
        element("h2", "Authorities"),
        element("p", "Good hubs link to them.", class_="note"),
        _ranked(found.authorities),
    )
    hubs = element(
        "section",
        element("h2", "Hubs"),
        element("p", "They link to good authorities.", class_="note"),
        _ranked(found.hubs),
    )
    return joined(
        _top(asked), element("p", note, class_="note"), element("div", authorities, hubs, class_="beside")
    )


def no_hubs(asked: Asked) -> Html:
    """Return what is said where HITS does not converge."""
    why = "two groups of pages around this query are too much alike for HITS to say which of them leads"
    return joined(_top(asked), trouble("No one answer", f"{why}; another query has other pages around it"))


def _top(asked: Asked) -> Html:
    return joined(element("h1", f"Hubs and authorities for {shortened(asked.q, 80)}"), tabs(asked, "/hubs"))


def _ranked(pages: Sequence[ScoredPage], whole: float | None = None) -> Html:
    most = whole or max((page.score for page in pages), default=1.0)
    items = []
    for page in pages:
        bar = element(
            "svg",
            element("rect", width=100, height=8, class_="ground"),
            element("rect", width=f"{100 * min(page.score / most, 1):.2f}", height=8, class_="lsi"),
            class_="bar",
            viewBox="0 0 100 8",
            preserveAspectRatio="none",
            aria_hidden="true",
        )
        items.append(
            element(
                "li",
                element("div", page_link(page.url, page.title), dir="auto"),
                element("div", shown(page.url), class_="url", dir="ltr"),
                element("div", element("span", f"{page.score:#.3g} ", class_="score"), bar),
            )
        )
    return element("ol", *items, class_="plain")


def kept_page(page: EnginePage) -> Html:
    """Return what the engine knows of a page."""
    title = element("h1", shortened(page.title or page.url, 200), dir="auto")
    address = shown(page.url)
    facts = [
        ("Fetched", element("span", day(page.date)) if page.date else None),
        ("PageRank", element("span", f"{page.pagerank:.2f} times the average") if page.pagerank else None),
        (
            "Folded under",
            kept_link(shown(page.stands_for), page.stands_for) or shown(page.stands_for)
            if page.stands_for != page.url
            else None,
        ),
    ]
    listed = [element("div", element("dt", name), element("dd", value)) for name, value in facts if value]
    text = page.text[:MOST_TEXT]
    more = element("p", f"The rest, {len(page.text) - MOST_TEXT:,} characters, is left out.", class_="note")
    return joined(
        title,
        element(
            "p", page_link(page.url, address) if reachable(page.url) else address, class_="url", dir="ltr"
        ),
        element("dl", *listed, class_="facts") if listed else None,
        element("p", kept_link("Pages like this", page.url, "/like"), class_="about"),
        _addresses("Links to", page.links),
        _addresses("Linked from", page.linked_from),
        _addresses("Near-duplicates", page.mirrors),
        element("h2", "Text kept"),
        element("div", text or "This page has no text.", class_="text", dir="auto"),
        more if len(page.text) > MOST_TEXT else None,
    )


def _addresses(name: str, urls: Sequence[str]) -> Html | None:
    if not urls:
        return None
    items = [element("li", kept_link(shown(url), url) or shown(url), dir="ltr") for url in urls[:MOST_LINKS]]
    more = element("li", f"and {len(urls) - MOST_LINKS:,} more") if len(urls) > MOST_LINKS else None
    return element("details", element("summary", f"{name} ({len(urls):,})"), element("ul", *items, more))


def _back(url: str) -> Html:
    return element("p", kept_link("Text kept", url), class_="about")
