"""The URL filter: each rule refuses what it is for, and what stands near its limit passes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.crawl import canonical_url
from ircourse.crawl.filters import RULES, UrlFilter, host_in, url_pattern, without_session

S = "http://site.example"
PAIR = "products/center/"
EMBEDDED = "www.partner.example/policies/"


def rules(filter_, urls, **how):
    return [filter_.judge(url, **how).rule for url in urls]


@pytest.mark.parametrize(
    ("limits", "url", "rule"),
    [
        ({"hosts": ["site.example"]}, f"{S}/", ""),
        ({"hosts": ["site.example"]}, f"{S}:8080/a", ""),
        ({"hosts": ["site.example"]}, "http://other.example/", "scope"),
        ({"hosts": ["site.example"]}, "http://www.site.example/", "scope"),
        ({"hosts": ["*.site.example"]}, "http://www.site.example/", ""),
        ({"hosts": ["[::1]"]}, "http://[::1]:80/", ""),
        ({"hosts": []}, f"{S}/", "scope"),
        ({}, f"{S}/" + "a" * (2083 - len(S) - 1), ""),
        ({}, f"{S}/" + "a" * (2083 - len(S)), "length"),
        ({}, f"{S}/map.png", "kind"),
        ({}, f"{S}/MAP.PNG?size=2", "kind"),
        ({}, f"{S}/map.png/", ""),
        ({}, f"{S}/png", ""),
        ({}, f"{S}/prices.csv", ""),
        ({}, f"{S}/sitemap-water.xml.gz", ""),
        ({"kinds": ["pdf"]}, f"{S}/map.pdf", "kind"),
        ({}, f"{S}/a/b/c/d/e/f/g/h/i/j.html", ""),
        ({}, S + "".join(f"/{chr(97 + i)}" for i in range(20)), ""),
        ({}, S + "".join(f"/{chr(97 + i)}" for i in range(21)), "segments"),
        ({}, f"{S}/de/privacy/" + EMBEDDED * 2, ""),
        ({}, f"{S}/de/privacy/" + EMBEDDED * 3, "repeats"),
        ({}, f"{S}/" + PAIR * 3, "repeats"),
        ({}, f"{S}/news/a/news/b/news/", "repeats"),
        ({}, f"{S}/2001/01/01/01/", ""),
        ({}, f"{S}/a////b", ""),
        ({}, f"{S}/list?" + "&".join(f"{c}=1" for c in "abcdefgh"), ""),
        ({}, f"{S}/list?" + "&".join(f"{c}=1" for c in "abcdefghi"), "parameters"),
    ],
)
def test_each_rule_and_what_stands_near_it(limits, url, rule):
    assert UrlFilter(**limits).judge(url).rule == rule


def test_clicks_from_the_seeds():
    urls = UrlFilter(max_clicks=3)
    assert [urls.judge(f"{S}/", clicks).rule for clicks in range(5)] == ["", "", "", "", "clicks"]
    assert UrlFilter().judge(f"{S}/", 10**6).rule == ""


def test_a_budget_for_each_pattern_and_each_host():
    counter = [f"{S}/stat?year={year}" for year in range(2024, 2324)]
    assert rules(UrlFilter(), counter) == [""] * 200 + ["pattern"] * 100
    wide = UrlFilter(per_pattern=3, per_host=5)
    assert rules(wide, [f"{S}/day/{n}" for n in range(5)]) == ["", "", "", "pattern", "pattern"]
    assert rules(wide, [f"{S}/day/{n}/x" for n in range(2)]) == ["", ""]
    assert rules(wide, [f"{S}/", "http://b.example/day/1"]) == ["host", ""]
    fixed = [f"{S}/topic-{letter}" for letter in "abcdefgh"]
    assert rules(UrlFilter(per_pattern=3), fixed) == [""] * 8  # neither numbers nor parameters


def test_combinations_of_parameters_on_one_path_are_bounded():
    facets = [f"{S}/shop?" + "&".join(f"{c}=1" for i, c in enumerate("abcdef") if mask >> i & 1) for mask in
              range(1, 64)]  # fmt: skip
    found = rules(UrlFilter(max_names=10), facets * 2)
    assert found[:10] == [""] * 10
    assert set(found[10:63]) == {"parameters"}
    assert found[63:73] == [""] * 10
    named = [f"{S}/shop?x{n}=1" for n in range(300)]  # names with numbers are one pattern
    assert rules(UrlFilter(), named).count("") == 200


def test_a_refused_url_spends_nothing():
    urls = UrlFilter(per_pattern=2, per_host=10)
    assert urls.judge(f"{S}/a.png").rule == "kind"
    assert rules(urls, [f"{S}/1", f"{S}/2", f"{S}/3"]) == ["", "", "pattern"]


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("/?PHPSESSID=7f3a", "/"),
        ("/a?x=1&sessionid=7f3a&y=2", "/a?x=1&y=2"),
        ("/a?session_id=7&jsessionid=8&ASPSESSIONIDABC=9", "/a"),
        ("/a;jsessionid=1A2B", "/a"),
        ("/a;JSESSIONID=1A2B/b?c", "/a/b?c"),
        ("/a?sid=0123456789abcdef", "/a"),
        ("/a?sid=17", "/a?sid=17"),
        ("/a?s=query+words", "/a?s=query+words"),
        ("/a?session=morning", "/a"),
        ("/a?sessions=3&possession=1", "/a?sessions=3&possession=1"),
        ("/a?", "/a?"),
        ("/a;v=1?b=2&&c", "/a;v=1?b=2&&c"),
    ],
)
def test_session_ids_are_dropped(url, clean):
    assert without_session(S + url) == S + clean


def test_other_names_of_session_ids():
    urls = UrlFilter(per_pattern=1, sessions=["sid"])
    assert [urls.judge(f"{S}/rules?sid={n}") for n in (1, 2)] == [(f"{S}/rules", "")] * 2


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        ("/", "/"),
        ("/cal/2031/05", "/cal/#/#"),
        ("/b/3f2504e0-4f89-11d3-9a0c-0305e82c3301", "/b/#"),
        ("/v1.2/x?b=1&a=2&a=3", "/v#.#/x?a&b"),
        ("/x?facet12=1", "/x?facet#"),
        ("/x?", "/x"),
    ],
)
def test_patterns(url, pattern):
    assert url_pattern(S + url) == url_pattern(f"{S}:81{url}") == "site.example" + pattern


def test_scopes():
    scope = {"a.example", "*.town.example"}
    hosts = ["a.example", "b.a.example", "town.example", "x.town.example", "x.y.town.example", "", "[::1]"]
    assert [host_in(host, scope) for host in hosts] == [True, False, False, True, True, False, False]


@given(st.text(alphabet="ab01/.?&=;#:sid", max_size=60), st.integers(0, 5))
def test_any_url_gets_a_verdict_and_cleaning_twice_changes_nothing(rest, clicks):
    url = canonical_url(f"{S}/{rest}")
    if url is not None:
        urls = UrlFilter()
        found, rule = urls.judge(url, clicks)
        assert rule in ("", *RULES)
        assert urls.clean(found) == found
        assert canonical_url(found) == found
