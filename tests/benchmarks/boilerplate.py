"""How well the main text of pages is found: ``python tests/benchmarks/boilerplate.py``.

Prints precision (words kept that are content) and recall (content that is kept), over the words of all pages
together, repeats counted, and on how many pages more than half is lost, of:

Saltmere  the 256 pages of the tiny web with a ``main`` element, whose words are the truth
unmarked  the same pages with ``div`` in place of ``nav``, ``main`` and ``footer``
pydoc     40 pages of Python's documentation server; no content are its bar, the links of the heading and the
          lists of modules

and then the time of `main_text` on pages made to be slow. trafilatura and jusText are measured where they
are installed; nothing here needs them.
"""

import re
import sys
import time
import urllib.request
from collections import Counter, defaultdict
from importlib import import_module
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parents[2]))

from ircourse.crawl.pages import main_text as module
from ircourse.crawl.pages.charset import decode_html
from ircourse.crawl.pages.html import parse_html
from ircourse.crawl.pages.main_text import main_text, without_recurring
from ircourse.web import serve_pydoc, tiny_web

HTML = "text/html; charset=utf-8"
MODULES = (
    "json queue collections heapq bisect argparse os.path random string textwrap shutil tempfile csv sqlite3 "
    "email html.parser urllib.parse gzip zlib hashlib calendar datetime statistics fractions decimal "
    "threading logging timeit pathlib glob abc types enum dataclasses functools itertools contextlib "
    "operator copy pprint"
).split()
MARKED = re.compile(r"(</?)(?:nav|main|footer|aside|header|article|section)\b[^>]*")
HEADING_LINKS = re.compile(r'<td class="extra">.*?</td>', re.S)
LISTS = re.compile(
    r'<table class="section">\s*<tr class="decor pkg-content-decor heading-text">.*?</table>'
    r"\s*(?=<p>|</div>|</body>|<table)",
    re.S,
)
SLOW = {
    "a million tags": b"<p>" * 10**6,
    "a million links": b"<a href=x>y</a>" * 10**6,
    "nested 200,000 deep": b"<div>" * 200_000 + b"x",
    "nested margins": b"<nav>" * 100_000 + b"x" + b"</nav>" * 100_000,
    "unclosed margins": b"<b>x<nav>y" * 10**6,
    "paragraphs of a word": b"x<p>" * 10**6,
    "no tags, 10 MB": b"word " * 2 * 10**6,
    "Han, 9 MB": ("\u6e2f" * 3 * 10**6).encode(),
    "names of no entity": b"&aaaaaaaaaaaaaaaaaa " * 500_000,
}


def saltmere():
    """Return URL, page and truth of each page of the tiny web that marks its main text."""
    town, pages = tiny_web(), []
    for url in town:
        answer = town.respond(url)
        kind = answer.headers.get("content-type", "")
        if answer.status == 200 and kind.startswith("text/html"):
            html = decode_html(answer.body, kind)[0]
            main = re.search(r"<main>(.*)</main>", html, re.S)
            if main:
                pages.append((url, html, parse_html(main[1].encode(), url, HTML).text))
    return pages


def pydoc():
    """Return URL, page and truth of pages of the documentation server."""
    pages = []
    with serve_pydoc() as server:
        for name in MODULES:
            address = "http://{}:{}/{}.html".format(*server.address, name)
            with urllib.request.urlopen(address) as answer:
                html = answer.read().decode()
            content = LISTS.sub("", HEADING_LINKS.sub("", html[html.index('<div style="clear:both') :]))
            pages.append(
                (f"{server.start}{name}.html", html, parse_html(content.encode(), server.start, HTML).text)
            )
    return pages


def show(name, texts, pages):
    """Print precision and recall of the texts kept of pages."""
    kept = content = both = lost = 0
    for text, (_, _, truth) in zip(texts, pages, strict=True):
        got, true = (Counter(re.findall(r"\w+", each)) for each in (text, truth))
        shared = (got & true).total()
        kept, content, both = kept + got.total(), content + true.total(), both + shared
        lost += shared < true.total() / 2
    print(
        f"{name:32} precision {both / kept:.3f}  recall {both / content:.3f}"
        f"  over half lost on {lost} of {len(pages)}"
    )


def by_host(pages, texts, share):
    """Return the texts without the lines that recur on their hosts, in the same order."""
    places = defaultdict(list)
    for place, (url, _, _) in enumerate(pages):
        places[urlsplit(url).hostname].append(place)
    cleaned = {}
    for host in places.values():
        cleaned.update(zip(host, without_recurring([texts[i] for i in host], share), strict=True))
    return [cleaned[i] for i in range(len(texts))]


def measure(name, pages):
    """Print all methods on pages."""
    bodies = [html.encode() for _, html, _ in pages]
    everything = [parse_html(body, url, HTML).text for body, (url, _, _) in zip(bodies, pages, strict=True)]
    show(f"{name}, all words", everything, pages)
    for share in (0.5, 0.7):
        show(f"  recurring lines out, {share}", by_host(pages, everything, share), pages)
    usual = module.COST
    for cost in (0.4, 0.5, 0.6, 1.0):
        module.COST = cost
        texts = [main_text(body, HTML) for body in bodies]
        show(f"  main_text, a tag costs {cost}", texts, pages)
        if cost == usual:
            show("    and recurring lines out, 0.5", by_host(pages, texts, 0.5), pages)
    module.COST = usual
    for library, extract in libraries():
        show(f"  {library}", [extract(html) for _, html, _ in pages], pages)


def libraries():
    """Yield name and function of each library that is installed."""
    try:
        found = import_module("trafilatura")
        yield "trafilatura", lambda html: found.extract(html, include_comments=False) or ""
        just = import_module("justext")
        words = just.get_stoplist("English")
        yield (
            "jusText",
            lambda html: "\n".join(
                p.text for p in just.justext(html.encode(), words) if not p.is_boilerplate
            ),
        )
    except ImportError:
        return


def main():
    """Print the tables."""
    town = saltmere()
    measure("Saltmere", town)
    measure("unmarked", [(url, MARKED.sub(r"\1div", html), truth) for url, html, truth in town])
    documentation = pydoc()
    measure("pydoc", documentation)
    began = time.process_time()
    size = sum(len(main_text(html.encode(), HTML)) and len(html) for _, html, _ in documentation) / 1e6
    print(f"{size / (time.process_time() - began):.1f} MB/s on pydoc")
    for name, body in SLOW.items():
        began = time.process_time()
        main_text(body)
        print(f"{name:24} {time.process_time() - began:5.2f} s")


if __name__ == "__main__":
    main()
