"""Was this content seen before, and is it a page at all? (book, section 20.2.1; slides on crawlers)

exact copy  a text with the fingerprint of an earlier one
near copy   a text whose sketch agrees with that of an earlier one: of a mirror with another date on it the
            fingerprint differs and the sketch hardly does (claim C51)
soft 404    an apology sent with status 200 for a URL that is no page
end         where a redirect leads that answers for a URL that cannot exist

Sketches are min-hash sketches of 128 values, the first 64 of them in 16 bands of 4. A text is compared with
the first text in each of its bands; of pairs alike at 0.9 one in 26 million shares no band, at 0.8 one in
4,600.

A soft 404 is told by asking the host for a URL that cannot exist. What answers that with 200 apologises; a
page that says the same is an apology too. So is the page to which the answer redirects, if it is short and
sounds sorry. Where that URL was not asked for, only plain words in the title of a short page count, such as
"page not found".

Differs from the book: the fingerprint is that of the words, so that markup does not hide a copy.
Source: Bar-Yossef and others (2004) for soft 404s.
"""

from __future__ import annotations

import hashlib
import re
from sqlite3 import Connection
from typing import NamedTuple, TypeAlias
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from ircourse.dedup import MinHasher, fingerprint, jaccard, shingle_ids, shingles, similarity

__all__ = ["ContentSeen", "Copy", "SoftNotFound", "made_up_url"]

Sketch: TypeAlias = NDArray[np.uint64]
VALUES = 128
BANDS, ROWS = 16, 4
MIN_SHINGLES = 20  # a text with fewer is compared exactly only
MAX_WORDS = 150  # of a page that may be an apology by its title
_MIX = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93], np.uint64)
_TABLE = "CREATE TABLE IF NOT EXISTS content (url TEXT, fingerprint BLOB, sketch BLOB)"
_INDEX = "CREATE INDEX IF NOT EXISTS content_by_fingerprint ON content (fingerprint)"
_APOLOGIES = "CREATE TABLE IF NOT EXISTS apologies (host TEXT PRIMARY KEY, text TEXT, end TEXT)"
_SAYS_SO = re.compile(
    r"\b(?:(?:error|http) 404|404 (?:error|not|page)|not found|no such page)\b|^\W*404\b", re.I
)
_HINTS = re.compile(rf"{_SAYS_SO.pattern}|\b(?:sorry|oops|does(?:n.t| not) exist|no longer)\b", re.I)


class Copy(NamedTuple):
    """The earlier URL with this content, and how alike: 1 for an exact copy, else the estimate of J."""

    url: str
    similarity: float


class ContentSeen:
    """Remembers contents and tells copies of them. About 3 kB a page that is not a copy.

    threshold   estimate of J from which a text is a near copy; None: exact copies alone are told
    connection  SQLite, where they are kept and taken up again; the caller commits

    >>> seen = ContentSeen()
    >>> ferry = " ".join(f"the ferry of {hour} hours to the lighthouse is late" for hour in range(60))
    >>> seen.look("http://a.example/", ferry), seen.look("http://b.example/", ferry)
    (None, Copy(url='http://a.example/', similarity=1.0))
    >>> seen.look("http://c.example/", ferry + " Printed in June.").similarity > 0.9
    True
    """

    def __init__(self, threshold: float | None = 0.8, *, connection: Connection | None = None) -> None:
        if threshold is not None and not 0 < threshold <= 1:
            raise ValueError(f"threshold is {threshold!r}: a number above 0 and up to 1 expected, or None")
        self.threshold = threshold
        self._hasher = MinHasher(VALUES)
        self._exact: dict[int, str] = {}
        self._near: dict[int, tuple[str, Sketch]] = {}  # by band, what came first
        self._connection = connection
        if connection:
            connection.execute(_TABLE)
            for url, print_, sketch in connection.execute("SELECT * FROM content ORDER BY rowid"):
                if not (isinstance(url, str) and isinstance(print_, bytes) and isinstance(sketch, bytes)):
                    raise ValueError(f"the index is damaged: of {url!r:.80} there is no fingerprint")
                self._keep(url, int.from_bytes(print_, "big"), np.frombuffer(sketch, "<u8").astype(np.uint64))

    def look(self, url: str, content: str | bytes) -> Copy | None:
        """Return which earlier content this is a copy of; None for a new one, which is remembered.

        Bytes, of what has no words, are compared exactly. Nothing is a copy of the page itself, nor of
        content without a word.
        """
        if not content.strip():
            return None
        print_ = fingerprint(content)
        if print_ in self._exact:
            first = self._exact[print_]
            return None if first == url else Copy(first, 1.0)
        sketch = self._sketch(content)
        near = self._nearest(sketch)
        if near and near.url != url:
            return near
        self._keep(url, print_, sketch)
        if self._connection:
            row = url, print_.to_bytes(8, "big"), sketch.astype("<u8").tobytes()
            self._connection.execute("INSERT INTO content VALUES (?, ?, ?)", row)
        return None

    def withdraw(self, url: str, print_: bytes) -> None:
        """Forget a content by which a URL was the first: its page says something else now.

        print_  its fingerprint, 8 bytes
        """
        if self._exact.get(number := int.from_bytes(print_, "big")) != url:
            return
        del self._exact[number]
        if self._connection:
            which = "FROM content WHERE fingerprint = ? AND url = ?", (print_, url)
            self._connection.execute(_INDEX)
            for (sketch,) in self._connection.execute(f"SELECT sketch {which[0]}", which[1]).fetchall():
                for band in _bands(np.frombuffer(sketch, "<u8").astype(np.uint64)):
                    if self._near.get(band, ("",))[0] == url:
                        del self._near[band]
            self._connection.execute(f"DELETE {which[0]}", which[1])

    def _sketch(self, content: str | bytes) -> Sketch:
        """Return the sketch; an empty one where it would say nothing."""
        ids = shingle_ids(content) if isinstance(content, str) and self.threshold is not None else ()
        return self._hasher.sketch(ids) if len(ids) >= MIN_SHINGLES else np.empty(0, np.uint64)

    def _nearest(self, sketch: Sketch) -> Copy | None:
        others = {
            url: other for band in _bands(sketch) for url, other in [self._near.get(band, ("", sketch))]
        }
        others.pop("", None)
        alike = [Copy(url, similarity(sketch, other)) for url, other in others.items()]
        best = max(alike, key=lambda copy: copy.similarity, default=None)
        return best if best and self.threshold and best.similarity >= self.threshold else None

    def _keep(self, url: str, print_: int, sketch: Sketch) -> None:
        self._exact[print_] = url
        for band in _bands(sketch):
            self._near.setdefault(band, (url, sketch))


class SoftNotFound:
    """Tells apologies from pages, by what each host answers for a URL that cannot exist.

    threshold   J of shingles from which a page says the same as the apology
    connection  SQLite, where apologies are kept and taken up again; the caller commits

    >>> soft = SoftNotFound()
    >>> soft.learn("http://a.example/", 200, "Sorry, we are out of that. Ask for herring.")
    >>> soft.judge("http://a.example/cod", "Sorry, we are out of that. Ask for herring.")
    'says what a made-up URL gets'
    >>> soft.judge("http://a.example/eel", "Eels are in season from May to August."), soft.knows("http://a.example/x")
    ('', True)
    """

    def __init__(self, threshold: float = 0.9, *, connection: Connection | None = None) -> None:
        self.threshold = threshold
        self._apologies: dict[str, tuple[str, str]] = {}  # by host: text and end; empty for an honest 404
        self._connection = connection
        if connection:
            connection.execute(_APOLOGIES)
            for host, text, end in connection.execute("SELECT * FROM apologies"):
                self._apologies[host] = text, end

    def knows(self, url: str) -> bool:
        """Whether the answer of this URL's host for a made-up one is known."""
        return _host(url) in self._apologies

    def hints(self, text: str, title: str = "") -> bool:
        """Whether a page gives cause to ask its host for a made-up URL: it is short and sounds sorry."""
        return len(text.split()) <= MAX_WORDS and _HINTS.search(f"{title}\n{text}") is not None

    def learn(self, url: str, status: int, text: str = "", end: str = "") -> None:
        """Take in what a host answered for the made-up URL ``url``; ``end`` where it redirected to."""
        self._apologies[_host(url)] = _without(text, url) if 200 <= status < 300 else "", end
        if self._connection:
            row = _host(url), *self._apologies[_host(url)]
            self._connection.execute("INSERT OR REPLACE INTO apologies VALUES (?, ?, ?)", row)

    def judge(self, url: str, text: str, title: str = "") -> str:
        """Return why a page that came with status 200 is none; "" where it is one, as a host's root is."""
        if not self.knows(url):
            short = len(text.split()) <= MAX_WORDS
            return "says that it is not found" if short and _SAYS_SO.search(title) else ""
        apology, end = self._apologies[_host(url)]
        if urlsplit(url).path in ("", "/"):
            return ""
        if url == end and self.hints(text, title):
            return "is where a made-up URL leads"
        if not apology:
            return ""
        alike = jaccard(shingles(_without(text, url)), shingles(apology))
        return "says what a made-up URL gets" if alike >= self.threshold else ""


def made_up_url(url: str, seed: int = 0) -> str:
    """Return a URL of the same host that surely nobody made, the same for a host and seed.

    >>> made_up_url("http://a.example/fish/")
    'http://a.example/ogpzoychshekfwrxaqvh'
    """
    parts = urlsplit(url)
    digest = hashlib.blake2b(f"{seed} {parts.netloc}".encode(), digest_size=20).digest()
    return f"{parts.scheme}://{parts.netloc}/" + "".join([chr(97 + byte % 26) for byte in digest])


def _bands(sketch: Sketch) -> list[int]:
    """Return a number for each band, which says which band it is too."""
    if not len(sketch):
        return []
    sums = (sketch[: BANDS * ROWS].reshape(BANDS, ROWS) * _MIX).sum(axis=1)
    return [number * BANDS + band for band, number in enumerate(sums.tolist())]


def _host(url: str) -> str:
    return urlsplit(url).netloc


def _without(text: str, url: str) -> str:
    """Return a text without the URL that was asked for: apologies name it."""
    path = urlsplit(url).path
    return text.replace(url, " ").replace(path, " ") if len(path) > 1 else text
