"""The command ``dedup``: near-duplicate clusters of files."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any, TextIO

from ircourse import distribute
from ircourse.commands.clusters import cluster_at
from ircourse.commands.documents import Unread, read_documents
from ircourse.commands.output import write_line
from ircourse.dedup import Duplicates, near_duplicates
from ircourse.distribute import ClusterError
from ircourse.engine.server.page import counted

__all__ = ["dedup"]

_EVERY = 100  # documents from one sign of progress to the next


def dedup(
    paths: Sequence[str],
    *,
    threshold: float = 0.8,
    k: int = 4,
    characters: bool = False,
    as_json: bool = False,
    scheduler: str | None = None,
    insecure_scheduler: bool = False,
    out: TextIO | None = None,
    log: TextIO | None = None,
) -> int:
    """Write the clusters of the files at ``paths`` to ``out``; return the exit code.

    scheduler           address of a Dask cluster that does the work, from texts that are read here
    insecure_scheduler  speak to it without TLS where it is on another machine

    The exit code is 0, and 1 where no text was read or the cluster fails; a line on ``log`` says why. To
    ``log`` goes a line for each file that could not be read, one for all that are no texts and, on a
    terminal, the progress. Out and log are the standard output and error unless given. Other options as of
    ``near_duplicates``.
    """
    out, log = out or sys.stdout, log or sys.stderr
    unread = Unread(log)
    names: list[str] = []

    def texts() -> Iterator[str]:
        for name, text in read_documents(paths, unread):
            names.append(name)
            if len(names) % _EVERY == 0:
                _progress(log, f"{len(names)} texts read")
            yield text
        _progress(log, f"{len(names)} texts read, comparing")

    options: dict[str, Any] = {"threshold": threshold, "k": k, "characters": characters}
    try:
        if scheduler is None:
            found = near_duplicates(texts(), **options)
        else:
            with cluster_at(scheduler, insecure_scheduler) as client:
                found = distribute.near_duplicates(client, list(texts()), **options)
    except ClusterError as error:
        _progress(log, "")
        write_line(log, f"ircourse: {error}")
        return 1
    _progress(log, "")
    unread.tell_rest()
    if not names:
        write_line(log, "ircourse: no text to compare: give files of text, HTML, WARC or TREC, or folders")
    if as_json:
        lines = json.dumps(_as_json(found, names, unread), indent=1).splitlines()
    else:
        lines = list(_lines(found, names)) if names else []
    for line in lines:
        write_line(out, line)
    return 0 if names else 1


def _lines(found: Duplicates, names: Sequence[str]) -> Iterator[str]:
    """Yield a block for each cluster: its first text, then the others, each with what it is most like."""
    alike: dict[int, float] = {}
    for i, j, estimate in found.pairs:
        for text in (i, j):
            alike[text] = max(alike.get(text, 0.0), estimate)
    if found.clusters:
        yield "Before a text: how similar the nearest other one is; copy: the same as one above it"
    for number, cluster in enumerate(found.clusters, 1):
        yield f"Cluster {number}, {len(cluster)} texts"
        for text in cluster:
            copied = text in found.copies
            mark = "copy" if copied else f"{alike[text]:.2f}" if text in alike else "    "
            yield f"  {mark}  {names[text]}"
    copies = "1 is an exact copy" if len(found.copies) == 1 else f"{len(found.copies)} are exact copies"
    yield f"{counted(len(found.clusters), 'cluster')} of {counted(len(names), 'text')}; {copies}"
    for representative, size in found.capped:
        yield f"About {size} texts were compared with {names[representative]} and not with each other"


def _as_json(found: Duplicates, names: Sequence[str], unread: dict[str, str]) -> dict[str, Any]:
    return {
        "texts": len(names),
        "clusters": [[names[text] for text in cluster] for cluster in found.clusters],
        "copies": [[names[copy], names[first]] for copy, first in found.copies.items()],
        "pairs": [[names[i], names[j], round(estimate, 4)] for i, j, estimate in found.pairs],
        "capped": [[names[representative], size] for representative, size in found.capped],
        "unread": unread,
    }


def _progress(log: TextIO, text: str) -> None:
    if log.isatty():
        log.write(f"\r{text:40}\r{text}")
        log.flush()
