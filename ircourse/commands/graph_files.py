"""Graphs from files: edge lists, GraphML, GML, and crawls.

A folder or a file of WARC records is a crawl: its pages are the nodes, and links to what was not fetched are
left out; a link to a redirect leads where that leads. A file that begins as XML, or is named .graphml, is
GraphML; one that begins as GML, or is named .gml, is GML; networkx reads both. Anything else is an edge list,
of numbers or of names. All but the crawls may be packed by gzip, which the first bytes tell.

Files come from strangers. What XML can declare to make a small file large (entities) is refused, as are
markup and lists of names over 32 MiB unpacked, over 2,000,000 elements or nested over 100 deep.
"""

from __future__ import annotations

import gzip
import re
import warnings
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO, StringIO
from pathlib import Path
from sqlite3 import DatabaseError
from typing import Any
from xml.parsers import expat

from ircourse.commands.name_lists import is_numbered, read_names
from ircourse.crawl import PageStore
from ircourse.crawl.lookup import page_of
from ircourse.graphs import Graph, as_graph, read_edges

__all__ = ["read_graph"]

MAX_MARKUP = 32 * 2**20  # bytes, unpacked
MAX_ELEMENTS = 2_000_000
MAX_DEPTH = 100
MAX_HOPS = 10  # redirects in a row

_EVERY = 100  # pages from one sign of progress to the next
_MARKED_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_GML = re.compile(rb"(?:\s|#[^\n]*+\n|(?:Creator|Version)\s[^\n]*+\n|directed\s+\d\s)*+graph\s*\[", re.I)

Report = Callable[[str], None]


def read_graph(path: Path, note: Report, progress: Report) -> Graph:
    """Return the graph of a file or of a crawl's folder.

    note      called with a line on what was left out
    progress  called with how far the reading is

    Raises OSError where it cannot be read, ValueError where it holds no graph.
    """
    if path.is_dir():
        if not any(child.name.endswith((".warc", ".warc.gz")) for child in path.iterdir()):
            raise ValueError("a folder without WARC files")
        return _crawl(path, note, progress)
    if not path.is_file():
        raise ValueError("no such file" if not path.exists() else "not a regular file")
    name = path.name.lower().removesuffix(".gz")
    head = _unpacked(path, 2**16, cut=True)
    if head.startswith(b"WARC/") or name.endswith(".warc"):
        return _crawl(path, note, progress)
    markup = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if name.endswith(".graphml") or markup.startswith(b"<") or (name.endswith(".xml") and markup):
        return _from_networkx(_graphml, _unpacked(path, MAX_MARKUP))
    if name.endswith(".gml") or _GML.match(markup):
        return _from_networkx(_gml, _unpacked(path, MAX_MARKUP))
    if not is_numbered(head) and not head.startswith(_MARKED_UTF_16):
        return read_names(_unpacked(path, MAX_MARKUP))
    try:
        return read_edges(path)
    except ValueError as error:
        raise ValueError(str(error).removeprefix(str(path)).lstrip(" ,:")) from None


def _unpacked(path: Path, most: int, cut: bool = False) -> bytes:
    """Return the bytes of a file, unpacked; ValueError for more than ``most``, unless they may be cut."""
    with path.open("rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        try:
            data = gzip.GzipFile(fileobj=raw).read(most + 1) if packed else raw.read(most + 1)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"damaged gzip: {error}") from None
    if len(data) > most and not cut:
        raise ValueError(f"over {most // 2**20} MiB unpacked")
    return data[:most]


# ---- networkx's forms


def _from_networkx(read: Callable[[bytes], Any], data: bytes) -> Graph:
    """Return the graph that networkx reads; its nodes go by their labels where each has one of its own."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of parts that are for drawing
            found = read(data)
            graph = as_graph(found)
    except Exception as error:  # on a stranger's file these readers raise whatever Python raises
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ValueError(f"{reason[:199]}…" if len(reason) > 200 else reason) from None
    names = dict.fromkeys(str(data["label"]) for _, data in found.nodes(data=True) if "label" in data)
    if len(names) != graph.n_nodes:
        return graph
    return Graph(graph.indptr, graph.indices, graph.weights, tuple(names))


def _graphml(data: bytes) -> Any:
    import networkx

    _check_xml(data)
    return networkx.read_graphml(BytesIO(data))


def _check_xml(data: bytes) -> None:
    """Raise ValueError for XML that is broken, declares entities, or is too long or too deep."""
    parser = expat.ParserCreate()
    elements = depth = 0

    def start(name: str, attributes: Any) -> None:
        nonlocal elements, depth
        elements, depth = elements + 1, depth + 1
        if elements > MAX_ELEMENTS or depth > MAX_DEPTH:
            raise ValueError(f"over {MAX_ELEMENTS:,} elements, or nested over {MAX_DEPTH} deep")

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1

    def entity(*declared: object) -> None:
        raise ValueError("the file declares entities, which no graph needs")

    parser.StartElementHandler, parser.EndElementHandler, parser.EntityDeclHandler = start, end, entity
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise ValueError(f"no XML: {error}") from None


def _gml(data: bytes) -> Any:
    import networkx

    text = data.decode("utf-16" if data.startswith(_MARKED_UTF_16) else "utf-8-sig")
    return networkx.parse_gml(StringIO(text, newline=None), label="id")


# ---- crawls


def _crawl(path: Path, note: Report, progress: Report) -> Graph:
    """Return the graph of the pages of a crawl."""
    try:
        with PageStore(path) as store:
            links, leads = _links(store, progress)
            for name, reason in store.damaged.items():
                note(f"{name} is damaged, and was read up to there: {reason}")
            if store.damaged and not links:
                raise ValueError(next(iter(store.damaged.values())))
    except DatabaseError as error:
        raise ValueError(f"the index is damaged ({error}): remove it, and it is made again") from None

    def edges() -> Iterator[tuple[str, str]]:
        for url, targets in links.items():
            for target in targets:
                for _ in range(MAX_HOPS):
                    target = leads.get(target, target)
                if target in links:
                    yield url, target

    return Graph.from_edges(edges(), nodes=links)


def _links(store: PageStore, progress: Report) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Return the links of each page, and where each redirect leads."""
    links: dict[str, list[str]] = {}
    leads: dict[str, str] = {}
    for url in store:
        answer = store[url]
        page = page_of(url, answer)
        if page is None:
            continue
        if answer.status < 300:
            links[url] = [str(link) for link in page.links]
            if len(links) % _EVERY == 0:
                progress(f"{len(links)} pages read")
        elif page.links:
            leads[url] = str(page.links[0])
    return links, leads
