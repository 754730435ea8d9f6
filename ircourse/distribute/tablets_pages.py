"""Bringing a crawl into a table: each page's text and title, and the anchor text of the links to it.

Source: notes-J; Chang et al. (2006), "Bigtable", section 2 (the Webtable).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from ircourse.distribute.tablets import Tablets
from ircourse.distribute.tablets_cells import row_key
from ircourse.types import Page
from ircourse.web.core import host_of

__all__ = ["load_pages"]

BATCH = 64  # pages that are written at once
MOST_TEXT = 1 << 21  # characters, which take no more than a value may
MOST_ANCHORS, MOST_ANCHOR = 100, 1000  # texts from one host to one page, and characters of each


def load_pages(table: Tablets, pages: Iterable[Page]) -> int:
    """Put pages into a table and return how many.

    "anchor:HOST" has the different texts of the links from HOST, a line each, at most 100; a page that is
    linked to and was not fetched has a row as well. Pages that come again replace text and title, and add to
    the anchors. Longer texts are cut. Raises ValueError for a page whose URL is not canonical.

    >>> from tempfile import TemporaryDirectory
    >>> from ircourse.types import Link
    >>> inn = Page("http://inn.example/", "a bed", "Inn", [Link("http://harbour.example/", "the harbour")])
    >>> with TemporaryDirectory() as folder, Tablets(folder, ["north"]) as table:
    ...     load_pages(table, [inn]), list(table.scan("example.harbour", "example.harbour0"))
    (1, [('example.harbour/', {'anchor:inn.example': 'the harbour'})])
    """
    count, waiting = 0, iter(pages)
    while batch := list(islice(waiting, BATCH)):
        cells: dict[str, dict[str, str]] = {}
        for page in batch:
            row = cells.setdefault(row_key(page.url), {})
            row |= {"text": page.text[:MOST_TEXT], "title": page.title[:MOST_TEXT]}
            _add_anchors(table, page, cells)
        table.put_all(sorted(cells.items()))
        count += len(batch)
    return count


def _add_anchors(table: Tablets, page: Page, cells: dict[str, dict[str, str]]) -> None:
    column = f"anchor:{host_of(page.url)}"
    for link in page.links:
        try:
            row = row_key(link)
        except ValueError:
            continue  # no address of a page
        there = cells.setdefault(row, {})
        if column not in there:
            there[column] = table.get(row, column).get(column, "")
        text = " ".join(getattr(link, "anchor", "").split())[:MOST_ANCHOR]
        texts = there[column].split("\n") if there[column] else []
        if text and text not in texts and len(texts) < MOST_ANCHORS:
            there[column] = "\n".join([*texts, text])
