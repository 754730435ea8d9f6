"""The dates of sitemaps and feeds, of every kind that is met, as one kind: a datetime in UTC.

W3C      ``2002-10-02T15:00:00+02:00``, also to the minute, day, month or year: sitemaps, Atom
RFC 822  ``Wed, 02 Oct 02 13:00 GMT``: RSS, and HTTP with its older forms,
         ``Wednesday, 02-Oct-02 13:00:00 GMT`` and ``Wed Oct  2 13:00:00 2002``

The weekday is not read: it adds nothing, and is wrong often enough. What is no such date is None, never a
guess: months in other languages, days without a year, ``3/4/2005``.

Sources: W3C, "Date and Time Formats"; RFC 5322, section 4.3 (obsolete dates); RFC 9110, section 5.6.7.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

__all__ = ["parse_date"]

MAX_DATE = 100  # characters

_TIME = r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,][0-9]{1,9})?)?"
_WEEKDAY = r"(?:[a-z]{2,9}\.?,?\s+|[a-z]{2,9},)?"
_W3C = re.compile(
    r"(?P<year>[0-9]{4})(?:-?(?P<month>[0-9]{2})(?:-?(?P<day>[0-9]{2})"
    rf"(?:(?:t|\s+){_TIME}\s*(?P<zone>\S*))?)?)?",
    re.I,
)
_RFC_822 = re.compile(
    rf"{_WEEKDAY}(?P<day>[0-9]{{1,2}})(?:\s+|-)(?P<month>[a-z]{{3,9}})\.?(?:,?\s+|-)(?P<year>[0-9]{{2,4}})"
    rf"(?:,?\s+{_TIME}\s*(?P<zone>.*))?",
    re.I,
)
_ASCTIME = re.compile(
    rf"{_WEEKDAY}(?P<month>[a-z]{{3,9}})\.?\s+(?P<day>[0-9]{{1,2}}),?(?:\s+{_TIME}(?:\s+(?P<zone>[a-z]{{1,5}}"
    r"|[+-][0-9:]{4,5}))?)?\s+(?P<year>[0-9]{4})",
    re.I,
)
_OFFSET = re.compile(r"(?:gmt|utc?)?\s*([+-])([0-9]{1,2})(?::?([0-9]{2}))?(?:\s*\(.*\))?", re.I)

_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = {name: n for n, full in enumerate(_MONTHS, 1) for name in (full, full[:3])} | {"sept": 9}
_HOURS = {"est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7}
_HOURS |= {"akst": -9, "akdt": -8, "hst": -10, "wet": 0, "west": 1, "bst": 1, "cet": 1, "cest": 2}
_HOURS |= {"met": 1, "mest": 2, "eet": 2, "eest": 3, "msk": 3, "hkt": 8, "jst": 9, "kst": 9}
_HOURS |= {"aest": 10, "aedt": 11, "nzst": 12, "nzdt": 13}


def parse_date(text: str) -> datetime | None:
    """Return the moment that ``text`` names, in UTC and aware of it, or None where it names none.

    What is not said is the least: ``2002-10`` is the first of October, a day is its midnight. Without a zone,
    or with the name of one that nobody agrees on, it is UTC (RFC 5322). Two digits of a year mean 1950 to
    2049. Fractions of a second are dropped; the 60th second is the next minute, 24:00 the next day.

    >>> [str(parse_date(text)) for text in ("Wed, 02 Oct 02 13:00 EST", "2002-10-02T13:00-05:00")]
    ['2002-10-02 18:00:00+00:00', '2002-10-02 18:00:00+00:00']
    >>> print(parse_date("Sunday, 06-Nov-94 08:49:37 GMT"), parse_date("yesterday"))
    1994-11-06 08:49:37+00:00 None

    Sources: W3C, "Date and Time Formats"; RFC 5322, section 4.3; RFC 9110, section 5.6.7.
    """
    text = text.strip()
    if len(text) > MAX_DATE:
        return None
    for form in (_W3C, _RFC_822, _ASCTIME):
        if found := form.fullmatch(text):
            return _moment(found.groupdict())
    return None


def _moment(parts: dict[str, str | None]) -> datetime | None:
    """Return the moment of the parts that a form found, None where there is none such."""
    month = (parts["month"] or "1").lower()
    number = int(month) if month.isdigit() else _MONTH.get(month)
    offset = _offset((parts["zone"] or "").strip())
    hour, minute, second = (int(parts[unit] or 0) for unit in ("hour", "minute", "second"))
    if number is None or offset is None or minute > 59 or second > 60:
        return None
    if hour > 24 or (hour == 24 and (minute, second) != (0, 0)):
        return None
    try:
        day = datetime(_year(parts["year"] or ""), number, int(parts["day"] or 1), tzinfo=UTC)
        return day + timedelta(hours=hour, minutes=minute, seconds=second) - offset
    except (ValueError, OverflowError):  # the 31st of September; before year 1
        return None


def _year(digits: str) -> int:
    """Return the year that two, three or four digits mean (RFC 5322, section 4.3)."""
    year = int(digits)
    return year if len(digits) == 4 else year + (2000 if len(digits) == 2 and year < 50 else 1900)


def _offset(zone: str) -> timedelta | None:
    """Return how far a zone is ahead of UTC, None where it cannot be."""
    if found := _OFFSET.fullmatch(zone):
        hours, minutes = int(found[2]), int(found[3] or 0)
        if hours > 15 or minutes > 59:
            return None
        ahead = timedelta(hours=hours, minutes=minutes)
        return -ahead if found[1] == "-" else ahead
    if zone and not re.fullmatch(r"[a-z]{1,5}(?:\s*\(.*\))?", zone, re.I):
        return None
    return timedelta(hours=_HOURS.get(zone.partition("(")[0].strip().lower(), 0))
