"""The graph that HITS runs on: root set, base set, links weighted by the query (book, section 21.3.1).

root set  the pages that a search for the query finds, the best n of them
base set  these, the pages that they link to, and of the pages that link to each of them at most ``cap``

A good authority need not contain the words of the query, and a search would miss it; the pages found link to
it. A page that half the web links to would bring in half the web, hence the cap. Links within a host mostly
help readers about, and say nothing on whom others hold to be good: they are left out.

Differs from the book: which in-links the cap keeps is left open there; here the first in the graph's order.
Source: Kleinberg (1999); Chakrabarti and others (1998) for the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from operator import index as index_of
from typing import NamedTuple, SupportsIndex
from urllib.parse import urlsplit

from ircourse.graphs import Graph, GraphLike, Label, as_graph
from ircourse.index import InvertedIndex
from ircourse.text import tokenize
from ircourse.types import Page

__all__ = ["BasePages", "anchor_texts", "base_pages", "base_set", "host_of", "root_set", "weigh_by_query"]


class BasePages(NamedTuple):
    """The pages of a base set by how they came in, each page once.

    left_out  pages that link to a root page and were over the cap, unless they came in otherwise
    """

    root: tuple[Label, ...]
    linked_to: tuple[Label, ...]
    linking: tuple[Label, ...]
    left_out: tuple[Label, ...]


def root_set(index: InvertedIndex, query: str | list[str], n: int = 200) -> list[int]:
    """Return the documents that a search for all terms of the query finds, the best n, best first.

    >>> root_set(InvertedIndex(["ferries to the harbour", "a harbour", "roses"]), "harbour")
    [1, 0]
    """
    return [hit.doc for hit in index.search(query, n=n)]


def base_pages(graph: GraphLike, root: Iterable[Label], *, cap: int = 50) -> BasePages:
    """Return which pages the base set of ``root`` has, in the order in which they come in.

    cap  of the pages that link to a root page, how many come in; 0 for none

    Raises ``UnknownNode`` for a root page that is not in the graph, ValueError for a cap that is no whole
    number of at least 0.

    >>> web = {"r": ["a"], "p": ["r"], "q": ["r", "a"], "a": ["z"]}
    >>> base_pages(web, ["r"], cap=1)
    BasePages(root=('r',), linked_to=('a',), linking=('p',), left_out=('q',))
    """
    graph = as_graph(graph)
    if not isinstance(cap, SupportsIndex) or index_of(cap) < 0:
        raise ValueError(f"cap is {cap!r:.60}: give a whole number of at least 0")
    numbers = list(dict.fromkeys(graph.number(label) for label in root))
    reverse = graph.reverse()
    inside = dict.fromkeys(numbers)
    linked_to = dict.fromkeys(v for u in numbers for v in graph.links(u) if v not in inside)
    inside |= linked_to
    pointers = [reverse.links(u) for u in numbers]
    linking = dict.fromkeys(u for some in pointers for u in some[:cap] if u not in inside)
    inside |= linking
    left_out = dict.fromkeys(u for some in pointers for u in some[cap:] if u not in inside)
    parts = (numbers, linked_to, linking, left_out)
    return BasePages(*(tuple(graph.labels[u] for u in part) for part in parts))


def host_of(label: Label) -> str | None:
    """Return the host of a URL, in lower case; None for a label that is none.

    >>> host_of("http://Harbour.example/ferries"), host_of("ferries"), host_of(7)
    ('harbour.example', None, None)
    """
    try:
        return urlsplit(label).hostname if isinstance(label, str) else None
    except ValueError:
        return None


def base_set(
    graph: GraphLike,
    root: Iterable[Label],
    *,
    cap: int = 50,
    host: Callable[[Label], Hashable | None] | None = host_of,
) -> Graph:
    """Return the links among the pages of the base set of ``root``; the root pages are the first nodes.

    host  tells a page's host, None for a page without one; links within a host are left out. Give None as
          ``host`` to keep them

    Weights are kept. Errors as for ``base_pages``.

    >>> web = {"r": ["a"], "p": ["r", "z"], "a": ["r"], "z": ["a"]}
    >>> list(base_set(web, ["r"]).edges())
    [('r', 'a'), ('a', 'r'), ('p', 'r')]
    """
    graph = as_graph(graph)
    pages = base_pages(graph, root, cap=cap)
    nodes = pages.root + pages.linked_to + pages.linking
    hosts = {label: host(label) if host else None for label in nodes}
    edges, weights = [], []
    for label in nodes:
        u = graph.number(label)
        first = int(graph.indptr[u])
        for e, v in enumerate(graph.links(u), first):
            other = graph.labels[v]
            if other in hosts and (hosts[label] is None or hosts[label] != hosts[other]):
                edges.append((label, other))
                weights.append(1.0 if graph.weights is None else float(graph.weights[e]))
    return Graph.from_edges(edges, nodes=nodes, weights=None if graph.weights is None else weights)


def weigh_by_query(graph: GraphLike, near: Mapping[tuple[Label, Label], str], query: str) -> Graph:
    """Return the graph with each link's weight multiplied by 1 + the number of query words near the link.

    near  by link (from, to) the text near it: ``anchor_texts(pages)``, or windows around the anchors

    A word counts as often as it occurs there. A link without text keeps its weight.

    >>> near = {("a", "b"): "ferries, and more ferries", ("a", "c"): "roses"}
    >>> weigh_by_query({"a": ["b", "c"]}, near, "ferries harbour").weights.tolist()
    [3.0, 1.0]
    """
    graph = as_graph(graph)
    terms = set(tokenize(query))
    edges = list(graph.edges())
    given = [1.0] * len(edges) if graph.weights is None else graph.weights.tolist()
    matches = [sum(term in terms for term in tokenize(near.get(edge, ""))) for edge in edges]
    weights = [weight * (1 + n) for weight, n in zip(given, matches, strict=True)]
    return Graph.from_edges(edges, nodes=graph.labels, weights=weights)


def anchor_texts(pages: Iterable[Page]) -> dict[tuple[str, str], str]:
    """Return by link (from, to) the anchors of the page's links there, with a space between them.

    >>> from ircourse.types import Link
    >>> anchor_texts([Page("a", links=[Link("b", "the ferries"), Link("b", "home"), "c"])])
    {('a', 'b'): 'the ferries home', ('a', 'c'): ''}
    """
    texts: dict[tuple[str, str], list[str]] = {}
    for page in pages:
        for link in page.links:
            texts.setdefault((page.url, str(link)), []).append(getattr(link, "anchor", ""))
    return {edge: " ".join(filter(None, anchors)) for edge, anchors in texts.items()}
