"""The form of every chapter before nbval compares it: nbval checks nothing in a notebook that was not run."""

import ast
import re
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from ircourse.notebooks import clean, problems, read_notebook, save_notebook
from ircourse.notebooks.page import html_page

CHAPTERS = sorted((Path(__file__).parents[2] / "chapters").glob("*.ipynb"))
MOST_LINES, MOST_FUNCTION_LINES = 15, 5
SCRIPT = re.compile(r"<script\b|<[^>]*\son\w+\s*=|[(\"'=]\s*javascript:", re.IGNORECASE)


def faults(notebook):
    """What is wrong with the form of a chapter, as sentences."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]
    if not any(cell.outputs for cell in code):
        yield "no outputs: save it with `python3 -m ircourse run --save`"
    if [cell.execution_count for cell in code] != list(range(1, len(code) + 1)):
        yield "not executed in order from the first cell to the last"
    if clean(notebook) != notebook:
        yield "not clean: save it with `python3 -m ircourse run --save`"
    yield from problems(notebook)
    imports = sum(imports_at_top(cell.source) for cell in code)
    if imports > 1:
        yield f"{imports} cells import: one is enough"
    for cell in code:
        yield from cell_faults(cell)
    if any(SCRIPT.search(text) for cell in notebook.cells for text in markup(cell)):
        yield "a script: notebooks that are not trusted drop it"


def tree_of(source):
    """The syntax tree of a cell, lines with a magic left out."""
    return ast.parse(
        "\n".join("pass" if line.startswith(("%", "!")) else line for line in source.split("\n"))
    )


def imports_at_top(source):
    return any(isinstance(node, ast.Import | ast.ImportFrom) for node in tree_of(source).body)


def cell_faults(cell):
    """What is wrong with the form of one code cell."""
    name = f"In [{cell.execution_count}]"
    tree = tree_of(cell.source)
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    lines = len(cell.source.strip().splitlines()) - sum(n.end_lineno - n.lineno + 1 for n in imports)
    if lines > MOST_LINES:
        yield f"{name} has {lines} lines: at most {MOST_LINES}"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = node.end_lineno - node.lineno + 1
            if lines > MOST_FUNCTION_LINES:
                yield f"{name}: {node.name} has {lines} lines, which belong in the package"


def markup(cell):
    """The texts of a cell that a browser reads as HTML."""
    if cell.cell_type == "markdown":
        # What is quoted as code is shown, not read.
        yield re.sub(r"```.*?```|`[^`]*`", "", cell.source, flags=re.DOTALL)
    for output in cell.get("outputs", []):
        yield output.get("data", {}).get("text/html", "")


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_is_executed_and_clean(path, tmp_path):
    notebook = read_notebook(path)
    nbformat.validate(notebook)
    assert list(faults(notebook)) == []
    save_notebook(notebook, tmp_path / path.name)
    assert (tmp_path / path.name).read_bytes() == path.read_bytes().replace(b"\r\n", b"\n")


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_s_page_loads_nothing(path, loads):
    assert loads(html_page(clean(read_notebook(path)), path.parent, path.stem)) == []


def sample(*sources):
    """A chapter in good form."""
    outputs = [[new_output("stream", text="1\n")], *([] for _ in sources)]
    numbered = enumerate(zip(["import math\nprint(1)", *sources], outputs, strict=True), 1)
    cells = [new_code_cell(text, execution_count=n, outputs=shown) for n, (text, shown) in numbered]
    return clean(
        new_notebook(cells=[new_markdown_cell("# A chapter on `<script>`, JavaScript: once = 1"), *cells])
    )


def test_a_chapter_in_good_form_has_no_faults():
    assert list(faults(sample("f = 1", "def f():\n    return 1", "%timeit f"))) == []


LONG = "def f():\n" + "    x = 1\n" * 5


@pytest.mark.parametrize(
    "source, words",
    [
        ("import os", "2 cells import"),
        ("from os import path", "2 cells import"),
        (LONG, "f has 6 lines"),
        ("class A:\n" + LONG.replace("\n", "\n    ").replace("def", "    def", 1).rstrip(), "f has 6 lines"),
        ("x = 1\n" * 16, "16 lines: at most 15"),
        ("f();", "trailing semicolon"),
    ],
)
def test_a_cell_out_of_form_is_found(source, words):
    (fault,) = faults(sample(source))
    assert words in fault


def unrun(notebook):
    for cell in notebook.cells[1:]:
        cell.outputs, cell.execution_count = [], None


def out_of_order(notebook):
    notebook.cells[1].execution_count, notebook.cells[2].execution_count = 2, 1


def not_run_to_the_end(notebook):
    notebook.cells[2].execution_count = None


def widget_state(notebook):
    notebook.metadata["widgets"] = {}


def widget_view(notebook):
    data = {"text/plain": "player", "application/vnd.jupyter.widget-view+json": {"model_id": "5f"}}
    notebook.cells[1].outputs.append(new_output("display_data", data))


def version_of_python(notebook):
    notebook.metadata.language_info["version"] = "3.11.7"


def no_id(notebook):
    del notebook.cells[1]["id"]


def same_id(notebook):
    notebook.cells[1].id = notebook.cells[2].id


def times(notebook):
    notebook.cells[1].metadata["execution"] = {}


def error(notebook):
    notebook.cells[1].outputs = [new_output("error", ename="E", evalue="no")]


def script(notebook):
    notebook.cells[0].source += "\n<script>x</script>"


def script_in_link(notebook):
    notebook.cells[0].source += "\n[a](javascript:x)"


def script_in_output(notebook):
    notebook.cells[1].outputs.append(new_output("display_data", {"text/html": "<img src=x onerror=y>"}))


@pytest.mark.parametrize(
    "spoil, words",
    [
        (unrun, "no outputs"),
        (out_of_order, "not executed in order"),
        (not_run_to_the_end, "not executed in order"),
        (widget_state, "not clean"),
        (widget_view, "not clean"),
        (version_of_python, "not clean"),
        (no_id, "not clean"),
        (same_id, "not clean"),
        (times, "not clean"),
        (error, "E: no"),
        (script, "a script"),
        (script_in_link, "a script"),
        (script_in_output, "a script"),
    ],
)
def test_a_chapter_out_of_form_is_found(spoil, words):
    notebook = sample("f = 1")
    spoil(notebook)
    assert any(words in fault for fault in faults(notebook))
