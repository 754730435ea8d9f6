import gzip
import random
import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.commands.documents import read_documents
from ircourse.crawl.store import trec
from ircourse.crawl.store.trec import TrecDocument, TrecProblem, is_trec, read_trec, write_trec

WEB = b"""<DOC>
<DOCNO>GX000-00-0000001</DOCNO>
<DOCOLDNO>old-1</DOCOLDNO>
<DOCHDR>
http://harbour.example/tides 192.0.2.1 20250303 text/html 42
HTTP/1.1 200 OK
Content-Type: text/html; charset=iso-8859-1
X-Pier: east
x-pier: west
</DOCHDR>
<html><TEXT>caf\xe9
</html>
</DOC>
"""


def read(data, **limits):
    """Return documents and problems of the bytes of a file."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "some.trec")
        path.write_bytes(data)
        problems = []
        return list(read_trec(path, problems.append, **limits)), problems


def doc(number, text):
    return b"<DOC>\n<DOCNO>%b</DOCNO>\n<TEXT>\n%b\n</TEXT>\n</DOC>\n" % (number, text)


def test_the_notes_example_is_trectext():
    indented = b"<DOC>\n    <DOCNO> %b </DOCNO>\n    <TEXT>Index this document text.</TEXT>\n</DOC>\n"
    documents, problems = read(indented % b"1" + indented % b"100")
    assert not problems
    assert documents == [TrecDocument(number, b"Index this document text.") for number in ("1", "100")]


def test_trecweb():
    [document], problems = read(WEB)
    assert not problems
    assert document.docno == "GX000-00-0000001"
    assert document.url == "http://harbour.example/tides"
    assert document.headers == {"content-type": "text/html; charset=iso-8859-1", "x-pier": "east, west"}
    assert document.body == b"<html><TEXT>caf\xe9\n</html>"
    assert document.text == "<html><TEXT>café\n</html>"


def test_both_kinds_in_one_file_packed_in_members_under_any_name():
    data = gzip.compress(doc(b"a", b"one")) + gzip.compress(WEB + doc(b"b", b"two"))
    assert [document.docno for document in read(data)[0]] == ["a", "GX000-00-0000001", "b"]
    assert read(data)[1] == []


@pytest.mark.parametrize(
    "inside, body",
    [
        (b"<DOCNO>x</DOCNO><TEXT>one</TEXT>", b"one"),
        (b"<DOCNO>x</DOCNO><HEAD>no</HEAD><TEXT>\none\n</TEXT><TEXT>\ntwo\n</TEXT>", b"one\ntwo"),
        (b"<DOCNO>x</DOCNO>\r\n<TEXT>\r\none\r\ntwo\r\n</TEXT>\r\n", b"one\r\ntwo"),
        (b"<DOCNO>x</DOCNO><TEXT>an inline <DOC>, <DOCHDR> & <p></TEXT>", b"an inline <DOC>, <DOCHDR> & <p>"),
        (b"<DOCNO>x</DOCNO><TEXT></TEXT>", b""),
    ],
)
def test_texts(inside, body):
    assert read(b"<DOC>" + inside + b"</DOC>") == ([TrecDocument("x", body)], [])


def test_numbers_and_encodings():
    documents, problems = read(doc(b" AP 88\n 0212 ", b"caf\xe9") + doc("№ 5".encode(), "café".encode()))
    assert not problems
    assert [document.docno for document in documents] == ["AP 88 0212", "№ 5"]
    assert [document.text for document in documents] == ["café", "café"]


@pytest.mark.parametrize(
    "broken, reason",
    [
        (b"<DOC>\n<TEXT>a</TEXT></DOC>\n", "no DOCNO"),
        (b"<DOC>\n<DOCNO> </DOCNO><TEXT>a</TEXT></DOC>\n", "an empty DOCNO"),
        (b"<DOC>\n<DOCNO>1<TEXT>a</TEXT></DOC>\n", "DOCNO is not closed"),
        (b"<DOC>\n<DOCNO>1</DOCNO></DOC>\n", "neither TEXT nor DOCHDR"),
        (b"<DOC>\n<DOCNO>1</DOCNO><TEXT>a</DOC>\n", "TEXT is not closed"),
        (b"<DOC>\n<DOCNO>1</DOCNO><DOCHDR>\nhttp://a.example/\n</DOC>\n", "DOCHDR is not closed"),
        (b"<DOC>\n<DOCNO>1</DOCNO><DOCHDR>\n\n</DOCHDR>a</DOC>\n", "no URL in DOCHDR"),
        (b"<DOC>\n<DOCNO>1</DOCNO><TEXT>a</TEXT>\n", "no </DOC> before the next <DOC>"),
        (b"<DOC>\n<DOC>" + b"x" * 5000 + b"</DOC>\n", "over 1,000 bytes: raise max_record to read it"),
        (b"between\n", "no <DOC> begins with b'between'"),
    ],
)
def test_what_is_broken_is_told_with_its_place_and_left_out(broken, reason):
    before, after = doc(b"a", b"one"), doc(b"b", b"two")
    for pack in (bytes, gzip.compress):
        documents, problems = read(pack(before + broken + after), max_record=1000)
        assert [document.docno for document in documents] == ["a", "b"]
        line = 7 if b"<DOC>\n<DOC>" not in broken else 8
        offset = len(before) + (0 if line == 7 else 6)
        assert problems[-1] == TrecProblem(line, offset, reason)


def test_bytes_before_the_first_document_and_an_end_within_one():
    documents, problems = read(b"\xef\xbb\xbf\n" + doc(b"a", b"one") + b"<DOC>\n<DOCNO>b</DOCNO>")
    assert [document.docno for document in documents] == ["a"]
    assert problems == [TrecProblem(8, 4 + len(doc(b"a", b"one")), "no </DOC> before the end")]
    assert read(b"\xef\xbb\xbf\n \n") == read(b"") == ([], [])
    assert read(b" " * 99 + b"\n<DO junk" + doc(b"a", b""))[1] == [
        TrecProblem(2, 100, "no <DOC> begins with b'<DO junk'")
    ]
    assert [problem.reason for problem in read(b"<DO")[1]] == ["no <DOC> begins with b'<DO'"]


def test_without_a_report_the_first_problem_raises(tmp_path):
    path = tmp_path / "some.trec"
    path.write_bytes(doc(b"a", b"one") + b"<DOC></DOC>" + doc(b"b", b"two"))
    documents = read_trec(path)
    assert next(documents).docno == "a"
    with pytest.raises(ValueError, match=r"some\.trec, line 7: no DOCNO"):
        next(documents)
    with pytest.raises(FileNotFoundError):
        next(read_trec(tmp_path / "none"))


def test_cut_and_damaged_gzip_give_what_stands_before():
    rng = random.Random(0)
    data = b"".join(doc(b"%d" % i, rng.randbytes(2000).hex().encode()) for i in range(20))
    packed = gzip.compress(data)
    documents, problems = read(packed[: len(packed) // 2])
    assert 7 <= len(documents) <= 10
    assert problems[-1].reason == "the rest cannot be read: the file ends within a gzip member"
    damaged = bytearray(packed)
    damaged[len(packed) // 2] ^= 255
    documents, problems = read(bytes(damaged))
    assert 5 <= len(documents) <= 20
    assert "the rest cannot be read" in problems[-1].reason
    assert read(gzip.compress(packed[:100]))[0] == []


def test_a_bomb_is_read_in_little_memory_and_ends_at_the_limit():
    bomb = gzip.compress(b"<DOC>" + b" " * 30_000_000 + b"</DOC>" + doc(b"a", b"one"), 1)
    tracemalloc.start()
    try:
        documents, problems = read(bomb, max_record=10**6)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10_000_000
    assert [document.docno for document in documents] == ["a"]
    assert problems[0].reason.startswith("over 1,000,000 bytes")
    documents, problems = read(bomb, max_bytes=10**7)
    assert documents == []
    assert problems[-1].reason.endswith("over 10,000,000 bytes: raise max_bytes to read them")


@pytest.mark.parametrize("size", [*range(1, 40), 100])
def test_it_does_not_matter_where_the_pieces_end(monkeypatch, size):
    data = (
        doc(b"a", b"one")
        + b"\n\t \n<D junk <DOC>\n \t<DOC>\n<DOCNO>b</DOCNO>\n"
        + WEB
        + b" \n" * 40
        + WEB
        + b"<DO"
    )
    expected = read(data)
    assert len(expected[0]) == 3
    assert len(expected[1]) == 4
    monkeypatch.setattr(trec, "_CHUNK", size)
    monkeypatch.setattr(trec, "_RAW", size)
    assert read(data) == expected
    assert read(gzip.compress(data)) == expected


@pytest.mark.parametrize(
    "data",
    [b"<DOC>\n" * 100_000, b"<DOC>" * 200_000, b"</DOC>" * 200_000, b"<" * 10**6, b"\n" * 10**6 + b"<DOC>"],
)
def test_hostile_files_end(data):
    assert read(data)[0] == []


def test_many_documents_stream(tmp_path):
    path = tmp_path / "many.trec.gz"
    assert write_trec(path, (TrecDocument(str(i), b"words of it " * 20) for i in range(5_000))) == 5_000
    tracemalloc.start()
    try:
        assert sum(len(document.body) for document in read_trec(path)) == 5_000 * 240
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()


NUMBERS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8) | st.just("a b")
PARTS = st.sampled_from(
    b"<DOC>|</DOC>|<TEXT>|</TEXT>|<DOCHDR>|</DOCHDR>|<DOCNO>|&amp;|rose|\xe9|\n|\r\n|\t|\0| ".split(b"|")
)
BODIES = st.lists(PARTS, max_size=8).map(b"".join)
NAMES = st.sampled_from(["content-type", "etag", "X-Odd", "http/1.1", ""])
HEADERS = st.dictionaries(NAMES, st.text("ab :\n/é</DOCHR>", max_size=12), max_size=3)
TEXTS = st.builds(TrecDocument, NUMBERS, BODIES)
PAGES = st.builds(
    TrecDocument, NUMBERS, BODIES, st.sampled_from(["http://a.example/", "a b", "\n", "x<DOC>"]), HEADERS
)


@given(st.lists(TEXTS | PAGES, max_size=6), st.sampled_from(["a.trec", "a.trec.gz"]))
@settings(max_examples=100, deadline=None)
def test_what_is_written_is_read_back_and_the_rest_is_told(documents, name):
    with TemporaryDirectory() as folder:
        path, refused = Path(folder, name), []
        written = write_trec(path, documents, refused.append)
        back = list(read_trec(path))
        assert written == len(back) == len(documents) - len(refused)
        left = iter(documents)
        assert all(document in left for document in back)
        assert is_trec(path) == bool(back)
        assert sorted(each.name for each in Path(folder).iterdir()) == [name]


ORDINARY = st.builds(
    lambda number, body: TrecDocument(f"AP{number}", body.replace(b"<", b"")), st.integers(0), st.binary()
)


@given(st.lists(ORDINARY, max_size=5))
@settings(max_examples=60, deadline=None)
def test_ordinary_documents_are_all_written(documents):
    with TemporaryDirectory() as folder:
        path = Path(folder, "some.trec")
        assert write_trec(path, documents) == len(documents)
        assert list(read_trec(path)) == documents


@pytest.mark.parametrize(
    "document, why",
    [
        (TrecDocument("1", b"a </DOC> b"), "holds </DOC>"),
        (TrecDocument("1", b"a\n  <DOC> b"), "<DOC> at the beginning of a line"),
        (TrecDocument("1", b"a </TEXT> b"), "its text </TEXT>"),
        (TrecDocument("", b"a"), "read as another"),
        (TrecDocument("a  b", b"a"), "read as another"),
        (TrecDocument("\ud800", b"a"), "read as another"),
        (TrecDocument("1", b"a", "http://a.example/", {"etag": "a\nb: c"}), "read as another"),
    ],
)
def test_what_the_format_cannot_hold_is_refused_and_nothing_written(tmp_path, document, why):
    with pytest.raises(ValueError, match=why):
        write_trec(tmp_path / "some.trec", [TrecDocument("0", b"fine"), document])
    assert list(tmp_path.iterdir()) == []


def test_a_body_of_text_is_refused(tmp_path):
    with pytest.raises(TypeError, match="encode it first"):
        write_trec(tmp_path / "some.trec", [TrecDocument("1", "words")])


def test_equal_documents_give_equal_packed_files(tmp_path):
    for name in ("a.gz", "b.gz"):
        write_trec(tmp_path / name, [TrecDocument("1", b"one")])
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_is_trec(tmp_path):
    for data, expected in ((b"\n <DOC>", True), (gzip.compress(WEB), True), (b"<html>", False), (b"", False)):
        (tmp_path / "x").write_bytes(data)
        assert is_trec(tmp_path / "x") is expected
    (tmp_path / "x").write_bytes(gzip.compress(WEB)[:12])
    assert is_trec(tmp_path / "x") is False


def test_search_and_dedup_read_trec_files(tmp_path):
    path = tmp_path / "some.trec"
    path.write_bytes(doc(b"a", b"one") + b"<DOC></DOC>" + WEB)
    told = []
    documents = list(read_documents([path], lambda *problem: told.append(problem)))
    assert documents == [("a", "one"), ("http://harbour.example/tides", "café")]
    assert told == [(str(path), "line 7: no DOCNO")]
