"""The command ``engine``: a search engine from a site, a store or files, with its page on loopback."""

from __future__ import annotations

import os
import re
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TextIO

from ircourse.commands.build_progress import BuildProgress
from ircourse.commands.crawl import crawl, default_store
from ircourse.commands.output import write_line
from ircourse.commands.progress import Progress
from ircourse.crawl.crawler.crawler import Crawler
from ircourse.crawl.store.store import PageStore
from ircourse.crawl.urls import canonical_url
from ircourse.engine import Engine, EngineFileError, pages_from
from ircourse.engine.files import MANIFEST, check_place
from ircourse.engine.server import PortError, bound, serving
from ircourse.engine.server.page import counted
from ircourse.engine.server.security import is_loopback
from ircourse.web import serve_pydoc

__all__ = ["engine"]


class _Stop(Exception):
    """The command ends with a sentence and an exit code."""

    def __init__(self, code: int, why: str = "") -> None:
        super().__init__(why)
        self.code = code


def engine(
    source: str | None = None,
    *,
    pydoc: bool = False,
    load: str | None = None,
    save: str | None = None,
    host: str = "127.0.0.1",
    port: int | None = None,
    out: TextIO | None = None,
    log: TextIO | None = None,
    **options: Any,
) -> int:
    """Build or load an engine, serve its page until Ctrl-C; return the exit code.

    source   http address (crawled into a store, or on from the one that is there), page store, WARC file,
             folder of HTML and text; in its place ``pydoc``, Python's own documentation, or ``load``
    load     folder with an engine that was saved; ``save`` one to save it in
    options  of the crawl: store, max_pages, delay, allow_private, contact

    The exit code is 0 after Ctrl-C; 1 where there is nothing to search or it could not be saved; 2 for what
    is no source, no engine or no port to be had; 130 after Ctrl-C before there was a page.
    """
    out, log = out or sys.stdout, log or sys.stderr
    try:
        if sum((source is not None, pydoc, load is not None)) != 1:
            raise _Stop(2, "give one of SOURCE, --pydoc and --load DIR")
        _check_folder(save)
        with bound(host, port or 0) as listening:  # before the work, which may take hours
            built = _loaded(load) if load is not None else _built(source, options, out, log)
            saved = save is None or _saved(built, save, out, log)
            return _served(built, listening, host, out, log) or int(not saved)
    except PortError as error:
        write_line(log, f"ircourse: {error}")
        return 2
    except _Stop as stop:
        if str(stop):
            write_line(log, f"ircourse: {stop}")
        return stop.code


def _check_folder(save: str | None) -> None:
    """Refuse a folder that could not be saved in, before the work."""
    try:
        if save is not None:
            check_place(Path(save))
    except (OSError, ValueError) as error:
        raise _Stop(2, f"--save: {error}") from None


def _loaded(folder: str) -> Engine:
    try:
        found = Engine.load(folder)
    except EngineFileError as error:
        raise _Stop(2, str(error)) from None
    if not len(found):
        raise _Stop(1, f"the engine in {folder} holds no page to search")
    return found


def _built(source: str | None, options: dict[str, Any], out: TextIO, log: TextIO) -> Engine:
    """Return the engine of a source, after a line that tells its size."""
    unread = False
    with _pages(source, options, out, log) as pages, BuildProgress(log) as progress:

        def report(path: str, why: str) -> None:
            nonlocal unread
            unread = True
            progress.note(f"left out: {path} ({why})")

        began = time.monotonic()
        made = Engine.build(pages_from(pages, report), progress=progress)
    if not len(made):
        why = "what it holds could not be read" if unread else "nothing in it is HTML or text"
        raise _Stop(1, f"{source or 'pydoc'} holds no page to search: {why}")
    folded = counted(len(made) - len(made.collection.kept), "near-duplicate")
    seconds = time.monotonic() - began
    write_line(out, f"{counted(len(made), 'page')}, {folded} folded into others, built in {seconds:.1f} s")
    return made


@contextmanager
def _pages(source: str | None, options: dict[str, Any], out: TextIO, log: TextIO) -> Iterator[str]:
    """Give a path that `pages_from` reads, crawled first where the source is a site."""
    if source is None:
        with tempfile.TemporaryDirectory() as folder:
            _crawl_pydoc(folder, log)
            yield folder
    elif re.match(r"https?:", source, re.IGNORECASE):
        yield _crawled(source, options, out, log)
    elif os.path.exists(os.path.join(source, MANIFEST)):
        raise _Stop(2, f"{source} holds an engine that was saved: --load {source} opens it")
    elif os.path.exists(source):
        yield source
    else:
        hint = "a site's address begins with http:// or https://"
        raise _Stop(2, f"there is no file or folder {source!r:.200}; {hint}")


def _crawled(url: str, options: dict[str, Any], out: TextIO, log: TextIO) -> str:
    """Crawl a site, or go on with its crawl; return the store, which holds what came before Ctrl-C, too."""
    address = canonical_url(url)
    store = options.pop("store", None) or (default_store(address) if address else "")
    code = crawl(url, store=store or None, resume=None, out=out, log=log, **options)
    if code in (1, 2) or not os.path.exists(store):
        raise _Stop(code)
    if code == 130:
        _so_far(PageStore(store), log)
    return store


def _so_far(store: PageStore, log: TextIO) -> None:
    """Say of what an engine is whose crawl was stopped."""
    with closing(store):
        if not len(store):
            raise _Stop(130, "there is no page yet to search")
        write_line(log, "ircourse: the engine is of the pages so far")


def _crawl_pydoc(folder: str, log: TextIO) -> None:
    """Crawl the documentation server of this Python, which is on this machine and needs no pauses."""
    with serve_pydoc() as server, closing(PageStore(folder)) as store, Progress(log=log) as progress:
        crawler = Crawler(
            [server.start],
            store=store,
            delay=0,
            resolve=server.resolve,
            in_scope=server.in_scope,
            allow_private=True,
            watch=progress,
            beat=lambda statistics: progress.beat(statistics, crawler.stopped),
        )
        crawler.run()
    if crawler.stopped:
        _so_far(PageStore(folder), log)


def _saved(built: Engine, folder: str, out: TextIO, log: TextIO) -> bool:
    try:
        built.save(folder)
    except (OSError, ValueError) as error:
        write_line(log, f"ircourse: could not save the engine: {getattr(error, 'strerror', None) or error}")
        return False
    write_line(out, f"saved in {folder}; --load {folder} opens it again")
    return True


def _served(built: Engine, listening: socket.socket, host: str, out: TextIO, log: TextIO) -> int:
    """Serve until Ctrl-C, which is how this ends well."""
    try:
        with serving(built, listening, host) as server:
            if not is_loopback(host):
                write_line(log, f"ircourse: on {host or 'every address'} other machines can search here, too")
            write_line(out, f"Search at {server.address} (Ctrl-C ends)")
            out.flush()
            while not server.stopped(0.5):  # in slices, since Windows holds Ctrl-C back while a thread waits
                pass
            write_line(log, "ircourse: the server has failed; see above")
            return 1
    except KeyboardInterrupt:
        write_line(log, "ircourse: ended")
        return 0
