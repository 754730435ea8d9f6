"""Saving and loading: the same engine comes back, and nothing that is not whole does."""

import json
import os
import random
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from ircourse.engine import Engine, EngineFileError, SourcePage, files

sys.path.insert(0, str(Path(__file__).parent))
from small import ROSES, TOWN, small_pages

QUERIES = ["harbour ferry", "tulips garden", '"old harbour"', "harbuor", "sailings"]


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


def test_a_link_in_the_way_is_not_followed(copied, tmp_path):
    victim = tmp_path / "thesis.txt"
    victim.write_text("years of work", encoding="utf-8")
    with suppress(OSError):  # Windows may not allow links
        (copied / "engine.json.new").symlink_to(victim)
    Engine.load(copied).save(copied)
    assert victim.read_text("utf-8") == "years of work" and not (copied / "engine.json").is_symlink()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders here")
def test_pipes_and_devices_are_not_read(copied):
    for path in [*sorted(copied.iterdir())[::8], copied / "engine.json"]:
        whole = path.read_bytes()
        for put in (lambda: os.mkfifo(path), lambda: path.symlink_to(os.devnull), path.mkdir):  # noqa: B023
            path.unlink()
            put()
            with pytest.raises(EngineFileError, match=path.name):
                Engine.load(copied)
            path.rmdir() if path.is_dir() else path.unlink()
            path.write_bytes(whole)


def test_a_save_that_was_interrupted_can_be_made_again(tmp_path):
    for left in ("urls-0123456789abcdef.json", "pages-0123456789abcdef.jsonl.new", "engine.json.new"):
        (tmp_path / left).write_bytes(b"x")
    Engine.build([]).save(tmp_path)
    assert len(Engine.load(tmp_path)) == 0 and not list(tmp_path.glob("*.new"))


def test_two_that_save_into_one_folder_are_told(copied, monkeypatch):
    replace = files._replace

    def with_another(path, content):
        for left in copied.glob("*.new"):
            left.unlink()
        is_new = not path.exists()
        replace(path, content)
        if is_new:
            path.unlink()

    monkeypatch.setattr(files, "_replace", with_another)
    with pytest.raises(OSError, match="another program writes into"):
        Engine.build([SourcePage("http://a.example/", "a rose")]).save(copied)
    assert len(Engine.load(copied))


def test_no_engine_is_saved_in_a_file(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    for place in ("file", "file/in/it"):
        with pytest.raises(ValueError, match="file is no folder"):
            Engine.build([]).save(tmp_path / place)


def test_a_folder_of_other_things_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(ValueError, match="holds other files"):
        Engine.build([]).save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
