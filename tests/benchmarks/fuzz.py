"""Addresses and pages that nobody should have written: ``python tests/benchmarks/fuzz.py [how many]``.

Gives 10^5 broken URLs to canonical_url and 10^5 small broken pages to parse_html, the same in every run, and
prints how many raised and the slowest of each in processor time. An exception makes the exit status 1.
"""

import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from ircourse.crawl.html import parse_html
from ircourse.crawl.urls import canonical_url

BASE = "http://harbour.example/ferries/times.html?day=1"
MARKS = list("/\\.%@:?#&='\"<>|^`{}[];+*~-_ \t\n\0é日😀ß\ud800\udfff\u00a0\u00ad\u0301\u200d\u3002\ufdfa")
URL_PARTS = (
    MARKS + "http:// HTTPS:// // .. %2e %2E %4 %41 %7e %25 %e6%97%a5 www. xn--a ::1 127.1 0x7f".split()
)
URL_PARTS += "a Z example harbour.example :80 u:p@ mailto: data: javascript: file:///C:".split()
TAGS = (
    "a base p div table tr td svg math title script style template select option b textarea frameset".split()
)
PAGE_PARTS = [f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS]
PAGE_PARTS += [
    "<a href=",
    "<a href='/x'>",
    "<base href=",
    "<area href=",
    "<img alt=",
    "<link rel=canonical href=",
]
PAGE_PARTS += ["<meta charset=gbk>", "<meta name=robots content=none>", "<!--", "-->", "<![CDATA[", "<?xml "]
PAGE_PARTS += ["&amp", "&notit;", "&#0;", "&#x110000;", "&#xD800;", "&#55296", "words ", "Zürich ", *MARKS]
TYPES = [
    None,
    *(f"text/html;charset={name}" for name in "utf-8 gbk shift_jis iso-2022-jp utf-16 latin1".split()),
]
TYPES += ["text/plain", "text/html;charset=x-user-defined", "text/html;charset=\ud800"]


def broken_url(rng):
    """Return a URL of up to 12 parts, now and then a long one, and its base."""
    href = rng.choice(["", "", "http://", "//a.example"]) + "".join(
        rng.choices(URL_PARTS, k=rng.randrange(13))
    )
    return href * rng.choice([1] * 50 + [100]), rng.choice([None, BASE, href])


def broken_page(rng):
    """Return a page of up to 60 parts with a few bytes changed, and its type."""
    soup = "".join(rng.choices(PAGE_PARTS, k=rng.randrange(61))) * rng.choice([1] * 50 + [50])
    body = bytearray(soup.encode(rng.choice(["utf-8", "utf-8", "utf-16", "gb18030"]), "replace"))
    for _ in range(rng.randrange(5) if body else 0):
        body[rng.randrange(len(body))] = rng.randrange(256)
    return bytes(body), rng.choice([BASE, "", "\ud800"]), rng.choice(TYPES)


def fuzz(function, make, n):
    """Print how many of n inputs raise, and the time of the slowest; return how many raised."""
    rng = random.Random(0)
    raised, slowest, which, total = 0, 0.0, None, 0.0
    for _ in range(n):
        arguments = make(rng)
        began = time.thread_time()
        try:
            function(*arguments)
        except Exception as error:
            raised += 1
            print(f"{function.__name__}{arguments!r:.300}: {error!r}")
        took = time.thread_time() - began
        total += took
        if took > slowest:
            slowest, which = took, arguments
    rate = n / total
    print(
        f"{function.__name__}: {n:,}, {rate:,.0f} a second, {raised} raised, slowest {slowest * 1e3:.2f} ms"
    )
    print(f"  {which!r:.100}")
    return raised


if __name__ == "__main__":
    how_many = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    jobs = ((canonical_url, broken_url), (parse_html, broken_page))
    sys.exit(sum(fuzz(function, make, how_many) for function, make in jobs) > 0)
