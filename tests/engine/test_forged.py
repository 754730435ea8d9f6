"""Saved engines that somebody changed and made the digests fit: none is loaded whose parts do not."""

import io
import json
import sys
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest

from ircourse.engine import Engine, EngineFileError, SourcePage

sys.path.insert(0, str(Path(__file__).parent))
from small import TOWN


def rewritten(folder, **changes):
    """Change engine.json, its digest made to fit."""
    path = folder / "engine.json"
    body = json.loads(path.read_bytes()) | changes
    del body["digest"]
    digest = blake2b(json.dumps(body, sort_keys=True).encode(), digest_size=16).hexdigest()
    path.write_text(json.dumps(body | {"digest": digest}), encoding="utf-8")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"version": 99}, "version 99, this software reads 1"),
        ({"format": "recipes"}, "describes no engine"),
        ({"files": {"urls.json": ["../../secret.json", 1, ""]}}, "names the file"),
        ({"files": {}}, "not whole"),
        ({"numbers": {}}, "not whole"),
    ],
)
def test_another_version_or_a_foreign_folder_is_refused(copied, changes, says):
    rewritten(copied, **changes)
    with pytest.raises(EngineFileError, match=says):
        Engine.load(copied)


def test_parts_that_do_not_fit_together_are_refused(copied):
    body = json.loads((copied / "engine.json").read_bytes())
    for name in list(body["files"]):
        other = "sketches.npy" if name != "sketches.npy" else "urls.json"
        listed = body["files"] | {name: body["files"][other]}
        rewritten(copied, files=listed)
        with pytest.raises(EngineFileError, match="not whole"):
            Engine.load(copied)


def forged(folder, name, change):
    """Change an array or list, and the digests so that they fit."""
    listed = json.loads((folder / "engine.json").read_bytes())["files"]
    path = folder / listed[name][0]
    stream = io.BytesIO()
    if name.endswith("npy"):
        part = np.load(path)
        np.save(stream, np.asarray(change(part), part.dtype))
    else:
        stream.write(json.dumps(change(json.loads(path.read_bytes()))).encode())
    content = stream.getvalue()
    path.write_bytes(content)
    digest = blake2b(content, digest_size=16).hexdigest()
    rewritten(folder, files=listed | {name: [path.name, len(content), digest]})


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("text_docs.npy", lambda docs: np.full_like(docs, docs[0])),
        ("graph_indptr.npy", lambda cuts: np.maximum(cuts, 1)),
        ("pagerank.npy", lambda scores: scores * np.nan),
        ("pagerank.npy", lambda scores: -scores),
        ("concept_pages.npy", lambda units: units + np.inf),
        ("title_length.npy", lambda lengths: lengths * np.nan),
        ("text_pairs.npy", lambda pairs: pairs * [1, 0]),
        ("text_pair_cuts.npy", lambda cuts: np.append(cuts[:-2], cuts[-1:].repeat(2))),
        ("urls.json", lambda urls: urls[::-1]),
        ("text_terms.json", lambda terms: terms[:1] * len(terms)),
    ],
)
def test_forged_parts_are_refused(copied, name, change):
    forged(
        copied,
        name,
        lambda part: np.asarray(change(part), part.dtype) if name.endswith("npy") else change(part),
    )
    with pytest.raises(EngineFileError, match="not whole"):
        Engine.load(copied)


@pytest.mark.parametrize(
    "line",
    [
        b"x",
        b"{}",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        b'{"url":1,"text":"x","title":"","date":null,"links":[]}',
        b'{"url":"x","text":"x","title":"","date":"noon","links":[]}',
        b'{"url":"x","text":"x","title":"","date":7,"links":[]}',
        b'{"url":"x","text":"x","title":"","links":[]}',
        b'{"url":"x","text":"x","title":"","date":null}',
        b'{"url":"x","text":"x","title":"","date":null,"links":[["x"]]}',
        b'{"url":"x","text":"x","title":"","date":null,"links":7}',
    ],
)
def test_a_line_that_is_no_page_is_told_where_it_is_read(copied, line):
    listed = json.loads((copied / "engine.json").read_bytes())["files"]
    path = copied / listed["pages.jsonl"][0]
    content = (line + b"\n") * path.read_bytes().count(b"\n")
    path.write_bytes(content)
    digest = blake2b(content, digest_size=16).hexdigest()
    rewritten(copied, files=listed | {"pages.jsonl": [path.name, len(content), digest]})
    engine = Engine.load(copied)
    with pytest.raises(EngineFileError, match=r"page 'http.* is damaged"):
        engine.page(TOWN)
    with pytest.raises(EngineFileError, match="is damaged"):
        engine.update([SourcePage("http://new.example/", "a rose")])


def test_lists_without_end_are_refused(copied):
    listed = json.loads((copied / "engine.json").read_bytes())["files"]
    content = b"[" * 100_000
    path = copied / listed["urls.json"][0]
    path.write_bytes(content)
    digest = blake2b(content, digest_size=16).hexdigest()
    rewritten(copied, files=listed | {"urls.json": [path.name, len(content), digest]})
    with pytest.raises(EngineFileError, match="not whole"):
        Engine.load(copied)
