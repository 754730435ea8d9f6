"""A chapter as one HTML file that needs no kernel and no network.

nbconvert writes the page; its scripts (MathJax, require.js, Mermaid, the widgets) come from the network and
are left out. Formulas become MathML, which browsers show by themselves; a widget is shown by the static
picture that stands beside its live view. A content policy in the page forbids every load and every script, so
that nothing which a chapter prints, a crawled page's title say, can do either. It does not forbid to move on
to another page (meta) or to connect ahead of need (link): these two tags are shown as text.
"""

from __future__ import annotations

import re
from itertools import accumulate
from pathlib import Path
from typing import Any

from jinja2 import pass_context
from nbconvert.exporters import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from traitlets.config import Config

__all__ = ["html_page", "mathml"]

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
# nbconvert's style gives listings in a cell's output the font of running text.
LISTINGS = "body .jp-RenderedMarkdown pre { font: var(--jp-code-font-size)/1.4 var(--jp-code-font-family); }"
TEMPLATE = f"""
{{%- extends 'index.html.j2' -%}}
{{%- block html_head -%}}
<meta http-equiv="Content-Security-Policy" content="{POLICY}" />
<style>{LISTINGS}</style>
{{{{ super() }}}}
{{%- endblock -%}}
{{%- block html_head_js -%}}{{%- endblock -%}}
{{%- block jupyter_widgets -%}}{{%- endblock -%}}
{{%- block html_head_js_mathjax -%}}{{%- endblock -%}}
{{%- block html_head_js_mermaidjs -%}}{{%- endblock -%}}
{{%- block data_latex -%}}{{{{ output.data['text/latex'] | markdown2html }}}}{{%- endblock -%}}
"""
# As the start of a tag these letters need no parser: a browser sees a tag nowhere else.
MOVING_TAG = re.compile(r"<(?=(?:meta|link)[\s/>])", re.IGNORECASE)
# math_core calls itself for each level, some 2 kB of the stack, and ends the process at the stack's end.
MOST_CHARACTERS, MOST_LEVELS = 2000, 200
SHOWN = ["text/html", "text/markdown", "image/svg+xml", "text/latex", "image/png", "image/jpeg", "text/plain"]


def mathml(formula: str, display: bool = False) -> str:
    """Return a TeX formula as MathML; ``display`` sets it on a line of its own.

    A formula that cannot be read is a ValueError which names it and the place; so is one of more than 2,000
    characters or 200 levels of braces.

    >>> mathml("x < y")
    '<math><mi>x</mi><mo>&lt;</mo><mi>y</mi></math>'
    """
    from math_core import LatexError, LatexToMathML

    levels = max(accumulate((c == "{") - (c == "}") for c in formula), default=0)
    if len(formula) > MOST_CHARACTERS or levels > MOST_LEVELS:
        raise ValueError(
            f"the formula {formula[:60] + '…'!r} cannot be shown as MathML: it has {len(formula)} characters "
            f"and {levels} levels of braces, more than {MOST_CHARACTERS} or {MOST_LEVELS}. Split it"
        )
    try:
        return LatexToMathML(fancy_error=False).convert_with_local_state(formula, displaystyle=display)
    except LatexError as error:
        raise ValueError(f"the formula {formula!r} cannot be shown as MathML: {error}") from error


class OfflineRenderer(IPythonRenderer):
    """Markdown with formulas as MathML, and with links to chapters as links to their pages."""

    def block_math(self, body: str) -> str:
        """Return the MathML of ``$$…$$``."""
        return mathml(body, display=True)

    def inline_math(self, body: str) -> str:
        """Return the MathML of ``$…$``."""
        return mathml(body)

    def latex_environment(self, name: str, body: str) -> str:
        """Return the MathML of an environment such as ``align``."""
        return mathml(f"\\begin{{{name}}}{body}\\end{{{name}}}", display=True)

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """Return a picture; one that is attached to the cell must be there."""
        name = url.removeprefix("attachment:")
        if name != url and not self.attachments.get(name):
            raise ValueError(f"the text shows the picture {url!r}, which is not attached to its cell")
        return super().image(text, url, title)

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """Return a link; ``20_2_crawler.ipynb#seen`` becomes ``20_2_crawler.html#seen``."""
        path, hash_, fragment = url.partition("#")
        if path.endswith(".ipynb") and ":" not in path:
            url = path.removesuffix(".ipynb") + ".html" + hash_ + fragment
        return super().link(text, url, title)


class OfflineExporter(HTMLExporter):
    """nbconvert's page with pictures of the chapter's folder inside and no loads."""

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        """Return the HTML of a Markdown text."""
        renderer = OfflineRenderer(
            escape=False,
            attachments=context.get("cell", {}).get("attachments", {}),
            embed_images=True,
            path=context.get("resources", {}).get("metadata", {}).get("path", ""),
            anchor_link_text=self.anchor_link_text,
        )
        return MarkdownWithMath(renderer=renderer).render(source)


def html_page(notebook: Any, folder: Path, name: str) -> str:
    """Return a cleaned notebook as an HTML page; ``folder`` holds the pictures that its text names."""
    config = Config({"NbConvertBase": {"display_data_priority": SHOWN}})
    exporter = OfflineExporter(config=config, raw_template=TEMPLATE)  # type: ignore[no-untyped-call]
    try:
        page, _ = exporter.from_notebook_node(notebook, {"metadata": {"path": str(folder), "name": name}})
    except RecursionError as error:
        raise ValueError(f"{name}: what a cell says or shows is nested too deeply for a page") from error
    head, end, body = str(page).partition("</head>")  # the head is our own
    return head + end + MOVING_TAG.sub("&lt;", body)
