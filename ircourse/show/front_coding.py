"""The explorer of front coding (section 20.4): of each URL what is not the beginning of the one before it."""

from __future__ import annotations

from typing import NamedTuple

from ircourse.graphs import front_code
from ircourse.graphs.front_coding import Fronted
from ircourse.show.charts_svg import bars
from ircourse.show.controls import Number, Text
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.style import INK, MONO, MUTED, RULE
from ircourse.show.svg import Drawing, below, caption, clip, element, joined, label, plural

MOST_URLS, MOST_SHOWN, WIDTH = 20, 68, 640.0
URLS = "\n".join(
    f"http://gazette.saltmere.example/{path}"
    for path in (
        "",
        "about.html",
        "letters.html",
        "news/crab.html",
        "news/gale.html",
        "news/",
        "tides/9.html",
        "tides/10.html",
    )
)

__all__ = ["Fronts", "front_code_urls"]


class Fronts(NamedTuple):
    """URLs in order, and how front coding writes them."""

    urls: list[str]
    coded: list[Fronted]
    plain: int
    packed: int


def _urls(text: str) -> list[str]:
    urls = sorted({line.strip() for line in text.splitlines() if line.strip()}, key=str.encode)
    if not 0 < len(urls) <= MOST_URLS:
        raise ValueError(f"{len(urls)} URLs: write one to {MOST_URLS}, each on a line.")
    return urls


def front_code_urls(urls: str = URLS) -> Explorer:
    """Return sorted URLs with what front coding writes of each in bold."""

    def state(urls: list[str], block: int) -> Fronts:
        coded = front_code(urls, block)
        packed = sum(len(front.rest) + 2 for front in coded)
        return Fronts(urls, coded, sum(len(url.encode()) for url in urls), packed)

    def parts_of(front: Fronted, url: str) -> tuple[str, str]:
        data = url.encode()
        shared = clip(data[: front.shared].decode(errors="replace"), 40)
        return shared, clip(front.rest.decode(errors="replace"), MOST_SHOWN - len(shared))

    def draw(fronts: Fronts) -> Drawing:
        parts = []
        for i, (url, front) in enumerate(zip(fronts.urls, fronts.coded, strict=True)):
            shared, rest = parts_of(front, url)
            said = [
                element("tspan", shared, fill=MUTED),
                element("tspan", rest, fill=INK, font_weight="bold"),
            ]
            y = 16.0 + 22 * i
            parts.append(label(str(front.shared), 30, y, anchor="end"))
            parts.append(element("text", *said, x=44.0, y=y, font_family=MONO, font_size=14))
            if not front.shared:
                parts.append(element("line", x1=0, x2=WIDTH, y1=y - 16, y2=y - 16, stroke=RULE))
        words = "bytes as in the URL before, and (bold) the bytes that are written"
        lines = Drawing(WIDTH, 22.0 * len(parts) / 2 + 6, joined(parts))
        chart = bars(["plain", "front-coded"], [fronts.plain, fronts.packed], "bytes", width=WIDTH)
        return below(caption(words, WIDTH), lines, chart, gap=8)

    def describe(fronts: Fronts) -> str:
        written = (
            f"{plural(len(fronts.urls), 'URL')}: {fronts.plain} bytes plain, {fronts.packed} front-coded"
        )
        return f"{written}, two of them for each URL's numbers: bytes shared, bytes written."

    def table(fronts: Fronts) -> list[Row]:
        pairs = zip(fronts.urls, fronts.coded, strict=True)
        rows = [[front.shared, parts_of(front, url)[1], url] for url, front in pairs]
        return [["shared", "written", "URL"], *rows]

    text = Text("URLs", urls, _urls, lines=8, examples=["a\nab\nabc", "x"])
    return Sliders(
        state,
        draw,
        describe,
        table,
        title="Front coding",
        controls={"urls": text, "block": Number("URLs in a block", 1, 16, 3)},
        notice="A block begins with a URL written whole, below a line. Shorter blocks take more room; what "
        "do they save whoever looks for one URL?",
    )
