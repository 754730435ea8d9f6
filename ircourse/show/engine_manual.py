"""Python's documentation as the capstone searches it (chapter A2): its engine, and what is asked.

MANUAL  what a student would type, and the page that is meant; some questions hold the name of their module
"""

from __future__ import annotations

import re
from contextlib import closing
from tempfile import TemporaryDirectory

from ircourse.crawl import Crawler, PageStore
from ircourse.engine import Engine, pages_of_store
from ircourse.web import serve_pydoc

MANUAL = {
    question: f"pydoc.example/{module}.html"
    for question, module in {
        "abstract base class": "abc",
        "insert into a sorted list": "bisect",
        "print the calendar of a month": "calendar",
        "read settings from an ini file": "configparser",
        "deep copy of a nested list": "copy",
        "comma separated values": "csv",
        "dataclass with default values": "dataclasses",
        "difference between two texts": "difflib",
        "rational numbers": "fractions",
        "remember results in a cache": "functools",
        "ask for a password without showing it": "getpass",
        "files that match a wildcard": "glob",
        "read a compressed file": "gzip",
        "checksum of a file": "hashlib",
        "priority queue": "heapq",
    }.items()
}
WANTED = re.compile(r"http://pydoc\.example/([a-h][a-z0-9]*\.html)?")

__all__ = ["MANUAL", "manual_engine"]


def manual_engine() -> Engine:
    """Crawl the front page and the modules from a to h of this Python's documentation; return the engine."""
    with TemporaryDirectory() as folder, serve_pydoc() as server, closing(PageStore(folder)) as store:
        Crawler(
            [server.start],
            store=store,
            delay=0,
            resolve=server.resolve,
            in_scope=lambda url: server.in_scope(url) and WANTED.fullmatch(url) is not None,
            allow_private=True,
        ).run()
        return Engine.build(pages_of_store(store))
