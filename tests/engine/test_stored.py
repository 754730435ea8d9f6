"""Saving and loading: the same engine comes back, and nothing that is not whole does."""

import json
import random
import shutil
import sys
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest

from ircourse.engine import Engine, EngineFileError, SourcePage, files

sys.path.insert(0, str(Path(__file__).parent))
from small import ROSES, TOWN, small_pages

QUERIES = ["harbour ferry", "tulips garden", '"old harbour"', "harbuor", "sailings"]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("engine") / "saved"
    engine = Engine.build(small_pages())
    engine.update(removed=[ROSES])  # so that the indexes hold what is no more
    engine.update(small_pages())
    engine.save(folder)
    return folder


@pytest.fixture
def copied(saved, tmp_path):
    return Path(shutil.copytree(saved, tmp_path / "copy"))


def answers(engine):
    return [
        *(engine.search(query) for query in QUERIES),
        *(engine.hubs_and_authorities(query) for query in QUERIES),
        *((engine.page(url), engine.related(url)) for url in engine.collection.urls),
    ]


def test_what_is_loaded_answers_the_same(saved):
    assert answers(Engine.load(saved)) == answers(Engine.build(small_pages()))


def test_what_is_loaded_can_be_updated(saved):
    loaded = Engine.load(saved)
    new = SourcePage("http://new.example/", "a new harbour", "New", [TOWN])
    loaded.update([new], [ROSES])
    pages = [page for page in small_pages() if page.url != ROSES]
    assert answers(loaded) == answers(Engine.build([*pages, new]))


def test_what_an_update_left_to_be_made_is_saved(tmp_path, monkeypatch):
    engine = Engine.build(small_pages())
    engine.update([SourcePage(TOWN, "another town with another harbour")])
    engine.save(tmp_path)
    for name in ("Meaning.of", "pagerank"):
        monkeypatch.setattr(f"ircourse.engine.retrieval.{name}", None)
    assert answers(Engine.load(tmp_path)) == answers(engine)


def test_an_empty_engine_is_saved_and_loaded(tmp_path):
    Engine.build([]).save(tmp_path)
    assert len(Engine.load(tmp_path)) == 0 and Engine.load(tmp_path).search("rose").total == 0


def test_nothing_is_pickled(saved):
    for path in saved.iterdir():
        assert path.suffix in (".json", ".jsonl", ".npy")
        if path.suffix == ".npy":
            assert np.load(path, allow_pickle=False).dtype != object


def test_every_flipped_byte_is_noticed(copied):
    rng = random.Random(1)
    for path in sorted(copied.iterdir()):
        whole = path.read_bytes()
        for place in {0, len(whole) - 1, *(rng.randrange(len(whole)) for _ in range(3))} if whole else ():
            path.write_bytes(
                whole[:place] + bytes([whole[place] ^ 1 << rng.randrange(8)]) + whole[place + 1 :]
            )
            with pytest.raises(EngineFileError):
                Engine.load(copied)
        path.write_bytes(whole)
    Engine.load(copied)


def test_every_truncated_or_missing_file_is_noticed(copied):
    for path in sorted(copied.iterdir()):
        whole = path.read_bytes()
        for part in {b"", whole[: len(whole) // 2], whole + b" "} - {whole}:
            path.write_bytes(part)
            if path.name != "engine.json" or part != whole + b" ":
                with pytest.raises(EngineFileError, match=path.name):
                    Engine.load(copied)
        path.unlink()
        with pytest.raises(EngineFileError):
            Engine.load(copied)
        path.write_bytes(whole)


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


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_manifest_is_refused(tmp_path, content):
    (tmp_path / "engine.json").write_bytes(content)
    with pytest.raises(EngineFileError, match=r"engine\.json"):
        Engine.load(tmp_path)


def test_a_folder_without_an_engine(tmp_path):
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(EngineFileError, match="holds no engine"):
            Engine.load(folder)


def test_the_old_engine_stays_until_the_new_one_is_there(copied, monkeypatch):
    before = answers(Engine.load(copied))
    changed = Engine.build([SourcePage("http://a.example/", "a rose")])
    replace, left = files._replace, [5]

    def failing(path, content):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        replace(path, content)

    monkeypatch.setattr(files, "_replace", failing)
    with pytest.raises(OSError, match="No space"):
        changed.save(copied)
    assert answers(Engine.load(copied)) == before
    monkeypatch.undo()
    changed.save(copied)
    assert len(Engine.load(copied)) == 1
    named = json.loads((copied / "engine.json").read_bytes())["files"].values()
    assert {p.name for p in copied.iterdir()} == {"engine.json", *(file for file, _, _ in named)}


def test_a_folder_of_other_things_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(ValueError, match="holds other files"):
        Engine.build([]).save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
