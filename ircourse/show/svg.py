"""Markup that cannot carry a script, and the shapes of which every picture is made.

Everything a crawled page says is hostile. `Markup` is the only type that the explorers put on a page, and
`element` the only way to make some: it escapes every string it is given and knows the few tags and attributes
that drawing needs, none of which runs or loads anything.

A `Drawing` is a piece of SVG with its size in pixels; `beside` and `below` put drawings together and `figure`
turns one into an <svg> on a light card, readable in a light and in a dark notebook. No element has an id, so
that the same picture can stand twice on a page.
"""

from __future__ import annotations

import base64
import html
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ircourse.show.style import FONT, INK, PAPER, RULE, SIZE

TAGS = frozenset(
    """svg g title rect circle ellipse line path polygon polyline text tspan
    div p span strong code ul ol li img details summary table caption thead tbody tr th td""".split()
)
ATTRIBUTES = frozenset(
    """x y x1 x2 y1 y2 cx cy r rx ry d points width height viewBox xmlns transform fill stroke opacity style
    text-anchor dominant-baseline font-family font-size font-weight font-style stroke-width stroke-dasharray
    stroke-linecap stroke-linejoin role class alt src scope colspan title lang open""".split()
)
# The values of attributes are lists of what may stand in them, since there is always one more way to load:
# url(…), image-set(…), a backslash. Only WORDS, which a reader hears or sees as text, may be anything.
WORDS = re.compile(r"alt|title|(aria|data)-[a-z]+(-[a-z]+)*")
SIMPLE = re.compile(r"[A-Za-z0-9 #%.,'+-]*")
VALUES = {
    "style": re.compile(r"([a-z-]+: [A-Za-z0-9 #%.,'+-]+(; |;?$))*"),
    "transform": re.compile(r"translate\([0-9.e+-]+ [0-9.e+-]+\)"),
    "src": re.compile(r"data:image/(svg\+xml|png);base64,[A-Za-z0-9+/=]+"),
    "xmlns": re.compile(r"http://www\.w3\.org/2000/svg"),
}
# What XML 1.0 has no place for: most control characters, lone surrogates, two non-characters.
NOT_IN_XML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
MARGIN = 14  # pixels between a picture and the rim of its card
_RAISED = str.maketrans("0123456789", "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")

__all__ = [
    "Drawing",
    "Markup",
    "below",
    "beside",
    "box",
    "caption",
    "clip",
    "data_uri",
    "element",
    "figure",
    "joined",
    "label",
    "plural",
    "shorten",
    "superscript",
    "text_width",
]


class Markup:
    """HTML or SVG that is safe to show; ``Markup("a string")`` is that string, escaped.

    >>> str(Markup("<b>"))
    '&lt;b&gt;'
    """

    __slots__ = ("_source",)

    def __init__(self, text: object = "") -> None:
        self._source = html.escape(NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", str(text)), quote=True)

    def __str__(self) -> str:
        return self._source

    def __repr__(self) -> str:
        return f"<Markup, {len(self._source)} characters>"


def _made(source: str) -> Markup:
    """Wrap what this module wrote itself."""
    made = Markup()
    made._source = source
    return made


def _attribute(name: str, value: Any) -> str:
    name = name.rstrip("_").replace("_", "-")
    if name not in ATTRIBUTES and not WORDS.fullmatch(name):
        raise ValueError(f"no picture needs the attribute {name!r}: use one of svg.ATTRIBUTES")
    if isinstance(value, float):
        value = f"{value:.2f}".rstrip("0").rstrip(".")
    if not WORDS.fullmatch(name) and not VALUES.get(name, SIMPLE).fullmatch(str(value)):
        said = clip(str(value), 60)
        raise ValueError(f"{name}={said!r} could load or run something: svg.VALUES says what may stand there")
    return f' {name}="{Markup(value)}"'


def element(tag: str, *children: object, **attributes: Any) -> Markup:
    """Return ``<tag attributes>children</tag>``, children that are not `Markup` escaped.

    Attribute names are written with ``_`` for ``-``; ``class_`` is class; None leaves an attribute out.

    >>> str(element("text", "1 < 2", x=1.5, font_size=14))
    '<text x="1.5" font-size="14">1 &lt; 2</text>'
    >>> element("script", "alert(1)")
    Traceback (most recent call last):
        ...
    ValueError: no picture needs the tag 'script': use one of svg.TAGS
    """
    if tag not in TAGS:
        raise ValueError(f"no picture needs the tag {tag!r}: use one of svg.TAGS")
    written = "".join(_attribute(name, value) for name, value in attributes.items() if value is not None)
    if tag == "img":
        return _made(f"<img{written}>")
    return _made(f"<{tag}{written}>{joined(children)}</{tag}>")


def joined(parts: Iterable[object]) -> Markup:
    """Return the parts one after the other, strings escaped."""
    return _made("".join(str(part if isinstance(part, Markup) else Markup(part)) for part in parts))


@dataclass(frozen=True, slots=True)
class Drawing:
    """A piece of SVG, its upper left corner at (0, 0), and its size in pixels."""

    width: float
    height: float
    body: Markup


def plural(n: int, word: str) -> str:
    """Return a number and its noun.

    >>> plural(1, "edge"), plural(12_000, "edge")
    ('1 edge', '12,000 edges')
    """
    return f"{n:,} {word}{'' if n == 1 else 's'}"


def superscript(n: int) -> str:
    """Return a whole number of at least 0 in raised digits.

    >>> superscript(12)
    '¹²'
    """
    return str(n).translate(_RAISED)


def _moved(drawing: Drawing, x: float, y: float) -> Markup:
    return element("g", drawing.body, transform=f"translate({x:g} {y:g})")


def beside(*drawings: Drawing, gap: float = 24) -> Drawing:
    """Return the drawings from left to right, their tops aligned."""
    xs = [sum(d.width for d in drawings[:i]) + gap * i for i in range(len(drawings) + 1)]
    body = joined(_moved(d, x, 0) for d, x in zip(drawings, xs, strict=False))
    return Drawing(xs[-1] - gap, max(d.height for d in drawings), body)


def below(*drawings: Drawing, gap: float = 12) -> Drawing:
    """Return the drawings from top to bottom, their left edges aligned."""
    ys = [sum(d.height for d in drawings[:i]) + gap * i for i in range(len(drawings) + 1)]
    body = joined(_moved(d, 0, y) for d, y in zip(drawings, ys, strict=False))
    return Drawing(max(d.width for d in drawings), ys[-1] - gap, body)


def _advance(character: str) -> float:
    if character in "iljtfrI.,:;'|!()[] /\N{HORIZONTAL ELLIPSIS}":
        return 0.36 if character != "\N{HORIZONTAL ELLIPSIS}" else 1.0
    if unicodedata.combining(character):
        return 0.0
    if character in "mwMW@%" or unicodedata.east_asian_width(character) in "WF":
        return 1.0
    return 0.72 if character.isupper() else 0.6


def text_width(text: str, size: float = SIZE) -> float:
    """Return an upper estimate, in pixels, of the width of ``text`` in the usual sans-serif fonts."""
    return size * sum(map(_advance, text))


def clip(text: str, most: int) -> str:
    """Return ``text``, its middle replaced by … where it has more than ``most`` characters.

    >>> clip("harbour.example/timetables/ferries", 12)
    'harbou…rries'
    """
    half = most // 2
    tail = text[len(text) - (most - half - 1) :]
    return text if len(text) <= most else f"{text[:half]}\N{HORIZONTAL ELLIPSIS}{tail}"


def shorten(text: str, width: float, size: float = SIZE) -> str:
    """Return ``text``, its middle replaced by … where it is wider than ``width`` pixels.

    Both ends of a URL tell pages apart, so the middle goes first.

    >>> shorten("harbour.example/timetables/ferries", 130)
    'harbour.…s/ferries'
    """
    text = clip(text, 400)
    keep = len(text)
    short = text
    while keep > 2 and text_width(short, size) > width:
        keep -= 1
        short = text[: (keep + 1) // 2 - 1] + "\N{HORIZONTAL ELLIPSIS}" + text[len(text) - keep // 2 :]
    return short


def label(text: str, x: float, y: float, *, anchor: str = "start", bold: bool = False, **more: Any) -> Markup:
    """Return one line of text; ``y`` is its base line, ``anchor`` "start", "middle" or "end"."""
    weight = "bold" if bold else None
    anchored = None if anchor == "start" else anchor
    attributes = {"text_anchor": anchored, "font_weight": weight, "fill": INK, "font_size": SIZE, **more}
    return element("text", text, x=float(x), y=float(y), **attributes)


def box(x: float, y: float, width: float, height: float, **more: Any) -> Markup:
    """Return a rectangle."""
    sizes = {"x": float(x), "y": float(y), "width": float(width), "height": float(height)}
    return element("rect", **sizes, **{"fill": PAPER, "stroke": RULE, **more})


def caption(text: str, width: float) -> Drawing:
    """Return a bold line above a part of a picture."""
    return Drawing(width, 20, label(shorten(text, width), 0, 15, bold=True))


def figure(drawing: Drawing, says: str) -> Markup:
    """Return the drawing as an <svg> on a light card; ``says`` is what it tells a reader who sees nothing."""
    width, height = round(drawing.width + 2 * MARGIN), round(drawing.height + 2 * MARGIN)
    card = box(0.5, 0.5, width - 1, height - 1, rx=6)
    return element(
        "svg",
        card,
        _moved(drawing, MARGIN, MARGIN),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
        aria_label=says,
        font_family=FONT,
        style="max-width: 100%; height: auto",
    )


def data_uri(svg: Markup) -> str:
    """Return an <svg> as the source of an <img>, in which no script runs whatever it holds."""
    return "data:image/svg+xml;base64," + base64.b64encode(str(svg).encode()).decode("ascii")
