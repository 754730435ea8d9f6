"""What is read of a page's body: of which types, how many bytes, tags and entities (book, section 20.2).

body  the bytes that the server sent
kind  "html", "text", or "" for what is not read
"""

from __future__ import annotations

__all__ = ["MAX_BODY", "MAX_ENTITIES", "MAX_TAGS", "body_of", "up_to_limits"]

MAX_BODY = 10 * 2**20  # bytes
MAX_TAGS = 200_000
MAX_ENTITIES = 300_000

_HTML = ("", "text/html", "application/xhtml+xml")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def body_of(body: bytes, content_type: str | None) -> tuple[bytes, str]:
    """Return the bytes that are read of a body, and its kind. Raises TypeError for what are no bytes.

    content_type  header; none at all is HTML, unless there are zeros that UTF-16 does not explain

    >>> body_of(b"<p>", None)[1], body_of(b"\\0\\1", None)[1], body_of(b"a", "text/plain; charset=utf-8")[1]
    ('html', '', 'text')
    """
    if not isinstance(body, bytes | bytearray | memoryview):
        raise TypeError(
            f"a page's body must be bytes, not {type(body).__name__} ({body!r:.60}): encode it first"
        )
    body = bytes(body[:MAX_BODY])
    named = (content_type or "").partition(";")[0].strip().lower()
    if named == "text/plain":
        return body, "text"
    is_html = named in _HTML and (named or body.startswith(_UTF_16) or b"\0" not in body[:1024])
    return body, "html" if is_html else ""


def up_to_limits(html: str) -> str:
    """Return a page up to the tag or entity that is over a limit."""
    for mark, most in (("<", MAX_TAGS), ("&", MAX_ENTITIES)):
        if html.count(mark) > most:
            html = mark.join(html.split(mark, most)[:most])
    return html
