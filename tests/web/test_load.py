"""Loading a web from a folder, damaged and hostile ones included."""

import json
import os

import pytest

from ircourse.types import FetchError
from ircourse.web import load_web

HOME = "http://quay.example/"


def folder_with(path, *resources, files=("page.html",)):
    """Write a web of the resources into ``path``; each file holds its own name."""
    for name in files:
        file = path / "pages" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(name.encode())
    (path / "manifest.json").write_text(json.dumps({"resources": list(resources)}), encoding="utf-8")
    return path


def test_a_page_with_its_headers(tmp_path):
    entry = {"url": HOME, "file": "page.html", "headers": {"ETag": '"1"'}, "delay": 1.5, "note": "hello"}
    web = load_web(folder_with(tmp_path, entry))
    response = web.respond(HOME)
    assert (response.status, response.body, response.seconds) == (200, b"page.html", 1.5)
    assert response.headers == {"etag": '"1"', "content-type": "text/html; charset=utf-8"}
    assert list(web) == [HOME] and web.hosts == ("quay.example",)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.txt", "text/plain; charset=utf-8"),
        ("a.xml", "application/xml"),
        ("a.xml.gz", "application/gzip"),
        ("a.pdf", "application/pdf"),
        ("a", "application/octet-stream"),
        ("deep/er/a.png", "image/png"),
    ],
)
def test_the_kind_of_a_file_follows_from_its_ending(tmp_path, name, kind):
    web = load_web(folder_with(tmp_path, {"url": HOME, "file": name}, files=[name]))
    assert web.respond(HOME).headers["content-type"] == kind
    assert len(web) == 0, "only HTML is listed"


def test_the_kind_can_be_given(tmp_path):
    entry = {"url": HOME, "file": "page.html", "headers": {"content-type": "text/html"}}
    assert load_web(folder_with(tmp_path, entry)).respond(HOME).headers == {"content-type": "text/html"}


def test_redirects_and_bare_statuses(tmp_path):
    entries = [
        {"url": HOME + "old", "location": "/new"},
        {"url": HOME + "other", "location": "/new", "status": 307},
        {"url": HOME + "gone", "status": 410},
        {"url": HOME + "empty", "status": 204},
        {"url": HOME + "odd", "status": 599},
    ]
    web = load_web(folder_with(tmp_path, *entries))
    answers = [(r := web.respond(entry["url"])).status for entry in entries], r.body
    assert answers == ([301, 307, 410, 204, 599], b"")
    assert web.respond(HOME + "old").headers["location"] == "/new" and web[HOME + "old"].links == (
        HOME + "new",
    )
    assert web.respond(HOME + "gone").body == b"gone\n" and web.respond(HOME + "empty").body == b""


def test_failures(tmp_path):
    kinds = ["reset", "timeout", "dns", "busy"]
    entries = [{"url": f"http://{kind}.example/", "fail": kind} for kind in kinds]
    web = load_web(folder_with(tmp_path, *entries))
    for kind in kinds[:3]:
        with pytest.raises(FetchError, match=kind):
            web.respond(f"http://{kind}.example/")
    busy = web.respond("http://busy.example/")
    assert busy.status == 503 and busy.headers["retry-after"] == "120"
    assert web.hosts == ("busy.example", "reset.example", "timeout.example")


def test_versions_by_day(tmp_path):
    versions = [
        {"day": 3, "file": "c.html", "etag": '"3"'},
        {"day": 0, "file": "a.html", "last-modified": "Mon, 03 Mar 2025 06:00:00 GMT"},
    ]
    entry = {"url": HOME, "versions": versions, "headers": {"x-robots-tag": "noindex"}}
    web = load_web(folder_with(tmp_path, entry, files=["a.html", "c.html"]))
    bodies = [web.respond(HOME, day=day).body for day in (0, 2, 3, 400)]
    assert bodies == [b"a.html", b"a.html", b"c.html", b"c.html"]
    assert web.respond(HOME, day=3).headers["etag"] == '"3"'
    assert "etag" not in web.respond(HOME).headers and "last-modified" in web.respond(HOME).headers
    assert web.respond(HOME).headers["x-robots-tag"] == "noindex" and list(web) == [HOME]


def test_a_page_that_appears_later(tmp_path):
    web = load_web(folder_with(tmp_path, {"url": HOME, "versions": [{"day": 2, "file": "page.html"}]}))
    assert web.respond(HOME, day=1).status == 404 and web.respond(HOME, day=2).status == 200
    assert HOME not in web and len(web) == 0


def test_a_pattern_answers_every_number(tmp_path):
    entry = {"url": HOME + "day-{n}.html", "pattern": True, "file": "day.html"}
    folder = folder_with(tmp_path, entry, files=["day.html"])
    (folder / "pages" / "day.html").write_bytes(b"{{n}} {{n+1}} {{n-1}} {{n*2}} {{n/2}} {{m}} \xff")
    web = load_web(folder)
    assert web.respond(HOME + "day-7.html").body == b"7 8 6 14 {{n/2}} {{m}} \xff"
    assert web.respond(HOME + "day-0.html").status == 200
    for missing in ("07", "-1", "x", "", "1" * 19, "٣"):
        assert web.respond(f"{HOME}day-{missing}.html").status == 404
    assert HOME + "day-12.html" in web and len(web) == 0 and web.hosts == ("quay.example",)


def test_a_pattern_redirects_too(tmp_path):
    entry = {"url": HOME + "?id={n}", "pattern": True, "location": "/?id={{n+1}}"}
    assert load_web(folder_with(tmp_path, entry)).respond(HOME + "?id=9").headers["location"] == "/?id=10"


def test_soft_404(tmp_path):
    entry = {"url": HOME, "file": "page.html", "soft_404": "sorry.html"}
    web = load_web(folder_with(tmp_path, entry, files=["page.html", "sorry.html"]))
    response = web.respond(HOME + "nowhere")
    assert (response.status, response.body) == (200, b"sorry.html")
    assert web.respond(HOME).body == b"page.html" and list(web) == [HOME]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("http://quay.example/", "an entry is a mapping"),
        ({}, "canonical"),
        ({"url": HOME, "fiel": "page.html"}, "unknown fiel: the keys are"),
        ({"url": 3}, "url is 3: give a str"),
        ({"url": "http://quay.example", "file": "page.html"}, "canonical form, 'http://quay.example/'"),
        ({"url": "http://quay.example:80/", "file": "page.html"}, "canonical form, 'http://quay.example/'"),
        ({"url": "mailto:a@b.example", "file": "page.html"}, "canonical form"),
        ({"url": HOME}, "status 200 without a file"),
        ({"url": HOME, "file": "lost.html"}, "the file 'lost.html' is not in pages/"),
        ({"url": HOME, "file": "."}, "is not in pages/"),
        ({"url": HOME, "status": 99}, "status is 99: give a status from 200 to 599"),
        ({"url": HOME, "status": True}, "status is True"),
        ({"url": HOME, "status": None}, "status is None"),
        ({"url": HOME, "fail": "tired"}, "fail is 'tired': give one of reset, timeout, dns, busy"),
        ({"url": HOME, "file": "page.html", "delay": -1}, "delay is -1"),
        ({"url": HOME, "file": "page.html", "delay": float("nan")}, "delay is nan"),
        ({"url": HOME, "file": "page.html", "headers": {"a": "b\r\nc: d"}}, "on one line"),
        ({"url": HOME, "file": "page.html", "headers": ["a"]}, "on one line"),
        ({"url": HOME, "file": "page.html", "headers": {"a": 1}}, "on one line"),
        (
            {"url": HOME, "location": "/\r\nset-cookie: a=b"},
            "location is '/\\r\\nset-cookie: a=b': give a str on",
        ),
        ({"url": HOME, "location": "/caf\u00e9"}, "location is"),
        ({"url": HOME, "location": "/\u20ac"}, "location is"),
        ({"url": HOME + "{n}", "pattern": True, "location": "/\n"}, "location is"),
        ({"url": HOME, "file": "page.html", "headers": {"a\r\nb": "c"}}, "headers is"),
        ({"url": HOME, "file": "page.html", "headers": {"a:": "c"}}, "headers is"),
        ({"url": HOME, "file": "page.html", "headers": {"\u212a": "c"}}, "headers is"),
        ({"url": HOME, "file": "page.html", "headers": {"": "c"}}, "headers is"),
        ({"url": HOME, "file": "page.html", "headers": {"a": "\u20ac"}}, "headers is"),
        (
            {"url": HOME, "file": "page.html", "headers": {"Content-Length": "9"}},
            "without connection, content-",
        ),
        ({"url": HOME, "file": "page.html", "headers": {"TRANSFER-encoding": "chunked"}}, "headers is"),
        ({"url": HOME, "file": "page.html", "headers": {"Connection": "close"}}, "headers is"),
        ({"url": HOME, "versions": [{"day": 1, "file": "page.html", "etag": '"\n"'}]}, "etag is"),
        ({"url": HOME, "versions": [{"day": 1, "file": "page.html", "etag": '"\u20ac"'}]}, "etag is"),
        (
            {"url": HOME, "versions": [{"day": 1, "file": "page.html", "last-modified": "\r"}]},
            "last-modified is",
        ),
        ({"url": HOME, "versions": [{"day": 1}]}, "lacks a day or a file"),
        ({"url": HOME, "versions": []}, "versions"),
        ({"url": HOME, "versions": [{"day": -1, "file": "page.html"}]}, "day is -1"),
        ({"url": HOME, "pattern": True, "file": "page.html"}, 'has one "{n}"'),
    ],
)
def test_damage_is_named_with_its_remedy(tmp_path, entry, message):
    folder = folder_with(tmp_path, {"url": "http://other.example/", "file": "page.html"}, entry)
    with pytest.raises(ValueError) as caught:
        load_web(folder)
    assert "resource 1" in str(caught.value) and message in str(caught.value)


def test_the_same_url_twice(tmp_path):
    entry = {"url": HOME, "file": "page.html"}
    with pytest.raises(ValueError, match="drop one of the two"):
        load_web(folder_with(tmp_path, entry, entry))


@pytest.mark.parametrize(
    "name", ["../secret", "a/../../secret", "/etc/passwd", "..\\secret", "C:\\x", "C:x", ""]
)
def test_files_outside_the_folder_are_refused(tmp_path, name):
    (tmp_path / "secret").write_text("secret")
    for entry in ({"url": HOME, "file": name}, {"url": HOME, "file": "page.html", "soft_404": name}):
        if name:
            with pytest.raises(ValueError, match="outside pages/"):
                load_web(folder_with(tmp_path / "web", entry))


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_link_out_of_the_folder_is_refused(tmp_path):
    (tmp_path / "secret").write_text("secret")
    folder = folder_with(tmp_path / "web", {"url": HOME, "file": "link.html"})
    (folder / "pages" / "link.html").symlink_to(tmp_path / "secret")
    with pytest.raises(ValueError, match="outside pages/"):
        load_web(folder)


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_pages_that_is_a_link_out_of_the_folder_is_refused(tmp_path):
    folder_with(tmp_path / "elsewhere", {"url": HOME, "file": "page.html"})
    (folder := tmp_path / "web").mkdir()
    folder_with(folder, {"url": HOME, "file": "page.html"}, files=[])
    (folder / "pages").symlink_to(tmp_path / "elsewhere" / "pages")
    with pytest.raises(ValueError, match="outside pages/"):
        load_web(folder)
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    assert load_web(tmp_path / "link").respond(HOME).body == b"page.html", "the folder itself may be one"


def test_a_file_with_many_names_is_read_once(tmp_path, monkeypatch):
    names = ["page.html", "./page.html", "deep/../page.html"]
    entries = [{"url": f"{HOME}{i}", "file": name, "soft_404": name} for i, name in enumerate(names * 9)]
    monkeypatch.setattr("ircourse.web.load.MOST", len("page.html"))
    web = load_web(folder_with(tmp_path, *entries))
    assert len({id(web.respond(entry["url"]).body) for entry in entries}) == 1


def test_files_too_large_together(tmp_path, monkeypatch):
    monkeypatch.setattr("ircourse.web.load.MOST", 17)
    versions = [{"day": 0, "file": "page.html"}, {"day": 1, "file": "next.html"}]
    folder = folder_with(tmp_path, {"url": HOME, "versions": versions}, files=["page.html", "next.html"])
    with pytest.raises(ValueError, match=r"with the file 'next\.html' there are more than 17 bytes"):
        load_web(folder)


def test_a_manifest_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr("ircourse.web.load.MANIFEST", 100)
    with pytest.raises(ValueError, match="more than 100 bytes"):
        load_web(folder_with(tmp_path, {"url": HOME, "file": "page.html", "note": "x" * 100}))


def test_messages_stay_short(tmp_path):
    long = "x" * 10_000
    for entry in (
        {"url": HOME + long},
        {"url": HOME, "file": long},
        {long: 1},
        {"url": HOME, "status": long},
    ):
        with pytest.raises(ValueError) as caught:
            load_web(folder_with(tmp_path, entry))
        assert len(str(caught.value)) < 1_500


def test_no_manifest(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"give a folder that holds a manifest\.json"):
        load_web(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"resources": {}}', "\xff", "[" * 100_000])
def test_a_manifest_that_is_none(tmp_path, text):
    (tmp_path / "manifest.json").write_text(text, encoding="latin-1")
    with pytest.raises(ValueError, match=r"manifest\.json"):
        load_web(tmp_path)


def test_a_file_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr("ircourse.web.load.LARGEST", 3)
    with pytest.raises(ValueError, match="more than 3 bytes"):
        load_web(folder_with(tmp_path, {"url": HOME, "file": "page.html"}))
