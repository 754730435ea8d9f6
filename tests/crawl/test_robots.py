"""robots.txt: RFC 9309's readings, what the library misses, hostile files, fuzz."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.crawl.robots import LIFETIME, MAX_BYTES, RETRY, Robots, Rule
from ircourse.types import FetchError

SITE = "http://harbour.example"
OPEN, CLOSED = True, False

# (rules of "*", path and query, whether it may be fetched)
MATCHING = [
    ("Disallow: /pier/\nAllow: /pier/open", "/pier/open", OPEN),  # the longest, whatever the order
    ("Allow: /pier/open\nDisallow: /pier/", "/pier/shut", CLOSED),
    ("Disallow: /pier\nAllow: /pier", "/pier/", OPEN),  # between equals
    ("Disallow: /pier", "/pier", CLOSED),
    ("Disallow: /pier", "/piers?x=1", CLOSED),
    ("Disallow: /pier", "/Pier", OPEN),
    ("Disallow: /pier", "/old/pier", OPEN),
    ("Disallow: /*.pdf", "/a/b.pdf?c", CLOSED),
    ("Disallow: /*.pdf$", "/a/b.pdf?c", OPEN),
    ("Disallow: /*.pdf$", "/a/b.pdf", CLOSED),
    ("Disallow: /tide$s", "/tide$s", CLOSED),  # $ is the end at the end alone
    ("Disallow: /tide$s", "/tide", OPEN),
    ("Allow: /$\nDisallow: /", "", OPEN),
    ("Allow: /$\nDisallow: /", "/", OPEN),
    ("Allow: /$\nDisallow: /", "/?a", CLOSED),
    ("Allow: /$\nDisallow: /", "?a", CLOSED),
    ("Disallow: *", "/a", CLOSED),
    ("Disallow: */shop", "/a/shop", CLOSED),
    ("Disallow: /*?", "/a", OPEN),
    ("Disallow: /*?", "/a?", CLOSED),
    ("Disallow: /*?", "/a#?", OPEN),  # no fragment is ever sent
    ("Disallow: //old/", "//old/a", CLOSED),
    ("Disallow: //old/", "/old/a", OPEN),
    ("Disallow: /\nAllow: /魚", "/%E9%AD%9A", OPEN),
    ("Disallow: /\nAllow: /魚", "/魚/a", OPEN),
    ("Disallow: /\nAllow: /%e9%ad%9a", "/%E9%ad%9A", OPEN),
    ("Disallow: /%7eada", "/~ada", CLOSED),
    ("Disallow: /a%2Fb", "/a/b", OPEN),
    ("Disallow: /a%2fb", "/a%2Fb", CLOSED),
    ("Disallow: /with-%2A", "/with-*", CLOSED),
    ("Disallow: /with-%2A", "/with-this", OPEN),
    ("Disallow: /pay-%24", "/pay-$", CLOSED),
    ("Disallow: /50%", "/50%", CLOSED),
    ("Disallow: /x%zz", "/x%zz/1", CLOSED),
    ("Disallow: /q=a:b", "/q=a%3Ab", CLOSED),
    ("Disallow:", "/", OPEN),
    ("Disallow:\nDisallow: /a", "/a", CLOSED),
    ("Disallow:\t/a", "/a", CLOSED),
    ("  disallow : /a # why", "/a", CLOSED),
    ("Disallow: /a#b", "/a", CLOSED),
    ("Disallow: /", "/robots.txt", OPEN),
    ("Disallow: /", "/a/robots.txt", CLOSED),
    ("Disallow: http://harbour.example/a", "/a", OPEN),
    ("Noindex: /a", "/a", OPEN),
]


@pytest.mark.parametrize(("rules", "target", "allowed"), MATCHING)
def test_rules_match_as_the_standard_says(rules, target, allowed):
    robots = Robots.parse(f"User-agent: *\n{rules}\n")
    assert robots.allows(SITE + target, "ircourse") is allowed
    winner = robots.winning_rule(SITE + target, "ircourse")
    assert target == "/robots.txt" or (winner is None or winner.allow) is allowed


# (file, agent, whether /a may be fetched)
GROUPS = [
    ("User-agent: ircourse\nAllow: /\nUser-agent: *\nDisallow: /", "ircourse", OPEN),
    ("User-agent: *\nDisallow: /\nUser-agent: ircourse", "ircourse", OPEN),  # an empty group is one
    ("User-agent: IRCourse\nDisallow: /", "ircourse", CLOSED),
    ("User-agent: ircourse\nDisallow: /", "IRcourse/1.0 (+http://a.example/)", CLOSED),
    ("User-agent: ircourse/2.1\nDisallow: /", "ircourse", CLOSED),
    ("User-agent: ircourse (all)\nDisallow: /", "ircourse", CLOSED),
    ("User-agent: ircourse*\nDisallow: /", "ircourse", CLOSED),
    ("User-agent: ir\nDisallow: /", "ircourse", OPEN),  # no beginning and no end of the name
    ("User-agent: course\nDisallow: /", "ircourse", OPEN),
    ("User-agent: ircourse-news\nDisallow: /", "ircourse", OPEN),
    ("User-agent: *bot\nDisallow: /", "ircourse", OPEN),
    ("User-agent: *\nDisallow: /", "", CLOSED),
    ("User-agent: a\nDisallow: /b\n\nUser-agent: b\n\nUser-agent: a\nDisallow: /a", "a", CLOSED),  # merged
    ("User-agent: *\nDisallow: /b\nUser-agent: b\nUser-agent: *\nDisallow: /a", "c", CLOSED),
    ("User-agent: a\nUser-agent: a\nDisallow: /a", "a", CLOSED),
    ("User-agent: a\nSitemap: http://a.example/s\nUser-agent: *\nDisallow: /", "a", CLOSED),
    ("User-agent: a\nNonsense: 1\nUser-agent: *\nDisallow: /", "a", CLOSED),
    ("User-agent: a\nCrawl-delay: 1\nUser-agent: *\nDisallow: /", "a", OPEN),
    ("User-agent: *\n\n\nDisallow: /", "a", CLOSED),  # blank lines say nothing
    ("User-agent: *\r\rDisallow: /", "a", CLOSED),
    ("User-agent: *\r\n\r\nDisallow: /", "a", CLOSED),
    ("User-agent: *\nDisallow: /x\u2028Allow: /", "a", OPEN),  # U+2028 ends no line
    ("User-agent : *\nDisallow: /", "a", CLOSED),
    ("\ufeffUser-agent: *\nDisallow: /", "a", CLOSED),
    ("Disallow: /\nUser-agent: *\nDisallow: /b", "a", OPEN),  # a rule of nobody
    ("<html><body>We have no robots.</body></html>", "a", OPEN),
    ("", "a", OPEN),
]


@pytest.mark.parametrize(("text", "agent", "allowed"), GROUPS)
def test_groups_are_chosen_as_the_standard_says(text, agent, allowed):
    assert Robots.parse(text).allows(SITE + "/a", agent) is allowed
    assert Robots.parse(text.encode()).allows(SITE + "/a", agent) is allowed


def test_bytes_in_any_encoding_match_themselves_alone():
    robots = Robots.parse(b"User-agent: *\nDisallow: /caf\xe9\nDisallow: /\xb0\xa1/\nDisallow: /ok")
    closed = ("/caf%E9", "/caf%e9s", "/%B0%a1/", "/ok")
    assert not any(robots.allows(SITE + target, "a") for target in closed)
    assert all(robots.allows(SITE + target, "a") for target in ("/caf%EA", "/%C4%E3/", "/caf%C3%A9"))


def test_a_file_in_utf_16_is_read():
    assert not Robots.parse("User-agent: *\nDisallow: /".encode("utf-16")).allows(SITE, "a")


@pytest.mark.parametrize(
    ("status", "allowed", "expires"),
    [(200, CLOSED, LIFETIME), (204, CLOSED, LIFETIME), (301, OPEN, LIFETIME), (308, OPEN, LIFETIME)]
    + [(status, OPEN, LIFETIME) for status in (400, 401, 403, 404, 410)]
    + [(status, CLOSED, RETRY) for status in (429, 500, 503, 599)],
)
def test_a_status_means_what_the_standard_says(status, allowed, expires):
    robots = Robots.from_answer(status, b"User-agent: *\nDisallow: /", now=7.0)
    assert robots.allows(SITE + "/a", "ircourse") is allowed
    assert robots.expires_at == 7.0 + expires


@pytest.mark.parametrize("kind", ["dns", "timeout", "reset", "refused", "too large", "bad answer"])
def test_no_answer_closes_the_site_for_a_while(kind):
    robots = Robots.from_answer(FetchError(SITE + "/robots.txt", kind), now=7.0)
    assert not robots.allows(SITE + "/a", "ircourse")
    assert robots.allows(SITE + "/robots.txt", "ircourse")
    assert 7.0 < robots.expires_at < 7.0 + LIFETIME


@pytest.mark.parametrize(
    ("said", "delay"),
    [("10", 10.0), ("0.5", 0.5), ("0", 0.0), ("86400", 86400.0), ("5 # s", 5.0)]
    + [(said, None) for said in ("inf", "nan", "-5", "1e999", "1,5", "soon", "", "-inf", "5s")],
)
def test_crawl_delays_are_finite_numbers(said, delay):
    assert Robots.parse(f"User-agent: *\nCrawl-delay: {said}\nDisallow: /a").crawl_delay("a") == delay


def test_a_crawl_delay_belongs_to_its_group():
    robots = Robots.parse("Crawl-delay: 7\nUser-agent: a\nCrawl-delay: 2\n\nUser-agent: *\nDisallow: /")
    assert (robots.crawl_delay("a"), robots.crawl_delay("b")) == (2.0, None)


def test_sitemaps_stand_anywhere_and_count_once():
    text = "Sitemap: http://a.example/1\nUser-agent: *\nSITEMAP:http://a.example/2 # two\nSite-map: http://a.example/1"
    assert Robots.parse(text).sitemaps == ("http://a.example/1", "http://a.example/2")


def test_the_limit_keeps_500_kib_and_drops_the_line_that_it_cuts():
    head = b"User-agent: *\nDisallow: /a\n"
    padding = b"#" * (MAX_BYTES - len(head) - len(b"\nDisallow: /"))
    robots = Robots.parse(head + padding + b"\nDisallow: /private\n")
    assert robots.allows(SITE + "/b", "a") and not robots.allows(SITE + "/a", "a")
    fits = b"\nDisallow: /b\n"
    robots = Robots.parse(
        head + b"#" * (MAX_BYTES - len(head) - len(fits)) + fits + b"Disallow: /c\n" * 10**6
    )
    assert not robots.allows(SITE + "/b", "a") and robots.allows(SITE + "/c", "a")


def test_a_line_of_any_length_is_a_rule():
    robots = Robots.parse(f"User-agent: *\nDisallow: /{'x' * 20_000}\nDisallow: /ok")
    assert not robots.allows(f"{SITE}/{'x' * 20_001}", "a") and not robots.allows(SITE + "/ok", "a")


def filled(head, line):
    """As many of a line after a head as fit the limit."""
    return head + line * ((MAX_BYTES - len(head)) // len(line))


HOSTILE = {
    "agents times rules": filled(b"".join(b"User-agent: a%d\n" % i for i in range(15_000)), b"Allow:/\n"),
    "one agent over and over": filled(b"User-agent: a\n" * 15_000, b"Allow:/\n"),
    "groups": b"".join(b"User-agent: a%d\nDisallow: /%d\n" % (i, i) for i in range(10**6)),
    "stars": b"User-agent: *\nDisallow: /" + b"*" * 10_000 + b"b\n",
    "stars with letters": b"User-agent: *\nDisallow: /" + b"*a" * 10_000 + b"b\n",
    "wild rules": filled(b"User-agent: *\n", b"Disallow: /*aaab\n"),
    "long wild rules": filled(b"User-agent: *\n", b"Disallow: /*" + b"a" * 80 + b"baaaa\n"),
    "escapes": filled(b"User-agent: *\n", b"Disallow: /%E9%ad%9A\n"),
    "empty lines": b"\r" * MAX_BYTES,
    "one line": b"x" * 10**7,
    "spaces": filled(b"", b"user agent        \n"),
    "anything": bytes(range(256)) * 2000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_answered(name):
    """In under a second each; where rules and groups multiply, or a star goes back, it would be hours."""
    robots = Robots.parse(HOSTILE[name])
    answers = [robots.allows(f"{SITE}/{target}", "a") for target in ("", "a" * 400, "a" * 8000, "%e9" * 2700)]
    assert answers[0] is OPEN


def test_what_would_take_too_long_is_not_allowed():
    robots = Robots.parse(HOSTILE["wild rules"])
    assert robots.allows(SITE + "/short", "a") and not robots.allows(f"{SITE}/{'a' * 8000}", "a")


def test_rules_are_numbered_by_line():
    robots = Robots.parse("# mine\nUser-agent: a\nUser-agent: b\nDisallow: /é # x\n\nCrawl-delay: 1\n")
    assert robots.rules("b") == (Rule(4, "Disallow: /%C3%A9"), Rule(6, "Crawl-delay: 1"))
    assert robots.rules("c") == ()
    assert robots.winning_rule(SITE + "/é", "a") == Rule(4, "Disallow: /%C3%A9")
    assert robots.winning_rule(SITE + "/e", "a") is None


def matches(pattern, target):
    """Whether a pattern matches, by trying every way: the oracle."""
    if not pattern:
        return True
    if pattern == "$":
        return not target
    if pattern[0] == "*":
        return any(matches(pattern[1:], target[i:]) for i in range(len(target) + 1))
    return target[:1] == pattern[0] and matches(pattern[1:], target[1:])


PATTERNS = st.text("ab/*", max_size=5).map(lambda s: "/" + s) | st.text("ab*", max_size=4).map("/{}$".format)


@given(
    rules=st.lists(st.tuples(st.booleans(), PATTERNS), max_size=6),
    target=st.text("ab/", max_size=7).map(lambda s: "/" + s),
)
def test_the_longest_match_wins_by_an_oracle(rules, target):
    lines = [f"{'Allow' if allow else 'Disallow'}: {pattern}" for allow, pattern in rules]
    robots = Robots.parse("\n".join(["User-agent: *", *lines]))
    matching = [(len(pattern), allow) for allow, pattern in rules if matches(pattern, target)]
    assert robots.allows(SITE + target, "a") is max(matching, default=(0, OPEN))[1]
    winner = robots.winning_rule(SITE + target, "a")
    if not matching:
        assert winner is None
    else:
        allow, pattern = rules[winner.line - 2]
        assert (len(pattern), allow) == max(matching)


@given(
    text=st.text(max_size=60) | st.binary(max_size=60), url=st.text(max_size=20), agent=st.text(max_size=5)
)
def test_any_text_will_do(text, url, agent):
    robots = Robots.parse(text)
    assert robots.allows(url, agent) in (OPEN, CLOSED)
    delay = robots.crawl_delay(agent)
    assert delay is None or 0 <= delay < math.inf


PIECES = "User-agent: Disallow: Allow: Crawl-delay: Sitemap: * / $ % %e9 %2F /a inf -1 ir course :".split()
PIECES += [
    "\n",
    "\r\n",
    "\r",
    "\n\n",
    " ",
    "\t",
    "#",
    "\ufeff",
    "\0",
    "\x0b",
    "\x85",
    "\u2028",
    "é",
    "\ud800",
]


def test_fuzz():
    rng = random.Random(9)
    for _ in range(30_000):
        text = "User-agent: *\n" * rng.randrange(2) + "".join(rng.choices(PIECES, k=rng.randrange(20)))
        url = "".join(rng.choices(["http://", "a.example", "//", "[", "?", *PIECES], k=rng.randrange(6)))
        robots = Robots.parse(text)
        allowed = robots.allows(url, "ircourse")
        robots.crawl_delay("ircourse")
        winner = robots.winning_rule(url, "ircourse")
        assert winner is None or winner.allow is allowed, (text, url)


@pytest.mark.parametrize("value", [None, 5, bytearray(b"x"), ["x"]])
def test_what_is_no_text_is_told(value):
    with pytest.raises(TypeError, match=type(value).__name__):
        Robots.parse(value)
    with pytest.raises(TypeError, match=type(value).__name__):
        Robots.parse("").allows(value, "a")
