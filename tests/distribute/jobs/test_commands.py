"""The commands that a cluster can do: the same output, and what is told of an address that is wrong."""

import sys

import pytest

from ircourse import __main__ as main_module
from ircourse.__main__ import main

PAGE = "the ferry leaves the old harbour at nine every morning except on sundays in winter"


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path):
    monkeypatch.setattr(main_module, "environment", lambda *_: sys.executable)
    for name, text in [("a.txt", PAGE), ("b.txt", PAGE), ("c.txt", PAGE + " when it rests")]:
        (tmp_path / name).write_text(text)
    (tmp_path / "links.txt").write_text("1 2\n1 3\n2 3\n3 1\n4 3\n")
    monkeypatch.chdir(tmp_path)


COMMANDS = [["dedup", "a.txt", "b.txt", "c.txt", "--threshold", "0.6"], ["rank", "links.txt", "--top", "3"]]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_cluster_prints_what_this_process_does(client, capsys, command):
    assert main(command) == 0
    local = capsys.readouterr().out
    assert main([*command, "--scheduler", client.scheduler.address]) == 0
    assert capsys.readouterr().out == local


@pytest.mark.parametrize("command", COMMANDS)
def test_addresses_that_cannot_be_used_are_told(capsys, command, monkeypatch):
    monkeypatch.setattr("ircourse.distribute.jobs.cluster.TIMEOUT", 0.3)
    for address, says in [
        ("tcp://quay.example:8786", "--insecure-scheduler"),
        ("tcp://127.0.0.1:1", "no scheduler answers at tcp://127.0.0.1:1"),
        ("8786", "'8786' is no scheduler's address"),
    ]:
        assert main([*command, "--scheduler", address]) == 1
        out, log = capsys.readouterr()
        assert out == "" and log.startswith("ircourse: ") and says in log
    asked = []
    monkeypatch.setattr("ircourse.commands.clusters.connect", lambda *given: asked.append(given) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        main([*command, "--scheduler", "tcp://quay.example:8786", "--insecure-scheduler"])
    assert asked == [("tcp://quay.example:8786", True)]
