"""The page around every answer: the query box, the weights, landmarks; the first page; errors.

Everything works without the script: the weights are a form, folded things are details, results have pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from urllib.parse import quote, urlencode, urlsplit

from ircourse.engine.scores import COMPONENTS
from ircourse.engine.server.asked import DEFAULT, Asked
from ircourse.engine.server.markup import Html, element, escaped, joined, link_to

__all__ = [
    "COMPONENT_NAMES",
    "about",
    "counted",
    "framed",
    "kept_link",
    "page_link",
    "reachable",
    "shortened",
    "shown",
    "tabs",
    "trouble",
]

COMPONENT_NAMES = {
    "text": "Text",
    "title": "Title",
    "anchors": "Link texts",
    "pagerank": "PageRank",
    "lsi": "Meaning (LSI)",
}
MOST_TITLE, MOST_URL = 160, 110  # characters
MOST_LINKED = 2_000  # of an address that a link leads to or holds: more would make pages of any size
_TURNING = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_UNREACHABLE = (".example", ".test", ".invalid")  # names that lead nowhere by definition (RFC 6761)


def framed(
    title: str, asked: Asked, body: Html, *, said: str = "", weights: bool = False, first: bool = False
) -> Html:
    """Return a whole page.

    said     what a screen reader hears when the answer changes
    weights  whether the sliders stand beside the answer
    first    whether the query box takes the keys at once
    """
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("link", rel="stylesheet", href="/style.css"),
        element("link", rel="icon", href="/icon.svg", type="image/svg+xml"),
        element("script", src="/script.js", defer=True),
    )
    main = element(
        "main",
        element("p", said, id="said", role="status"),
        element("div", body, id="answer"),
        id="main",
        tabindex="-1",
    )
    beside = _sliders(asked) if weights else None
    middle = element("div", beside, main, class_="wide" if weights else "narrow")
    skip = element("a", "Skip to the answer", href="#main", class_="skip")
    page = element("html", head, element("body", skip, _header(asked, first), middle), lang="en")
    return Html(f"<!doctype html>\n{page}")


def _header(asked: Asked, first: bool) -> Html:
    box = element(
        "input",
        type="search",
        id="q",
        name="q",
        value=asked.q[:2000],
        placeholder="Search these pages",
        autocomplete="off",
        autocapitalize="none",
        spellcheck="false",
        enterkeyhint="search",
        autofocus=first,
    )
    form = element(
        "form",
        element("label", "Search these pages", for_="q", class_="unseen"),
        box,
        element("button", "Search", type="submit"),
        id="search",
        role="search",
        action="/",
        method="get",
    )
    home = element("a", "ircourse", element("span", " engine"), href="/", class_="home")
    return element("header", home, form)


def _sliders(asked: Asked) -> Html:
    rows = []
    for name in COMPONENTS:
        value = asked.weights[name]
        slider = element(
            "input",
            type="range",
            id=f"weight-{name}",
            name=name,
            min=0,
            max=100,
            step=1,
            value=value,
            form="search",
            data_default=DEFAULT[name],
        )
        label = element("label", COMPONENT_NAMES[name], for_=f"weight-{name}", class_=f"key {name}")
        shown = element(
            "span", value, class_="value", aria_hidden="true"
        )  # the slider itself tells its value
        rows.append(element("div", label, slider, shown))
    buttons = element(
        "p",
        element("button", "Rank again", type="submit", form="search", class_="without-script"),
        element("a", "Reset", href=Asked(asked.q).path(), id="reset"),
    )
    note = element("p", "Only the ratios of these numbers matter.", class_="note")
    fold = element(
        "details", element("summary", "What counts"), *rows, note, buttons, open=True, id="weights"
    )
    return element("aside", fold, aria_label="Weights of the ranking")


def tabs(asked: Asked, here: str) -> Html:
    """Return the links between a query's pages and its hubs and authorities."""
    places = {"/": "Pages", "/hubs": "Hubs and authorities"}
    links = [
        element("a", name, href=asked.path(path), aria_current="page" if path == here else None)
        for path, name in places.items()
    ]
    return element("nav", *links, class_="tabs", aria_label="Views of this query")


def about(facts: Mapping[str, str], best: Iterable[tuple[str, str]]) -> Html:
    """Return the first page: what is searched here, how to ask, and the pages of highest PageRank."""
    numbers = [element("div", element("dt", name), element("dd", value)) for name, value in facts.items()]
    hints = [
        "Any of the words finds a page; a phrase in double quotes counts as one.",
        "Under each result stands why it has its rank; the sliders change what counts.",
        joined("Press ", element("kbd", "/"), " to get to the query box."),
    ]
    first = [element("li", page_link(url, title), _address(url)) for url, title in best]
    return joined(
        element("h1", "Search these pages"),
        element("dl", *numbers, class_="facts"),
        element("ul", *[element("li", hint) for hint in hints], class_="hints"),
        element("h2", "Highest PageRank") if first else None,
        element("ol", *first, class_="plain") if first else None,
    )


def trouble(title: str, why: str) -> Html:
    """Return what is said where there is no answer."""
    return element(
        "div", element("h1", title), element("p", f"{why[:1].upper()}{why[1:]}."), class_="trouble"
    )


def page_link(url: str, title: str | Html, q: str = "") -> Html:
    """Return a link to a page: to itself where a browser can get there, else to its text as it was kept.

    Of an address over 2,000 characters the title alone.
    """
    name = title if isinstance(title, Html) else escaped(shortened(title, MOST_TITLE))
    name = name or shown(url)
    if not reachable(url):
        return kept_link(name, url, q=q) or element("span", name)
    return element("a", name, href=url, rel="noopener noreferrer nofollow")


def reachable(url: str) -> bool:
    """Whether a browser may and can go to an address.

    >>> reachable("http://town.org/"), reachable("http://town.example/"), reachable("file:///home/notes.txt")
    (True, False, False)
    """
    if len(url) > MOST_LINKED:
        return False
    return link_to(url) is not None and not (urlsplit(url).hostname or "").endswith(_UNREACHABLE)


def kept_link(
    name: str, url: str, path: str = "/page", *, q: str = "", label: str | None = None
) -> Html | None:
    """Return a link to what is kept of a page here, None of an address over 2,000 characters.

    q      stays in the query box
    label  what a screen reader says in place of the name

    >>> kept_link("Text kept", "http://a.example/", q="quay")
    '<a href="/page?url=http%3A%2F%2Fa.example%2F&amp;q=quay">Text kept</a>'
    """
    if len(url) > MOST_LINKED:
        return None
    return element("a", name, href=f"{path}?{_fields(url, q)}", aria_label=label)


@lru_cache(maxsize=64)
def _fields(url: str, q: str) -> str:
    return urlencode({"url": url} | ({"q": q} if q else {}), errors="replace")


def _address(url: str) -> Html:
    return element("span", shown(url), class_="url", dir="ltr")


def shown(url: str) -> Html:
    """Return an address as it is shown: in one line, and what would turn the order of letters as %XX.

    >>> shown("http://a.example/\u202egnp.exe")
    'http://a.example/%E2%80%AEgnp.exe'
    """
    return escaped(shortened(_TURNING.sub(lambda found: quote(found[0]), url), MOST_URL))


def shortened(text: str, width: int) -> str:
    """Return a text in one line, its middle left out where it is over ``width`` characters.

    >>> shortened("http://a.example/a/long/way/to/the/page.html", 24)
    'http://a.exam…/page.html'
    """
    text = " ".join(text.split())
    if len(text) <= width:
        return text
    end = (width - 1) * 2 // 5 + 1
    return f"{text[: width - 1 - end]}…{text[-end:]}"


def counted(n: int, one: str, many: str | None = None) -> str:
    """Return a number and its noun.

    >>> counted(1, "page"), counted(1200, "copy", "copies")
    ('1 page', '1,200 copies')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"
