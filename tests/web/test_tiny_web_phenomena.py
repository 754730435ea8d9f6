"""Every phenomenon that the tiny web's README promises is in its files.

One check for each name under "phenomena" in the manifest, on the raw bytes, with the standard library alone.
"""

import html
import json
import re
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest

ROOT = Path(__file__).parents[2] / "data" / "tiny_web"
MANIFEST = json.loads((ROOT / "manifest.json").read_text(encoding="utf-8"))
ENTRIES = {entry["url"]: entry for entry in MANIFEST["resources"]}
WHERE = MANIFEST["phenomena"]


def names(url):
    entry = ENTRIES[url]
    return [entry["file"]] if "file" in entry else [version["file"] for version in entry.get("versions", ())]


def data(url, version=0):
    return (ROOT / "pages" / names(url)[version]).read_bytes()


def is_page(url):
    return bool(names(url)) and names(url)[0].endswith(".html")


def header(url, name):
    return ENTRIES[url].get("headers", {}).get(name, "")


def words(url):
    body = re.sub(r"<title>.*?</title>|<[^>]+>", " ", data(url).decode())
    return re.findall(r"\w+", html.unescape(body).lower())


def similarity(a, b):
    a, b = ({tuple(w[i : i + 4]) for i in range(len(w) - 3)} for w in (words(a), words(b)))
    return len(a & b) / len(a | b)


def anchors(target):
    link = re.compile(rf'<a href="{re.escape(target)}"[^>]*>(.*?)</a>')
    return [a for url in ENTRIES if is_page(url) for a in link.findall(data(url).decode("latin-1"))]


def links(url):
    found = (urljoin(url, href) for href in re.findall(r'<a href="(.*?)"', data(url).decode()))
    return [link for link in found if link.startswith("http")]


def ways(url, goal):
    return 1 if url == goal else sum(ways(link, goal) for link in links(url))


def holds(*pieces):
    return lambda urls: all(piece in data(url).decode() for url in urls for piece in pieces)


def entry_is(**keys):
    return lambda urls: all(ENTRIES[url].get(key) == value for url in urls for key, value in keys.items())


def tagged(value):
    return lambda urls: all(header(url, "x-robots-tag") == value for url in urls)


def robots(*rules):
    return lambda urls: all(
        rule in data(urljoin(url, "/robots.txt")).decode() for url in urls for rule in rules
    )


def moved(status, *targets):
    return lambda urls: (
        [(ENTRIES[u]["status"], ENTRIES[u]["location"]) for u in urls] == [(status, t) for t in targets]
    )


def encoded(charset, sign, declared):
    def check(urls):
        body = data(urls[0]).decode(charset)
        bare = data(urls[0]).decode("utf-8", "replace")
        return sign in body and sign not in bare and header(urls[0], "content-type") == "text/html" + declared

    return check


def starts(magic):
    return lambda urls: all(data(url).startswith(magic) and not is_page(url) for url in urls)


def never_linked(urls):
    hosts = {urlsplit(url).netloc for url in urls} - {"www.saltmere.example", "museum.saltmere.example"}
    others = [
        data(url).decode("latin-1") for url in ENTRIES if is_page(url) and urlsplit(url).netloc not in hosts
    ]
    targets = [url if urlsplit(url).netloc in hosts else urlsplit(url).path[1:] for url in urls]
    return all(map(is_page, urls)) and not any(target in page for target in targets for page in others)


def mirrored(urls):
    first, second = ({u.removeprefix(home): names(u) for u in ENTRIES if u.startswith(home)} for home in urls)
    pages = [url for url in ENTRIES if url.startswith(urls[0]) and is_page(url)]
    return len(pages) > 20 and first == second and not any(b"//gazette." in data(url) for url in pages)


def quiet_about(urls):
    said = dict(zip(urls, ("best sunset", "daylight robbery"), strict=True))
    return all(
        not set(phrase.split()) & set(words(url)) and sum(phrase in anchor for anchor in anchors(url)) >= 3
        for url, phrase in said.items()
    )


def near_copies(urls):
    home = WHERE["exact mirror"][0]
    twins = ["yacht", "font", "harmonium", "parking", "gale", "seal"]
    pairs = [(url, f"{home}news/{twin}.html") for url, twin in zip(urls, twins, strict=True)]
    return all(0.8 < similarity(*pair) < 1 for pair in pairs)


def changes(urls):
    return all(len({data(url, v) for v in range(len(names(url)))}) == len(names(url)) > 1 for url in urls)


def later(urls):
    home = WHERE["exact mirror"][0]
    first, *rest = (
        {urljoin(home, u) for u in re.findall('href="(.*?)"', data(home, v).decode())} for v in range(3)
    )
    return not first & set(urls) and set(urls) <= set.union(*rest)


def dead(urls):
    return not set(urls) & set(ENTRIES)


def spelt(urls):
    seen = data(urls[0]).decode()
    return all(
        x in seen for x in ('"//www', '"HTTP://WWW.S', ":80/", "/../", "/%68", "/%7Ekeeper/", "#steps ")
    )


def outside_ascii(urls):
    found = re.findall('href="(/caf.*?)"', data(MANIFEST["start"] + "visit.html").decode())
    return urls[0] in ENTRIES and {"/café.html", "/caf%C3%A9.html"} <= set(found)


CHECKS = {
    "robots groups": lambda urls: all(data(url).count(b"User-agent: ") > 1 for url in urls),
    "robots wildcards": lambda urls: (
        robots("Disallow: /*?print=", "Disallow: /*.ps$")(urls) and set(urls) <= set(ENTRIES)
    ),
    "robots allow": robots("Disallow: /private/\nAllow: /private/open-day.html"),
    "robots own group": robots("Disallow: /sketch/\n\nUser-agent: ircourse\nDisallow: /store/\n"),
    "robots disallow": robots("Disallow: /store/"),
    "robots odd bytes": lambda urls: data(urls[0]).startswith(b"\xef\xbb\xbf") and b"\r\n" in data(urls[0]),
    "robots not a robots file": lambda urls: data(urls[0]).startswith(b"<html>") and urls[1] not in ENTRIES,
    "robots redirected": moved(301, "/robots-school.txt"),
    "robots unavailable": entry_is(fail="busy"),
    "robots missing": lambda urls: urls[0] not in ENTRIES,
    "noindex meta": holds('<meta name="robots" content="noindex'),
    "noindex header": tagged("noindex"),
    "nofollow meta": holds('<meta name="robots" content="nofollow">'),
    "nofollow header": tagged("nofollow"),
    "nofollow link": lambda urls: b'href="/staff/login.html" rel="nofollow"' in data(urljoin(urls[0], "/")),
    "closed and noindex": lambda urls: (
        holds('content="noindex"')(urls) and robots("Disallow: /private/")(urls)
    ),
    "redirect 301": moved(301, "http://www.saltmere.example/harbour.html"),
    "redirect 302": moved(302, "winter.html"),
    "redirect relative": moved(302, "contact.html", "winter.html"),
    "redirect chain": lambda urls: (
        [urljoin(u, ENTRIES[u]["location"]) for u in urls] == [*urls[1:], MANIFEST["start"]]
    ),
    "redirect loop": moved(302, "/found", "/lost"),
    "redirect to another host": moved(301, "http://mirror.saltmere.example/"),
    "redirect out of scope": moved(302, "http://www.northport.example/"),
    "redirect to a closed page": moved(302, "/private/minutes-draft.html"),
    "redirect in the page": holds('http-equiv="refresh"'),
    "calendar trap": lambda urls: entry_is(pattern=True)(urls) and holds("{{n+1}}")(urls),
    "session ids": lambda urls: entry_is(pattern=True)(urls) and holds("?sid={{n+1}}")(urls),
    "slow host": entry_is(delay=4.0),
    "busy": entry_is(fail="busy"),
    "reset": entry_is(fail="reset"),
    "timeout": entry_is(fail="timeout"),
    "server error": entry_is(status=500),
    "host that does not resolve": entry_is(fail="dns"),
    "dead link": dead,
    "gone": entry_is(status=410),
    "unlinked page": lambda urls: never_linked(urls) and any(MANIFEST["start"] in links(url) for url in urls),
    "sitemap only": never_linked,
    "javascript link": lambda urls: (
        never_linked(urls) and b"onclick" in data(urljoin(urls[0], "/gallery.html"))
    ),
    "external link": lambda urls: all(".saltmere." not in url and anchors(url) for url in urls),
    "exact mirror": mirrored,
    "near copy, another date": near_copies,
    "weekly text": lambda urls: all(0.5 < similarity(a, b) < 0.75 for a in urls for b in urls if a < b),
    "soft 404": lambda urls: dead(urls) and "soft_404" in ENTRIES[urljoin(urls[0], "/")],
    "one-page host": lambda urls: (
        [u for u in ENTRIES if urlsplit(u).netloc == urlsplit(urls[0]).netloc] == urls
    ),
    "anchor text": quiet_about,
    "link farm": lambda urls: all(links(url) == [urljoin(url, "/")] for url in urls),
    "pdf": starts(b"%PDF-1.4"),
    "png": starts(b"\x89PNG\r\n\x1a\n"),
    "csv": lambda urls: all(header(url, "content-type").startswith("text/csv") for url in urls),
    "plain text": lambda urls: all(names(url)[0].endswith(".txt") for url in urls),
    "windows-1252": encoded("cp1252", "l’avait", "; charset=windows-1252"),
    "shift_jis": encoded("shift_jis", "港町", ""),
    "gbk": encoded("gbk", "海边小镇", ""),
    "utf-16 with mark": lambda urls: (
        data(urls[0])[:2] == b"\xff\xfe" and "\u2602" in data(urls[0]).decode("utf-16")
    ),
    "header and meta disagree": lambda urls: (
        holds('charset="iso-8859-1"', "brûlée")(urls) and header(urls[0], "content-type").endswith("utf-8")
    ),
    "spellings": spelt,
    "path outside ASCII": outside_ascii,
    "base element": holds('<base href="http://museum.saltmere.example/objects/">'),
    "canonical link": holds('<link rel="canonical" href="http://'),
    "loop": lambda urls: urls[1] in links(urls[0]) and urls[0] in links(urls[1]),
    "diamonds": lambda urls: [ways(url, urls[-1]) for url in urls] == [16, 8, 4, 2, 1],
    "no links": lambda urls: not any(links(url) for url in urls),
    "sitemap index": lambda urls: holds("<sitemapindex")(urls[:1]) and holds("<urlset")(urls[1:]),
    "gzipped sitemap": starts(b"\x1f\x8b\x08\x00\0\0\0\0"),
    "rss": holds('<rss version="2.0">', "<link>/news/", "<guid "),
    "atom": holds("xml:base=", '<link href="fish/', "<id>tag:"),
    "pages that change": changes,
    "published later": later,
    "empty page": lambda urls: data(urls[0]) == b"",
    "tag soup": lambda urls: data(urls[0]).count(b"</") < data(urls[0]).count(b"<") / 2,
}


def test_every_phenomenon_has_a_check():
    assert list(CHECKS) == list(WHERE)


@pytest.mark.parametrize("name", CHECKS)
def test_phenomenon(name):
    assert WHERE[name] and CHECKS[name](WHERE[name])
