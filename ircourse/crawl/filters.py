"""Which URLs do not even go into the frontier: the URL filter (book, section 20.2.1).

scope    hosts that the crawl keeps to; "*.town.example" stands for every host below town.example
clicks   links followed from a seed to a URL
pattern  a URL's host, its path with numbers as #, and the sorted names of its parameters:
         http://a.example/cal/2031/05?view=day is a.example/cal/#/#?view
budget   how many URLs of one host, or of one pattern, are let through

A spider trap makes URLs without end. A deep one grows its paths: limits on length, segments, repeats and
clicks bound it. A wide one counts: calendars, numbered items, combinations of parameters. Each of its URLs is
short and near the top, so only a budget per pattern bounds it (claim C50). Every refusal names its rule, for
the log; the rules are tried in the order of `RULES`.

Differs from the book: there the crawl's owner excludes what is known to be a trap; these rules also bound
traps that nobody has seen yet.
Source: Mohr and others (2004) on Heritrix, whose limits on repeated segments and on their number these are.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

__all__ = ["NO_PAGES", "RULES", "UrlFilter", "Verdict", "host_in", "url_pattern", "without_session"]

RULES = ("scope", "length", "kind", "segments", "repeats", "parameters", "clicks", "host", "pattern")
NO_PAGES = frozenset(
    "7z aac avi avif bmp bz2 css deb dmg doc docx eot exe flac gif ico iso jar jpeg jpg js m4a m4v mkv mov "
    "mp3 mp4 mpeg mpg msi odt ogg ogv otf png ppt pptx rar rpm svg tar tgz tif tiff ttf wav webm webp whl "
    "wmv woff woff2 xls xlsx xz zip zst".split()
)
_NUMBER = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{8,}|[0-9]+", re.I)
_SESSION_IN_PATH = re.compile(r";(?:[jp]h?p?sess(?:ion)?id|sid)=[^/?;]*", re.I)
_SESSION_NAME = re.compile(
    r"(?:php|j|asp\.?)?sess(?:ion)?_?(?:id)?|aspsessionid[a-z]*|oscsid|zenid|cfid|cftoken", re.I
)
_SESSION_BY_VALUE = re.compile(r"(?:s|sid)=[0-9a-z]{16,}", re.I)  # shorter ones may number a page
_SEPARATORS = re.compile("[&;]")


class Verdict(NamedTuple):
    """What a filter says of a URL: the URL to go by, and the rule that refuses it; "" where none does."""

    url: str
    rule: str


class UrlFilter:
    """Limits on URLs, and budgets that are spent by those let through.

    hosts           the scope; None: every host
    max_length      characters
    max_segments    of the path
    max_repeats     times that one segment of the path may occur, numbers aside
    max_parameters  of the query, and max_names sets of names of parameters on one path
    max_clicks      None: no limit
    per_host        URLs; None: no limit
    per_pattern     URLs of a pattern that holds a number or parameters
    kinds           endings that are refused
    sessions        names of parameters that hold session ids, beside the usual ones

    >>> urls = UrlFilter(hosts=["a.example"], per_pattern=2)
    >>> [urls.judge(f"http://a.example/cal?day={n}").rule for n in range(4)]
    ['', '', 'pattern', 'pattern']
    >>> urls.judge("http://a.example/menu?PHPSESSID=7f3a"), urls.judge("http://b.example/").rule
    (Verdict(url='http://a.example/menu', rule=''), 'scope')
    """

    def __init__(
        self,
        hosts: Collection[str] | None = None,
        *,
        max_length: int = 2083,
        max_segments: int = 20,
        max_repeats: int = 2,
        max_parameters: int = 8,
        max_names: int = 20,
        max_clicks: int | None = None,
        per_host: int | None = 50_000,
        per_pattern: int = 200,
        kinds: Collection[str] = NO_PAGES,
        sessions: Collection[str] = (),
    ) -> None:
        self.hosts = None if hosts is None else frozenset(hosts)
        self.max_length, self.max_segments, self.max_repeats = max_length, max_segments, max_repeats
        self.max_parameters, self.max_names, self.max_clicks = max_parameters, max_names, max_clicks
        self.per_host, self.per_pattern = per_host, per_pattern
        self.kinds, self.sessions = frozenset(kinds), frozenset(sessions)
        self._spent: dict[str, int] = {}

    def judge(self, url: str, clicks: int = 0) -> Verdict:
        """Return what becomes of a canonical URL; where no rule refuses it, its budgets are spent.

        So a URL is to be judged once. A crawler that sees a link a thousand times calls `clean` and
        `refuse` for each, and `spend` for those that are new to it.
        """
        url = self.clean(url)
        return Verdict(url, self.refuse(url, clicks) or self.spend(url))

    def clean(self, url: str) -> str:
        """Return the URL without session ids."""
        return without_session(url, self.sessions)

    def refuse(self, url: str, clicks: int = 0) -> str:
        """Return the first rule that refuses the URL whatever was let through before, "" for none."""
        host, path, query = _parts(url)
        if self.hosts is not None and not host_in(host, self.hosts):
            return "scope"
        if len(url) > self.max_length:
            return "length"
        segments = path.split("/")[1:]
        if "." in segments[-1] and segments[-1].rpartition(".")[2].lower() in self.kinds:
            return "kind"
        if len(segments) > self.max_segments:
            return "segments"
        if len(set(segments)) < len(segments) and self._repeats(segments):
            return "repeats"
        if query and len(_SEPARATORS.findall(query)) >= self.max_parameters:
            return "parameters"
        return "clicks" if self.max_clicks is not None and clicks > self.max_clicks else ""

    def spend(self, url: str) -> str:
        """Return the budget that is used up for this URL; "" where none is, and then it has spent of each."""
        host, _, query = _parts(url)
        pattern = url_pattern(url)
        path = pattern.partition("?")[0]
        limits: list[tuple[str, str, int | None]] = [("host", host, self.per_host)]
        if "#" in pattern or query:
            limits.append(("pattern", pattern, self.per_pattern))
        if query and pattern not in self._spent:
            limits.insert(0, ("parameters", path + "?*", self.max_names))
        for rule, what, limit in limits:
            if limit is not None and self._spent.get(what, 0) >= limit:
                return rule
        for _, what, _ in limits:
            self._spent[what] = self._spent.get(what, 0) + 1
        return ""

    def _repeats(self, segments: list[str]) -> bool:
        """Whether one segment that is no number occurs too often."""
        return any(
            segment and not segment.isdigit() and segments.count(segment) > self.max_repeats
            for segment in segments[: self.max_segments]
        )


def host_in(host: str, hosts: Collection[str]) -> bool:
    """Whether a host is in a scope.

    >>> host_in("www.town.example", {"*.town.example"}), host_in("www.town.example", {"town.example"})
    (True, False)
    """
    if host in hosts:
        return True
    parts = host.split(".")
    return any(f"*.{'.'.join(parts[i:])}" in hosts for i in range(1, len(parts)))


def url_pattern(url: str) -> str:
    """Return the pattern of a canonical URL; hexadecimal digits, 8 and more, and UUIDs are numbers too.

    >>> url_pattern("http://a.example:8080/cal/2031/05?view=day&day=3"), url_pattern("http://a.example/b/3f2504e0")
    ('a.example/cal/#/#?day&view', 'a.example/b/#')
    """
    host, path, query = _parts(url)
    names = sorted({part.partition("=")[0] for part in _SEPARATORS.split(query)}) if query else []
    return host + _NUMBER.sub("#", path) + ("?" + _NUMBER.sub("#", "&".join(names)) if names else "")


def without_session(url: str, names: Collection[str] = ()) -> str:
    """Return a canonical URL without the parameters that hold session ids, by their names.

    "sid" and "s" count only with values of 16 characters and more: shorter ones may number a page.

    >>> without_session("http://a.example/shop;jsessionid=1A2B?item=3&PHPSESSID=7f3a&sid=4")
    'http://a.example/shop?item=3&sid=4'
    """
    start, mark, query = url.partition("?")
    if ";" in start:
        start = _SESSION_IN_PATH.sub("", start)
    if not query:
        return start + mark
    parts = query.split("&")
    kept = [part for part in parts if not _is_session(part, names)]
    return (
        start + mark + query if len(kept) == len(parts) else "?".join(filter(None, [start, "&".join(kept)]))
    )


def _is_session(part: str, names: Collection[str]) -> bool:
    name = part.partition("=")[0]
    return bool(name in names or _SESSION_NAME.fullmatch(name) or _SESSION_BY_VALUE.fullmatch(part))


def _parts(url: str) -> tuple[str, str, str]:
    """Return host, path and query of a canonical URL."""
    start, _, query = url.partition("?")
    authority, slash, path = start.partition("://")[2].partition("/")
    ipv6, bracket, _ = authority.partition("]")
    host = ipv6 + bracket if bracket else authority.partition(":")[0]
    return host, slash + path, query
