"""What authors ask of crawlers on each page: meta robots and X-Robots-Tag (book, section 20.2).

A wish is "noindex" (keep the page out of the index) or "nofollow" (do not follow its links); "none" is both.
robots.txt, which forbids the fetching itself, is another matter.

Source: Google's documentation of robots meta tags, which other search engines follow.
"""

from __future__ import annotations

import re

__all__ = ["AGENT", "header_wishes", "meta_wishes"]

AGENT = "ircourse"
MAX_WISHES = 65_536  # characters read of one ``content`` or of all headers
NOINDEX, NOFOLLOW = "noindex", "nofollow"

_AGENT_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_WITH_VALUE = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")


def meta_wishes(name: str, content: str, agent: str = AGENT) -> set[str]:
    """Return what a ``meta`` element asks of all crawlers or of ``agent``, a name in lower case.

    >>> sorted(meta_wishes("Robots", "none")), meta_wishes("otherbot", "noindex")
    (['nofollow', 'noindex'], set())
    """
    if name.strip().lower() not in ("robots", agent):
        return set()
    return _wishes(content[:MAX_WISHES])


def header_wishes(robots_tag: str, agent: str = AGENT) -> set[str]:
    """Return what X-Robots-Tag asks; several headers are joined by newlines.

    After ``agent:`` directives hold for that agent alone, to the end of the header or the next agent.

    >>> header_wishes("otherbot: noindex, nofollow"), header_wishes("max-snippet: 3, noindex")
    (set(), {'noindex'})
    """
    directives = []
    for header in robots_tag[:MAX_WISHES].lower().splitlines():
        for_us = True
        for directive in header.split(","):
            named, colon, rest = (part.strip() for part in directive.partition(":"))
            if colon and _AGENT_NAME.fullmatch(named) and named not in _WITH_VALUE:
                for_us, directive = named == agent, rest
            if for_us:
                directives.append(directive)
    return _wishes(",".join(directives))


def _wishes(directives: str) -> set[str]:
    """Return what the directives, with commas between them, amount to."""
    words = set(directives.lower().replace(",", " ").split())
    return {NOINDEX, NOFOLLOW} if "none" in words else words & {NOINDEX, NOFOLLOW}
