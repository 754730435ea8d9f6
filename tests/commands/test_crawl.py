"""The command ``crawl``: from a URL to a page store, its sentences and exit codes."""

import io
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ircourse import __main__ as main_module
from ircourse.__main__ import main
from ircourse.arguments import parser
from ircourse.commands.crawl import crawl
from ircourse.commands.progress import Progress
from ircourse.crawl import PageStore
from ircourse.crawl.crawler.events import Step
from ircourse.crawl.crawler.statistics import Statistics
from ircourse.web import Web, serve

ROOT = Path(__file__).parents[2]


class Site:
    """A web of ten pages on 127.0.0.1, whatever the port: its own addresses are relative."""

    hosts = ("127.0.0.1",)

    def __init__(self):
        self.web = Web.from_pages(
            {
                f"http://a.example/{page}": [f"http://a.example/{i}" for i in range(9)]
                for page in ["", *range(9)]
            }
        )

    def respond(self, url, headers=None, *, day=0):
        path = url.split("/", 3)[3]
        answer = self.web.respond(f"http://a.example/{path}")
        body = answer.body.replace(b"http://a.example", b"").replace(b"</body>", path.encode() + b"</body>")
        return type(answer)(answer.status, answer.headers, body)


@pytest.fixture
def site():
    with serve(Site()) as server:
        yield server, "http://{}:{}/".format(*server.address)


def run(url, code=0, **options):
    """Return what is written to the output and to the log."""
    out, log = io.StringIO(), io.StringIO()
    assert crawl(url, out=out, log=log, **options) == code
    return out.getvalue(), log.getvalue()


def test_a_site_is_crawled_into_a_store(site, tmp_path):
    server, url = site
    store = str(tmp_path / "pages")
    out, log = run(url, store=store, allow_private=True, delay=0)
    assert out.startswith("10 pages stored, 11 requests, ") and out.endswith(f": {store}\n")
    assert log == ""
    with PageStore(store) as pages:
        assert sorted(pages) == [url, *(f"{url}{i}" for i in range(9))]
        assert pages[url].status == 200 and b"<a href" in pages[url].body
        assert pages[url].headers["content-type"] == "text/html; charset=utf-8"
    assert all(re.match(r"ircourse/[\d.]+", visit.headers["user-agent"]) for visit in server.visits)


def test_private_addresses_need_a_flag_that_the_sentence_names(site, tmp_path):
    server, url = site
    out, log = run(url, 1, store=str(tmp_path))
    assert "--allow-private" in log and url in log and out.startswith("0 pages")
    assert not server.visits
    assert run(url, store=str(tmp_path), allow_private=True, delay=0)[0].startswith("10 pages")


def test_a_crawl_goes_on_with_resume_alone(site, tmp_path):
    server, url = site
    options = {"store": str(tmp_path), "allow_private": True, "delay": 0}
    assert run(url, max_pages=4, **options)[0].startswith("4 pages")
    assert "--resume" in run(url, 2, **options)[1]
    assert run(url, max_pages=4, resume=True, **options)[0].startswith("4 pages stored, 0 requests")
    assert run(url, resume=True, **options)[0].startswith("10 pages")
    counts = {visited: count for visited, count in server.counts().items() if "robots" not in visited}
    assert set(counts.values()) == {1} and len(counts) == 10


def test_resume_needs_a_crawl_to_go_on_with(site, tmp_path):
    server, url = site
    for store in (tmp_path / "nix", tmp_path):
        out, log = run(url, 2, store=str(store), resume=True, allow_private=True, delay=0)
        assert out == "" and log.startswith(f"ircourse: {store} holds no crawl to go on with: check --out")
    assert list(tmp_path.iterdir()) == [] and not server.visits


def closed_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def test_a_start_where_nothing_listens_ends_at_once(tmp_path):
    host = f"127.0.0.1:{closed_port()}"
    out, log = run(f"http://{host}/", 1, store=str(tmp_path / "pages"), allow_private=True)
    assert out == "" and log.startswith(f"ircourse: {host} refuses connections: ") and log.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_host_that_refuses_later_is_waited_for(tmp_path):
    how = {"store": str(tmp_path), "allow_private": True, "delay": 0}
    with serve(Site()) as server:
        url = "http://{}:{}/".format(*server.address)
        run(url, max_pages=3, **how)
    out, log = run(url, resume=True, seconds=0.3, **how)
    assert out.startswith("3 pages stored, 1 request, ") and "robots.txt: " in log and "check" not in log


def test_what_fails_is_told_with_its_url(site, tmp_path):
    server, url = site
    server.fault(f"http://127.0.0.1:{server.address[1]}/3", 410)
    out, log = run(url, store=str(tmp_path), allow_private=True, delay=0)
    assert out.startswith("9 pages") and log == f"dead: {url}3 (status 410)\n"


@pytest.mark.parametrize(
    ("url", "options", "words"),
    [
        ("mailto:a@b.example", {}, "no address"),
        ("http://", {}, "no address"),
        ("http://a.example/", {"contact": "the harbour master"}, "contact"),
        ("http://a.example/", {"store": __file__}, re.escape(__file__)),
    ],
)
def test_bad_input_is_one_sentence_and_code_2(url, options, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    out, log = run(url, 2, **options)
    assert out == "" and re.search(words, log) and log.count("\n") == 1


def test_a_failing_start_leaves_the_crawl_as_it_was(site, tmp_path):
    _, url = site
    options = {"store": str(tmp_path), "allow_private": True, "delay": 0}
    run(url, max_pages=3, **options)
    run(url, 2, resume=True, **options | {"contact": "no address"})
    run("mailto:x", 2, resume=True, **options)
    assert run(url, resume=True, **options)[0].startswith("10 pages")


def test_the_command_line_is_read_and_passed_on(monkeypatch, tmp_path):
    monkeypatch.setattr(main_module, "environment", lambda *files: sys.executable)
    seen = []
    monkeypatch.setattr(
        "ircourse.commands.crawl.crawl", lambda url, **options: seen.append((url, options)) or 0
    )
    line = "crawl http://a.example/ --max-pages 5 --out s --resume --delay 0 --threads 3 --allow-private"
    assert main(line.split()) == main(["crawl", "http://a.example/"]) == 0
    given, default = (options for _, options in seen)
    assert given["max_pages"] == 5 and given["store"] == "s" and given["resume"] and given["allow_private"]
    assert given["delay"] == 0 and given["threads"] == 3
    assert default["max_pages"] is default["store"] is None and not default["allow_private"]
    assert default["delay"] == 2 and default["threads"] == 4


@pytest.mark.parametrize("option", ["--max-pages=0", "--delay=-1", "--delay=nan", "--threads=0", "--delay=x"])
def test_options_that_make_no_sense_are_refused(option, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["crawl", "http://a.example/", option])
    assert ended.value.code == 2 and option.partition("=")[0] in capsys.readouterr().err


def test_what_revisit_takes(capsys):
    read = parser().parse_args
    options = read(["crawl", "http://a.example/", "--revisit", "best", "--visits-a-day", "50"])
    assert (options.revisit, options.visits_a_day) == ("best", 50)
    assert read(["crawl", "http://a.example/", "--revisit", "60"]).revisit == 60.0
    for bad in ("0.3", "nan", "often"):
        with pytest.raises(SystemExit):
            read(["crawl", "http://a.example/", "--revisit", bad])
        assert "give seconds from 1 to 1e9, or the word" in capsys.readouterr().err
    log = io.StringIO()
    assert crawl("http://a.example/", visits_a_day=5, revisit=60.0, log=log) == 2
    assert "goes with --revisit best alone" in log.getvalue()


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="no signal to another process here")
def test_ctrl_c_ends_with_130_and_the_way_on(site, tmp_path):
    server, url = site
    server.fault(f"{url}5", "hold")
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [
        sys.executable,
        "-c",
        "import sys; from ircourse.__main__ import COMMANDS; "
        "from ircourse.commands.crawl import crawl; "
        "sys.exit(crawl(sys.argv[1], store=sys.argv[2], allow_private=True, delay=0))",
        url,
        "store",
    ]
    with subprocess.Popen(command, cwd=tmp_path, env=environ, stderr=subprocess.PIPE, text=True) as process:
        assert server.wait_until(lambda visits: any(visit.url == f"{url}5" for visit in visits), 60)
        process.send_signal(signal.SIGINT)
        healing = threading.Timer(0.5, server.heal, [f"{url}5"])
        healing.start()
        log = process.stderr.read()
        assert process.wait(30) == 130
        healing.join()
    assert "--resume" in log
    with PageStore(tmp_path / "store") as pages:
        assert f"{url}5" in pages and 5 <= len(pages) < 10


def test_numbers_come_now_and_then_though_nothing_happens_and_a_stop_says_what_it_waits_for(monkeypatch):
    log, now = io.StringIO(), [0.0]
    monkeypatch.setattr("ircourse.commands.progress.monotonic", lambda: now[0])
    with Progress(log=log) as progress:
        for now[0] in (1.0, 5.5, 6.0, 11.0, 15.5):  # the gap grows
            progress.beat(Statistics(waiting=7))
        progress(Step(0.0, "http://a.example/robots.txt", "robots.txt", "refused"), Statistics())
        progress(Step(0.0, "http://a.example/robots.txt", "robots.txt", "status 404"), Statistics())
        for _ in range(3):
            progress.beat(Statistics(under_way=2), True)
    lines = log.getvalue().splitlines()
    assert len(lines) == 4 and lines[0] == lines[1] and lines[0].endswith("7 URLs waiting")
    assert lines[2] == "robots.txt: http://a.example/robots.txt (refused)"
    assert "waiting up to 5 s for 2 requests" in lines[3] and "again to stop now" in lines[3]


def test_how_long_the_rest_takes_is_told_once_some_requests_are_done(monkeypatch):
    log, now = io.StringIO(), [0.0]
    monkeypatch.setattr("ircourse.commands.progress.monotonic", lambda: now[0])
    with Progress(30, log=log) as progress:
        now[0] = 20.0
        progress.beat(Statistics(stored=3, fetched=4, hosts=1, waiting=90))
        now[0] = 40.0
        progress.beat(Statistics(stored=20, fetched=20, hosts=1, waiting=90))
        now[0] = 90.0
        progress.beat(Statistics(stored=29, fetched=30, hosts=1, waiting=1))
    assert log.getvalue().splitlines() == [
        "3 pages stored, 4 requests, 0.0 MB, 1 host, 90 URLs waiting",
        "20 pages stored, 20 requests, 0.0 MB, 1 host, 90 URLs waiting, about 20 seconds for what waits",
        "29 pages stored, 30 requests, 0.0 MB, 1 host, 1 URL waiting, about 3 seconds for what waits",
    ]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_gets_a_bar():
    terminal = Terminal()
    with Progress(10, log=terminal) as watch:
        watch(Step(0.0, "http://a.example/\x1b[2J", "failed", "timeout"), Statistics())
        watch(Step(1.0, "http://a.example/", "stored"), Statistics(stored=4))
    assert (
        "4/10" in terminal.getvalue() and "failed: http://a.example/\\x1b[2J (timeout)" in terminal.getvalue()
    )


def test_a_store_is_kept_fresh_until_its_time_is_over_and_goes_on(site, tmp_path):
    server, url = site
    store = str(tmp_path / "pages")
    how = {"store": store, "allow_private": True, "delay": 0, "max_pages": 3}
    out = run(url, revisit=0.05, seconds=1, **how)[0]
    assert out.startswith("3 pages stored")
    asked = server.counts()
    assert sum(number > 1 for page, number in asked.items() if "robots" not in page) == 3
    run(url, revisit="adaptive", seconds=1, resume=True, **how)
    run(url, revisit="best", visits_a_day=10, seconds=1, resume=True, **how)
    with PageStore(store) as pages:
        assert len(pages) == 3 and len(list(pages.captures(url))) >= 3


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="no signal to another process here")
def test_ctrl_c_ends_a_crawl_without_end_in_order(site, tmp_path):
    server, url = site
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    call = "crawl(sys.argv[1], store='store', allow_private=True, delay=0, revisit=1)"
    code = f"import sys; from ircourse.commands.crawl import crawl; sys.exit({call})"
    command = [sys.executable, "-c", code, url]
    with subprocess.Popen(command, cwd=tmp_path, env=environ, stderr=subprocess.PIPE, text=True) as process:
        assert server.wait_until(lambda visits: sum(visit.url == url for visit in visits) >= 2, 60)
        process.send_signal(signal.SIGINT)
        assert "--resume goes on" in process.stderr.read()
        assert process.wait(30) == 130
    with PageStore(tmp_path / "store") as pages:
        assert len(pages) == 10 and len(list(pages.captures(url))) >= 1


def test_a_start_that_is_refused_leaves_no_folder(site, tmp_path):
    run(site[1], 2, store=str(tmp_path / "pages"), threads=0)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "pages").mkdir()
    run(site[1], 2, store=str(tmp_path / "pages"), revisit=-1)
    assert (tmp_path / "pages").is_dir()


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), sqlite3.OperationalError("database or disk is full")]
)
def test_a_full_disk_is_told_with_the_folder_and_how_to_go_on(site, tmp_path, monkeypatch, error):
    def full(*_, **__):
        raise error

    monkeypatch.setattr(PageStore, "add", full)
    store = str(tmp_path / "pages")
    log = run(site[1], 2, store=store, allow_private=True, delay=0)[1]
    assert "disk is full" in log and "--resume" in log and store in log
