"""The webs to crawl: in memory, from a folder, served over HTTP, and the documentation that Python serves."""

from ircourse.web.core import Resource, Web
from ircourse.web.load import load_web, tiny_web
from ircourse.web.pydoc import PydocServer, serve_pydoc
from ircourse.web.server import WebServer, serve

__all__ = [
    "PydocServer",
    "Resource",
    "Web",
    "WebServer",
    "load_web",
    "serve",
    "serve_pydoc",
    "tiny_web",
]
