"""The command ``engine``: sources, sentences, exit codes, saving and loading, Ctrl-C."""

import errno
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from urllib.request import urlopen

import pytest

from ircourse.__main__ import main
from ircourse.commands import engine as command
from ircourse.engine.server import bound

sys.path.insert(0, str(Path(__file__).parent))
from served_once import Stopped, run

ROOT = Path(__file__).parents[2]


@pytest.fixture
def stopped(monkeypatch):
    return Stopped(monkeypatch)


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "notes"
    made.mkdir()
    (made / "ferry.html").write_text("<title>Ferries</title><p>The ferry leaves at nine.", encoding="utf-8")
    (made / "roses.txt").write_text("Roses flower from May on.", encoding="utf-8")
    return made


def test_a_folder_is_served_until_ctrl_c(folder, stopped):
    stopped.asks = ["", "?q=ferry", "search?q=roses"]
    out, log = run(0, str(folder))
    assert re.search(r"^2 pages, 0 near-duplicates folded into others, built in [\d.]+ s$", out, re.M)
    assert re.search(r"^Search at http://127\.0\.0\.1:\d+/ \(Ctrl-C ends\)$", out, re.M)
    assert log.endswith("ircourse: ended\n")  # after a line of progress where the machine is busy
    assert "<dd>2</dd>" in stopped.pages[""] and "<mark>ferry</mark>" in stopped.pages["?q=ferry"]
    assert "roses.txt" in stopped.pages["search?q=roses"]


def test_saved_and_loaded(folder, stopped, tmp_path):
    store = str(tmp_path / "engine")
    out, _ = run(0, str(folder), save=store)
    assert f"saved in {store}; --load {store} opens it again" in out
    first = stopped.pages[""]
    out, _ = run(0, load=store)
    assert out.startswith("Search at ") and stopped.pages[""] == first
    run(0, str(folder), save=store)  # in place of the one that is there
    (tmp_path / "engine" / "engine.json").write_text("{}", encoding="utf-8")
    _, log = run(2, load=store)
    assert log.startswith("ircourse: ") and log.count("\n") == 1


def test_a_saved_engine_is_opened_by_load(folder, stopped, tmp_path):
    run(0, str(folder), save=str(tmp_path / "engine"))
    _, log = run(2, str(tmp_path / "engine"))
    assert log.endswith(f"--load {tmp_path / 'engine'} opens it\n")


def test_files_that_cannot_be_read_are_told(tmp_path):
    (tmp_path / "a.warc").write_bytes(b"no WARC")
    _, log = run(1, str(tmp_path))
    assert log.startswith("left out: ") and log.endswith(
        "no page to search: what it holds could not be read\n"
    )


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({}, "give one of SOURCE, --pydoc and --load DIR"),
        ({"source": "a", "load": "b"}, "give one of SOURCE"),
        ({"source": "a", "pydoc": True}, "give one of SOURCE"),
        (
            {"source": "no/such/folder"},
            "there is no file or folder 'no/such/folder'; a site's address begins",
        ),
        ({"source": "http://"}, "is no address"),
        ({"load": "no/such/folder"}, "no/such/folder"),
        ({"source": ".", "save": __file__}, "is no folder: give a new folder"),
        ({"source": ".", "save": str(Path(__file__).parent)}, "holds other files"),
        ({"source": ".", "save": str(Path(__file__, "in", "it"))}, "test_engine.py is no folder"),
    ],
)
def test_what_is_no_source_is_one_sentence(arguments, why):
    out, log = run(2, **arguments)
    assert out == "" and log.startswith("ircourse: ") and why in log and log.count("\n") == 1


def test_an_empty_source_is_one_sentence(tmp_path):
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\0")
    out, log = run(1, str(tmp_path))
    assert out == "" and log.endswith(
        f"ircourse: {tmp_path} holds no page to search: nothing in it is HTML or text\n"
    )


def test_a_port_in_use_is_told_before_the_work(folder, monkeypatch):
    monkeypatch.setattr(command, "pages_from", None)
    with closing(bound()) as other:
        port = other.getsockname()[1]
        out, log = run(2, str(folder), port=port)
    assert out == "" and log.startswith(f"ircourse: cannot listen on 127.0.0.1 port {port} (")
    assert log.endswith(": give another with --port, or none for one that is free\n")


@pytest.mark.parametrize(
    ("call", "error", "why"),
    [
        ("getaddrinfo", socket.gaierror(-2, "x"), "'town.example' is no name or address of this machine"),
        ("create_server", OSError(errno.EADDRNOTAVAIL, "x"), "cannot listen on town.example ("),
    ],
)
def test_a_host_of_another_machine_is_one_sentence(monkeypatch, call, error, why):
    def failing(*arguments, **options):
        raise error

    monkeypatch.setattr(socket, "getaddrinfo", lambda *address: [])
    monkeypatch.setattr(socket, call, failing)
    _, log = run(2, ".", host="town.example")
    assert log.startswith(f"ircourse: {why}") and log.endswith(": give another host\n")
    assert log.count("\n") == 1 and "port 0" not in log


def test_an_engine_that_cannot_be_saved_is_served_all_the_same(folder, stopped, monkeypatch, tmp_path):
    def full(self, path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(command.Engine, "save", full)
    _, log = run(1, str(folder), save=str(tmp_path / "engine"))
    assert "could not save the engine" in log and stopped.pages[""]


def test_an_open_host_is_told(folder, stopped):
    out, log = run(0, str(folder), host="0.0.0.0")
    assert "on 0.0.0.0 other machines can search here, too" in log and "http://127.0.0.1:" in out


def test_the_arguments_reach_the_command(monkeypatch):
    seen = {}
    monkeypatch.setattr(command, "engine", lambda source, **options: seen.update(options, source=source) or 0)
    monkeypatch.setattr("ircourse.__main__.environment", lambda *files: sys.executable)
    assert main(["engine", "notes", "--port", "8123", "--save", "x", "--max-pages", "9"]) == 0
    assert (seen["source"], seen["port"], seen["save"], seen["max_pages"]) == ("notes", 8123, "x", 9)
    assert seen["host"] == "127.0.0.1" and seen["pydoc"] is False and seen["load"] is None


@pytest.mark.skipif(os.name == "nt", reason="a signal to a process of its own is another matter there")
def test_ctrl_c_ends_a_real_process_well(folder):
    arguments = [sys.executable, "-m", "ircourse", "engine", str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(arguments, cwd=ROOT, stdout=pipe, stderr=pipe, text=True) as process:
        process.stdout.readline()
        address = re.search(r"http://\S+", process.stdout.readline())[0]
        with urlopen(f"{address}?q=ferry") as answer:
            assert b"<mark>ferry</mark>" in answer.read()
        process.send_signal(signal.SIGINT)
        _, log = process.communicate(timeout=60)
    assert process.returncode == 0 and log.endswith("ircourse: ended\n")
