"""The webs to crawl: in memory, from a folder, served over HTTP, and the documentation that Python serves."""

from ircourse.web.changing import ChangingWeb, Watched, changing_web, crawl_changing
from ircourse.web.core import Resource, Web
from ircourse.web.documentation import documentation_texts
from ircourse.web.generated import RandomWeb
from ircourse.web.generator import REGIONS, random_web
from ircourse.web.licences import licence_texts
from ircourse.web.load import load_web, tiny_web
from ircourse.web.pydoc import PydocServer, serve_pydoc
from ircourse.web.server import WebServer, serve

__all__ = [
    "REGIONS",
    "ChangingWeb",
    "PydocServer",
    "RandomWeb",
    "Resource",
    "Watched",
    "Web",
    "WebServer",
    "changing_web",
    "crawl_changing",
    "documentation_texts",
    "licence_texts",
    "load_web",
    "random_web",
    "serve",
    "serve_pydoc",
    "tiny_web",
]
