"""One name for one page: canonical URLs (book, section 20.2; slides on crawlers, "URL normalisation").

href  what stands in the link, a str of any kind
base  the address of the page that holds the link

A spider keeps a set of the URLs it has seen. If the same page goes by two names it is fetched twice, and if
two pages share one name the second is lost. So a rule may merge only what no server can tell apart: what the
URL standard merges, fragments (never sent), and the two spellings of a character that needs no escape.

Differs from the book: "resolve, lower the host, drop the default port" is left to a parser of the URL
standard, which browsers follow and whose hundreds of cases no short function gets right.
Sources: WHATWG URL standard; RFC 3986, section 6.2.2 (percent-encoding).
"""

from __future__ import annotations

import re
from functools import lru_cache

import ada_url

__all__ = ["MAX_URL", "canonical_url"]

MAX_URL = 8192  # characters: RFC 9110 asks servers for 8,000, and longer ones are traps or data
MAX_AUTHORITY = 1024  # characters of user and host as written: the time of IDNA grows with their square

_HOST = re.compile(r"(?:[^.]{1,63}\.)*+[^.]{1,63}|(?:[^.]{1,63}\.)++")  # a final dot is the root's
_LONG_AUTHORITY = re.compile(
    rf"[\0- ]*+(?:https?:|[/\\]{{2}})[/\\]*+[^/\\?#]{{{MAX_AUTHORITY + 1}}}", re.IGNORECASE
)
_DROPPED = {ord(character): None for character in "\t\n\r"}
_BROKEN_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")
_UNUSUAL_ESCAPE = re.compile("%(?![0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|[46]0|5[B-E]|7[BCDF])")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_DIGITS = [high + low for high in "0123456789ABCDEFabcdef" for low in "0123456789ABCDEFabcdef"]
_UPPER = {digits: f"%{digits.upper()}" for digits in _DIGITS}
_PLAIN = _UPPER | {d: chr(int(d, 16)) for d in _DIGITS if chr(int(d, 16)) in _UNRESERVED}


def canonical_url(href: str, base: str | None = None) -> str | None:
    """Return the one URL that stands for ``href`` on the page ``base``, None where there is nothing to crawl.

    None means: not http or https, no valid URL, relative without a usable base, over 8,192 characters, or a
    host that no name server can hold (a label empty or over 63 characters, over 253 in all; over 1,024 as
    written, user and password included). No str raises; lone surrogates count as U+FFFD.
    ``canonical_url(canonical_url(x)) == canonical_url(x)`` for every x.

    What the standard does: white space around the URL, tabs and newlines in it are dropped; scheme and host
    in lower case, hosts in IDNA (UTS 46, ß kept) and numbers as IPv4 (0x7f.1 is 127.0.0.1); default port
    dropped; dot segments resolved; a backslash is a slash; ``http:x`` is relative; other characters in UTF-8
    and escaped.

    Where systems differ, ours: drops fragments, ``#!`` too; drops user and password, since a crawler must not
    send what it found in a link; writes escapes in upper case and decodes those of unreserved characters
    (%7E is ~), except in a URL with a broken escape, where decoding could make new ones; keeps ``?`` with
    nothing after it, the order of parameters, session and tracking parameters, ``www.``, empty path segments,
    a final slash, a final dot of the host. A base that is no such URL counts as none.

    Raises TypeError if ``href`` or ``base`` is no str. About 200,000 a second, repeats from a small cache;
    none takes over a few milliseconds.

    >>> canonical_url("../~ada/%7emath?q=a b#top", "HTTP://Harbour.example:80/shops/list.html")
    'http://harbour.example/~ada/~math?q=a%20b'
    >>> canonical_url("mailto:desk@library.example") is None
    True

    Sources: WHATWG URL standard; RFC 3986, section 6.2.2.
    """
    for value in (href, base or ""):
        _require_str(value)
    if len(href) > MAX_URL:
        return None
    return _canonical(href, base if base is not None and len(base) <= MAX_URL else None)


def _require_str(value: object) -> None:
    """Raise TypeError unless ``value`` is a str."""
    if not isinstance(value, str):
        raise TypeError(
            f"a URL must be a str, not {type(value).__name__} ({value!r:.60}): decode bytes first"
        )


@lru_cache(maxsize=8192)
def _canonical(href: str, base: str | None) -> str | None:
    """Return what canonical_url does, for strings of at most MAX_URL characters."""
    parent = None if base is None else _canonical(base, None)
    url = _resolve(href, parent).partition("#")[0]
    scheme, _, rest = url.partition("://")
    if scheme not in ("http", "https"):
        return None
    authority, _, path = rest.partition("/")
    host_and_port = authority.rpartition("@")[2]
    if not _can_be_looked_up(host_and_port.partition(":")[0]):
        return None
    url = f"{scheme}://{host_and_port}/{_normal_escapes(path)}"
    return url if len(url) <= MAX_URL else None


def _resolve(href: str, base: str | None) -> str:
    """Return ``href`` resolved against ``base`` by the URL standard, empty where that fails."""
    if len(href) > MAX_AUTHORITY and _LONG_AUTHORITY.match(href.translate(_DROPPED)):
        return ""
    if not href.isascii():  # halves of pairs join, lone surrogates turn into U+FFFD, as in a browser
        href = href.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    try:
        return ada_url.normalize_url(href) if base is None else ada_url.join_url(base, href)
    except ValueError:
        return ""


def _can_be_looked_up(host: str) -> bool:
    """Return whether a name server could hold ``host``; addresses in brackets have their own syntax."""
    return host.startswith("[") or (len(host) <= 254 and _HOST.fullmatch(host) is not None)


def _normal_escapes(path: str) -> str:
    """Return ``path`` with escapes in upper case, those of unreserved characters decoded.

    Decoding only once is not enough to be idempotent: in ``%%34%31`` it makes ``%41`` out of a broken escape.
    """
    if _UNUSUAL_ESCAPE.search(path) is None:
        return path
    spelling = _UPPER if _BROKEN_ESCAPE.search(path) else _PLAIN
    start, *rest = path.split("%")
    return start + "".join([spelling.get(part[:2], f"%{part[:2]}") + part[2:] for part in rest])
