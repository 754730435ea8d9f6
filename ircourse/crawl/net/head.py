"""HEAD before GET: for servers that say what edition a page is, and send the body whatever they are asked.

A HEAD gets the headers of an answer without its body. Where they name the edition that the crawler has, the
body is not asked for; where they do not, that costs a request more. A server that heeds If-None-Match and
If-Modified-Since needs no such thing: it says 304 to the GET.

Source: RFC 9110, sections 9.3.2 and 13.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ircourse.crawl.net.fetch import Fetch, HttpFetch
from ircourse.types import Response

__all__ = ["head_first"]


def head_first(fetch: HttpFetch) -> Fetch:
    """Return a ``fetch`` that asks by HEAD first where a request has conditions, and makes 304 of the answer.

    Both requests count in the seconds of the answer, so a crawler that keeps a gap of ten times those keeps
    it for both.

    >>> from ircourse.crawl.net.fetch import http_fetcher
    >>> from ircourse.web import Web, serve
    >>> with serve(Web.from_pages({"http://harbour.example/": []})) as server:
    ...     head_first(http_fetcher(resolve=server.resolve))("http://harbour.example/", {}).status
    200
    """

    def ask(url: str, headers: Mapping[str, str]) -> Response:
        asked = {name.lower(): value for name, value in headers.items()}
        tag, since = asked.get("if-none-match"), asked.get("if-modified-since")
        if tag is None and since is None:
            return fetch(url, headers)
        head = fetch(url, headers, method="HEAD")
        if head.status == 304 or (head.status == 200 and _is_same(head.headers, tag, since)):
            return Response(304, head.headers, b"", head.seconds)
        answer = fetch(url, headers)
        return replace(answer, seconds=head.seconds + answer.seconds)

    return ask


def _is_same(headers: Mapping[str, str], tag: str | None, since: str | None) -> bool:
    """Whether the headers name the edition that the client has; a tag counts before a date."""
    etag = headers.get("etag")
    if tag is not None and etag is not None:
        return etag.removeprefix("W/") == tag.removeprefix("W/")
    return since is not None and headers.get("last-modified") == since
