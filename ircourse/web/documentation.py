"""Hundreds of real texts that come with Python: its help topics, and what its modules say of themselves.

The modules are read, not imported: importing some opens a window or a browser.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from pydoc_data.topics import topics
from sysconfig import get_path

__all__ = ["documentation_texts"]

LEAST = 200  # characters


def documentation_texts() -> dict[str, str]:
    """Return help topics by ``topic/name`` and modules' own words by ``module/name``, in alphabetical order.

    Of the standard library's modules those written in Python, top level. Texts under 200 characters are left
    out.

    >>> texts = documentation_texts()
    >>> {name.split("/")[0] for name in texts} == {"module", "topic"}
    True
    """
    texts = {f"topic/{name}": text for name, text in topics.items()}
    library = Path(get_path("stdlib"))
    for name in sys.stdlib_module_names:
        for file in (library / f"{name}.py", library / name / "__init__.py"):
            if file.is_file():
                try:
                    words = ast.get_docstring(ast.parse(file.read_bytes()))
                except (OSError, SyntaxError, ValueError):
                    continue
                texts[f"module/{name}"] = words or ""
    return {name: text for name, text in sorted(texts.items()) if len(text) >= LEAST}
