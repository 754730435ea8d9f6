"""A collection in which every field of a page is an attack, for the server's tests and the browser's.

An attack that worked would set ``window.hacked``.
"""

from datetime import UTC, datetime

from ircourse.engine import SourcePage
from ircourse.types import Link

ATTACKS = (
    "<img src=x onerror=window.hacked=1>",
    "<script>window.hacked=1</script>",
    '"><svg onload=window.hacked=1>',
    "'><details open ontoggle=window.hacked=1>",
    "</title></textarea><script>window.hacked=1</script>",
    "<a href=javascript:window.hacked=1>harbour</a>",
)
ALL = " ".join(ATTACKS)
MIRRORED = (
    "The harbour of the mirrored page has a crane, a quay and a mole, as its copies have, word for word."
)
URLS = (
    f"http://bad.example/{ATTACKS[0]}",
    f"http://bad.example/'onmouseover='window.hacked=1' {ATTACKS[2]}",
    "javascript:window.hacked=1//harbour",
    "data:text/html,<script>window.hacked=1</script>harbour",
    f"http://{ATTACKS[1]}/",
)


def hostile_pages():
    """Pages that attack by title, text, address, anchor, and the address of a mirror."""
    links = tuple(Link(url, f"harbour {ALL}") for url in URLS)
    date = datetime(2026, 5, 17, tzinfo=UTC)
    pages = [
        SourcePage(
            url, f"harbour {i} {ALL} and much more of the kind {'xyz' * i}", f"harbour {ALL}", links, date
        )
        for i, url in enumerate(URLS)
    ]
    mirrors = [f"http://zz.example/{ATTACKS[0]}", "javascript:window.hacked=1//mirror" + "x" * 40]
    pages += [SourcePage(url, MIRRORED, "mirrored") for url in ("http://a.example/", *mirrors)]
    pages.append(
        SourcePage("http://odd.example/\u202egnp.exe\ud800", "harbour of the turned address", "", links)
    )
    pages.append(SourcePage("http://odd.example/", "harbour \0 \x1b[31m \u202eabc \ud800", "harbour \u202e"))
    return pages
