"""What the server answers: GET alone, to whom `HostRule` allows, headers that forbid all but its own script.

/            the search page: q, page, and a weight for each component
/search      the same as JSON: q, n (10), offset (0), weights; /search.json is the same
/hubs        hubs and authorities of q
/like /page  pages like the one at url, and what is kept of it

What cannot be answered is said in a sentence: 400 for a query or number, 403 for a Host that is not ours,
404, 405. The engine works in threads, so a slow query holds up neither the first page nor files. Queries
retrieve in turn, which takes milliseconds each, and make their snippets side by side.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from typing import Any, TypeVar

from tornado.web import Application, RequestHandler

from ircourse.engine.engine import Engine
from ircourse.engine.query import QueryError
from ircourse.engine.server.as_json import json_of
from ircourse.engine.server.asked import PER_PAGE, Asked, AskedError, asked_of, number_of, parameters_of
from ircourse.engine.server.markup import Html
from ircourse.engine.server.other_pages import hubs_and_authorities, kept_page, no_hubs, pages_like
from ircourse.engine.server.page import about, framed, shortened, trouble
from ircourse.engine.server.results_page import found, said_of
from ircourse.engine.server.security import HEADERS, HostRule
from ircourse.types import NotConverged

__all__ = ["Site", "application"]

T = TypeVar("T")

MOST_JSON = 100  # results in an answer
THREADS = 4
BEST = 5  # pages on the first page
FILES = {"style.css": "text/css", "script.js": "text/javascript", "icon.svg": "image/svg+xml"}
NOT_HERE = {403: "This server is not known by that name", 404: "Nothing is here", 405: "Only GET is answered"}


class Site:
    """What all requests share: the engine, threads for it, and what is said of it.

    host  what the server listens on
    """

    def __init__(self, engine: Engine, host: str) -> None:
        self.engine = engine
        self.rule = HostRule(host)
        self.threads = ThreadPoolExecutor(THREADS, "search")
        self.first = self._about()

    def _about(self) -> Html:
        pages, retrieval = self.engine.collection, self.engine.retrieval
        facts = {
            "Pages": f"{len(pages.kept):,}",
            "Near-duplicates folded": f"{len(self.engine) - len(pages.kept):,}",
        }
        facts["Links"] = f"{retrieval.linked.graph.n_edges:,}"
        facts["Words"] = f"{len(retrieval.spelling.words):,}"
        linked = retrieval.linked.graph.n_edges > 0
        best = (-retrieval.pagerank).argsort(kind="stable")[:BEST].tolist() if linked else []
        return about(facts, [(pages.kept[row], pages.titles[pages.kept[row]]) for row in best])

    def close(self) -> None:
        """End the threads, after the queries that they are at."""
        self.threads.shutdown()

    async def work(self, call: Callable[[], T]) -> T:
        """Return what a call in another thread returns."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, call)


class Answer(RequestHandler):
    """What all answers have in common."""

    SUPPORTED_METHODS = ("GET",)

    def initialize(self, site: Site) -> None:
        """Take in what all requests share."""
        self.site = site
        self.asked = Asked()

    def set_default_headers(self) -> None:
        """Set the headers of every answer, errors too."""
        self.clear_header("Server")
        for name, value in HEADERS.items():
            self.set_header(name, value)

    def prepare(self) -> None:
        """Refuse strangers' names; read what is asked."""
        hosts = self.request.headers.get_list("Host")
        if len(hosts) != 1 or not self.site.rule.allows(hosts[0]):
            self.refuse(403, "open it by the address that the command printed")
            return
        try:
            self.parameters = parameters_of(self.request.query)
            self.asked = asked_of(self.parameters)
        except AskedError as error:
            self.refuse(400, str(error))

    def refuse(self, status: int, why: str) -> None:
        """Answer with a sentence."""
        self.set_status(status)
        title = NOT_HERE.get(status, "This cannot be answered")
        self.send(title, trouble(title, why))

    def send(self, title: str, body: Html, **how: Any) -> None:
        """Answer with a page."""
        self.set_header("Content-Type", "text/html; charset=utf-8")
        name = f"{shortened(title, 80)} – ircourse engine"
        self.finish(framed(name, self.asked, body, **how))

    def write_error(self, status_code: int, **how: Any) -> None:
        """Answer where tornado refuses or our own code failed."""
        whys = {404: "there is no such address on this server", 405: "other methods change nothing here"}
        self.refuse(status_code, whys.get(status_code, "the server failed; its terminal says how"))


class Search(Answer):
    """The search page."""

    async def get(self) -> None:
        """Answer with results, or with the first page where nothing is asked."""
        asked, engine = self.asked, self.site.engine
        if not asked.q.strip(" "):
            self.asked = Asked()
            self.send("Search", self.site.first, first=True)
            return
        try:
            weights = asked.as_weights()
            offset = (asked.page - 1) * PER_PAGE
            results = await self.site.work(lambda: engine.search(asked.q, PER_PAGE, offset, weights))
        except (QueryError, AskedError) as error:
            self.set_status(400)
            title = "This query cannot be answered"
            ours = isinstance(error, AskedError)  # a weight: the sliders stay, and what they say is told
            self.send(title, trouble(title, str(error)), said=title if ours else "", weights=ours)
            return
        self.send(asked.q, found(results, asked), said=said_of(results, asked), weights=True)


class SearchJson(Answer):
    """The same as JSON."""

    async def get(self) -> None:
        """Answer with results."""
        asked, engine, began = self.asked, self.site.engine, time.perf_counter()
        try:
            n, offset = number_of(self.parameters, "n", PER_PAGE), number_of(self.parameters, "offset", 0)
            if n > MOST_JSON:
                raise AskedError(f"n is {n}: give at most {MOST_JSON}")
            weights = asked.as_weights()
            results = await self.site.work(lambda: engine.search(asked.q, n, offset, weights))
        except (QueryError, AskedError) as error:
            self.refuse(400, str(error))
            return
        self.set_header("Server-Timing", f"engine;dur={1e3 * (time.perf_counter() - began):.2f}")
        self._send(results)

    def refuse(self, status: int, why: str) -> None:
        """Answer with a sentence."""
        self.set_status(status)
        self._send({"error": why})

    def _send(self, answer: Any) -> None:
        self.set_header("Content-Type", "application/json; charset=utf-8")
        self.finish(json_of(answer))


class Hubs(Answer):
    """Hubs and authorities."""

    async def get(self) -> None:
        """Answer with both lists."""
        asked, engine = self.asked, self.site.engine
        try:
            pages = await self.site.work(lambda: engine.hubs_and_authorities(asked.q))
        except QueryError as error:
            self.refuse(400, str(error))
        except NotConverged:
            self.send(f"Hubs for {asked.q}", no_hubs(asked))
        else:
            self.send(f"Hubs for {asked.q}", hubs_and_authorities(pages, asked))


class Like(Answer):
    """Pages like one."""

    async def get(self) -> None:
        """Answer with a list."""
        url, engine = self.parameters.get("url", ""), self.site.engine
        if url not in engine:
            self.refuse(404, "no page of this address was collected")
            return
        pages = await self.site.work(lambda: engine.related(url))
        title = engine.collection.titles[url]
        self.send(f"Pages like {title or url}", pages_like(url, title, pages))


class Kept(Answer):
    """What is kept of a page."""

    async def get(self) -> None:
        """Answer with its text and links."""
        url, engine = self.parameters.get("url", ""), self.site.engine
        if url not in engine:
            self.refuse(404, "no page of this address was collected")
            return
        page = await self.site.work(lambda: engine.page(url))
        self.send(page.title or url, kept_page(page))


class File(Answer):
    """The style, the script and the icon."""

    def get(self, name: str) -> None:
        """Answer with a file of this package."""
        self.set_header("Content-Type", f"{FILES[name]}; charset=utf-8")
        self.set_header("Cache-Control", "no-cache")
        self.finish(files(__package__).joinpath("assets", name).read_bytes())


def application(site: Site) -> Application:
    """Return the server's application."""
    shared = {"site": site}
    routes: list[Any] = [(r"/", Search, shared), (r"/search(?:\.json)?", SearchJson, shared)]
    routes += [(r"/hubs", Hubs, shared), (r"/like", Like, shared), (r"/page", Kept, shared)]
    routes.append((f"/({'|'.join(FILES).replace('.', '[.]')})", File, shared))
    return Application(
        routes, default_handler_class=Missing, default_handler_args=shared, log_function=lambda handler: None
    )


class Missing(Answer):
    """Everything else."""

    def get(self) -> None:
        """Answer that nothing is here."""
        self.send_error(404)
