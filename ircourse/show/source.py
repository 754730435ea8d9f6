"""The package's own source in a chapter, by one call."""

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from IPython.display import Markdown

__all__ = ["source"]


def source(*functions: Callable[..., Any]) -> Markdown:
    """Return the code of ``functions`` as a highlighted listing, without their docstrings.

    >>> from ircourse.crawl.spiders import pop_until_new
    >>> print(source(pop_until_new).data)
    ```python
    def pop_until_new(stack: list[U], seen: Collection[U]) -> U:
        while stack:
            if (url := stack.pop()) not in seen:
                return url
        return NOTHING  # type: ignore[no-any-return]
    ```
    """
    listing = "\n\n".join(_without_docstring(function) for function in functions)
    return Markdown(f"```python\n{listing}\n```")


def _without_docstring(function: Callable[..., Any]) -> str:
    lines = textwrap.dedent(inspect.getsource(function)).rstrip().splitlines()
    definition = ast.parse("\n".join(lines)).body[0]
    assert isinstance(definition, ast.FunctionDef | ast.ClassDef)
    if ast.get_docstring(definition) is not None:
        first = definition.body[0]
        del lines[first.lineno - 1 : first.end_lineno]
    return "\n".join(lines)
