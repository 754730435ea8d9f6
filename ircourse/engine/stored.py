"""An engine as arrays, lists and lines, and back: what `files` keeps in a folder.

By page, in the order of their addresses: ``urls``, ``titles``, ``pages`` (records), ``digests`` uint8
(n, 16), ``sketches`` uint64 (n, 200), ``stands_for`` int64 (n,), the number of the page that stands for each.
``noise_hosts`` and ``noise_lines`` belong together line by line. Of the pages that are kept:
``graph_indptr``, ``graph_indices``, ``pagerank``, and the units of the concepts, ``concept_pages``. For the
fields see `index_inside`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ircourse.engine.collection import Collection
from ircourse.engine.duplicates import PERMUTATIONS
from ircourse.engine.fields import K1, Field
from ircourse.engine.files import Parts
from ircourse.engine.index_inside import index_from, parts_of_index, still_there
from ircourse.engine.linked import Linked
from ircourse.engine.meaning import Meaning
from ircourse.engine.retrieval import FIELDS, Retrieval
from ircourse.engine.spelling import Spelling
from ircourse.graphs import Graph

__all__ = ["collection_from", "parts_of_collection", "parts_of_retrieval", "retrieval_from"]

DIGEST = 16  # bytes


def parts_of_collection(pages: Collection) -> dict[str, Any]:
    """Return the parts of a collection."""
    rows = {url: row for row, url in enumerate(pages.urls)}
    noise = [(host, line) for host in sorted(pages.noise) for line in sorted(pages.noise[host])]
    return {
        "urls": pages.urls,
        "titles": [pages.titles[url] for url in pages.urls],
        "pages": b"".join([pages.records[url] + b"\n" for url in pages.urls]),
        "digests": _digests([pages.digests[url] for url in pages.urls]),
        "sketches": pages.sketches,
        "stands_for": np.array([rows[pages.stands_for[url]] for url in pages.urls], np.int64),
        "noise_hosts": [host for host, _ in noise],
        "noise_lines": [line for _, line in noise],
    }


def collection_from(parts: Parts) -> Collection:
    """Return the collection of these parts. Raises ValueError where they do not fit together."""
    pages = Collection(float(parts.numbers["threshold"]))
    pages.urls = parts.strings("urls")
    n = len(pages.urls)
    needed(pages.urls == sorted(set(pages.urls)), "the addresses are not in order, each once")
    titles, records = parts.strings("titles"), parts.lines("pages")
    pages.records = dict(zip(pages.urls, records, strict=True))
    pages.titles = dict(zip(pages.urls, titles, strict=True))
    pages.digests = dict(zip(pages.urls, _keys(parts, "digests", n), strict=True))
    pages.sketches = parts.array("sketches", np.uint64, n, PERMUTATIONS)
    stands = parts.array("stands_for", np.int64, n)
    needed(bool(np.all((stands >= 0) & (stands < n))), "stands_for names pages that are not there")
    pages.set_clusters({url: pages.urls[row] for url, row in zip(pages.urls, stands.tolist(), strict=True)})
    noise: dict[str, set[str]] = {}
    for host, line in zip(parts.strings("noise_hosts"), parts.strings("noise_lines"), strict=True):
        noise.setdefault(host, set()).add(line)
    pages.noise = {host: frozenset(lines) for host, lines in noise.items()}
    return pages


def parts_of_retrieval(retrieval: Retrieval) -> dict[str, Any]:
    """Return the parts of the indexes; makes those that are made when they are needed first."""
    kept, graph, meaning = retrieval.collection.kept, retrieval.linked.graph, retrieval.meaning
    parts: dict[str, Any] = {
        "graph_indptr": graph.indptr,
        "graph_indices": graph.indices,
        "pagerank": retrieval.pagerank,
        "concept_terms": list(meaning.rows),
        "concept_weights": meaning.weights,
        "concept_strengths": meaning.P,
        "concept_pages": meaning.units,
        "words": retrieval.spelling.words,
        "word_frequencies": retrieval.spelling.frequencies,
    }
    for name, field in retrieval.fields.items():
        parts |= parts_of_index(name, field.index)
        parts[f"{name}_docs"] = np.array([field.docs[url] for url in kept], np.int64)
        parts[f"{name}_keys"] = _digests([field.keys[url] for url in kept])
    return parts


def retrieval_from(parts: Parts, pages: Collection) -> Retrieval:
    """Return the indexes of these parts. Raises ValueError where they do not fit together."""
    n = len(pages.kept)
    indptr, indices = (
        parts.array("graph_indptr", np.int64, n + 1),
        parts.array("graph_indices", np.int32, None),
    )
    needed(
        indptr[0] == 0 and bool(np.all(np.diff(indptr) >= 0)) and indptr[-1] == len(indices),
        "the links do not add up",
    )
    needed(bool(np.all((indices >= 0) & (indices < n))), "links lead to pages that are not there")
    retrieval = Retrieval(pages, Linked(Graph(indptr, indices, None, tuple(pages.kept)), {}))
    retrieval.fields = {name: _field(parts, name, b, pages.kept) for name, b in FIELDS.items()}
    words = parts.strings("words")
    frequencies = parts.array("word_frequencies", np.int64, len(words)).tolist()
    spelling = Spelling(dict(zip(words, frequencies, strict=True)))
    pagerank = parts.array("pagerank", np.float64, n)
    needed(_finite(pagerank) and bool(np.all(pagerank >= 0)), "pagerank holds what is no share")
    retrieval.restore(pagerank, _meaning(parts, n), spelling)
    return retrieval


def _field(parts: Parts, name: str, b: float, kept: list[str]) -> Field:
    field = Field(b)
    field.index = index_from(parts, name, k1=K1, b=b)
    docs = parts.array(f"{name}_docs", np.int64, len(kept))
    distinct = len(np.unique(docs)) == len(docs)
    needed(distinct and still_there(field.index, docs), f"{name}_docs names documents that are not there")
    field.docs = dict(zip(kept, docs.tolist(), strict=True))
    field.keys = dict(zip(kept, _keys(parts, f"{name}_keys", len(kept)), strict=True))
    field.align(kept)
    return field


def _meaning(parts: Parts, n: int) -> Meaning:
    terms = parts.strings("concept_terms")
    P = parts.array("concept_strengths", np.float32, len(terms), None)
    units = parts.array("concept_pages", np.float64, n, P.shape[1])
    weights = parts.array("concept_weights", np.float64, len(terms))
    needed(all(map(_finite, (P, units, weights))), "the concepts hold what is no number")
    return Meaning(terms, weights, P, units)


def needed(holds: bool, otherwise: str) -> None:
    """Raise ValueError unless something holds."""
    if not holds:
        raise ValueError(otherwise)


def _finite(array: np.ndarray[Any, Any]) -> bool:
    return bool(np.isfinite(array).all())


def _digests(keys: list[bytes]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.frombuffer(b"".join(keys), np.uint8).reshape(-1, DIGEST)


def _keys(parts: Parts, name: str, n: int) -> list[bytes]:
    raw = parts.array(name, np.uint8, n, DIGEST).tobytes()
    return [raw[i : i + DIGEST] for i in range(0, len(raw), DIGEST)]
