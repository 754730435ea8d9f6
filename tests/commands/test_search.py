"""The command ``search``, from files to two lists side by side."""

import io
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse import __main__ as main_module
from ircourse.__main__ import main
from ircourse.commands.output import columns_of, fitted, plain
from ircourse.commands.search import search, snippet
from ircourse.text import tokenize

TEXTS = {
    "car1": "the car has an engine and four wheels",
    "car2": "an automobile has an engine and a brake",
    "car3": "mend the engine and the wheels of the car",
    "car4": "the brake of the automobile stops its wheels",
    "bread1": "flour and salt make dough",
    "bread2": "the dough rises in the oven with salt",
    "bread3": "bake the dough of flour in an oven",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    (tmp_path / "bread4.html").write_text("<title>Oven</title><p>dough and <b>flour</b>", encoding="utf-8")
    (tmp_path / "image.png").write_bytes(b"\x89PNG\0")
    return tmp_path


def run(folder, query, code=0, **options):
    """Return what is written to the output, line by line, and to the log."""
    out, log = io.StringIO(), io.StringIO()
    assert search([str(folder)], query, out=out, log=log, width=103, **options) == code
    return out.getvalue().splitlines(), log.getvalue()


def names(lines, side):
    """The names of the files found on a side, 0 for LSI."""
    cells = [line.split(" |")[side].lstrip() for line in lines if " |" in line]
    scored = [cell[6:] for cell in cells if cell[:2] in ("0.", "1.")]
    return [re.split(r"[/\\]", cell)[-1].split(".")[0] for cell in scored]


def test_lsi_finds_what_the_plain_cosine_does_not(folder, monkeypatch):
    monkeypatch.chdir(folder)
    lines, log = run(".", "automobile", k=2)
    assert lines[0] == "8 documents, 24 terms, 2 concepts"
    assert lines[1].split(" | ") == [f"{'LSI':50}", "Plain cosine"]
    assert set(names(lines, 1)) == {"car2", "car4"}
    assert set(names(lines, 0)[:4]) == {"car1", "car2", "car3", "car4"}
    assert "an automobile has an engine and a brake" in "\n".join(lines)
    assert log == "ircourse: could not read image.png: not a text\n"


def test_a_page_is_searched_without_its_markup(folder):
    lines, _ = run(folder, "flour", n=9)
    assert "bread4" in names(lines, 1)
    assert any("Oven dough and flour" in line for line in lines)


def test_n_results_of_each(folder):
    lines, _ = run(folder, "dough", n=2)
    assert len(names(lines, 0)) == len(names(lines, 1)) == 2


def test_unknown_words_are_told(folder):
    lines, _ = run(folder, "dough zebra Zebra")
    assert lines[1] == "In no document: zebra"
    lines, _ = run(folder, "zebra")
    assert lines[-1] == "Nothing found: no document shares a word with the query"


@pytest.mark.parametrize("query", ["", " ...\x1b "])
def test_a_query_without_words_is_refused(folder, query):
    lines, log = run(folder, query, 2)
    assert (
        lines == [] and log == f"ircourse: the query {query!r} has no words: give one or more after --query\n"
    )


def test_one_document_is_enough(tmp_path):
    (tmp_path / "one.txt").write_text("a ship", encoding="utf-8")
    lines, _ = run(tmp_path, "ship")
    assert names(lines, 0) == names(lines, 1) == ["one"]


def test_nothing_to_search_is_code_1(tmp_path):
    lines, log = run(tmp_path, "ship", code=1)
    assert lines == []
    assert log == "ircourse: no words to search: give files of text, HTML or WARC, or folders\n"
    (tmp_path / "empty.txt").write_text("", encoding="utf-8")
    assert run(tmp_path, "ship", code=1)[0] == []


def test_what_a_terminal_would_obey_is_escaped(tmp_path):
    (tmp_path / "bad.txt").write_text("ship \x1b[2J\u202eevil", encoding="utf-8")
    lines, _ = run(tmp_path, "ship")
    assert "\x1b" not in "".join(lines) and "\u202e" not in "".join(lines)
    assert any("\\x1b[2J\\u202eevil" in line for line in lines)


def test_an_output_that_lacks_a_character(tmp_path):
    (tmp_path / "a.txt").write_text("ship 東京", encoding="utf-8")
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, "ascii", write_through=True)
    assert search([str(tmp_path)], "ship", out=out) == 0
    assert b"\\u6771" in raw.getvalue()


@given(text=st.text("ab c\n", max_size=80), terms=st.sets(st.sampled_from("abc")), words=st.integers(1, 9))
def test_a_snippet_is_the_stretch_with_the_most_terms(text, terms, words):
    pieces = text.split()
    found = snippet(text, terms, words)
    kept = found.removeprefix("… ").removesuffix(" …").split()
    assert len(kept) == min(words, len(pieces))
    stretches = [pieces[i : i + words] for i in range(max(1, len(pieces) - words + 1))]
    assert kept in stretches
    held = [len(terms.intersection(tokenize(" ".join(part)))) for part in stretches]
    assert len(terms.intersection(tokenize(" ".join(kept)))) == max(held)
    assert found.startswith("… ") == (kept != pieces[: len(kept)] or stretches.index(kept) > 0)


@given(text=st.text(max_size=30), width=st.integers(1, 20))
def test_fitted_is_exactly_as_wide(text, width):
    assert columns_of(fitted(text, width)) == width
    assert plain(fitted(text, width)) == fitted(text, width)


def test_the_command_line_reads_the_options(folder, monkeypatch, capsys):
    monkeypatch.setattr(main_module, "environment", lambda *names: sys.executable)
    assert main(["search", str(folder), "--query", "dough", "-k", "3", "-n", "1"]) == 0
    assert capsys.readouterr().out.startswith("8 documents, 24 terms, 3 concepts\n")


@pytest.mark.parametrize("arguments", [["x"], ["--query", "x"], ["x", "-q", "y", "-k", "0"]])
def test_bad_options_are_refused(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["search", *arguments])
    assert stop.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_another_environment_runs_the_same_command(monkeypatch):
    started = []
    monkeypatch.setattr(main_module, "environment", lambda *names: "PYTHON")
    monkeypatch.setattr(main_module, "call", lambda command, **extra: started.append(command) or 0)
    assert main(["search", "a", "-q", "b"]) == 0
    assert started[0][0] == "PYTHON"
    assert started[0][2:] == ["search", "a", "-q", "b"]
