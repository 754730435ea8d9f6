"""The text of a page without what stands around it: menus, footers, lists of links (notes, noise).

block   a piece of text between two tags that begin a new line; its ``worth`` is its words − COST · its tags
margin  a block within ``nav``, ``footer`` or ``aside``, where the author says what is no content
slope   sums of the worths from the first block on: flat where links crowd, steep where there is text

Drawn over all the words and tags of a page, that curve climbs through the main text. So the main text is the
run of blocks with the largest sum, which one pass finds. What a whole site repeats, a footer of a sentence
say, looks like text on one page; it shows beside the other pages of its host, by `without_recurring`.

Pages are read tag after tag, as `flat` reads long ones, so that none takes long, however it nests.

Differs from the source: a tag costs half a word, not a whole one, which cut a third off the documentation
of Python and short lists off the pages of Saltmere. With a half, 99% of the words of both are kept; of menus
that no element marks many stay, and `without_recurring` is the surer way where there are other pages.
Libraries were weighed: trafilatura 2.3 loses a fifth of that documentation and brings a dozen packages,
jusText 3.0 takes a third of Saltmere, with its short paragraphs, for noise (tests/benchmarks/boilerplate.py).

Sources: Finn, Kushmerick and Smyth (2001), document slope curves; Bentley (1984), the largest sum.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from ircourse.crawl.pages.bodies import body_of, up_to_limits
from ircourse.crawl.pages.charset import decode_html, decode_text
from ircourse.crawl.pages.flat import BLOCKS, SILENT, TOKEN, decoded

__all__ = ["main_text", "without_recurring"]

COST = 0.5  # words that a tag costs
MARGINS = frozenset(["aside", "footer", "nav"])
LEAST = 3  # pages that a line must stand on to recur

_EAST = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # kana and Han, written without spaces: each a word
_WORD = re.compile(rf"[{_EAST}]|[^\W{_EAST}]+")
_NUMBER = re.compile(r"\d+")


class _Block(NamedTuple):
    line: str
    worth: float


def main_text(body: bytes, content_type: str | None = None) -> str:
    """Return the main text of a page: a line for each block, white space collapsed.

    content_type  header; types are taken as `parse_html` takes them, and limits are its limits

    Words outside margins, from the block where the slope begins to climb to the one where it ends. A margin
    that is not closed is none, and a page that is all margin is all text. The title is not part of it. No
    bytes raise. Raises TypeError where ``body`` is not bytes. Links within the main text stay; a page that
    is a list of links keeps it where these are of several words each.

    >>> page = b"<div><a href=/>Home</a> <a href=/map>Map</a></div><h1>Gale</h1>"
    >>> main_text(page + b"<p>A gale blew down the old crane.<footer>Printed on Mondays</footer>")
    'Gale\\nA gale blew down the old crane.'

    Source: Finn, Kushmerick and Smyth (2001).
    """
    body, kind = body_of(body, content_type)
    if kind == "text":
        return _collapsed(decode_text(body, content_type)[0].replace("\r", "\n").replace("\0", ""))
    if kind != "html":
        return ""
    blocks = _blocks(up_to_limits(decode_html(body, content_type)[0]))
    first, end = best_run([block.worth for block in blocks])
    return "\n".join(block.line for block in blocks[first:end] if block.line)


def without_recurring(texts: Sequence[str], share: float = 0.5) -> list[str]:
    """Return the texts of one host's pages without the lines that stand on many of them.

    share  of the pages, above 0 and at most 1; a line on fewer than three pages never recurs

    Lines that differ in numbers alone count as one, so that dates and counters do not hide a footer; a line
    without letters stays. Raises ValueError for another share.

    >>> pages = [f"Harbour office\\nShip {name} came in.\\nPage {i}" for i, name in enumerate("ABCD")]
    >>> without_recurring(pages)
    ['Ship A came in.', 'Ship B came in.', 'Ship C came in.', 'Ship D came in.']
    """
    if not 0 < share <= 1:
        raise ValueError(f"share is {share!r}: give a share of the pages above 0 and at most 1")
    pages = [[(line, _NUMBER.sub("0", line)) for line in text.split("\n")] for text in texts]
    counts = Counter(key for page in pages for key in {key for _, key in page})
    least = max(LEAST, share * len(pages))
    return [
        "\n".join(line for line, key in page if counts[key] < least or not any(map(str.isalpha, key)))
        for page in pages
    ]


def best_run(worths: Sequence[float]) -> tuple[int, int]:
    """Return first and end of the run with the largest sum; (0, 0) if none is > 0.

    Of several the first to end, and of those the longest: a title may be worth 0 by itself.

    >>> best_run([-2, 3, -1, 4, -5, 2])
    (1, 4)

    Source: Bentley (1984).
    """
    best = current = 0.0
    run, start = (0, 0), 0
    for place, worth in enumerate(worths):
        if current < 0:
            current, start = 0.0, place
        current += worth
        if current > best:
            best, run = current, (start, place + 1)
    return run


def _blocks(html: str) -> list[_Block]:
    """Return the blocks outside margins; where all words stand in margins, all blocks."""
    blocks: list[_Block] = []
    opened: dict[str, list[int]] = {name: [] for name in MARGINS}
    edges: Counter[int] = Counter()  # +1 where a margin begins, −1 where it ends
    words: list[str] = []
    marks = 0
    for kind, text in _pieces(html):
        if kind == "text":
            words.append(text)
            continue
        marks += 1
        name = kind.removeprefix("/")
        if name not in BLOCKS:
            continue
        blocks.append(_block(words, marks))
        words, marks = [], 0
        if name in MARGINS and kind == name:
            opened[name].append(len(blocks))
        elif name in MARGINS and opened[name]:
            edges[opened[name].pop()] += 1
            edges[len(blocks)] -= 1
    blocks.append(_block(words, marks))
    depths = accumulate(edges[place] for place in range(len(blocks)))
    content = [block for block, depth in zip(blocks, depths, strict=True) if not depth]
    return content if any(block.line for block in content) else blocks


def _block(words: list[str], tags: int) -> _Block:
    line = " ".join("".join(words).split())
    return _Block(line, sum(1 for _ in _WORD.finditer(line)) - COST * tags)


def _pieces(html: str) -> Iterator[tuple[str, str]]:
    """Yield ("text", words), and ("p", "") or ("/p", "") for a tag; nothing of scripts and templates."""
    done = templates = 0
    for token in TOKEN.finditer(html):
        if done < token.start() and not templates:
            yield "text", decoded(html[done : token.start()])
        done, end = token.end(), token["end"]
        name = (token["name"] or token["raw"] or "").lower()
        if name == "template":
            templates = max(0, templates + (-1 if end else 1))
        elif name and name not in SILENT and not templates and token["cut"] is None:
            yield (f"/{name}" if end else name), ""
            if token["raw"]:
                yield "text", decoded(token["content"])
                yield f"/{name}", ""
    if done < len(html) and not templates:
        yield "text", decoded(html[done:])


def _collapsed(text: str) -> str:
    """Return a text as lines with single spaces, none of them empty."""
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.split("\n"))))
