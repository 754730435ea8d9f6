"""Markup of which no stranger's word can become a part.

`escaped` is the one way from text to HTML, and `element` the one way to make some: it escapes every child and
every value that is not made by itself, knows no attribute that runs or styles anything, and takes as an
address only what leads to this server or is http. A title such as <img onerror=…> is shown as it was written.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache
from typing import TypeAlias
from urllib.parse import urlsplit

__all__ = ["Child", "Html", "element", "escaped", "joined", "link_to"]

VOID = frozenset("input link meta".split())
ADDRESSES = frozenset("action href src".split())
ATTRIBUTES = frozenset(
    """action alt aria-current aria-hidden aria-label aria-labelledby autocapitalize autocomplete autofocus
    charset class content data-default data-key data-url datetime defer dir enterkeyhint for form height href
    id lang max maxlength method min name open placeholder preserveAspectRatio rel role scope spellcheck src
    start step tabindex title type value viewBox width x""".split()
)
_ODD = "\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
_CONTROL, _SPECIAL = re.compile(f"[{_ODD}]"), re.compile(f"[&<>\"'{_ODD}]")
_OURS = re.compile(r"/(?![/\\])|#")


class Html(str):
    """A piece of HTML that is safe to send; only this module makes any."""

    __slots__ = ()


Child: TypeAlias = "Html | str | int | None"


def escaped(text: str) -> Html:
    """Return a text as HTML that shows it, as a child and as a quoted value; control characters as U+FFFD.

    >>> escaped("<b>'Tom' & \\"Jerry\\"</b>")
    '&lt;b&gt;&#x27;Tom&#x27; &amp; &quot;Jerry&quot;&lt;/b&gt;'
    """
    return Html(_safe(text))


def joined(*children: Child) -> Html:
    """Return children one after another, None left out."""
    return Html("".join([_child(c) for c in children if c is not None]))


def element(tag: str, *children: Child, **attributes: str | int | bool | None) -> Html:
    """Return an element; ``class_`` and ``aria_label`` stand for class and aria-label.

    A value None or False leaves its attribute out, True gives it none. Raises ValueError for an attribute or
    address that no page of ours has.

    >>> element("a", "<i>", href="/?q=a&page=2", class_="x")
    '<a href="/?q=a&amp;page=2" class="x">&lt;i&gt;</a>'
    """
    pieces = [f"<{tag}"]
    for key, value in attributes.items():
        name = _attribute(key)
        if value is None or value is False:
            continue
        if name in ADDRESSES and not (_OURS.match(str(value)) or link_to(str(value))):
            raise ValueError(f"{value!r:.80} is no address to lead to")
        pieces.append(f" {name}" if value is True else f' {name}="{_safe(str(value))}"')
    pieces.append(">")
    if tag not in VOID:
        pieces += [_child(c) for c in children if c is not None]
        pieces.append(f"</{tag}>")
    return Html("".join(pieces))


def _safe(text: str) -> str:
    if not _SPECIAL.search(text):  # most texts on a page: numbers, names of classes
        return text
    return html.escape(_CONTROL.sub("\ufffd", text), quote=True)


def _child(child: Html | str | int) -> str:
    return child if isinstance(child, Html) else _safe(str(child))


@lru_cache(maxsize=256)
def _attribute(key: str) -> str:
    """Return the name of an attribute of ours; raises ValueError for any other."""
    name = key.rstrip("_").replace("_", "-")
    if name not in ATTRIBUTES:
        raise ValueError(f"{name!r} is no attribute that a page here has")
    return name


def link_to(url: str) -> str | None:
    """Return an address that a reader may be led to: http or https with a host, and no odd characters.

    >>> link_to("http://a.example/x"), link_to("javascript:alert(1)"), link_to("http:\\\\\\\\a.example")
    ('http://a.example/x', None, None)
    """
    if re.search(r"[\s\\<>\"\0-\x20\x7f-\x9f]", url) or _CONTROL.search(url):
        return None
    try:
        parts = urlsplit(url)
        named = parts.scheme in ("http", "https") and parts.hostname and not parts.username
        _ = parts.port
    except ValueError:
        return None
    return url if named else None
