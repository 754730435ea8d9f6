"""A connectivity server: which pages does a URL link to, which link to it (book, section 20.4).

n, m      number of pages, and of links between them
urls      sorted and front-coded (``front_coding``); a page's number is the place of its URL
out, in_  the links from each page and those to it: a row each, coded by gaps and by reference to one of the
          seven rows before it (``gap_coding``, ``row_bits``), and any row read by itself (``row_reading``)

A graph in plain form takes 32 bits a link and direction, and its pages' URLs; all of the web did not fit in
the memory of a machine that way. Here a link takes a fraction of that, and an answer some microseconds more.

Source: Bharat et al. (1998); Boldi and Vigna (2004).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ircourse.graphs.convert import GraphLike, as_graph
from ircourse.graphs.core import Graph, UnknownNode
from ircourse.graphs.front_coding import find, pack, spell
from ircourse.graphs.gap_coding import MOST_REFERENCES, WINDOW, Field, explain_row
from ircourse.graphs.row_bits import best_k, encode_rows
from ircourse.graphs.row_reading import DAMAGED, read_row, references
from ircourse.graphs.server_file import Parts, Rows, Strings, read_parts, write_parts

__all__ = ["ConnectivityServer", "adjacency_bytes"]


class ConnectivityServer:
    """Answers for each URL which URLs it links to and which link to it, from a coded graph.

    urls   of the pages, each once, in any order
    graph  graph-like; its labels are the URLs, or numbers, and node i has urls[i]. Weights are dropped. URLs
           that are no node of it have no links

    Raises ValueError for two pages with one URL, a page without, and for what is no text.

    >>> harbour, ferries = "http://harbour.example/", "http://harbour.example/ferries"
    >>> server = ConnectivityServer([harbour, ferries], [(harbour, ferries), (ferries, harbour)])
    >>> server.out_links(harbour), server.in_links(harbour)
    (['http://harbour.example/ferries'], ['http://harbour.example/ferries'])
    """

    def __init__(self, urls: Sequence[str], graph: GraphLike) -> None:
        urls = list(urls)
        numbers, encoded = _sorted(urls)
        links = _renumbered(urls, numbers, as_graph(graph))
        self._parts = Parts(
            len(urls), links.n_edges, Strings(*pack(encoded)), _coded(links), _coded(links.reverse())
        )

    def __repr__(self) -> str:
        return f"<ConnectivityServer: {self.n_pages} pages, {self.n_links} links>"

    @property
    def n_pages(self) -> int:
        """Number of pages."""
        return self._parts.n

    @property
    def n_links(self) -> int:
        """Number of links, each counted once."""
        return self._parts.m

    @property
    def bits_per_link(self) -> float:
        """Bits that a link takes in one direction, the mean over both; all that finds the rows is counted.

        0 where there is no link.
        """
        out, in_ = self._parts.out, self._parts.in_
        return 4.0 * (out.n_bytes + in_.n_bytes) / self.n_links if self.n_links else 0.0

    @property
    def sizes(self) -> dict[str, int]:
        """Bytes that the URLs take, the links out, and the links in."""
        parts = self._parts
        return {"urls": parts.urls.n_bytes, "out": parts.out.n_bytes, "in": parts.in_.n_bytes}

    def out_links(self, url: str) -> list[str]:
        """Return the URLs that a page links to, sorted; raises ``UnknownNode``, a KeyError, for no page."""
        return self._spelled(self._row(self._number(url), self._parts.out))

    def in_links(self, url: str) -> list[str]:
        """Return the URLs of the pages that link to one, sorted; raises ``UnknownNode`` as ``out_links``."""
        return self._spelled(self._row(self._number(url), self._parts.in_))

    def explain_out(self, url: str) -> list[Field]:
        """Return the bits of a page's row of out-links, group by group, with what each says.

        Pages are named by their numbers, the places of their URLs in order.
        """
        return self._explained(url, self._parts.out)

    def explain_in(self, url: str) -> list[Field]:
        """Return the bits of a page's row of in-links as ``explain_out`` does."""
        return self._explained(url, self._parts.in_)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the server to one file, which takes the place of an older one only when it is complete."""
        write_parts(path, self._parts)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ConnectivityServer:
        """Return the server that was saved; ValueError for a file that is none, was cut off or altered."""
        server = cls.__new__(cls)
        server._parts = read_parts(path)
        return server

    def _number(self, url: str) -> int:
        urls = self._parts.urls
        try:
            sought = np.frombuffer(url.encode(), np.uint8)
        except (AttributeError, UnicodeEncodeError):
            sought = None
        number = -1 if sought is None else int(find(sought, self._parts.n, urls.data, urls.starts))
        if number < 0:
            raise UnknownNode(f"{url!r:.200} is none of the {self.n_pages} pages of this server")
        return number

    def _row(self, u: int, rows: Rows) -> NDArray[np.int64]:
        row: NDArray[np.int64] = read_row(u, self._parts.n, rows.bits, rows.starts, rows.k)
        if len(row) and row[0] == DAMAGED:
            raise ValueError(
                f"the links of page number {u} make no sense: the file was not written by a server"
            )
        return row

    def _spelled(self, numbers: NDArray[np.int64]) -> list[str]:
        urls = self._parts.urls
        spelled = spell(numbers, self._parts.n, urls.data, urls.starts).tobytes()
        return [url.decode() for url in spelled.split(b"\xff")[:-1]]

    def _explained(self, url: str, rows: Rows) -> list[Field]:
        u = self._number(url)
        previous = []
        for v in range(u - 1, max(-1, u - 1 - WINDOW), -1):
            deep = references(v, rows.bits, rows.starts).shape[1] > MOST_REFERENCES
            previous.append(None if deep else self._row(v, rows).tolist())
        return explain_row(u, self._row(u, rows).tolist(), previous, rows.k)


def _sorted(urls: Sequence[str]) -> tuple[NDArray[np.int64], list[bytes]]:
    """Return the places of the URLs in ``urls``, in order, and the URLs so; ValueError for a wrong one."""
    encoded = []
    for i, url in enumerate(urls):
        try:
            encoded.append(url.encode())
        except (AttributeError, UnicodeEncodeError):
            raise ValueError(f"URL {i} is {url!r:.60}: give a text that can be written in UTF-8") from None
    numbers = sorted(range(len(urls)), key=encoded.__getitem__)
    for i, j in pairwise(numbers):
        if urls[i] == urls[j]:
            raise ValueError(
                f"the URL {urls[i]!r:.200} is given twice, as number {i} and {j}: give each once"
            )
    return np.array(numbers, np.int64), [encoded[i] for i in numbers]


def _renumbered(urls: Sequence[str], numbers: NDArray[np.int64], graph: Graph) -> Graph:
    """Return the graph with pages numbered in the order of their URLs, each row ascending."""
    n = len(urls)
    place = np.empty(n, np.int64)
    place[numbers] = np.arange(n)
    if not (isinstance(graph.labels, range) and graph.labels == range(n)):
        at = dict(zip(urls, place.tolist(), strict=True)) | dict(enumerate(place.tolist()))
        try:
            place = np.array([at[label] for label in graph.labels], np.int64)
        except KeyError as unknown:
            raise ValueError(
                f"the graph has the node {unknown}, which is none of the {n} URLs, nor a number below {n}"
            ) from None
    links = np.stack([np.repeat(place, graph.out_degrees), place[graph.indices]], axis=1)
    return Graph.from_edges(links, nodes=range(n)).reverse().reverse()  # which sorts the rows


def _coded(links: Graph) -> Rows:
    k = best_k(links.indptr, links.indices)
    return Rows(k, *encode_rows(links.indptr, links.indices, k))


def adjacency_bytes(n: int, m: int, bits_per_link: float) -> dict[str, float]:
    """Return the bytes that m links between n pages take, one direction, in three forms.

    The forms: a matrix of bits; lists of numbers, 4 bytes for each link if that is enough for n and 8 if not,
    with 8 bytes for where each list starts; rows coded in ``bits_per_link``, all included.

    >>> adjacency_bytes(10**6, 9 * 10**6, 9.0)
    {'matrix': 125000000000.0, 'lists': 44000008, 'coded': 10125000.0}
    """
    number = 4 if n < 2**31 else 8
    return {"matrix": n * n / 8, "lists": 8 * (n + 1) + number * m, "coded": bits_per_link * m / 8}
