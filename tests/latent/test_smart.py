"""Tests of the SMART reader on a small collection of our own, in the shapes that are found."""

import pytest

from ircourse.latent import TermDocument, cosines, lsi, mean_average_precision, read_smart

DOCUMENTS = """.I 1
.T
Ferries
.A
nobody,n.
.W
The ferry crosses the harbour
  at nine .
.I 2
.W
Bread is baked before dawn.
.I 4
.W
.I 7
.T
Tides
.B
harbour notes, 12.
.W
High water stands in the harbour at noon.
"""
QUERIES = ".I 1\n.W\nharbour ferry\n.I 3\n.W\n baking bread\n"


@pytest.fixture
def read(tmp_path):
    """Write three files and read them."""

    def go(relevance, documents=DOCUMENTS, queries=QUERIES, newline="\n", **options):
        paths = [tmp_path / name for name in ("X.ALL", "X.QRY", "X.REL")]
        for path, text in zip(paths, (documents, queries, relevance), strict=True):
            data = text if isinstance(text, bytes) else text.replace("\n", newline).encode()
            path.write_bytes(data)
        return read_smart(*paths, **options)

    return go


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_documents_queries_and_relevance(read, newline):
    found = read("1 0 1 1\n1 0 7 1\n3 0 2 1\n3 0 4 0\n", newline=newline)
    assert found.documents == (
        "Ferries The ferry crosses the harbour at nine .",
        "Bread is baked before dawn.",
        "",
        "Tides High water stands in the harbour at noon.",
    )
    assert found.numbers == (1, 2, 4, 7)
    assert found.queries == ("harbour ferry", "baking bread")
    assert found.relevant == ({0, 3}, {1})


def test_other_fields_can_be_read(read):
    assert read("1 0 1 1", fields="B").documents == ("", "", "", "harbour notes, 12.")


def test_queries_judged_by_their_place_and_negative_grades(read):
    # 2 is no record's number, so the second query is meant
    found = read("1 1 2 \n1 7 3 \n1 2 -1\n2 2 4\n")
    assert found.relevant == ({0, 3}, {1})


@pytest.mark.parametrize("rows", ["1 1\n3 2\n", "1\t1\t0\t0.000000\n  3  2 0\t0.000000\n"])
def test_two_columns_and_the_form_of_cisi(read, rows):
    assert read(rows).relevant == ({0}, {1})


def test_no_judgements_and_lines_without_a_field(read):
    assert read("").relevant == (frozenset(), frozenset())
    assert read("", documents="a title\n.I 1\nloose\n.W\nkept\n.i 2\nkept too").documents == (
        "kept .i 2 kept too",
    )


def test_bytes_that_are_not_utf8(read):
    assert read("", documents=b".I 1\n.W\ncaf\xe9 \xc3\xa9").documents == ("caf� é",)


@pytest.mark.parametrize(
    ("relevance", "changes", "says"),
    [
        ("1 0 9 1", {}, r"X.REL, line 1: no query 1 or no document 9"),
        ("1 0 1 1\n\n8 0 1 1", {}, r"X.REL, line 3: no query 8"),
        ("1 0 1 1\n1 one", {}, r"X.REL, line 2: '1 one' is no judgement"),
        ("1 0 1 1", {"documents": "nothing here"}, "X.ALL has no record"),
        ("1 0 1 1", {"queries": ""}, "X.QRY has no record"),
        ("1 0 1 1", {"documents": ".I 1\n.W\na\n.I 1\n.W\nb"}, "two records of one number"),
    ],
)
def test_faults_are_named_with_file_and_line(read, relevance, changes, says):
    with pytest.raises(ValueError, match=says):
        read(relevance, **changes)


def test_a_file_too_large_is_refused(read, monkeypatch):
    monkeypatch.setattr("ircourse.latent.smart.LARGEST", 10)
    with pytest.raises(ValueError, match="has at most 10"):
        read("1 0 1 1")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_smart(tmp_path / "a", tmp_path / "b", tmp_path / "c")


def test_from_files_to_average_precision(read):
    found = read("1 0 1 1\n1 0 7 1\n3 0 2 1\n")
    td = TermDocument.from_texts(found.documents)
    queries = td.vectors(found.queries)
    assert mean_average_precision(cosines(td.matrix, queries), found.relevant) == 1.0
    assert mean_average_precision(lsi(td.matrix, 3).cosines(queries), found.relevant) == 1.0
