"""Pages from stores, WARC files and folders."""

import os
from contextlib import suppress
from datetime import UTC, datetime

import pytest

from ircourse.commands.documents import read_documents
from ircourse.crawl import PageStore
from ircourse.engine import Engine, pages_from, pages_of_store
from ircourse.types import Response

HTML = {"content-type": "text/html; charset=utf-8"}


def test_a_page_store_and_its_warc_files(tmp_path):
    folder = tmp_path / "store"
    home = b"<title>Home</title><p>Old words<a href=/rose rel=nofollow>roses</a>"
    with PageStore(folder) as store:
        store.add("http://a.example/", Response(200, HTML, home), date=1e9)
        store.add("http://a.example/", Response(200, HTML, home.replace(b"Old", b"New")), date=2e9)
        store.add("http://a.example/rose", Response(200, HTML, b"<p>A rose"), date=1e9)
        store.add("http://a.example/gone", Response(404, HTML, b"<p>Not here"), date=1e9)
        store.add("http://a.example/dead", Response(200, HTML, b"<p>Dead"), date=1e9)
        store.bury("http://a.example/dead")
        store.add(
            "http://a.example/secret", Response(200, HTML | {"x-robots-tag": "noindex"}, b"<p>x"), date=1e9
        )
        store.add(
            "http://a.example/quiet",
            Response(200, HTML, b"<meta name=robots content=nofollow><a href=/>x</a>"),
        )
        store.add(
            "http://a.example/image", Response(200, {"content-type": "image/png"}, b"\x89PNG"), date=1e9
        )
    pages = {page.url: page for page in pages_from(folder)}
    assert list(pages) == ["http://a.example/", "http://a.example/rose", "http://a.example/quiet"]
    assert pages["http://a.example/"].text == "New wordsroses" and pages["http://a.example/"].title == "Home"
    assert pages["http://a.example/"].date == datetime.fromtimestamp(2e9, UTC)
    assert pages["http://a.example/"].links[0].nofollow and pages["http://a.example/quiet"].links == ()
    told = []
    found = [each.name for each in read_documents([folder], lambda *said: told.append(said))]
    assert told == [(f"1 of 7 pages of {folder}", "no text in them")]  # the picture; search and dedup agree
    assert "http://a.example/rose" in found and not {"http://a.example/dead", "http://a.example/gone"} & {
        *found
    }
    warc = next(path for path in folder.iterdir() if ".warc" in path.name)
    assert {"http://a.example/", "http://a.example/rose"} <= {page.url for page in pages_from(warc)}


def test_a_folder_of_html_and_text(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "x.txt").write_text("hidden", encoding="utf-8")
    (tmp_path / "a b.html").write_text(
        "<title>First</title><p>See <a href='sub/'>the other</a> <a href=http://x.example/>out</a>",
        encoding="utf-8",
    )
    (tmp_path / "sub" / "index.html").write_text(
        "<p>Café <a href='../a%20b.html'>first</a>", encoding="utf-8"
    )
    (tmp_path / "sub" / "notes.txt").write_bytes(b"Plain words")
    (tmp_path / "sub" / "picture.png").write_bytes(b"\x89PNG\0\0")
    (tmp_path / "page").write_bytes(b"<!doctype html><p>No suffix")
    os.utime(tmp_path / "page", (1e9, 1e9))
    pages = {page.url.rpartition("/")[2]: page for page in pages_from(tmp_path)}
    assert list(pages) == ["a%20b.html", "page", "index.html", "notes.txt"]
    assert pages["page"].date == datetime.fromtimestamp(1e9, UTC)
    assert list(pages["a%20b.html"].links) == [pages["index.html"].url, "http://x.example/"]
    engine = Engine.build(pages.values())
    assert engine.page(pages["index.html"].url).links == (pages["a%20b.html"].url,)
    assert [hit.title for hit in engine.search("plain").hits] == ["notes"]
    assert [page.text for page in pages_from(tmp_path / "sub" / "notes.txt")] == ["Plain words"]


def test_what_cannot_be_read_is_reported(tmp_path):
    (tmp_path / "a.warc").write_bytes(b"no WARC")
    (tmp_path / "b.txt").write_bytes(b"words")
    said = []
    pages = list(pages_from(tmp_path, lambda path, why: said.append((os.path.basename(path), why))))
    assert [page.text for page in pages] == ["words"]
    assert [path for path, _ in said] == ["a.warc"]
    with pytest.raises(FileNotFoundError, match="no file or folder"):
        list(pages_from(tmp_path / "none"))


@pytest.mark.skipif(os.name == "nt", reason="Windows may not allow links")
def test_what_is_outside_the_folder_or_no_file_is_left_out(tmp_path):
    (tmp_path / "secret.txt").write_bytes(b"secret")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"words")
    (folder / "b.txt").symlink_to(folder / "a.txt")
    (folder / "c.txt").symlink_to(tmp_path / "secret.txt")
    os.mkfifo(folder / "d.txt")
    said = {}
    pages = list(pages_from(folder, lambda path, why: said.update({os.path.basename(path): why})))
    assert {page.text for page in pages} == {"words"}
    assert said == {"c.txt": "a link that leads out of the folder", "d.txt": "not a regular file"}
    assert [page.text for page in pages_from(folder / "c.txt")] == ["secret"]  # named by the user


def test_a_page_that_comes_back_is_served_again(tmp_path):
    with PageStore(tmp_path) as store:
        for url in ("http://a.example/", "http://a.example/x"):
            store.add(url, Response(200, HTML, b"<p>A rose"), date=1e9)
        store.bury("http://a.example/x")
        assert [page.url for page in pages_of_store(store)] == ["http://a.example/"]
        store.add("http://a.example/x", Response(200, HTML, b"<p>A rose again"), date=2e9)
        assert [page.url for page in pages_of_store(store)] == ["http://a.example/", "http://a.example/x"]


def test_a_folder_that_may_not_be_read_and_a_link_to_nothing_are_reported(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_bytes(b"words")
    with suppress(OSError):  # Windows may not allow links
        (tmp_path / "b.txt").symlink_to(tmp_path / "none")
    scandir = os.scandir

    def refusing(path):
        if os.path.basename(path) == "closed":
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    (tmp_path / "closed").mkdir()
    monkeypatch.setattr(os, "scandir", refusing)
    said = {}
    assert len(list(pages_from(tmp_path, lambda path, why: said.update({os.path.basename(path): why})))) == 1
    assert said.pop("b.txt", "no such file") == "no such file" and said == {"closed": "Permission denied"}
