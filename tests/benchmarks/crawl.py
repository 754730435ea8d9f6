"""A crawl of a local site, ours beside Scrapy's: ``python tests/benchmarks/crawl.py [FOLDER]``.

Without a folder of HTML files one is made: 530 pages of 60 MB in all, each with 200 links, like a manual. It
is served over loopback from memory, by a process of its own. Both crawlers are started as commands, with
delays off and one connection a host; ours writes a page store, Scrapy counts. Times are the least of some
runs, on the wall and of processor; memory is what each took at most. Both must find the same number of pages.
"""

import contextlib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUNS = 3
SERVER = """
import mimetypes, socketserver, sys
from http.server import BaseHTTPRequestHandler
from pathlib import Path
root = Path(sys.argv[1])
paths = [path for path in root.rglob("*") if path.is_file()]
files = {"/" + path.relative_to(root).as_posix(): path.read_bytes() for path in paths}
files["/"] = files.get("/index.html", b"")
class Handler(BaseHTTPRequestHandler):
    protocol_version, wbufsize, disable_nagle_algorithm = "HTTP/1.1", -1, True
    def do_GET(self):
        path = self.path.partition("?")[0]
        body = files.get(path)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Type", mimetypes.guess_type(path)[0] or "text/html")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")
    def log_message(self, *args): pass
class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
with Server(("127.0.0.1", 0), Handler) as server:
    print(server.server_address[1], flush=True)
    server.serve_forever()
"""
SPIDER = """
import scrapy
class Site(scrapy.Spider):
    name = "site"
    custom_settings = dict(ROBOTSTXT_OBEY=True, CONCURRENT_REQUESTS_PER_DOMAIN=1, DOWNLOAD_DELAY=0,
        LOG_LEVEL="ERROR", AUTOTHROTTLE_ENABLED=False, TELNETCONSOLE_ENABLED=False, COOKIES_ENABLED=False)
    def start_requests(self):
        yield scrapy.Request(self.url)
    async def start(self):
        yield scrapy.Request(self.url)
    pages = 0
    def parse(self, response):
        self.pages += 1
        if isinstance(response, scrapy.http.HtmlResponse):
            for href in response.css("a::attr(href)").getall():
                url = response.urljoin(href)
                if url.startswith(self.url):
                    yield response.follow(href)
    def closed(self, reason):
        print(self.pages, "pages")
"""


def make_site(folder, pages=530, size=94_000, links=200):
    """Write a site like a manual's: chapters of text with links all over."""
    draw = random.Random(7)
    words = ["".join(draw.choices("abcdefghijklmnoprstuvw", k=draw.randint(2, 10))) for _ in range(4000)]
    names = ["index.html"] + [f"{draw.choice(words)}/{draw.choice(words)}-{i}.html" for i in range(1, pages)]
    for number, name in enumerate(names):
        targets = [names[(number + 1) % pages], *draw.choices(names, k=links - 1)]
        parts = [f"<!DOCTYPE html><html><head><title>{name}</title></head><body><h1>{name}</h1>"]
        for target in targets:
            text = " ".join(draw.choices(words, k=size // links // 7))
            parts.append(f'<p class="doc"><a href="/{target}#s">{target}</a> <em>{text[:20]}</em> {text}</p>')
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join([*parts, "</body></html>"]), encoding="utf-8")


@contextlib.contextmanager
def served(folder):
    """Serve a folder; the address of its front page."""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", SERVER, str(folder)], stdout=pipe, text=True) as process:
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/"
        finally:
            process.kill()


def timed(command, cwd):
    """Return seconds, seconds of processor, megabytes of memory, and what was said, of a command."""
    began = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    said = process.stdout.read()
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    assert status == 0, said
    unit = 1e6 if sys.platform == "darwin" else 1e3
    seconds = time.perf_counter() - began
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit, said


def pages_of(said):
    """Return the number of pages that a crawler says it has had."""
    return int(re.findall(r"([\d,]+) pages", said)[-1].replace(",", ""))


def main(folder=None):
    """Run both, and print times and their ratio."""
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        if folder is None:
            folder = work / "site"
            make_site(folder)
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        (work / "spider.py").write_text(SPIDER)
        with served(folder) as url:
            ours = [sys.executable, "-m", "ircourse", "crawl", url, "--out", "store", "--allow-private"]
            ours += ["--delay", "0", "--threads", "2"]
            theirs = [sys.executable, "-m", "scrapy", "runspider", "spider.py", "-a", f"url={url}"]
            best = {}
            for _ in range(RUNS):
                for name, command in (("ircourse", ours), ("Scrapy", theirs)):
                    shutil.rmtree(work / "store", ignore_errors=True)
                    *numbers, said = timed(command, work)
                    best[name] = min(best.get(name, [1e9]), [*numbers, pages_of(said)])
        print(f"{size / 1e6:.0f} MB")
        for name, (seconds, processor, memory, pages) in best.items():
            print(f"{name:10} {pages} pages {seconds:7.2f} s, processor {processor:6.2f} s, {memory:4.0f} MB")
        ratios = [theirs / ours for theirs, ours in zip(best["Scrapy"], best["ircourse"], strict=True)]
        print(f"ratio {ratios[0]:.1f}, of processor {ratios[1]:.1f}, of memory {ratios[2]:.1f}")
        assert ratios[3] == 1


if __name__ == "__main__":
    main(*sys.argv[1:2])
