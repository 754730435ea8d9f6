"""The results of a query: each with its snippet, why it has its rank, and the near-duplicates under it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from ircourse.engine.results import EngineHit, Results
from ircourse.engine.scores import COMPONENTS
from ircourse.engine.server.asked import PER_PAGE, Asked
from ircourse.engine.server.markup import Html, element, joined
from ircourse.engine.server.page import (
    COMPONENT_NAMES,
    MOST_LINKED,
    MOST_TITLE,
    counted,
    kept_link,
    page_link,
    shortened,
    shown,
    tabs,
    trouble,
)
from ircourse.engine.snippets import Pieces

__all__ = ["day", "found", "said_of"]

MOST_MIRRORS = 50
BAR = 100  # units of its width
AROUND = 2  # pages named on each side of the one shown

# What is the same in each result
_WHY = element("span", "Why this rank")
_GROUND = element("rect", width=BAR, height=8, class_="ground")
_LABELS = {
    name: element("th", COMPONENT_NAMES[name], scope="row", class_=f"key {name}") for name in COMPONENTS
}
_COLUMNS = [element("th", name, scope="col") for name in ("Match", "Weight", "Share")]
_HEAD = element("thead", element("tr", element("td"), *_COLUMNS, element("td")))


def said_of(results: Results, asked: Asked) -> str:
    """Return how many results there are, in a line."""
    pages = -(-results.total // PER_PAGE)
    where = f", page {asked.page:,} of {pages:,}" if pages > 1 else ""
    return f"{counted(results.total, 'result')}{where}"


def found(results: Results, asked: Asked) -> Html:
    """Return the results of a query, or what to do where there are none."""
    notes = joined(tabs(asked, "/"), _suggestion(results, asked), _unknown(results))
    if not results.total:
        why = "try other words, fewer of them, or without quotation marks"
        return joined(notes, trouble("No page was found", why))
    if not results.hits:
        pages = -(-results.total // PER_PAGE)
        first = element("p", element("a", "To the first page", href=asked.path()))
        return joined(
            notes, trouble("No such page of results", f"there are {counted(pages, 'page')} of them"), first
        )
    shares = results.weights.shares()
    hits = [_hit(hit, results, shares) for hit in results.hits]
    heading = element("h1", f"Results for {shortened(asked.q, 80)}", class_="unseen")
    return joined(
        heading, notes, element("ol", *hits, class_="hits", start=results.offset + 1), _pages(results, asked)
    )


def _suggestion(results: Results, asked: Asked) -> Html | None:
    if results.suggestion is None:
        return None
    link = element("a", results.suggestion, href=asked.path(q=results.suggestion))
    return element("p", "Did you mean ", link, "?", class_="suggestion")


def _unknown(results: Results) -> Html | None:
    if not results.unknown:
        return None
    words = ", ".join(shortened(word, 40) for word in results.unknown[:5])
    more = " and others" if len(results.unknown) > 5 else ""
    return element("p", f"No page here holds: {words}{more}.", class_="note")


def _hit(hit: EngineHit, results: Results, shares: Mapping[str, float]) -> Html:
    name, q = _name(hit), results.query
    about = joined(
        element("time", day(hit.date), datetime=hit.date.isoformat()) if hit.date else None,
        kept_link("Text kept", hit.url, q=q, label=f"Text kept of {name}"),
        kept_link("Pages like this", hit.url, "/like", q=q, label=f"Pages like this: {name}"),
    )
    return element(
        "li",
        element("h2", page_link(hit.url, _pieces(hit.title_pieces), q), dir="auto"),
        element("p", shown(hit.url), class_="url", dir="ltr"),
        element("p", _pieces(hit.snippet), class_="snippet", dir="auto"),
        element("p", about, class_="about"),
        _why(hit, shares),
        _mirrors(hit),
        data_url=hit.url[:MOST_LINKED],
    )


def _name(hit: EngineHit) -> str:
    return shortened(hit.title or hit.url, 80)


def _pieces(pieces: Pieces) -> Html:
    """Return text with its marked words in <mark>, cut where a title is longer than a title is."""
    children: list[Html | str] = []
    left = 3 * MOST_TITLE
    for text, is_marked in pieces:
        shown = text[:left]
        children.append(element("mark", shown) if is_marked else shown)
        left -= len(shown)
        if left <= 0:
            children.append("…")
            break
    return joined(*children)


def day(date: datetime) -> str:
    """Return a date as a reader writes it.

    >>> day(datetime(2026, 5, 7))
    '7 May 2026'
    """
    months = "January February March April May June July August September October November December"
    return f"{date.day} {months.split()[date.month - 1]} {date.year}"


def _why(hit: EngineHit, weights: Mapping[str, float]) -> Html:
    rows, longest = [], max(hit.parts.values())
    for name in COMPONENTS:
        share, weight = hit.parts[name], weights[name]
        cells = [f"{share / weight:.2f}" if weight else "–", f"{weight:.2f}", f"{share:.3f}"]
        bar = element("td", _bar([(name, share)], longest))
        rows.append(element("tr", _LABELS[name], *[element("td", cell) for cell in cells], bar))
    caption = element("caption", f"Share = match × weight; together {hit.score:.3f} of 1")
    table = element("table", caption, _HEAD, element("tbody", *rows))
    summary = element(
        "summary",
        _WHY,
        element("span", f" {hit.score:.3f} ", class_="score"),
        _bar(list(hit.parts.items()), 1.0),
    )
    return element("details", summary, table, class_="why", data_key="why")


def _bar(shares: list[tuple[str, float]], whole: float) -> Html:
    """Return a bar in which each share above 0 has its length, ``whole`` the whole width."""
    rects, x = [_GROUND], 0.0
    for name, share in shares:
        if share > 0:
            width = BAR * share / whole
            rects.append(element("rect", x=f"{x:.2f}", width=f"{width:.2f}", height=8, class_=name))
            x += width
    return element(
        "svg", *rects, class_="bar", viewBox=f"0 0 {BAR} 8", preserveAspectRatio="none", aria_hidden="true"
    )


def _mirrors(hit: EngineHit) -> Html | None:
    if not hit.mirrors:
        return None
    items = [element("li", page_link(url, shown(url)), dir="ltr") for url in hit.mirrors]
    left = len(items) - MOST_MIRRORS
    more = element("li", f"and {left:,} more") if left > 0 else None
    name = counted(len(hit.mirrors), "near-duplicate")
    fold = joined(element("summary", f"{name} folded"), element("ul", *items[:MOST_MIRRORS], more))
    return element("details", fold, class_="mirrors", data_key="mirrors")


def _pages(results: Results, asked: Asked) -> Html | None:
    """Return the links to other pages of the results."""
    last = -(-results.total // PER_PAGE)
    if last < 2:
        return None
    near = {1, last, *range(max(1, asked.page - AROUND), min(last, asked.page + AROUND) + 1)}
    links: list[Html] = []
    if asked.page > 1:
        links.append(
            element("li", element("a", "← Previous", href=asked.path(page=asked.page - 1), rel="prev"))
        )
    before = 0
    for page in sorted(near):
        if page > before + 1:
            links.append(element("li", "…", aria_hidden="true"))
        current = "page" if page == asked.page else None
        label = element(
            "a", page, href=asked.path(page=page), aria_current=current, aria_label=f"Page {page}"
        )
        links.append(element("li", label))
        before = page
    if asked.page < last:
        links.append(element("li", element("a", "Next →", href=asked.path(page=asked.page + 1), rel="next")))
    return element("nav", element("ul", *links), class_="pages", aria_label="Pages of results")
