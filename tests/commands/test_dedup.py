"""The command ``dedup``, from files to clusters."""

import gzip
import io
import json
import os
import sys

import pytest

from ircourse import __main__ as main_module
from ircourse.__main__ import main
from ircourse.commands import dedup as dedup_module
from ircourse.commands.dedup import dedup
from ircourse.commands.documents import read_documents
from ircourse.crawl import PageStore
from ircourse.types import Response

PAGE = "the ferry leaves the old harbour at nine every morning except on sundays in winter when it rests"
HTML = f"<!doctype html><title>Ferry</title><script>no()</script><p>{PAGE}"


@pytest.fixture
def folder(tmp_path):
    """A page as text, as HTML and in a WARC file, a copy, a near copy, and what cannot be read."""
    (tmp_path / "sub").mkdir()
    files = {
        "a.txt": PAGE,
        "b.txt": PAGE,
        "sub/c.txt": PAGE + " and when it storms",
        "page.html": HTML,
        "untold": HTML,
        "other.txt": "a rose is a rose is a rose",
        ".hidden": PAGE,
        "empty.txt": "",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "image.png").write_bytes(b"\x89PNG\0\0")
    (tmp_path / "wide.txt").write_bytes(PAGE.encode("utf-16"))
    record = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://harbour.example/\r\n"
    record += "Content-Length: {}\r\n\r\n{}"
    answer = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + HTML
    data = record.format(len(answer), answer).encode() + b"\r\n\r\n"
    (tmp_path / "crawl.warc.gz").write_bytes(gzip.compress(data))
    (tmp_path / "broken.warc").write_bytes(data + b"WARC/1.1\r\nContent-Length: 90\r\n\r\nno")
    return tmp_path


def run(*paths, code=0, **options):
    out, log = io.StringIO(), io.StringIO()
    assert dedup([str(p) for p in paths], out=out, log=log, **options) == code
    return out.getvalue(), log.getvalue()


def test_clusters_of_a_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)
    out, log = run(".", threshold=0.7)
    assert out.splitlines() == [
        "Before a text: how similar the nearest other one is; copy: the same as one above it",
        "Cluster 1, 8 texts",
        "  0.94  a.txt",
        "  copy  b.txt",
        "  0.94  http://harbour.example/",
        "  copy  http://harbour.example/",
        "  copy  page.html",
        "  copy  untold",
        "  copy  wide.txt",
        "  0.79  sub/c.txt".replace("/", os.sep),
        "1 cluster of 10 texts; 5 are exact copies",
    ]
    assert log.splitlines() == [
        "ircourse: could not read broken.warc: the file ends within a WARC record",
        "ircourse: could not read image.png: not a text",
    ]


def test_json_says_the_same(folder):
    out, _ = run(
        folder / "a.txt", folder / "sub", folder / "b.txt", folder / "nowhere", as_json=True, threshold=0.7
    )
    said = json.loads(out)
    names = [str(folder / name) for name in ("a.txt", "sub/c.txt", "b.txt")]
    assert said["texts"] == 3
    assert said["clusters"] == [names]
    assert said["copies"] == [[names[2], names[0]]]
    assert [pair[:2] for pair in said["pairs"]] == [names[:2]]
    assert said["pairs"][0][2] == pytest.approx(0.81, abs=0.1)
    assert said["unread"] == {str(folder / "nowhere"): "no such file"}
    assert said["capped"] == []


def test_a_file_given_twice_is_no_copy_of_itself(folder):
    out, _ = run(folder / "a.txt", folder / "a.txt", folder / "sub" / ".." / "a.txt")
    assert out == "0 clusters of 1 text; 0 are exact copies\n"


def test_where_nothing_was_read_the_code_is_1(tmp_path):
    nothing = "ircourse: no text to compare: give files of text, HTML, WARC or TREC, or folders\n"
    assert run(tmp_path, code=1) == ("", nothing)
    nowhere = tmp_path / "nowhere"
    assert run(nowhere, code=1) == ("", f"ircourse: could not read {nowhere}: no such file\n{nothing}")
    assert json.loads(run(nowhere, code=1, as_json=True)[0])["texts"] == 0


def test_many_files_that_are_no_texts_are_one_line(folder):
    for number in range(1200):
        (folder / f"image{number:04}.png").write_bytes(b"\x89PNG\0\0")
    out, log = run(folder)
    image = folder / "image.png"
    assert f"ircourse: 1,201 files are no texts and were left out, such as {image}\n" in log
    assert log.count("\n") == 2 and "10 texts" in out
    (folder / "notes.gz").write_bytes(gzip.compress(PAGE.encode()))
    assert f"such as {image}; unpack those in .gz first\n" in run(folder)[1]
    assert len(json.loads(run(folder, as_json=True)[0])["unread"]) == 1203


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
def test_names_cannot_speak_to_the_terminal(tmp_path):
    for name in ("a\x1b[2Jb", "c\nd"):
        (tmp_path / name).write_text(PAGE)
    out, _ = run(tmp_path)
    assert "\x1b" not in out
    assert out.splitlines()[2].endswith("a\\x1b[2Jb")
    assert out.splitlines()[3].endswith("c\\nd")


def test_names_are_written_where_the_terminal_lacks_their_letters(tmp_path):
    for name in ("東.txt", "京.txt"):
        (tmp_path / name).write_text(PAGE)
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="cp1252", newline="\n")
    assert dedup([str(tmp_path)], out=out, log=io.StringIO()) == 0
    out.flush()
    assert b"\\u6771.txt" in raw.getvalue()


def test_progress_is_for_terminals(folder, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(dedup_module, "_EVERY", 2)
    log = Terminal()
    dedup([str(folder / "a.txt"), str(folder / "b.txt")], out=io.StringIO(), log=log)
    assert "2 texts read, comparing" in log.getvalue()
    assert log.getvalue().endswith("\r")


def test_large_buckets_are_told(tmp_path):
    words = " ".join(f"word{n}" for n in range(90))
    for i in range(1100):
        (tmp_path / f"{i:04}.txt").write_text(f"{words} {i}")
    out, _ = run(tmp_path)
    assert "texts were compared with" in out
    assert out.splitlines()[1].startswith("Cluster 1, 1100 texts")


def test_a_file_that_may_not_be_read_is_reported(folder, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("pathlib.Path.read_bytes", refuse)
    reports = []
    assert list(read_documents([folder / "a.txt"], lambda *said: reports.append(said))) == []
    assert reports == [(str(folder / "a.txt"), "Permission denied")]


def test_a_page_store_gives_the_newest_version_of_its_pages(tmp_path):
    with PageStore(tmp_path / "crawl") as store:
        for url, status, text in (
            ("http://harbour.example/", 200, "closed"),
            ("http://harbour.example/", 200, PAGE),
            ("http://harbour.example/lost", 404, PAGE),
            ("http://harbour.example/copy", 200, PAGE),
        ):
            store.add(url, Response(status, {"content-type": "text/plain"}, text.encode()))
        store.commit()
    reports = []
    found = list(read_documents([tmp_path], lambda *said: reports.append(said)))
    assert found == [("http://harbour.example/", PAGE), ("http://harbour.example/copy", PAGE)]
    assert reports == []
    with PageStore(tmp_path / "crawl") as store:
        store.add("http://harbour.example/boat", Response(200, {"content-type": "image/png"}, b"\x89PNG"))
        store.commit()
    assert list(read_documents([tmp_path], lambda *said: reports.append(said))) == found
    assert reports.pop() == (f"1 of 4 pages of {tmp_path / 'crawl'}", "no text in them")
    (tmp_path / "crawl" / "index.sqlite").write_bytes(b"not an index" * 99)
    assert list(read_documents([tmp_path / "crawl"], lambda *said: reports.append(said))) == []
    assert reports[0][0] == str(tmp_path / "crawl") and "remove it" in reports[0][1]


def test_files_over_the_limit_are_reported(folder, monkeypatch):
    monkeypatch.setattr("ircourse.commands.documents.MAX_FILE", 10)
    reports = []
    assert list(read_documents([folder / "a.txt"], lambda *said: reports.append(said))) == []
    assert reports[0][1].startswith("over ")


# ---- the command line


def test_the_command_line_reads_the_options(folder, monkeypatch, capsys):
    monkeypatch.setattr(main_module, "environment", lambda *names: sys.executable)
    assert main(["dedup", str(folder / "a.txt"), str(folder / "b.txt"), "-k", "2", "--threshold", "0.9"]) == 0
    assert "copy" in capsys.readouterr().out
    assert main(["dedup", str(folder), "--json", "--characters"]) == 0
    assert json.loads(capsys.readouterr().out)["texts"] == 10


@pytest.mark.parametrize(
    "arguments",
    [["--threshold", "0", "x"], ["--threshold", "2", "x"], ["-k", "0", "x"], ["--threshold", "x", "x"], []],
)
def test_bad_options_are_refused(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["dedup", *arguments])
    assert stop.value.code == 2
    said = capsys.readouterr().err
    remedies = ("give a number above 0 and at most 1", "a whole number of at least 1", "required: PATH")
    assert "usage:" in said and any(remedy in said for remedy in remedies)


def test_another_environment_runs_the_same_command(monkeypatch):
    started = []
    monkeypatch.setattr(main_module, "environment", lambda *names: "PYTHON")
    monkeypatch.setattr(main_module, "call", lambda command, **extra: started.append(command) or 0)
    assert main(["dedup", "a", "--json"]) == 0
    assert started[0][0] == "PYTHON"
    assert started[0][2:] == ["dedup", "a", "--json"]
