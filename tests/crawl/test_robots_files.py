"""The robots.txt of each site: redirects, failures, expiry."""

import pytest

from ircourse.crawl.crawler.robots_files import RobotsFiles, origin_of
from ircourse.types import FetchError, Response

SHOP = "http://town.example:81/shop"


def files(**options):
    return RobotsFiles(lambda url: "town.example" in url, **options)


def redirect(place):
    return Response(301, {"location": place})


def test_each_origin_has_its_own_file():
    known = files()
    known.answered(known.site(SHOP), Response(200, {}, b"User-agent: *\nDisallow: /"), 0.0)
    assert not known.current(SHOP, 0.0).allows(SHOP, "ircourse")
    assert known.current("http://town.example/shop", 0.0) is None
    assert known.current("https://town.example:81/shop", 0.0) is None
    assert known.site("http://town.example/x").asked == "http://town.example/robots.txt" and len(known) == 3
    assert origin_of("https://[::1]:81/a//b") == "https://[::1]:81"


def test_redirects_are_followed_five_times_and_then_there_is_no_file():
    known = files()
    site = known.site(SHOP)
    for hop in range(5):
        known.answered(site, redirect(f"/robots-{hop}"), 0.0)
        assert site.asked == f"http://town.example:81/robots-{hop}" and known.current(SHOP, 0.0) is None
    known.answered(site, redirect("/robots-5"), 0.0)
    assert known.current(SHOP, 0.0).allows(SHOP, "ircourse")
    assert site.asked == "http://town.example:81/robots.txt"


@pytest.mark.parametrize("answer", [Response(301), redirect("javascript:alert(1)"), Response(410)])
def test_no_file_and_no_target_allow_all(answer):
    known = files()
    known.answered(known.site(SHOP), answer, 0.0)
    assert known.current(SHOP, 0.0).allows(SHOP, "ircourse")


def test_a_redirect_out_of_scope_closes_the_site_at_once():
    known = files()
    site = known.site(SHOP)
    known.answered(site, redirect("http://elsewhere.example/robots.txt"), 0.0)
    assert not known.current(SHOP, 0.0).allows(SHOP, "ircourse")


@pytest.mark.parametrize("answer", [Response(503), FetchError(SHOP, "timeout"), Response(429)])
def test_a_site_that_does_not_answer_is_asked_again_ever_later_and_given_up(answer):
    known, now, waited = files(), 0.0, []
    site = known.site(SHOP)
    while not site.given_up:
        known.answered(site, answer, now)
        assert not known.current(SHOP, now).allows(SHOP, "ircourse")
        waited.append(site.robots.expires_at - now)
        now = site.robots.expires_at
        assert known.current(SHOP, now) is None
    assert waited == [60, 120, 240, 480]
    known.answered(site, Response(404), now)
    assert not site.given_up and site.failures == 0 and known.current(SHOP, now).allows(SHOP, "ircourse")


def test_what_cannot_pass_is_not_waited_for():
    known = files()
    known.answered(known.site(SHOP), FetchError(SHOP, "too large"), 0.0)
    assert known.site(SHOP).given_up
    known = files(max_failures=1)
    known.answered(known.site(SHOP), Response(500), 0.0)
    assert known.site(SHOP).given_up


def test_a_file_holds_for_a_day():
    known = files()
    known.answered(known.site(SHOP), Response(200), 5.0)
    assert known.current(SHOP, 86_404.9) and known.current(SHOP, 86_405.0) is None
