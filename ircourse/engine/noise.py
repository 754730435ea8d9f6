"""Noise: the lines that a site puts on most of its pages (book, section 19.6, on what duplicates share).

Menus, notices and footers say nothing of the page they stand on, and make pages of a site alike that are not.
A line of a host is noise if more than half of the host's different texts have it, there are at least five of
these, and it has at most twelve words: longer ones are sentences, which copies of a page share too. A page
that would be left without any line keeps all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ircourse.dedup import common_lines, without_lines
from ircourse.text import tokenize

__all__ = ["cleaned", "noise_of"]

SHARE, LEAST_TEXTS, MOST_WORDS = 0.5, 5, 12


def noise_of(texts: Iterable[str]) -> frozenset[str]:
    r"""Return the lines that are noise among the texts of one host.

    >>> pages = [f"Home | Map\nThe {name}" for name in ("quay", "inn", "crane", "mole", "bell")]
    >>> noise_of(pages), noise_of(pages[:4])
    (frozenset({'Home | Map'}), frozenset())
    """
    different = dict.fromkeys(texts)
    if len(different) < LEAST_TEXTS:
        return frozenset()
    return frozenset(line for line in common_lines(different, SHARE) if len(tokenize(line)) <= MOST_WORDS)


def cleaned(text: str, noise: Collection[str]) -> str:
    r"""Return a text without its host's noise.

    >>> cleaned("Home | Map\nFerries", {"Home | Map"}), cleaned("Home | Map", {"Home | Map"})
    ('Ferries', 'Home | Map')
    """
    return without_lines(noise)(text).strip() or text if noise else text
