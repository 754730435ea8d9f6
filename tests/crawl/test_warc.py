"""Reading WARC files."""

import gzip
import io
import zlib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.crawl import PageStore
from ircourse.crawl.store import warc
from ircourse.crawl.store.warc import warc_pages
from ircourse.crawl.store.warc_writing import moment, parse_moment

URL = "http://a.example/"


def record(kind, block, version="1.0", **fields):
    names = {"WARC-Type": kind, "WARC-Target-URI": URL, "Content-Length": len(block)}
    names |= {name.replace("_", "-"): value for name, value in fields.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in names.items())
    return f"WARC/{version}\r\n{head}\r\n".encode() + block + b"\r\n\r\n"


def answer(body, status=b"200 OK", **fields):
    head = b"".join(f"{n.replace('_', '-')}: {v}\r\n".encode() for n, v in fields.items())
    return b"HTTP/1.1 " + status + b"\r\n" + head + b"\r\n" + body


def pages(data):
    return list(warc_pages(io.BytesIO(data)))


def test_responses_with_status_200_and_bare_documents():
    data = (
        record("warcinfo", b"software: none\r\n")
        + record("request", b"GET / HTTP/1.1\r\n\r\n")
        + record("response", answer(b"rose", Content_Type="text/html"))
        + record("response", answer(b"gone", status=b"404 Not Found"))
        + record("resource", b"bare", Content_Type="text/plain")
        + record("conversion", b"words", version="1.1")
        + record("response", b"\0\0\0", WARC_Target_URI="dns:a.example")
    )
    want = [(URL, "text/html", b"rose"), (URL, "text/plain", b"bare"), (URL, "", b"words")]
    assert pages(data) == want
    assert pages(gzip.compress(data)) == want
    assert (
        pages(b"".join(gzip.compress(part + b"\r\n\r\n") for part in data.split(b"\r\n\r\n\r\n\r\n"))) == want
    )
    assert pages(b"") == []


DEFLATE = zlib.compress(b"rose rose rose")


@pytest.mark.parametrize(
    ("body", "fields", "text"),
    [
        (b"4\r\nrose\r\n3;x=y\r\n is\r\n0\r\n\r\n", {"Transfer_Encoding": "chunked"}, b"rose is"),
        (b"already joined", {"Transfer_Encoding": "chunked"}, b"already joined"),
        (b"-4\r\nrose", {"Transfer_Encoding": "chunked"}, b"-4\r\nrose"),
        (gzip.compress(b"rose", mtime=0), {"Content_Encoding": "gzip"}, b"rose"),
        (b"unpacked before", {"Content_Encoding": "gzip"}, b"unpacked before"),
        (DEFLATE, {"Content_Encoding": "deflate"}, b"rose rose rose"),
        (DEFLATE[2:-4], {"Content_Encoding": "deflate"}, b"rose rose rose"),
        (b"rose", {"Content_Encoding": "br"}, b"rose"),
        (gzip.compress(b"rose" * 99, mtime=0)[:-12], {"Content_Encoding": "gzip"}, (b"rose" * 99)),
    ],
)
def test_bodies_are_joined_and_unpacked(body, fields, text):
    ((_, _, found),) = pages(record("response", answer(body, **fields)))
    assert text.startswith(found[:4])
    assert found == text or fields.get("Content_Encoding") == "gzip"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"no record", "no WARC record begins with b'no record'"),
        (record("resource", b"rose")[:-6], "ends within a WARC record"),
        (record("resource", b"rose", Content_Length="-4"), "content-length '-4'"),
        (record("resource", b"rose", Content_Length="9" * 30), "content-length '99"),
        (b"WARC/1.0\r\n\r\n", "content-length ''"),
        (b"WARC/1.0\r\n" + b"a: b\r\n" * 2000, "over 1000 headers"),
        (gzip.compress(record("resource", b"rose" * 500), mtime=0)[:-30], "damaged gzip"),
        (b"\x1f\x8bnonsense", "damaged gzip"),
    ],
)
def test_damage_is_told(data, said):
    with pytest.raises(ValueError, match=said):
        pages(data)


def test_what_stands_before_the_damage_is_read():
    found = warc_pages(io.BytesIO(record("resource", b"rose") + b"damage"))
    assert next(found).body == b"rose"
    with pytest.raises(ValueError, match="no WARC record"):
        next(found)


def test_large_blocks_are_cut(monkeypatch):
    monkeypatch.setattr(warc, "MAX_BLOCK", 5)
    data = record("resource", b"rose is a rose") + record("resource", b"next")
    assert [page.body for page in pages(data)] == [b"rose ", b"next"]
    monkeypatch.setattr(warc, "MAX_BLOCK", 1000)
    bomb = gzip.compress(b"a" * 10**6)
    assert len(pages(record("response", answer(bomb, Content_Encoding="gzip")))[0].body) <= 1000


@given(data=st.binary(max_size=60), start=st.sampled_from([b"", b"WARC/1.0\r\n", b"\x1f\x8b"]))
def test_no_bytes_do_harm(data, start):
    try:
        pages(start + data)
    except ValueError as error:
        assert str(error)


RECORDS = [
    record("warcinfo", b"software: none\r\n"),
    record("response", answer(b"4\r\nrose\r\n0\r\n\r\n", Transfer_Encoding="chunked")),
    record("response", answer(gzip.compress(b"rose", mtime=0), Content_Encoding="gzip")),
    record("revisit", answer(b"")),
    record("resource", b"bare", Content_Type="text/plain"),
]
FORMS = [
    b"".join(RECORDS),
    gzip.compress(b"".join(RECORDS), 1, mtime=0),
    b"".join(gzip.compress(r, 1, mtime=0) for r in RECORDS),
]
CHANGES = st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), max_size=4)


@given(form=st.sampled_from(FORMS), changes=CHANGES, end=st.none() | st.integers(0, 2000))
def test_broken_files_give_pages_or_the_documented_error(tmp_path_factory, form, changes, end):
    data = bytearray(form)
    for place, byte in changes:
        data[place % len(data)] = byte
    path = tmp_path_factory.mktemp("warc") / "crawl.warc"
    path.write_bytes(data[:end])
    try:
        found, damaged = pages(bytes(data[:end])), False
    except ValueError:
        found, damaged = [], True
    with PageStore(path) as store:
        assert bool(store.damaged) == damaged
        for url in store:
            assert all(100 <= answer.status <= 999 for answer in store.history(url))
        assert {page.url for page in found} - {""} <= set(store)


def test_a_head_is_read_to_a_limit():
    lines = b"".join(b"X: %060000d\r\n" % i for i in range(999))
    found = warc.http_answer(b"HTTP/1.1 200 OK\r\n" + lines + b"\r\nrose")
    assert (found.status, found.body) == (200, b"rose")
    assert warc.MAX_HEAD - 2**16 < sum(map(len, found.headers.values())) < warc.MAX_HEAD
    few = warc.http_answer(b"HTTP/1.1 200 OK\r\nA: 1\r\nX-Robots-Tag: a\r\na: 2\r\nx-robots-tag: b\r\n\r\n")
    assert few.headers == {"a": "1, 2", "x-robots-tag": "a\nb"}


def test_a_records_fields_are_read_to_a_limit():
    fields = {f"F{i}": "x" * 60_000 for i in range(20)}
    with pytest.raises(ValueError, match="over 1,048,576 bytes of headers"):
        pages(record("response", answer(b"rose"), **fields))


@pytest.mark.parametrize(
    "text",
    [
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
        "9999-12-31T23:59:59.999999Z",
        "0000",
        "2024-13-01",
    ],
)
def test_a_date_that_cannot_be_read_back_is_none(text):
    assert parse_moment(text) == 0


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00.000000Z", "9999-12-31T23:59:58.000000Z"])
def test_dates_are_read_back_as_they_were_written(text):
    assert moment(datetime.fromtimestamp(parse_moment(text), UTC)) == text
