"""A folder of arrays, lists and lines that is written at once or not at all, and read only where it is whole.

engine.json  format, version, numbers of the engine, and of each other file its name, size and BLAKE2 digest;
             last its own digest
*.npy        arrays, NumPy's format 1.0, never pickled; *.json lists; *.jsonl one JSON object a line

Each file's name ends in its digest, so that a new version stands beside the old one until engine.json, which
is replaced in one step, names it. What no engine.json names is then removed. Whatever happens meanwhile, the
folder holds the old engine or the new one.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["FORMAT", "VERSION", "EngineFileError", "Parts", "check_place", "read_folder", "write_folder"]

FORMAT, VERSION = "ircourse engine", 1
MANIFEST = "engine.json"
MOST_MANIFEST = 2**20  # bytes
_OURS = re.compile(r"[a-z_]+-[0-9a-f]{16}\.(?:npy|json|jsonl)(?:\.new)?|engine\.json\.new")


class EngineFileError(ValueError):
    """A folder holds no engine that can be loaded; the message says what is wrong with it and what to do."""


class Parts:
    """The parts of a folder that was read: numbers by name, and files."""

    def __init__(self, numbers: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
        self.numbers = numbers
        self._files = files

    def array(self, name: str, dtype: type, *shape: int | None) -> NDArray[Any]:
        """Return an array, read-only. Raises ValueError for another type or shape; None is any length."""
        array = _array_of(self._files[f"{name}.npy"])
        fits = array.ndim == len(shape) and all(
            s in (None, a) for s, a in zip(shape, array.shape, strict=True)
        )
        if array.dtype != np.dtype(dtype) or not fits:
            raise ValueError(f"{name} is {array.dtype} {array.shape}, not {np.dtype(dtype)} {shape}")
        return array

    def strings(self, name: str) -> list[str]:
        """Return a list of strings; raises ValueError for anything else."""
        found = json.loads(self._files[f"{name}.json"])
        if not isinstance(found, list) or not all(isinstance(x, str) for x in found):
            raise ValueError(f"{name} is no list of strings")
        return found

    def lines(self, name: str) -> list[bytes]:
        """Return the lines of a file."""
        return self._files[f"{name}.jsonl"].split(b"\n")[:-1]


def check_place(folder: Path) -> None:
    """Raise ValueError where no engine may be saved: a file, in a file, or a folder of other things.

    What a save left that was interrupted is no other thing.
    """
    for path in (folder, *folder.parents):
        if os.path.lexists(path) and not path.is_dir():
            raise ValueError(f"{path} is no folder: give a new folder, an empty one, or one of an engine")
    if not folder.is_dir() or (folder / MANIFEST).exists():
        return
    if any(not _OURS.fullmatch(path.name) for path in folder.iterdir()):
        raise ValueError(f"{folder} holds other files: give a new folder, an empty one, or one of an engine")


def write_folder(folder: Path, numbers: Mapping[str, Any], parts: Mapping[str, Any]) -> None:
    """Write parts by name: arrays, lists of ``str``, and ``bytes`` that are lines.

    The folder is made where there is none. Raises ValueError as `check_place` does, OSError where another
    program saves there meanwhile or it cannot be written.
    """
    check_place(folder)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        _write(folder, numbers, parts)
    except (FileExistsError, FileNotFoundError) as error:
        raise OSError(error.errno, f"another program writes into {folder}: save again") from None


def _write(folder: Path, numbers: Mapping[str, Any], parts: Mapping[str, Any]) -> None:
    files: dict[str, list[Any]] = {}
    for name, part in parts.items():
        suffix, content = _written(part)
        digest = _digest(content)
        path = folder / f"{name}-{digest[:16]}{suffix}"
        _replace(path, content)
        files[f"{name}{suffix}"] = [path.name, len(content), digest]
    body = {"format": FORMAT, "version": VERSION, "numbers": dict(numbers), "files": files}
    body["digest"] = _digest(_canonical(body))
    named = {file[0] for file in files.values()}
    for name in named:
        (folder / name).stat()  # another save may have ended meanwhile, and taken it for what is left over
    _replace(folder / MANIFEST, json.dumps(body, indent=1).encode())
    for path in folder.iterdir():
        if _OURS.fullmatch(path.name) and path.name not in named:
            path.unlink(missing_ok=True)


def read_folder(folder: Path) -> Parts:
    """Return the parts of a folder, each checked against its digest. Raises EngineFileError."""
    body = _manifest(folder)
    with ThreadPoolExecutor(4) as pool:  # reading and digests wait for each other in one thread
        contents = list(pool.map(partial(_checked, folder), *zip(*body["files"].values(), strict=True)))
    return Parts(body["numbers"], dict(zip(body["files"], contents, strict=True)))


def _checked(folder: Path, file: str, size: int, digest: str) -> bytes:
    """Return the content of a file that engine.json names."""
    if not _OURS.fullmatch(file):
        raise EngineFileError(f"{folder / MANIFEST} names the file {file!r:.80}, which no engine has")
    try:
        # Looked at first: a link to a device or a pipe would be read without end, a large file for nothing
        fits = os.path.isfile(folder / file) and (folder / file).stat().st_size == size
        content = (folder / file).read_bytes() if fits else b""
        missing = not os.path.lexists(folder / file)
    except OSError as error:
        why = f"cannot be read ({error.strerror}): build the engine again and save it"
        raise EngineFileError(f"{folder / file} {why}") from None
    if missing:
        raise EngineFileError(f"{folder / file} is missing: build the engine again and save it")
    if not fits or _digest(content) != digest:
        raise EngineFileError(f"{folder / file} is damaged: build the engine again and save it")
    return content


def _manifest(folder: Path) -> dict[str, Any]:
    """Return what engine.json says, if it is one of this version and whole."""
    path = folder / MANIFEST
    if path.exists() and not path.is_file():
        raise EngineFileError(f"{path} is no file: build the engine again and save it")
    try:
        with path.open("rb") as stream:
            body = json.loads(stream.read(MOST_MANIFEST))
    except FileNotFoundError:
        raise EngineFileError(f"{folder} holds no engine: there is no {MANIFEST} in it") from None
    except OSError as error:
        raise EngineFileError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise EngineFileError(f"{path} is damaged: build the engine again and save it") from None
    if not isinstance(body, dict) or body.get("format") != FORMAT:
        raise EngineFileError(f"{path} describes no engine of this software")
    if body.get("version") != VERSION:
        raise EngineFileError(
            f"{path} has version {body.get('version')!r:.20}, this software reads {VERSION}: build it again"
        )
    digest = body.pop("digest", None)
    if digest != _digest(_canonical(body)):
        raise EngineFileError(f"{path} is damaged: build the engine again and save it")
    return body


def _array_of(content: bytes) -> NDArray[Any]:
    """Return the array in a file of NumPy's format 1.0, without a copy and without pickles."""
    stream = BytesIO(content)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("an array is not in NumPy's format 1.0")
    shape, columns_first, dtype = np.lib.format.read_array_header_1_0(stream)
    if dtype.hasobject or columns_first:
        raise ValueError(f"an array is {dtype}, its columns first: {columns_first}")
    return np.frombuffer(content, dtype, offset=stream.tell()).reshape(shape)


def _written(part: Any) -> tuple[str, bytes]:
    """Return a part's suffix and bytes."""
    if isinstance(part, np.ndarray):
        stream = BytesIO()
        np.lib.format.write_array(stream, np.ascontiguousarray(part), version=(1, 0), allow_pickle=False)
        return ".npy", stream.getvalue()
    if isinstance(part, bytes):
        return ".jsonl", part
    return ".json", json.dumps(part, ensure_ascii=False).encode()


def _replace(path: Path, content: bytes) -> None:
    """Write a file at once: beside its place first, then into it."""
    beside = path.with_name(path.name + ".new")
    beside.unlink(missing_ok=True)  # whatever it is: a link would lead the writing elsewhere
    with beside.open("xb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    beside.replace(path)


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()


def _canonical(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, sort_keys=True).encode()
