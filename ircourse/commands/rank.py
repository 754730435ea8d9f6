"""The command ``rank``: the top pages of a graph by PageRank, as authority and as hub."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from ircourse import distribute
from ircourse.commands.clusters import cluster_at
from ircourse.commands.graph_files import read_graph
from ircourse.commands.output import fitted, plain, write_line
from ircourse.distribute import ClusterError
from ircourse.graphs import Graph
from ircourse.links import Hits, PageRank, hits, pagerank
from ircourse.links.pagerank import best_first
from ircourse.types import NotConverged

__all__ = ["rank"]

Top = Sequence[tuple[str | int, float]]
Scores = tuple[Callable[[Graph], PageRank], Callable[[Graph], Hits]]

_SHOWN = 48  # columns of a label in a picture
_BARS = 50  # of each kind there, at most


def rank(
    path: str,
    *,
    top: int = 10,
    damping: float = 0.85,
    as_json: bool = False,
    plot: str | None = None,
    scheduler: str | None = None,
    insecure_scheduler: bool = False,
    out: TextIO | None = None,
    log: TextIO | None = None,
) -> int:
    """Write the pages of the graph at ``path`` with the highest scores to ``out``; return the exit code.

    top      how many of each kind
    damping  the surfer's chance of following a link, for PageRank
    plot     a file, .png or .svg, to which the first 50 of each are drawn
    scheduler           address of a Dask cluster that does the work, on a graph that is read here
    insecure_scheduler  speak to it without TLS where it is on another machine

    The exit code is 0, and 1 where there is no graph to rank, some scores do not settle or the cluster fails;
    a line on ``log`` says why, and what is known is written. Without links there are no authorities and hubs.
    On a terminal the progress goes to ``log``.
    """
    out, log = out or sys.stdout, log or sys.stderr
    graph = _read(path, log)
    if graph is None:
        return 1
    try:
        with ExitStack() as stack:
            scores: Scores = partial(pagerank, damping=damping), hits
            if scheduler is not None:
                client = stack.enter_context(cluster_at(scheduler, insecure_scheduler))
                ranks = partial(distribute.pagerank, client, damping=damping)
                scores = ranks, partial(distribute.hits, client)
            columns, settled = _columns(graph, path, top, log, scores)
    except ClusterError as error:
        _note(log, str(error))
        return 1
    if plot is not None and columns and not _drawn(columns, plot, log):
        return 1
    for line in (_json if as_json else _lines)(graph, columns, damping):
        write_line(out, line)
    return 0 if settled else 1


def _read(path: str, log: TextIO) -> Graph | None:
    """Return the graph of a file or folder; None, after a line that says why, where there is none."""
    try:
        _progress(log, f"reading {path}")
        graph = read_graph(Path(path), lambda text: _note(log, text), lambda text: _progress(log, text))
    except (OSError, ValueError) as error:
        _note(log, f"could not read {path}: {getattr(error, 'strerror', None) or error}")
        return None
    if not graph.n_nodes:
        _note(log, f"{path} holds no pages")
        return None
    return graph


def _columns(graph: Graph, path: str, top: int, log: TextIO, scores: Scores) -> tuple[dict[str, Top], bool]:
    """Return for each kind of score its top pages, the best first, and whether all scores settled."""
    size = f"{graph.n_nodes} pages, {graph.n_edges} links"
    columns: dict[str, Top] = {}
    try:
        _progress(log, f"{size}: PageRank")
        columns["PageRank"] = _top(graph, scores[0](graph).scores, top)
        if graph.n_edges and (graph.weights is None or graph.weights.any()):
            _progress(log, f"{size}: HITS")
            found = scores[1](graph)
            columns["Authority"] = _top(graph, found.authorities, top)
            columns["Hub"] = _top(graph, found.hubs, top)
    except NotConverged as error:
        _note(log, f"{path}: {error}")
        return columns, False
    _progress(log, "")
    return columns, True


def _top(graph: Graph, scores: NDArray[np.float64], n: int) -> Top:
    order = best_first(scores)[:n]
    labels = [graph.labels[i] for i in order]
    named = [label if isinstance(label, int) else str(label) for label in labels]
    return list(zip(named, scores[order].tolist(), strict=True))


def _lines(graph: Graph, columns: Mapping[str, Top], damping: float) -> Iterator[str]:
    weighted = "" if graph.weights is None else " with weights"
    yield f"{graph.n_nodes:,} pages, {graph.n_edges:,} links{weighted}"
    for kind, pages in columns.items():
        yield ""
        yield f"{kind} (damping {damping:g})" if kind == "PageRank" else kind
        yield from (f"  {score:<#10.4g}  {label}" for label, score in pages)


def _json(graph: Graph, columns: Mapping[str, Top], damping: float) -> list[str]:
    scores = {
        kind.lower(): [{"page": label, "score": float(f"{score:.10g}")} for label, score in pages]
        for kind, pages in columns.items()
    }
    whole = {"pages": graph.n_nodes, "links": graph.n_edges, "damping": damping, **scores}
    return json.dumps(whole, indent=1).splitlines()


def _drawn(columns: Mapping[str, Top], path: str, log: TextIO) -> bool:
    """Draw the scores as bars; return whether the picture could be written, after a line where not."""
    from ircourse.show.ranks import plot_ranks

    shown = {
        kind: [(_shortened(plain(str(label))), score) for label, score in pages[:_BARS]]
        for kind, pages in columns.items()
    }
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph")  # of scripts that matplotlib's own font lacks
            plot_ranks(shown, path)
    except OSError as error:
        _note(log, f"could not write {path}: {error.strerror or error}")
        return False
    return True


def _shortened(label: str) -> str:
    """Return a label without its middle where it is long: addresses differ at their ends."""
    if len(label) > _SHOWN:
        label = f"{label[: _SHOWN // 3]}…{label[-2 * _SHOWN // 3 :]}"
    return fitted(label, _SHOWN + 1).rstrip()


def _note(log: TextIO, text: str) -> None:
    _progress(log, "")
    write_line(log, f"ircourse: {text}")


def _progress(log: TextIO, text: str) -> None:
    if log.isatty():
        log.write(f"\r{fitted(text, 70)}\r{fitted(text, 70).rstrip()}")
        log.flush()
