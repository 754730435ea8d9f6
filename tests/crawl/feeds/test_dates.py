from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime, parsedate_to_datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.crawl.feeds.dates import parse_date

DATES = {
    # W3C, every precision
    "2025": "2025-01-01 00:00:00",
    "2025-03": "2025-03-01 00:00:00",
    "2025-03-09": "2025-03-09 00:00:00",
    "2025-03-09T07:30Z": "2025-03-09 07:30:00",
    "2025-03-09T07:30:15+01:00": "2025-03-09 06:30:15",
    "2025-03-09T07:30:15.25-0330": "2025-03-09 11:00:15",
    "2025-03-09t07:30:15z": "2025-03-09 07:30:15",
    "2025-03-09 07:30:15": "2025-03-09 07:30:15",
    "2025-03-09 07:30:15 +0100": "2025-03-09 06:30:15",
    "20250309": "2025-03-09 00:00:00",
    " \n2025-03-09\t": "2025-03-09 00:00:00",
    "2025-03-09T24:00:00Z": "2025-03-10 00:00:00",
    # RFC 822 and its obsolete forms
    "Sun, 09 Mar 2025 07:30:15 GMT": "2025-03-09 07:30:15",
    "Sun, 9 Mar 25 07:30 +0100": "2025-03-09 06:30:00",
    "9 Mar 2025 07:30:15 -0000": "2025-03-09 07:30:15",
    "9 March 2025": "2025-03-09 00:00:00",
    "Sunday, 9 Sept 2025 7:30 PST": "2025-09-09 15:30:00",
    "Sun, 09 Mar 2025 07:30:15 CEST": "2025-03-09 05:30:15",
    "Sun, 09 Mar 2025 07:30:15 XYZ": "2025-03-09 07:30:15",
    "Sun, 09 Mar 2025 07:30:15 GMT+2": "2025-03-09 05:30:15",
    "Sun, 09 Mar 2025 07:30:15 +0200 (EET)": "2025-03-09 05:30:15",
    "Sun,09 Mar 2025 07:30:15 GMT": "2025-03-09 07:30:15",
    "Mon, 09 Mar 2025 07:30:15 GMT": "2025-03-09 07:30:15",  # the weekday is wrong
    "Wed, 01 Jan 50 00:00:00 GMT": "1950-01-01 00:00:00",
    "Fri, 01 Jan 49 00:00:00 GMT": "2049-01-01 00:00:00",
    "Sat, 01 Jan 100 00:00:00 GMT": "2000-01-01 00:00:00",
    "Tue, 31 Dec 2024 23:59:60 GMT": "2025-01-01 00:00:00",
    # older forms of HTTP, and the C library's
    "Sunday, 09-Mar-25 07:30:15 GMT": "2025-03-09 07:30:15",
    "Sun Mar  9 07:30:15 2025": "2025-03-09 07:30:15",
    "Sun Mar 09 07:30:15 PDT 2025": "2025-03-09 14:30:15",
    "March 9, 2025": "2025-03-09 00:00:00",
}
NO_DATES = """
|today|2025-13-01|2025-02-30|2025-03-09T25:00Z|2025-03-09T07:61Z|2025-03-09T07:30+99:00|9/3/2025|1741505415
|So, 09 Mrz 2025 07:30:15 +0100|dim., 09 mars 2025 07:30:15 +0100|31 Sep 2025|0 Mar 2025|9 Mar|07:30:15
|2025-03-09T07:30:15 nowhere near|0000-01-01|0001-01-01T00:00+14:00|9999-12-31T24:00Z|٢٠٢٥-٠٣-٠٩|2025-W10-7
|Sun, 09 Mar 2025 07:30:15 GMT and more""".replace("\n", "").split("|")


@pytest.mark.parametrize("text", DATES)
def test_dates_of_every_kind(text):
    assert str(parse_date(text)) == DATES[text] + "+00:00"


@pytest.mark.parametrize("text", NO_DATES)
def test_what_is_no_date_is_none(text):
    assert parse_date(text) is None


def test_a_long_text_is_no_date_and_takes_no_time():
    assert parse_date("Sun, " + " " * 10**6 + "9 Mar 2025") is None
    assert parse_date("2025-03-09" + "9" * 10**6) is None


MOMENTS = st.datetimes(
    min_value=datetime(1950, 1, 2), max_value=datetime(2049, 12, 30), timezones=st.just(UTC)
).map(lambda moment: moment.replace(microsecond=0))
ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@settings(max_examples=60)
@given(MOMENTS, ZONES)
def test_what_the_standard_library_writes_is_read_back(moment, zone):
    local = moment.astimezone(zone)
    assert parse_date(format_datetime(local)) == moment == parsedate_to_datetime(format_datetime(local))
    assert parse_date(local.isoformat()) == moment
    assert parse_date(local.strftime("%d-%b-%y %H:%M:%S %z")) == moment
    assert parse_date(moment.ctime()) == moment


@settings(max_examples=200)
@given(st.one_of(st.text(max_size=40), st.text("0123456789-:TZ +GMTarn,", max_size=30)))
def test_no_text_raises(text):
    moment = parse_date(text)
    assert moment is None or moment.utcoffset() == timedelta(0)
