import pytest

from ircourse.crawl import Crawler, Robots
from ircourse.crawl.feeds.following import sitemap_urls
from ircourse.types import FetchError, Response, VirtualClock
from ircourse.web import tiny_web

A = "http://a.example/"


def index(*names):
    inside = "".join(f"<sitemap><loc>{name}</loc></sitemap>" for name in names)
    return f"<sitemapindex>{inside}</sitemapindex>".encode()


def pages(*names):
    return f"<urlset>{''.join(f'<url><loc>{n}</loc></url>' for n in names)}</urlset>".encode()


def follow(files, robots="", **limits):
    """What the sitemaps of a.example name, and the URLs asked for."""

    def fetch(url, headers):
        assert headers["User-Agent"] == "ircourse"
        answer = files.get(url, Response(404))
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Response) else Response(200, {}, answer)

    return sitemap_urls(fetch, A, Robots.parse(robots), **limits)


def urls(found):
    return [entry.url.removeprefix(A) for entry in found.entries]


def test_without_a_name_in_robots_it_asks_where_sitemaps_are_by_custom():
    found = follow({A + "sitemap.xml": pages(A + "1", A + "2")})
    assert urls(found) == ["1", "2"] and found.requests == (A + "sitemap.xml",) and found.problems == {}


def test_those_that_robots_names_in_order_each_once():
    files = {A + "n.xml": pages(A + "1", A + "2"), A + "m.txt": f"{A}2\n{A}3".encode()}
    found = follow(files, f"Sitemap: {A}n.xml\nSitemap: {A}m.txt\nSitemap: /n.xml\n")
    assert urls(found) == ["1", "2", "3"] and found.requests == (A + "n.xml", A + "m.txt")


def test_an_index_that_names_itself_and_another_that_names_it():
    files = {
        A + "sitemap.xml": index(A + "sitemap.xml", A + "other.xml", A + "p.xml"),
        A + "other.xml": index(A + "sitemap.xml", A + "p.xml"),
        A + "p.xml": pages(A + "1"),
    }
    found = follow(files)
    assert urls(found) == ["1"] and found.requests == tuple(files)


def test_limits_on_files_depth_and_pages():
    endless = {f"{A}{n}.xml": index(f"{A}{n + 1}.xml", f"{A}p{n}.xml") for n in range(9)}
    endless |= {f"{A}p{n}.xml": pages(f"{A}{n}") for n in range(9)}
    start = f"Sitemap: {A}0.xml"
    found = follow(endless, start)
    assert urls(found) == ["0", "1"] and "within 2 others" in found.problems[A + "2.xml"]
    assert urls(follow(endless, start, max_depth=0)) == []
    found = follow(endless, start, max_depth=9, max_files=4)
    assert len(found.requests) == 4 and any("4 files" in why for why in found.problems.values())
    found = follow({A + "sitemap.xml": pages(*(f"{A}{n}" for n in range(9)))}, max_urls=5)
    assert len(found.entries) == 5 and "5 pages" in found.problems[A + "sitemap.xml"]


def test_a_wide_index_does_not_fill_the_memory():
    wide = {A + "sitemap.xml": index(*(f"{A}{n}.xml" for n in range(5000)))}
    found = follow(wide, max_files=3)
    assert len(found.requests) == 3 and len(found.problems) <= 5000


def test_only_pages_of_the_site_that_robots_allows():
    files = {
        "http://maps.example/a.xml": pages(A + "1", A + "no/2", "http://b.example/", "https://a.example/3")
    }
    found = follow(files, "User-agent: *\nDisallow: /no/\nSitemap: http://maps.example/a.xml")
    assert urls(found) == ["1", "https://a.example/3"]


def test_what_cannot_be_had_is_told_and_the_rest_counts():
    files = {
        A + "sitemap.xml": index(
            *(A + n for n in ("gone.xml", "down.xml", "loop", "moved", "bad.xml", "p.xml"))
        ),
        A + "down.xml": FetchError(A + "down.xml", "timeout"),
        A + "loop": Response(302, {"location": "/loop"}),
        A + "moved": Response(301, {"location": "/new.xml"}),
        A + "new.xml": pages(A + "1"),
        A + "bad.xml": b"<html></html>",
        A + "p.xml": pages(A + "2"),
    }
    found = follow(files)
    assert urls(found) == ["1", "2"]
    assert [url.removeprefix(A) for url in found.problems] == ["gone.xml", "down.xml", "loop", "bad.xml"]
    assert "404" in found.problems[A + "gone.xml"] and "timeout" in found.problems[A + "down.xml"]


def test_a_site_that_is_none():
    with pytest.raises(ValueError, match="'harbour' is no site"):
        sitemap_urls(lambda url, headers: Response(404), "harbour", Robots.parse(""))


def test_the_tiny_web_and_a_crawl_from_its_sitemaps():
    web = tiny_web()
    home = "http://www.saltmere.example/"
    robots = Robots.parse(web.respond(home + "robots.txt").body)
    found = sitemap_urls(web.respond, home, robots)
    assert found.problems == {} and len(found.requests) == 3
    assert home + "unlisted/sluice.html" in [entry.url for entry in found.entries]
    seeds = [entry.url for entry in found.entries]
    asked = []

    def fetch(url, headers):
        asked.append(url)
        return web.respond(url, headers)

    Crawler(seeds, fetch=fetch, clock=VirtualClock()).run()
    assert home + "unlisted/sluice.html" in asked and set(seeds) <= set(asked)
