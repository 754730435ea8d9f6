"""A table's folder is one's own; what a power cut, a full disk or a lost file leaves is told or mended."""

import os
import subprocess
import sys

import pytest

from ircourse.distribute import Tablets
from ircourse.distribute.tablets_catalogue import Catalogue
from ircourse.distribute.tablets_log import Damaged

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
