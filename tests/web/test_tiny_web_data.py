"""The tiny web's files: one manifest, nothing missing, nothing stray, every phenomenon there.

Reads the files with the standard library alone: a fault of the loader cannot hide a fault of the data. Only
the counts of the read-me are those of the graph that the loader gives.
"""

import gzip
import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote, unquote, urljoin, urlsplit
from xml.etree import ElementTree

from ircourse.graphs import strong_components
from ircourse.web import tiny_web

ROOT = Path(__file__).parents[2] / "data" / "tiny_web"
MANIFEST = json.loads((ROOT / "manifest.json").read_text(encoding="utf-8"))
ENTRIES = {entry["url"]: entry for entry in MANIFEST["resources"]}
WHERE = MANIFEST["phenomena"]
TOWN = "saltmere.example"
KEYS = {
    "url",
    "file",
    "status",
    "headers",
    "location",
    "delay",
    "fail",
    "versions",
    "pattern",
    "soft_404",
    "note",
}
RESERVED = {"con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(10))}
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
ATOM = "{http://www.w3.org/2005/Atom}"
HTTP_DATE = r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT"


class Reader(HTMLParser):
    """The links of a page and its base element."""

    def __init__(self, text):
        super().__init__()
        self.links, self.base = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        href = dict(attrs).get("href")
        if tag == "a" and href is not None:
            self.links.append(href.strip())
        elif tag == "base":
            self.base = href


def files_of(entry):
    own = [entry["file"]] if "file" in entry else [v["file"] for v in entry.get("versions", ())]
    return own + ([entry["soft_404"]] if "soft_404" in entry else [])


def data(url, version=0):
    return (ROOT / "pages" / files_of(ENTRIES[url])[version]).read_bytes()


def header(url, name):
    return ENTRIES[url].get("headers", {}).get(name, "")


def text(url, version=0):
    body = data(url, version)
    if body.startswith(b"\xff\xfe"):
        return body.decode("utf-16")
    named = re.search(r"charset=([\w-]+)", header(url, "content-type")) or re.search(
        r'charset="([\w-]+)"', body[:200].decode("latin-1")
    )
    return body.decode(named[1] if named else "utf-8")


def is_page(entry):
    if entry.get("status", 200) != 200 or "location" in entry or "fail" in entry or "pattern" in entry:
        return False
    return files_of(entry)[0].endswith(".html")


def canonical(href, base):
    """Resolve a link; enough of the rules for the spellings that these pages use."""
    parts = urlsplit(urljoin(base, href))
    if parts.scheme not in ("http", "https"):
        return None
    path = quote(unquote(parts.path), safe="/~?=&") or "/"
    return f"http://{parts.hostname}{path}" + (f"?{parts.query}" if parts.query else "")


def fill(body, n):
    reckon = {"": lambda k: n, "+": lambda k: n + k, "-": lambda k: n - k, "*": lambda k: n * k}
    return re.sub(r"\{\{n([+*-]?)(\d*)\}\}", lambda m: str(reckon[m[1]](int(m[2] or 0))), body)


def out_links(url, version=0):
    """Canonical targets of a page (of a pattern: as for the number 5), in order."""
    if "location" in ENTRIES[url]:
        return [canonical(ENTRIES[url]["location"], url)]
    if "fail" in ENTRIES[url] or not files_of(ENTRIES[url])[0].endswith(".html"):
        return []
    here = url.replace("{n}", "5")
    page = Reader(fill(text(url, version), 5))
    found = [canonical(href, urljoin(here, page.base)) for href in page.links]
    return [link for link in found if link]


def known(link):
    """The manifest's URL that answers a link, or None."""
    pattern = re.sub(r"(?<=[/=])(0|[1-9]\d*)(?=$|\?)", "{n}", link)
    return link if link in ENTRIES else pattern if pattern in ENTRIES else None


def reached(start):
    seen, queue = {start}, [start]
    for url in queue:
        for link in (known(link) for link in out_links(url)):
            if link and link not in seen:
                seen.add(link)
                queue.append(link)
    return seen


def test_the_manifest_has_known_keys_and_unique_urls():
    assert set(MANIFEST) == {"about", "start", "phenomena", "resources"} and MANIFEST["start"] in ENTRIES
    assert len(ENTRIES) == len(MANIFEST["resources"])
    for url, entry in ENTRIES.items():
        assert set(entry) <= KEYS and url == canonical(url, url).replace("%7Bn%7D", "{n}"), url
        assert sum(key in entry for key in ("file", "versions", "location", "fail")) == 1, url
        assert entry.get("fail", "busy") in ("reset", "timeout", "dns", "busy")
        assert ("{n}" in url) == ("pattern" in entry)
        days = [version["day"] for version in entry.get("versions", [{"day": 0}])]
        assert days == sorted(set(days)) and days[0] == 0
        stamps = [v["last-modified"] for v in entry.get("versions", ()) if "last-modified" in v]
        stamps += [header(url, "last-modified")] if header(url, "last-modified") else []
        assert all(re.fullmatch(HTTP_DATE, stamp) for stamp in stamps)


def test_every_file_is_used_and_none_is_missing():
    named = {name for entry in ENTRIES.values() for name in files_of(entry)}
    pages = ROOT / "pages"
    assert named == {path.relative_to(pages).as_posix() for path in pages.rglob("*") if path.is_file()}
    assert {path.name for path in ROOT.iterdir()} == {"README.md", "manifest.json", "pages"}


def test_file_names_are_portable_and_files_small():
    paths = [path for path in ROOT.rglob("*") if path.name not in ("README.md", "manifest.json")]
    for path in paths:
        assert re.fullmatch(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?", path.name), path
        assert path.name.split(".")[0] not in RESERVED and len(path.relative_to(ROOT).as_posix()) < 60
    sizes = [path.stat().st_size for path in paths if path.is_file()]
    assert max(sizes) < 20_000 and sum(sizes) < 500_000


def test_there_are_many_pages_on_about_twenty_hosts():
    pages = Counter(urlsplit(url).netloc for url in ENTRIES if is_page(ENTRIES[url]))
    assert sum(pages.values()) >= 250 and pages["www." + TOWN] >= 50 and pages["lighthouse." + TOWN] == 1
    assert len({urlsplit(url).netloc for url in ENTRIES}) == 21


def test_the_readme_counts_pages_links_and_the_core():
    graph = tiny_web().link_graph()
    core = max(map(len, strong_components(graph)))
    counts = f"({graph.n_nodes} pages, {graph.n_edges:,} links, a core of {core})"
    assert counts in (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_link_leads_somewhere_or_is_listed_as_dead():
    dead = {link for url in ENTRIES for v in range(len(files_of(ENTRIES[url])) or 1)
            for link in out_links(url, v) if not known(link)}  # fmt: skip
    assert dead == {*WHERE["dead link"], *WHERE["soft 404"]}


def test_what_no_link_reaches_is_what_the_readme_says():
    pages = {url for url in ENTRIES if is_page(ENTRIES[url])}
    later = WHERE["published later"] + WHERE["weekly text"][2:]
    later += [url.replace("//gazette.", "//mirror.") for url in later]
    never = {*WHERE["unlinked page"], *WHERE["sitemap only"], *WHERE["javascript link"]}
    assert pages - reached(MANIFEST["start"]) == never | set(later) | {f"http://market.{TOWN}/sorry.html"}


def test_pages_are_in_order_for_people():
    for url in filter(lambda url: is_page(ENTRIES[url]), ENTRIES):
        if url not in WHERE["empty page"] + WHERE["tag soup"]:
            body = text(url)
            assert body.startswith("<!DOCTYPE html>") and len(re.findall("<h1>", body)) == 1, url
            assert re.search(r'<html lang="[a-z]{2}">', body) and re.search("<title>[^<]+</title>", body), url
            assert "\ufffd" not in body and not re.search(r"\]\(|\*\*|<p>[:|-] ", body), url


def test_the_readme_lists_every_phenomenon_with_its_urls():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, urls in WHERE.items():
        row = re.search(rf"^\| {re.escape(name)} \| (.*) \| .+ \|$", readme, re.MULTILINE)
        assert row and [f"http://{url}" for url in re.findall("`(.*?)`", row[1])] == urls, name


def test_the_sitemaps_name_pages_that_exist():
    (index, town), (water,) = WHERE["sitemap index"], WHERE["gzipped sitemap"]
    parts = [loc.text for loc in ElementTree.fromstring(data(index)).iter(SITEMAP + "loc")]
    assert parts == [town, water]
    for body in (data(town), gzip.decompress(data(water))):
        assert {loc.text for loc in ElementTree.fromstring(body).iter(SITEMAP + "loc")} <= set(ENTRIES)
    assert WHERE["sitemap only"][0].encode() in gzip.decompress(data(water))
    news = f"http://gazette.{TOWN}/sitemap.xml"
    counts = [data(news, version).count(b"<loc>") for version in range(3)]
    assert [n - counts[0] for n in counts] == [0, 2, 3]


def test_the_feeds_name_pages_that_exist():
    (rss,), (atom,) = WHERE["rss"], WHERE["atom"]
    for version, count in enumerate((4, 6, 7)):
        items = list(ElementTree.fromstring(data(rss, version)).iter("item"))
        assert len(items) == len({item.findtext("guid") for item in items}) == count
        assert all(urljoin(rss, item.findtext("link")) in ENTRIES for item in items)
    for version, count in enumerate((2, 3, 4)):
        feed = ElementTree.fromstring(data(atom, version))
        base = feed.get("{http://www.w3.org/XML/1998/namespace}base")
        found = {urljoin(base, link.get("href")) for link in feed.findall(f"{ATOM}entry/{ATOM}link")}
        assert len(found) == count and found <= set(ENTRIES)
