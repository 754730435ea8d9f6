"""robots.txt: what a site asks crawlers to leave alone (book, section 20.2.1; RFC 9309).

line     ``field: value``; a group is some User-agent lines and the rules after them, blank lines or none
token    the name of a crawler as a group gives it: letters, digits, _ and -, case aside
rule     Allow or Disallow with a pattern: a prefix of path and query, ``*`` any characters, ``$`` the end

The groups that name the crawler count, all together; where there are none, those of ``*``. Of the rules that
match a URL the longest wins, and Allow between equals. /robots.txt itself is always allowed.

The library protego reads and matches the rules. What it misses is mended before: the byte-order mark, lines
that end at other characters, ``User-agent: name/2.1``, a name that begins another, bytes that are no UTF-8
(it takes ``%E9`` and ``%EA`` for one), and files whose groups times rules would fill the memory.

Source: RFC 9309; book, section 20.2.1.
"""

from __future__ import annotations

import codecs
import math
import re
from typing import NamedTuple

from protego import Protego

from ircourse.types import FetchError

__all__ = ["MAX_BYTES", "MAX_REDIRECTS", "Robots", "Rule"]

MAX_BYTES = 500 * 1024  # that are read of a file: what RFC 9309 asks for at least
MAX_REDIRECTS = 5  # that a crawler follows to a file; after more there is none
LIFETIME = 86_400.0  # seconds that a file holds: what RFC 9309 allows at most
RETRY = 600.0  # seconds until a site that gave no file is asked again
MAX_WORK = 200_000_000  # characters of a URL times those of rules with "*": about 0.2 s for the worst

_END = re.compile(rb"\r\n?|\n")
_AGENT = re.compile(rb"user[- ]?agent\s*[:\s]\s*(.*)", re.I | re.S)
_SITEMAP = re.compile(rb"site-?maps?\s*[:\s]\s*(.+)", re.I | re.S)
_RULE = re.compile(rb"(?:al|di[a-z]*)l[ao]w\b|(?:crawl[- ]delay|request[- ]rate|visit[- ]time)\b", re.I)
_TOKEN = re.compile(r"\*(?=\s|$)|[a-z0-9_-]+")
_TARGET = re.compile(r"(?:[a-z][a-z0-9+.-]*://[^/?#]*)?([^#]*)", re.I | re.S)
_FIELD = re.compile(r"[\w-]+\s*[:\s]\s*")
_NOT_ASCII = re.compile(rb"[^ -~\t]")
_HIGH_ESCAPE = re.compile("%([89A-Fa-f])([0-9A-Fa-f])")
# The first digit becomes a letter that is none, so that protego keeps what it cannot decode.
_HIGH = {digit: "%" + chr(ord("s") + int(digit, 16) - 8) for digit in "89ABCDEFabcdef"}


class Rule(NamedTuple):
    """A line of a group, as written: its number in the file, from 1, and its text without a comment."""

    line: int
    text: str

    @property
    def allow(self) -> bool:
        """Whether the line is an Allow."""
        return self.text[:1] in "aA"


class Robots:
    """What one robots.txt says, of whichever crawler is asked about.

    sitemaps    URLs of sitemaps, in order, each once
    expires_at  when the file is to be asked for again, on the clock of `from_answer`; infinite after `parse`

    >>> robots = Robots.parse("User-agent: *\\nDisallow: /shop/\\nAllow: /shop/open\\nCrawl-delay: 2")
    >>> [robots.allows(f"http://harbour.example/shop/{page}", "ircourse") for page in ("open", "till")]
    [True, False]
    >>> robots.crawl_delay("ircourse"), robots.winning_rule("http://harbour.example/shop/open", "ircourse")
    (2.0, Rule(line=3, text='Allow: /shop/open'))

    Source: RFC 9309.
    """

    def __init__(self, text: bytes, expires_at: float) -> None:
        self.expires_at = expires_at
        self._groups: dict[str, list[list[Rule]]] = {}
        sitemaps: dict[str, None] = {}
        group: list[Rule] = []
        for number, line in enumerate(_END.split(_within(text)), 1):
            line = line.partition(b"#")[0].strip()
            if not line:
                continue
            if agent := _AGENT.match(line):
                if group:  # rules ended the User-agent lines of the group before
                    group = []
                self._groups.setdefault(_token(agent[1].decode("latin-1")), []).append(group)
            elif sitemap := _SITEMAP.match(line):
                sitemaps[sitemap[1].decode("utf-8", "replace")] = None
            elif _RULE.match(line):
                group.append(Rule(number, _in_ascii(line)))
        self.sitemaps = tuple(sitemaps)
        self._parsers: dict[str, tuple[Protego, int]] = {}

    @classmethod
    def parse(cls, text: bytes | str) -> Robots:
        """Return what ``text`` says. Any text will do: a line that is none of the above says nothing.

        The first 500 KiB count, without the line that the limit cuts. Raises TypeError for no text.
        """
        if not isinstance(text, bytes | str):
            raise TypeError(f"robots.txt is bytes or a str, not {type(text).__name__}: {text!r:.60}")
        return cls(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"), math.inf)

    @classmethod
    def from_answer(cls, answer: int | FetchError, body: bytes = b"", *, now: float = 0.0) -> Robots:
        """Return what a crawler has to keep to after asking for the file at time ``now``.

        answer  the status, after at most `MAX_REDIRECTS` redirects; or why there was none

        2xx: the body, for a day. 3xx (there were more redirects) and 4xx: there is no file, all is allowed,
        for a day. 5xx, 429 (too many requests) and no answer: nothing is allowed, until ten minutes later.

        >>> [Robots.from_answer(s).allows("http://harbour.example/", "ircourse") for s in (404, 503)]
        [True, False]
        >>> Robots.from_answer(FetchError("http://harbour.example/robots.txt", "timeout"), now=5.0).expires_at
        605.0

        Differs from RFC 9309: 429 is a 4xx, but whoever says it wants fewer requests, not all.
        """
        if not isinstance(answer, FetchError) and 200 <= answer < 500 and answer != 429:
            return cls(body if answer < 300 else b"", now + LIFETIME)
        return cls(b"User-agent: *\nDisallow: /", now + RETRY)

    def allows(self, url: str, agent: str) -> bool:
        """Return whether ``agent`` may fetch ``url``.

        agent  the crawler's token; what follows it in a User-Agent header ("ircourse/1.0 (…)") is left out

        A long URL beside very many long rules with ``*``, which only a trap has, is not allowed: matching
        them would hold up the whole crawl. Raises TypeError for a URL that is no str.

        >>> Robots.parse("User-agent: *\\nDisallow: /*?print=").allows("http://a.example/?print=1", "x")
        False
        """
        if not isinstance(url, str):
            raise TypeError(f"a URL is a str, not {type(url).__name__}: {url!r:.60}")
        parser, wild = self._parser(agent)
        target = _target(url)
        if wild * len(target) > MAX_WORK:
            return False
        return parser.can_fetch(target, "all")

    def crawl_delay(self, agent: str) -> float | None:
        """Return the seconds that ``agent`` is to wait between requests, at least 0 and finite, or None.

        What is no such number is not said; of several the last counts. A day is returned as a day: the
        frontier has a longest gap.

        >>> [Robots.parse(f"User-agent: *\\nCrawl-delay: {s}").crawl_delay("ircourse") for s in (0.5, "inf")]
        [0.5, None]
        """
        delay = self._parser(agent)[0].crawl_delay("all")
        return delay if delay is not None and 0 <= delay < math.inf else None

    def rules(self, agent: str) -> tuple[Rule, ...]:
        """Return the lines that count for ``agent``, in their order, escaped where they are not ASCII.

        >>> Robots.parse("User-agent: a\\nUser-agent: b\\nDisallow: /x").rules("b")
        (Rule(line=3, text='Disallow: /x'),)
        """
        token = _token(agent)
        groups = self._groups.get(token if token in self._groups else "*", ())
        different = {id(group): group for group in groups}  # a group may name the crawler twice
        return tuple(rule for group in different.values() for rule in group)

    def winning_rule(self, url: str, agent: str) -> Rule | None:
        """Return the rule that decides about ``url``, None where none matches and it is allowed.

        >>> robots = Robots.parse("User-agent: *\\nDisallow: /*.ps$")
        >>> robots.winning_rule("http://harbour.example/map.ps", "ircourse")
        Rule(line=2, text='Disallow: /*.ps$')
        """
        allowed, target, best = self.allows(url, agent), _target(url), None
        for rule in self.rules(agent):
            if rule.allow == allowed and _matches(rule, target):
                best = rule if best is None or _longer(rule, best, target) else best
        return best

    def _parser(self, agent: str) -> tuple[Protego, int]:
        """Return protego's reading of what counts for ``agent``, and the characters of rules with ``*``."""
        if agent not in self._parsers:
            rules = [rule.text for rule in self.rules(agent)]
            wild = sum(len(text) for text in rules if "*" in text)
            self._parsers[agent] = _protego(*rules), wild
        return self._parsers[agent]


def _within(text: bytes) -> bytes:
    """Return the part of a file that counts, in UTF-8 and without a byte-order mark."""
    if text[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        text = text[: 2 * MAX_BYTES].decode("utf-16", "replace").encode("utf-8", "replace")
    text = text.removeprefix(codecs.BOM_UTF8)
    if len(text) <= MAX_BYTES:
        return text
    return text[: 1 + max(text.rfind(b"\n", 0, MAX_BYTES), text.rfind(b"\r", 0, MAX_BYTES))]


def _token(agent: str) -> str:
    """Return the token that ``agent`` begins with, empty where it begins with none."""
    found = _TOKEN.match(agent.strip().lower())
    return found[0] if found else ""


def _in_ascii(text: bytes) -> str:
    """Return ``text`` with what is not printable ASCII escaped."""
    return _NOT_ASCII.sub(lambda octet: b"%%%02X" % ord(octet[0]), text).decode("ascii")


def _target(url: str) -> str:
    """Return path and query as rules are matched with them."""
    target = _TARGET.match(url)
    written = _spelled(_in_ascii((target[1] if target else "").encode("utf-8", "surrogatepass")))
    return "http://a" + (written if written.startswith("/") else "/" + written)


def _spelled(text: str) -> str:
    """Return ``text`` with the escapes of octets beyond ASCII as protego keeps them."""
    if "%" not in text:
        return text
    return _HIGH_ESCAPE.sub(lambda escape: _HIGH[escape[1]] + escape[2].upper(), text)


def _protego(*rules: str) -> Protego:
    return Protego.parse("\n".join(["User-agent: *", *map(_spelled, rules)]))


def _matches(rule: Rule, target: str) -> bool:
    """Whether a rule, alone, has a say about a URL."""
    if rule.allow:
        return _protego("Disallow: /", rule.text).can_fetch(target, "all")
    return not _protego(rule.text).can_fetch(target, "all")


def _longer(rule: Rule, other: Rule, target: str) -> bool:
    """Whether ``rule`` is longer than ``other``; both match.

    Asked of protego, which knows the lengths: a Disallow is kept only against a shorter Allow.
    """
    patterns = [_FIELD.sub("", r.text, count=1) for r in (rule, other)]
    return not _protego(f"Disallow: {patterns[0]}", f"Allow: {patterns[1]}").can_fetch(target, "all")
