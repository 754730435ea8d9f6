"""Retry-After, waits between tries, redirects."""

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.crawl.crawler.retry import Redirect, RetryPolicy, is_passing, redirect, retry_after
from ircourse.types import FetchError, Response

A = "http://a.example/"
NOW = datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120),
        ("0", 0),
        (" 30 ", 30),
        ("\t7", 7),
        ("Sun, 06 Nov 1994 08:51:37 GMT", 120),
        ("Sunday, 06-Nov-94 08:50:37 GMT", 60),
        ("Sun Nov  6 08:50:37 1994", 60),
        ("Sun, 06 Nov 1994 08:00:00 GMT", 0),  # past
        ("soon", None),
        ("1.5", None),
        ("-5", None),
        ("10, 20", None),
        ("", None),
        ("1e3", None),
        ("٣", None),
        ("9" * 400, None),
        ("Sun, 99 Nov 1994 08:51:37 GMT", None),
        ("Sun, 06 Nov 99999 08:51:37 GMT", None),
        ("1994-11-06T08:51:37Z", None),
    ],
)
def test_retry_after(value, seconds):
    assert retry_after(value, NOW) == seconds


@given(st.datetimes(datetime(1900, 1, 1), datetime(9000, 1, 1)))
def test_every_date_is_read(date):
    date = date.replace(microsecond=0, tzinfo=UTC)
    assert retry_after(format_datetime(date, usegmt=True), NOW) == max(0, date.timestamp() - NOW)


@given(st.text(max_size=60))
def test_no_value_raises(value):
    seconds = retry_after(value)
    assert seconds is None or seconds >= 0


def test_waits_grow_to_a_longest_and_end():
    policy = RetryPolicy(max_tries=6, first=10, factor=3, longest=200)
    waits = [policy.wait(tries, FetchError(A, "timeout")) for tries in range(1, 8)]
    assert waits == [10, 30, 90, 200, 200, None, None]
    assert RetryPolicy(max_tries=10**6).wait(10**5, Response(500)) == 3600.0


def test_a_server_that_names_a_time_is_not_asked_before():
    policy = RetryPolicy(first=10, longest=100)
    for status in (429, 503):
        waits = [policy.wait(1, Response(status, {"retry-after": v}), NOW) for v in ("3", "60", "100", "101")]
        assert waits == [10, 60, 100, None]
        later = Response(status, {"retry-after": "Sun, 06 Nov 1994 08:50:37 GMT"})
        assert policy.wait(1, later, NOW) == 60
        assert policy.wait(1, Response(status, {"retry-after": "soon"}), NOW) == 10
        assert policy.wait(5, later, NOW) is None


@pytest.mark.parametrize("kind", ["dns", "timeout", "reset", "refused"])
def test_faults_that_may_pass_are_tried_again(kind):
    assert is_passing(FetchError(A, kind))


@pytest.mark.parametrize("kind", ["too large", "bad answer", "bad url", "private address"])
def test_faults_that_stay_are_not(kind):
    assert not is_passing(FetchError(A, kind))
    assert RetryPolicy().wait(1, FetchError(A, kind)) is None


def test_statuses_that_may_pass():
    passing = [status for status in range(100, 600) if is_passing(Response(status))]
    assert passing == [408, 425, 429, 500, 502, 503, 504]


@pytest.mark.parametrize(
    "limits", [{"max_tries": 0}, {"first": 0}, {"factor": 0.5}, {"longest": float("nan")}]
)
def test_policies_that_are_none(limits):
    with pytest.raises(ValueError, match="max_tries and factor of at least 1"):
        RetryPolicy(**limits)


def to(location, status=302):
    return Response(status, {} if location is None else {"location": location})


@pytest.mark.parametrize(
    ("location", "where", "reason"),
    [
        ("/b", f"{A}b", ""),
        ("../up.html", f"{A}up.html", ""),
        ("//b.example", "http://b.example/", ""),
        ("HTTPS://A.example:443/x y#part", "https://a.example/x%20y", ""),
        ("?q=1", f"{A}dir/page?q=1", ""),
        (None, None, "redirect without location"),
        (" ", None, "redirect without location"),
        ("javascript:alert(1)", None, "redirect to no URL"),
        ("mailto:x@a.example", None, "redirect to no URL"),
        ("http://[", None, "redirect to no URL"),
    ],
)
def test_where_redirects_lead(location, where, reason):
    for status in (301, 302, 303, 307, 308):
        assert redirect(to(location, status), [f"{A}dir/page"]) == Redirect(where, reason)


def follow(locations, url):
    """The URLs asked for, and why the chain ended; each answer is taken once but the last."""
    chain, reason = [url], ""
    while location := locations[chain[-1]][min(chain.count(chain[-1]) - 1, len(locations[chain[-1]]) - 1)]:
        where, reason = redirect(to(location), chain)
        if where is None:
            break
        chain.append(where)
    return chain, reason


def test_a_redirect_to_itself_once_is_read():
    assert follow({A: ["/", None]}, A) == ([A, A], "")
    assert follow({A: ["/"]}, A) == ([A, A], "redirect loop")


def test_loops_and_long_chains_end():
    names = [f"{A}{n}" for n in range(50)]
    assert follow({names[0]: ["/1"], names[1]: ["/0"]}, names[0]) == (names[:2], "redirect loop")
    chain = {url: [f"/{n + 1}"] for n, url in enumerate(names)}
    assert follow(chain, names[0]) == (names[:11], "too many redirects")
    assert follow(chain | {names[10]: [None]}, names[0]) == (names[:11], "")


def test_what_is_no_redirect_is_told():
    for response, chain in ((Response(200), [A]), (Response(304), [A]), (to("/"), [])):
        with pytest.raises(ValueError, match="a redirect and the URLs up to it expected"):
            redirect(response, chain)
