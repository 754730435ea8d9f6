"""A table's folder is one's own; what a power cut, a full disk or a lost file leaves is told or mended."""

import os
import random
import subprocess
import sys
from itertools import pairwise

import pytest

from ircourse.distribute import Tablets
from ircourse.distribute.tablets_catalogue import Catalogue
from ircourse.distribute.tablets_cells import MAX_ROW
from ircourse.distribute.tablets_log import CommitLog, Damaged, framed, read_all

HOLD = """
import sys
from ircourse.distribute import Tablets
table = Tablets(sys.argv[1], ["a"], durable=False)
table.put("row", {"title": "of the one that is killed"})
print("open", flush=True)
sys.stdin.read()
"""


def test_a_folder_is_open_once(tmp_path):
    with Tablets(tmp_path, ["a"], durable=False) as table:
        table.put("r1", {"title": "1"})
        for servers in (None, ["a"], ["b"]):
            with pytest.raises(ValueError, match=r"cannot be opened .*close the table where it is open"):
                Tablets(tmp_path, servers)
        table.put("r3", {"title": "3"})
    with Tablets(tmp_path) as table:
        assert [row for row, _ in table.scan()] == ["r1", "r3"]


def test_a_killed_process_keeps_no_lock(tmp_path):
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "open\n"
        with pytest.raises(ValueError, match="cannot be opened"):
            Tablets(tmp_path)
        other.kill()
    with Tablets(tmp_path) as table:
        assert table.get("row") == {"title": "of the one that is killed"}


def test_a_closed_table_neither_answers_nor_writes(tmp_path):
    table = Tablets(tmp_path, ["a"], durable=False)
    table.put("row", {"title": "first"})
    table.close()
    table.close()
    with Tablets(tmp_path) as other:
        before = sorted(path.name for path in tmp_path.iterdir())
        for late in (
            lambda: table.get("row"),
            lambda: table.put("row", {"title": "late"}),
            lambda: list(table.scan()),
            table.flush,
            table.join_small,
            lambda: table.add_server("b"),
        ):
            with pytest.raises(ValueError, match="is closed: open it again"):
                late()
        assert sorted(path.name for path in tmp_path.iterdir()) == before
        assert list(other.scan()) == [("row", {"title": "first"})]


def test_a_folder_that_is_none_is_told(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ValueError, match="is a file: a table needs a folder"):
        Tablets(tmp_path / "file", ["a"])
    with pytest.raises(ValueError, match="give the names of its servers"):
        Tablets(tmp_path / "mistyped")
    assert not (tmp_path / "mistyped").exists()
    (tmp_path / "table" / "catalogue").mkdir(parents=True)
    with pytest.raises(ValueError, match=r"catalogue is damaged at byte 0 \(it is no file"):
        Tablets(tmp_path / "table")
    for _ in range(2):  # who fails to open it lets go of it
        with pytest.raises(ValueError, match="no file"):
            Tablets(tmp_path / "table")


@pytest.mark.skipif(os.name != "posix", reason="links need rights on Windows")
def test_a_lock_that_is_a_link_is_not_followed(tmp_path):
    (tmp_path / "lock.sqlite").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match="is a link: remove it"):
        Tablets(tmp_path, ["a"])
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("name", ["log-a", "log-b"])
def test_a_deleted_log_is_told(tmp_path, name):
    with Tablets(tmp_path, ["a", "b"], durable=False) as table:
        table.put("row", {"title": "x"})
    (tmp_path / name).unlink()
    for _ in range(2):
        with pytest.raises(Damaged, match=rf"{name} is damaged at byte 0 \(the file is missing"):
            Tablets(tmp_path)
    assert not (tmp_path / name).exists()


def test_a_dead_servers_deleted_log_is_told(tmp_path):
    with Tablets(tmp_path, ["a", "b"], durable=False) as table:
        table.put("row", {"title": "x"})
        table.kill("a")
        (tmp_path / "log-a").unlink()
        with pytest.raises(Damaged, match="the file is missing"):
            table.get("row")


@pytest.mark.parametrize("flushed", [False, True])
def test_a_deleted_catalogue_is_told_and_nothing_is_cleared_away(tmp_path, flushed):
    with Tablets(tmp_path, ["a"], durable=False) as table:
        table.put("row", {"title": "x"})
        if flushed:
            table.flush()
    whole = (tmp_path / "catalogue").read_bytes()
    (tmp_path / "catalogue").unlink()
    with pytest.raises(Damaged, match=r"catalogue is damaged .*the file is missing"):
        Tablets(tmp_path, ["a"])
    (tmp_path / "catalogue").write_bytes(whole)
    with Tablets(tmp_path) as table:
        assert table.get("row") == {"title": "x"}


def test_a_table_whose_making_was_cut_short_is_made(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Catalogue, "save", full)
        with pytest.raises(OSError, match="no space left"):
            Tablets(tmp_path, ["a", "b"])
    with Tablets(tmp_path, ["a"], durable=False) as table:
        table.put("row", {"title": "x"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["catalogue", "lock.sqlite", "log-a"]


def full(self):
    """Stand for a write to a full disk."""
    raise OSError("no space left")


class FullAfter:
    """A catalogue's `save` on a disk with room for so many more."""

    def __init__(self, times):
        self.left, self.save = times, Catalogue.save

    def __call__(self, catalogue):
        if not self.left:
            raise OSError("no space left")
        self.left -= 1
        self.save(catalogue)


@pytest.mark.parametrize("times", [0, 1, 2])
def test_recovery_on_a_full_disk_goes_on_when_there_is_room(tmp_path, monkeypatch, times):
    sizes = {"tablet_bytes": 100, "memory_bytes": 60, "durable": False}
    with Tablets(tmp_path, ["a"], **sizes) as table:
        for i in range(9):
            table.put(f"row {i}", {"title": "x" * 30})
        table.add_server("b")
        table.kill("a")
        if times == 2:
            times = len(table.servers()[0].tablets)  # all are moved, and then it is full
        with monkeypatch.context() as patch:
            save = FullAfter(times)
            patch.setattr(Catalogue, "save", lambda catalogue: save(catalogue))
            for _ in range(2):
                with pytest.raises(OSError, match="no space left"):
                    table.recover("a")
                assert len(table.servers()) == 2
        table.recover("a")
        assert [server.name for server in table.servers()] == ["b"]
        assert len(list(table.scan())) == 9
    with Tablets(tmp_path) as table:
        assert len(list(table.scan())) == 9


def test_a_server_that_joins_on_a_full_disk_can_join_later(tmp_path, monkeypatch):
    with Tablets(tmp_path, ["a"], durable=False) as table:
        with monkeypatch.context() as patch:
            patch.setattr(Catalogue, "save", full)
            for _ in range(2):
                with pytest.raises(OSError, match="no space left"):
                    table.add_server("b")
        assert [server.name for server in table.servers()] == ["a"]
        table.add_server("b")
    with Tablets(tmp_path) as table:
        assert [server.name for server in table.servers()] == ["a", "b"]


SEAL = framed(b"")


def left_by_a_power_cut(record):
    """What may stand in the place of a record, or of several, that nobody was told of."""
    noise = random.Random(19).randbytes(50)
    return [
        record[:12] + bytes(len(record) - 12),  # the head and zeros
        bytes(12) + record[12:],  # zeros and a body
        record[:20] + noise,
        noise,
        noise + record,  # the second of two reached the disk, the first did not
        record[:-1] + b"?",
        bytes(5000),
        record + noise,
    ]


@pytest.mark.parametrize("which", range(8))
@pytest.mark.parametrize("durable", [False, True])
def test_what_was_never_acknowledged_may_be_torn(tmp_path, which, durable):
    with Tablets(tmp_path, ["a"], durable=durable) as table:
        table.put("row 1", {"title": "kept"})
        kept = (tmp_path / "log-a").read_bytes()
        table.put("row 2", {"title": "torn"})
        record = (tmp_path / "log-a").read_bytes()[len(kept) : -len(SEAL)]
    tail = left_by_a_power_cut(record)[which]
    (tmp_path / "log-a").write_bytes(kept + tail)
    right = {"row 1": {"title": "kept"}}
    if tail.startswith(record):
        right["row 2"] = {"title": "torn"}
    for i in range(2):
        with Tablets(tmp_path, durable=durable) as table:
            assert dict(table.scan()) == right
            table.put(f"row 3{i}", {"title": "more"})
            right[f"row 3{i}"] = {"title": "more"}
    with Tablets(tmp_path) as table:
        assert dict(table.scan()) == right


def test_what_was_acknowledged_may_not_be_torn(tmp_path):
    with Tablets(tmp_path, ["a"], durable=False) as table:
        ends = [0]
        for i in range(3):
            table.put(f"row {i}", {"title": "kept"})
            ends.append(table.servers()[0].log)
    log = tmp_path / "log-a"
    whole = log.read_bytes()
    for start, end in pairwise(ends):
        for bad in left_by_a_power_cut(whole[start : end - len(SEAL)])[:4]:
            log.write_bytes(whole[:start] + bad + whole[end - len(SEAL) :])
            with pytest.raises(Damaged, match=rf"log-a is damaged at byte {start} "):
                Tablets(tmp_path)


def test_what_is_shown_after_a_kill_is_acknowledged(tmp_path):
    log = CommitLog(tmp_path / "log", durable=False, new=True)
    log.append(b"a kill came before it was sealed")
    log.close()
    assert not (tmp_path / "log").read_bytes().endswith(SEAL)
    log = CommitLog(tmp_path / "log", durable=False)
    for _ in range(2):
        assert log.read() == [b"a kill came before it was sealed"]
        assert (tmp_path / "log").read_bytes().count(SEAL) == 1
    log.clear()
    log.sync()
    log.close()
    assert (tmp_path / "log").read_bytes() == b""
    assert read_all(b"", tmp_path) == ([], 0)


def test_a_put_that_cannot_be_synced_is_whole_or_not_at_all(tmp_path, monkeypatch):
    def broken(number):
        raise OSError("input/output error")

    old, new = {"title": "old", "text": "old"}, {"title": "new", "text": "new"}
    with Tablets(tmp_path, ["a"]) as table:
        table.put("row", old)
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", broken)
            with pytest.raises(OSError, match="input/output"):
                table.put("row", new)
            assert table.get("row") in (old, new)
        for wrong in ({"title": "x", "body": "x"}, {"text": "x", "title": 7}):
            before = table.get("row")
            with pytest.raises((ValueError, TypeError)):
                table.put("row", wrong)
            assert table.get("row") == before
        table.put("row", new)
    with Tablets(tmp_path) as table:
        assert table.get("row") == new


def test_a_put_whose_flush_finds_the_disk_full_is_whole_or_not_at_all(tmp_path, monkeypatch):
    cells = {"title": "x" * 100, "text": "y"}
    with Tablets(tmp_path, ["a"], memory_bytes=50, durable=False) as table:
        with monkeypatch.context() as patch:
            patch.setattr(Catalogue, "save", full)
            with pytest.raises(OSError, match="no space left"):
                table.put("row", cells)
        assert table.get("row") in ({}, cells)
        table.put("row", cells)
        assert table.get("row") == cells
    with Tablets(tmp_path) as table:
        assert list(table.scan()) == [("row", cells)]


@pytest.mark.parametrize("row", ["x" * MAX_ROW, "é" * (MAX_ROW // 2)])
def test_the_longest_row_is_read_and_deleted(tmp_path, row):
    with Tablets(tmp_path, ["a"], durable=False) as table:
        table.put(row, {"title": "long"})
        assert table.get(row) == table.get(row, "title") == {"title": "long"}
        assert list(table.scan(row, row)) == [] and [found for found, _ in table.scan(row)] == [row]
        table.delete(row)
        assert table.get(row) == {}
        for longer in (table.get, table.delete, lambda row: table.put(row, {"title": ""})):
            with pytest.raises(ValueError, match="a row takes 16,385 bytes"):
                longer(row + "x")


@pytest.mark.parametrize("tail", [b"\0", b"more", SEAL[:-1], SEAL + b"\1" * 20])
def test_a_catalogue_with_more_at_its_end_is_told(tmp_path, tail):
    Tablets(tmp_path, ["a"], durable=False).close()
    size = (tmp_path / "catalogue").stat().st_size
    with open(tmp_path / "catalogue", "ab") as stream:
        stream.write(tail)
    place = size + (len(SEAL) if tail.startswith(SEAL) else 0)
    with pytest.raises(Damaged, match=f"catalogue is damaged at byte {place} "):
        Tablets(tmp_path)
