"""A table's folder is one's own; what a power cut, a full disk or a lost file leaves is told or mended."""

import os
import subprocess
import sys

import pytest

from ircourse.distribute import Tablets

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
