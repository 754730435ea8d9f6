"""The package's own source in a chapter, by one call."""

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from IPython.display import Markdown

WATCHERS = {"watch", "views"}

__all__ = ["source"]


def source(*functions: Callable[..., Any]) -> Markdown:
    """Return a listing of ``functions``, made from the code that runs.

    Docstrings, type hints, comments and what only serves ``watch=`` are left out.

    >>> from ircourse.crawl.spiders import pop_until_new
    >>> print(source(pop_until_new).data)
    ```python
    def pop_until_new(stack, seen):
        while stack:
            if (url := stack.pop()) not in seen:
                return url
        return NOTHING
    ```
    """
    trees = [ast.parse(textwrap.dedent(inspect.getsource(function))) for function in functions]
    listing = "\n\n".join(ast.unparse(ast.fix_missing_locations(Plain().visit(tree))) for tree in trees)
    return Markdown(f"```python\n{listing}\n```")


class Plain(ast.NodeTransformer):
    """Takes what a first reader does not need out of a function."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Drop the docstring, the hint of what is returned, and the parameter ``watch``."""
        if ast.get_docstring(node) is not None:
            del node.body[0]
        node.returns = None
        kept = [
            (a, d)
            for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            if a.arg != "watch"
        ]
        node.args.kwonlyargs, node.args.kw_defaults = [a for a, _ in kept], [d for _, d in kept]
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """Drop the hint."""
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        """Drop the hint, and the whole where nothing is assigned."""
        return None if node.value is None else ast.Assign([node.target], node.value)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        """Drop what is made for watchers."""
        called = node.value.func if isinstance(node.value, ast.Call) else None
        return None if isinstance(called, ast.Name) and called.id in WATCHERS else node

    def visit_If(self, node: ast.If) -> ast.AST | None:
        """Drop what is done for watchers."""
        if isinstance(node.test, ast.Name) and node.test.id in WATCHERS:
            return None
        return self.generic_visit(node)
