"""Made-up words for generated pages: the same for the same key, Zipf's law, topics, edits.

key    uint64: what a text is made from
topic  a number; half of the words of a text are from the hundred of its topic, the others from all
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ircourse.graphs.generators import draws

__all__ = ["TOPICS", "rewritten", "spelled", "two_words_changed", "wording"]

SYLLABLES = [a + b for a in [*"bdfghjklmnprstvwz", "ch", "sh", "th"] for b in "aeiou"]
N_WORDS, TOPICS, PER_TOPIC = 5000, 40, 100
SHORTEST, LONGEST = 100, 299
# Word number w turns up in proportion to 1 / (w + 1), in whole numbers so that it is the same everywhere.
ZIPF = np.cumsum(10**12 // np.arange(1, N_WORDS + 1)).astype(np.uint64)
TENTH = np.uint64(2**64 // 10)

Numbers = NDArray[np.int64]


def spelled(numbers: Sequence[int] | Numbers) -> list[str]:
    """Return the words with these numbers, two syllables each, all different.

    >>> spelled([0, 1, 100])
    ['baba', 'bebi', 'babe']
    """
    s = len(SYLLABLES)
    return [SYLLABLES[w % s] + SYLLABLES[(w // s + 2 * (w % s)) % s] for w in map(int, numbers)]


def wording(key: int, topic: int) -> Numbers:
    """Return the numbers of the words of a text, 100 to 299 of them."""
    length = SHORTEST + key % (LONGEST - SHORTEST + 1)
    any_word, choices = draws(key, length), draws(key ^ 1, length)
    anything = np.searchsorted(ZIPF, any_word % ZIPF[-1], side="right")
    on_topic = N_WORDS - (1 + topic % TOPICS) * PER_TOPIC + (any_word % np.uint64(PER_TOPIC)).astype(np.int64)
    return np.where(choices % np.uint64(2) == 0, anything, on_topic).astype(np.int64)


def rewritten(words: Numbers, key: int) -> Numbers:
    """Return the text with about a tenth of its words replaced: its next version."""
    return np.where(draws(key, len(words)) < TENTH, _others(words, key), words)


def two_words_changed(words: Numbers, key: int) -> Numbers:
    """Return the text with two words replaced: a near copy, Jaccard 0.84 or more over 4-shingles."""
    near = words.copy()
    at = (draws(key, 2) % np.uint64(len(words))).astype(np.int64)
    near[at] = _others(words, key)[at]
    return near


def _others(words: Numbers, key: int) -> Numbers:
    """Return a word for each that is another one."""
    steps = (draws(key ^ 2, len(words)) % np.uint64(N_WORDS - 1)).astype(np.int64)
    return (words + 1 + steps) % N_WORDS
