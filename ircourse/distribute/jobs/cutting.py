"""Files cut into parts that workers read: see ``parts``.

The client reads no more of a file than is needed to see where to cut: of plain text its size, of WARC files
the heads of records. Packed files it goes through once: see ``packed``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from ircourse.distribute.jobs.packed import is_packed, record_places, unpacked
from ircourse.distribute.jobs.parts import Edges, Files, Lines, Warc
from ircourse.distribute.jobs.ranges import record_starts

__all__ = ["edge_parts", "file_parts", "line_parts", "warc_parts"]

SIZE = 2**23  # bytes of a part; a worker needs some thirty times that for sketches of short texts
PathLike: TypeAlias = str | os.PathLike[str]


def line_parts(
    paths: PathLike | Iterable[PathLike], size: int = SIZE, *, unpack_in: PathLike | None = None
) -> list[Lines]:
    """Return parts of about ``size`` bytes of text files with a text a line, packed by gzip or not.

    paths      a file or several; a folder stands for the files in it by name, hidden ones aside
    unpack_in  folder for packed files, unpacked, which each worker must see; None: the system's for
               temporary files. They are removed with the last of their parts

    Raises OSError for what cannot be read, ValueError for a size below 1 and damaged gzip; so do the others.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "two").write_text("a rose\\nis a rose\\n", encoding="ascii")
    ...     [list(part.texts()) for part in line_parts(folder, size=8)]
    [['a rose', 'is a rose'], [], []]
    """
    return [Lines(*cut) for cut in _ranges(paths, size, unpack_in)]


def edge_parts(
    paths: PathLike | Iterable[PathLike], size: int = SIZE, *, unpack_in: PathLike | None = None
) -> list[Edges]:
    """Return parts of edge lists, as ``line_parts`` does of texts."""
    return [Edges(*cut) for cut in _ranges(paths, size, unpack_in)]


def file_parts(paths: PathLike | Iterable[PathLike], size: int = SIZE) -> list[Files]:
    """Return parts of files that are a text each: as many a part as have ``size`` bytes together."""
    parts: list[list[str]] = []
    room = 0
    for path in _files(paths, size):
        bytes_ = os.path.getsize(path)
        if not parts or bytes_ > room:
            parts.append([])
            room = size
        parts[-1].append(path)
        room -= bytes_
    return [Files(tuple(part)) for part in parts]


def warc_parts(
    paths: PathLike | Iterable[PathLike], size: int = SIZE, *, unpack_in: PathLike | None = None
) -> list[Warc]:
    """Return parts of WARC files; of a folder, such as a page store, those named ``.warc`` or ``.warc.gz``.

    Where records begin is read off their heads; from a damaged one on the file is one part, whose reader
    tells of the damage. A packed file is cut where records are packed each by itself, by their size before;
    another is unpacked. Arguments as of ``line_parts``.
    """
    parts: list[Warc] = []
    for path in _files(paths, size, (".warc", ".warc.gz")):
        keep = None
        starts = _cuts(record_places(path), size) if is_packed(path) else None
        if starts is None:
            if is_packed(path):
                keep = unpacked(path, unpack_in)
                path = keep.path
            starts = _cuts((((at, 0), at) for at in record_starts(path)), size) or []
        parts += [Warc(path, *cut, keep) for cut in pairwise(starts)]
        parts.append(Warc(path, starts[-1], os.path.getsize(path), keep) if starts else Warc(path, keep=keep))
    return parts


def _cuts(places: Iterable[tuple[tuple[int, int], int]], size: int) -> list[int] | None:
    """Return where parts begin, None where one would begin within a member of a packed file."""
    cuts: list[int] = []
    last = 0
    for (start, within), at in places:
        if not cuts or at - last >= size:
            if within:
                return None
            cuts.append(start)
            last = at
    return cuts


def _files(paths: PathLike | Iterable[PathLike], size: int, endings: tuple[str, ...] = ("",)) -> list[str]:
    """Return the files, as absolute paths: a worker may have another working folder."""
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise ValueError(f"size is {size!r}: give a number of bytes of at least 1")
    found: list[Path] = []
    for path in map(Path, [paths] if isinstance(paths, str | os.PathLike) else paths):
        inside = sorted(path.iterdir()) if path.is_dir() else [path]
        found += [
            p for p in inside if p == path or (p.is_file() and p.name.endswith(endings) and p.name[0] != ".")
        ]
    return [str(path.absolute()) for path in found]


def _ranges(
    paths: PathLike | Iterable[PathLike], size: int, folder: PathLike | None
) -> Iterator[tuple[str, int, int | None, str, object]]:
    """Yield what ``Lines`` are made of; a packed file that unpacks to one part stays as it is."""
    for path in _files(paths, size):
        name, keep = "", None
        if is_packed(path):
            keep = unpacked(path, folder)
            if os.path.getsize(keep.path) <= size:
                yield path, 0, None, "", None
                continue
            name, path = path, keep.path
        whole = os.path.getsize(path)
        for start in range(0, whole, size):
            yield path, start, min(start + size, whole), name, keep
