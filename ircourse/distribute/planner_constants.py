"""What a plan of a crawl is counted from: each constant with its unit and its source.

A speed is that of one machine on which one of our functions runs, in bytes of HTML (parsing, storing) or of
text (sketching, indexing) a second, so that it holds for pages of any length. Those that stand here were
measured once, on two processors of a server; `planner_measured.measured` puts those of your machine in place.

Sources: book, chapters 19 and 20; slides-P, here "the slides"; slides-C, here "the spider lecture"; Brin and
Page (1998), "Google 1998" here: 24 million pages of 147.8 GB, stored in 53.5 GB, with an index of 37.2 GB;
Page and others (1998) for PageRank; Lee and others (2008) for IRLbot: 6.3 billion pages of 117 million hosts,
1,789 pages a second at 319 Mbit/s.
"Assumed" is what you should replace by what you know.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from numbers import Real
from typing import NamedTuple

__all__ = ["T3_BITS", "Constant", "Constants", "checked"]

T3_BITS = 44.7e6  # bits a second
LEAST, MOST = 1e-12, 1e24
SHARES = ("text_share", "largest_host", "bloom_error", "store_share", "index_share")


class Constant(NamedTuple):
    """One constant as a row of a table: its name, value, unit and source."""

    name: str
    value: float
    unit: str
    source: str


def _of(value: float, unit: str, source: str) -> float:
    """Return the field of a dataclass that holds a constant; a float to whoever reads the types."""
    made: float = field(default=value, metadata={"unit": unit, "source": source})
    return made


@dataclass(frozen=True)
class Constants:
    """The constants of a plan; `dataclasses.replace` changes some, `table` lists all.

    measured  names and values of those that were measured on this machine

    Raises TypeError for what is no number, ValueError for one outside 1e-12 … 1e24 and for a share above 1.

    >>> Constants().page_bytes, Constants().table()[0].unit
    (22289.0, 'bytes of HTML a page')
    >>> Constants(bloom_error=2)
    Traceback (most recent call last):
    ValueError: bloom_error is 2: a number from 1e-12 to 1 expected, as in Constants(bloom_error=0.01)
    """

    page_bytes: float = _of(22_289.0, "bytes of HTML a page", "IRLbot 2008: 319 Mbit/s at 1,789 pages/s")
    text_share: float = _of(0.25, "bytes of text a byte of HTML", "assumed")
    word_bytes: float = _of(6.0, "bytes of text a word, with its space", "assumed")
    links_per_page: float = _of(10.0, "links a page", "the slides: more than 10 links a node")
    urls_per_page: float = _of(
        10.0, "URLs seen a page fetched", "the slides: 200 million after 20 million pages"
    )
    url_bytes: float = _of(100.0, "bytes a URL", "the slides: at least 100 bytes on average")
    fingerprint_bytes: float = _of(8.0, "bytes a fingerprint", "book 19.6: 64 bits")
    bloom_error: float = _of(0.01, "share of new URLs taken for seen", "claim C47: 1%")
    pages_per_host: float = _of(54.0, "pages a host", "IRLbot 2008: 6.3 billion of 117 million hosts")
    largest_host: float = _of(0.001, "share of all pages", "assumed")
    fetch_seconds: float = _of(0.3, "seconds a page takes to arrive", "assumed")
    gap_factor: float = _of(10.0, "seconds between two requests, a second of fetching", "book 20.2.3")
    lookup_seconds: float = _of(1.0, "seconds a host's name takes", "book 20.2.2: seconds, sometimes longer")
    store_share: float = _of(0.362, "bytes stored a byte of HTML", "Google 1998: 53.5 of 147.8 GB")
    index_share: float = _of(0.252, "bytes of index a byte of HTML", "Google 1998: 37.2 of 147.8 GB")
    sketch_values: float = _of(200.0, "values of 8 bytes a sketch", "book 19.6: 200 permutations")
    link_bits: float = _of(3.0, "bits a coded link", "book 20.4: as few as 3")
    sweeps: float = _of(52.0, "sweeps of PageRank", "Page and others 1998: 322 million links")
    parse_bytes: float = _of(25e6, "bytes of HTML parsed a second", "measured once")
    store_bytes: float = _of(58e6, "bytes of HTML stored a second", "measured once")
    sketch_bytes: float = _of(120e6, "bytes of text sketched a second", "measured once")
    index_bytes: float = _of(37e6, "bytes of text indexed a second", "measured once")
    rank_links: float = _of(300e6, "links of a sweep of PageRank a second", "measured once")
    memory_bytes: float = _of(16e9, "bytes of memory a machine", "assumed")
    disk_bytes: float = _of(4e12, "bytes of disk a machine", "assumed")
    line_bits: float = _of(T3_BITS, "bits a second of one line", "the spider lecture: a T3 line")
    machine_month: float = _of(100.0, "units of money a machine and 30 days", "assumed")
    line_month: float = _of(1_000.0, "units of money a line and 30 days", "assumed")
    measured: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        for each in fields(self)[:-1]:
            most = 1.0 if each.name in SHARES else MOST
            checked(
                each.name, getattr(self, each.name), LEAST, most, f"Constants({each.name}={each.default:g})"
            )

    def table(self) -> tuple[Constant, ...]:
        """Return all constants in order; the source of one that was replaced is "measured here" or "given".

        >>> [row.source for row in Constants(url_bytes=80.0).table()][5]
        'given'
        """
        return tuple(
            Constant(each.name, getattr(self, each.name), each.metadata["unit"], self._source(each.name))
            for each in fields(self)[:-1]
        )

    def _source(self, name: str) -> str:
        each = type(self).__dataclass_fields__[name]
        if (name, getattr(self, name)) in self.measured:
            return "measured here"
        return str(each.metadata["source"]) if getattr(self, name) == each.default else "given"

    @property
    def text_bytes(self) -> float:
        """Bytes of text a page."""
        return self.page_bytes * self.text_share

    @property
    def gap_seconds(self) -> float:
        """Seconds between two requests to one host."""
        return self.fetch_seconds * self.gap_factor

    def speeds(self) -> dict[str, float]:
        """Return pages a second of one machine, by what is done to them, and links a second of PageRank.

        >>> sorted(Constants().speeds())
        ['index', 'pagerank', 'parse', 'sketch', 'store']
        """
        return {
            "parse": self.parse_bytes / self.page_bytes,
            "store": self.store_bytes / self.page_bytes,
            "sketch": self.sketch_bytes / self.text_bytes,
            "index": self.index_bytes / self.text_bytes,
            "pagerank": self.rank_links,
        }


def checked(name: str, value: object, least: float, most: float, example: str) -> float:
    """Return ``value`` as a float where it is a number from ``least`` to ``most``."""
    wrong = f"{name} is {value!r:.60}: a number from {least:g} to {most:g} expected, as in {example}"
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(wrong)
    number = float(value)
    if not least <= number <= most:
        raise ValueError(wrong)
    return number
