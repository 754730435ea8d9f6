"""The explorer of robots.txt (section 20.2.1): edit a file, test URLs, see the rule that wins.

What is asked is `Robots` itself: which lines count for a crawler, which rule decides about a URL, and how.
"""

from __future__ import annotations

from typing import NamedTuple

from ircourse.crawl.robots import Robots, Rule
from ircourse.show.controls import Text
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Editor
from ircourse.show.style import INK, MUTED, look
from ircourse.show.svg import Drawing, below, beside, box, caption, clip, joined, label, plural, shorten

SITE = "http://harbour.example"
MOST_LINES, MOST_URLS, LINE = 30, 12, 24.0
LEFT, RIGHT = 380.0, 290.0
LONGEST = 500
FILES = {
    "longest rule": """# the longest rule that matches wins
User-agent: *
Disallow: /shop/
Allow: /shop/open
Disallow: /*.pdf$
Disallow: /search?
Crawl-delay: 5

User-agent: greedybot
User-agent: copybot
Disallow: /

Sitemap: http://harbour.example/sitemap.xml""",
    "everything closed": "User-agent: *\nDisallow: /",
    "everything open": "User-agent: *\nDisallow:",
    "a group of one's own": """User-agent: *
Disallow: /

User-agent: ircourse
Disallow: /shop/""",
}
PATHS = "/shop/till\n/shop/open\n/shop/opening-hours\n/map.pdf\n/map.pdf?page=2\n/search?q=eel\n/ferries"

__all__ = ["Verdict", "parse_file", "parse_paths", "try_robots", "verdicts"]


class Verdict(NamedTuple):
    """One URL before a file: what the file says to ``agent`` about it.

    lines     of the file, as written
    counting  numbers of the lines that count for the agent, from 1
    all       (path, allowed, winning rule) of every URL, this one's number among them
    delay     seconds between two requests, None where the file says nothing
    """

    lines: tuple[str, ...]
    agent: str
    counting: frozenset[int]
    all: tuple[tuple[str, bool, Rule | None], ...]
    number: int
    delay: float | None


def parse_file(text: str) -> str:
    """Return the text of a file; ValueError where it is too long to be shown."""
    lines = text.splitlines()
    if len(lines) > MOST_LINES or max(map(len, lines), default=0) > LONGEST:
        raise ValueError(f"Too long to be shown: write at most {MOST_LINES} lines of {LONGEST} characters.")
    return text


def parse_paths(text: str) -> list[str]:
    """Return the paths to test; ValueError for one that does not begin with a slash.

    >>> parse_paths("/shop/till\\n/map")
    ['/shop/till', '/map']
    """
    paths = text.split()
    if not 1 <= len(paths) <= MOST_URLS:
        raise ValueError(f"{plural(len(paths), 'path')}: write 1 to {MOST_URLS}, one on a line.")
    for path in paths:
        if not path.startswith("/") or len(path) > LONGEST:
            raise ValueError(f"{clip(path, 60)!r} is no path to test: begin it with /.")
    return paths


def verdicts(text: str, paths: list[str], agent: str) -> list[Verdict]:
    """Return what the file says about each path, one after the other.

    >>> verdicts(FILES["longest rule"], ["/map.pdf"], "ircourse")[0].all
    (('/map.pdf', False, Rule(line=5, text='Disallow: /*.pdf$')),)
    """
    robots = Robots.parse(text)
    every = [
        (path, robots.allows(SITE + path, agent), robots.winning_rule(SITE + path, agent)) for path in paths
    ]
    counting = frozenset(rule.line for rule in robots.rules(agent))
    lines, delay = tuple(text.splitlines()), robots.crawl_delay(agent)
    return [Verdict(lines, agent, counting, tuple(every), n, delay) for n in range(len(paths))]


def _looks(allowed: bool) -> str:
    return "stored" if allowed else "refused"


def draw(verdict: Verdict) -> Drawing:
    """Return the file with the winning line marked, and every URL with its verdict."""
    _, allowed, winner = verdict.all[verdict.number]
    parts = []
    for number, text in enumerate(verdict.lines, 1):
        y = (number - 1) * LINE
        counts = number in verdict.counting
        if winner and number == winner.line:
            style = look(_looks(allowed))
            parts.append(box(26, y + 1, LEFT - 27, LINE - 2, rx=3, fill=style.fill, stroke=style.stroke))
        parts.append(label(str(number), 20, y + 17, anchor="end", fill=MUTED))
        ink = INK if counts else MUTED
        parts.append(label(shorten(text, LEFT - 44), 34, y + 17, fill=ink, bold=counts))
    file = Drawing(LEFT, max(len(verdict.lines), 1) * LINE, joined(parts))
    tests = []
    for number, (path, open_, rule) in enumerate(verdict.all):
        y = number * LINE
        if number > verdict.number:  # its verdict is still to come
            tests.append(box(2, y + 2, RIGHT - 4, LINE - 5, rx=3))
            tests.append(label(f"? {shorten(path, RIGHT - 110)}", 9, y + 17))
            continue
        style = look(_looks(open_))
        here = 3.0 if number == verdict.number else 1.0
        dash = None if open_ else style.dash
        frame = {"fill": style.fill, "stroke": style.stroke, "stroke_width": here, "stroke_dasharray": dash}
        tests.append(box(2, y + 2, RIGHT - 4, LINE - 5, rx=3, **frame))
        tests.append(label(f"{style.mark} {shorten(path, RIGHT - 110)}", 9, y + 17))
        says = f"line {rule.line}" if rule else "no rule"
        tests.append(label(says, RIGHT - 10, y + 17, anchor="end"))
    urls = Drawing(RIGHT, len(verdict.all) * LINE, joined(tests))
    name = shorten(verdict.agent or "nobody", 120)
    left = below(caption(f"robots.txt, bold what counts for {name}", LEFT), file)
    return beside(left, below(caption("may be fetched \u2713 or not \u2715, and why", RIGHT), urls), gap=20)


def describe(verdict: Verdict) -> str:
    """Return the verdict on the URL, with its reason."""
    path, allowed, winner = verdict.all[verdict.number]
    may = "may fetch" if allowed else "may not fetch"
    rule = f"line {winner.line} decides, {clip(winner.text, 80)!r}" if winner else "no rule matches"
    delay = f" It is to wait {verdict.delay:g} s between requests." if verdict.delay is not None else ""
    return f"{clip(verdict.agent, 60) or 'A crawler without a name'} {may} {clip(path, 100)}: {rule}.{delay}"


def table(verdict: Verdict) -> list[Row]:
    """Return every path with its verdict, those to come without."""
    rows = [
        [path, "yes" if allowed else "no", f"{rule.line}: {rule.text}" if rule else "none matches"]
        for path, allowed, rule in verdict.all[: verdict.number + 1]
    ]
    rows += [[path, "?", "?"] for path, _, _ in verdict.all[verdict.number + 1 :]]
    return [["path", "may be fetched", "rule that decides"], *rows]


def try_robots(file: str = FILES["longest rule"]) -> Explorer:
    """Return an editor: a robots.txt, paths to test against it one after the other, a crawler's name."""
    return Editor(
        Text(
            "robots.txt",
            file,
            parse_file,
            8,
            ready=FILES,
            examples=["Disallow: /", "User-agent: *\nDisallow: é"],
        ),
        verdicts,
        draw,
        describe,
        table,
        title="A robots.txt",
        controls={
            "paths": Text("Paths to test", PATHS, parse_paths, 4, examples=["/", "/é?x=%ff"]),
            "agent": Text("Name of the crawler", "ircourse", lambda text: text[:60]),
        },
        notice="Of the rules that match, the longest decides, wherever it stands; between an Allow and a "
        "Disallow of the same length the Allow. Guess each verdict before you step to it.",
    )
