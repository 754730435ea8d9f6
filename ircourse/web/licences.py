"""Hundreds of real texts with real copies: the licences of the packages that are installed here."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

__all__ = ["licence_texts"]

BEGINNINGS = ("license", "licence", "copying", "notice")
MAX_BYTES = 200_000


def licence_texts() -> dict[str, str]:
    """Return the licence files of the installed packages, by ``package/file``, in alphabetical order.

    Files that are no UTF-8, empty, or longer than 200,000 bytes are left out.

    >>> texts = licence_texts()
    >>> len(texts) > 20 and all(texts.values())
    True
    """
    texts = {}
    for package in metadata.distributions():
        name = package.metadata["Name"]
        for file in package.files or ():
            if file.name.lower().startswith(BEGINNINGS) and file.suffix not in (".py", ".pyc"):
                try:
                    body = Path(file.locate()).read_bytes()
                    text = body.decode() if len(body) <= MAX_BYTES else ""
                except (OSError, UnicodeDecodeError):
                    continue
                if text.strip():
                    texts[f"{name}/{file.name}"] = text
    return dict(sorted(texts.items()))
