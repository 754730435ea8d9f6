from datetime import UTC, datetime

from ircourse.crawl import FeedEntry, SitemapEntry, parse_feed, parse_sitemap
from ircourse.crawl.feeds.changes import changed_urls, stamps_of
from ircourse.web import tiny_web

A = "http://a.example/"
MONDAY, TUESDAY = (datetime(2025, 3, day, tzinfo=UTC) for day in (10, 11))


def test_new_changed_put_back_and_unstamped():
    before = stamps_of(
        [
            SitemapEntry(A + n, stamp)
            for n, stamp in zip("12345", [MONDAY, MONDAY, TUESDAY, None, MONDAY], strict=True)
        ]
    )
    now = [
        SitemapEntry(A + "1", MONDAY),  # the same
        SitemapEntry(A + "2", TUESDAY),  # changed
        SitemapEntry(A + "3", MONDAY),  # put back
        SitemapEntry(A + "4", None),  # says nothing
        SitemapEntry(A + "5", None),  # says nothing any more
        SitemapEntry(A + "6", None),  # new
    ]
    assert changed_urls(now, before) == (A + "2", A + "3", A + "6")
    assert changed_urls(now, before | stamps_of(now)) == ()
    assert changed_urls([SitemapEntry(A + "4", MONDAY)], before) == (A + "4",)  # its first stamp


def test_of_a_feed_the_last_change_counts():
    entry = FeedEntry(A, "", MONDAY, TUESDAY, "1")
    assert stamps_of([entry]) == {A: TUESDAY}
    assert stamps_of([entry._replace(updated=None)]) == {A: MONDAY}
    assert stamps_of([entry, entry._replace(updated=None), FeedEntry(A)]) == {A: TUESDAY}
    assert stamps_of([]) == {} and changed_urls([], {A: MONDAY}) == ()


def test_the_tiny_web_tells_of_its_news():
    web = tiny_web()
    home = "http://gazette.saltmere.example/"
    for name, parse in (("feed.rss", parse_feed), ("sitemap.xml", parse_sitemap)):
        looks = [parse(web.respond(home + name, day=day).body, home + name).entries for day in (0, 3)]
        assert sorted(changed_urls(looks[1], stamps_of(looks[0]))) == [
            home + "news/gale.html",
            home + "news/seal.html",
        ]
        assert changed_urls(looks[0], stamps_of(looks[0])) == ()
