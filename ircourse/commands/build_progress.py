"""How the building of an engine goes, while it goes: a bar on a terminal, else a line now and then."""

from __future__ import annotations

from time import monotonic
from typing import Any, TextIO

from ircourse.commands.output import write_line

__all__ = ["BuildProgress"]

EVERY = 5.0  # seconds between two lines where there is no bar
NAMES = {
    "pages": "reading pages",
    "duplicates": "folding near-duplicates",
    "links": "following links",
    "index": "indexing",
    "pagerank": "PageRank",
    "meaning": "concepts (LSI)",
    "spelling": "spelling",
}


class BuildProgress:
    """A ``progress`` for `Engine.build`; use it in a ``with``.

    >>> import io
    >>> log = io.StringIO()
    >>> with BuildProgress(log) as progress:
    ...     progress("pages", 530, 0)
    >>> log.getvalue()
    ''
    """

    def __init__(self, log: TextIO) -> None:
        self._log = log
        self._bar: Any = None
        self._stage = ""
        self._next = monotonic() + EVERY
        if log.isatty():
            from tqdm import tqdm

            self._bar = tqdm(file=log, dynamic_ncols=True, unit="", leave=False)

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Take in a stage, its steps done and how many it has; 0 where nobody knows."""
        name = NAMES.get(stage, stage)
        if self._bar is None:
            if monotonic() >= self._next:
                self._next = monotonic() + EVERY
                write_line(self._log, f"{name}: {done:,}" + (f" of {total:,}" if total else ""))
            return
        if stage != self._stage:
            self._stage = stage
            self._bar.reset(total or None)
            self._bar.set_description_str(name, refresh=True)
        self._bar.total = total or None
        self._bar.update(done - self._bar.n)

    def note(self, line: str) -> None:
        """Write a line beside the bar."""
        if self._bar is not None:
            self._bar.clear()
        write_line(self._log, line)

    def __enter__(self) -> BuildProgress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
