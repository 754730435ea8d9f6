import json
import sys
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from ircourse.notebooks import clean, problems, save_notebook
from ircourse.notebooks.clean import WIDGET_VIEW, machine_path

VIEW = {"model_id": "5f0c", "version_major": 2, "version_minor": 0}


def book(*cells):
    """A notebook of the cells as they are; `new_notebook(cells=…)` would mend them."""
    notebook = new_notebook()
    notebook.cells = list(cells)
    return notebook


def one_cell(source="1", output=None, **more):
    """A notebook of one executed cell."""
    cell = new_code_cell(source, execution_count=1, outputs=[output] if output else [], **more)
    return book(cell)


def stream(text, name="stdout"):
    return new_output("stream", name=name, text=text)


def test_what_differs_between_machines_goes_and_the_rest_stays():
    picture = {"text/plain": "player", "text/html": "<img alt='state 1'>", WIDGET_VIEW: VIEW}
    output = new_output("execute_result", picture, execution_count=9)
    times = {"execution": {"iopub.status.busy": "2030-01-01T00:00:00Z"}, "tags": ["nbval-ignore-output"]}
    notebook = one_cell("player", output, metadata=times, id="player-1")
    notebook.cells[0].execution_count = 9
    notebook.metadata.update(
        widgets={"application/vnd.jupyter.widget-state+json": {"state": {}}},
        language_info={"name": "python", "version": "3.11.7"},
        kernelspec={"name": "venv", "display_name": "venv"},
        title="Spiders",
    )
    tidy = clean(notebook)
    cell = tidy.cells[0]
    assert (cell.id, cell.execution_count, cell.metadata) == (
        "player-1",
        1,
        {"tags": ["nbval-ignore-output"]},
    )
    assert cell.outputs[0].data == {"text/plain": "player", "text/html": "<img alt='state 1'>"}
    assert cell.outputs[0].execution_count == 1
    assert tidy.metadata["title"] == "Spiders"
    assert tidy.metadata["kernelspec"]["name"] == "python3"
    assert "widgets" not in tidy.metadata
    assert "version" not in json.dumps(tidy.metadata)


def test_the_notebook_given_is_not_changed():
    notebook = one_cell(metadata={"collapsed": True})
    before = deepcopy(notebook)
    clean(notebook)
    assert notebook == before


def test_counts_skip_cells_that_were_not_executed():
    cells = [new_code_cell("1", execution_count=4), new_code_cell(""), new_code_cell("2", execution_count=6)]
    assert [cell.execution_count for cell in clean(book(*cells)).cells] == [1, None, 2]


def test_missing_and_repeated_ids_are_given_by_place():
    notebook = book(new_markdown_cell("a", id="a"), new_code_cell("1", id="a"), new_code_cell("2"))
    del notebook.cells[2]["id"]
    notebook.nbformat_minor = 4
    tidy = clean(notebook)
    assert [cell.id for cell in tidy.cells] == ["a", "cell-2", "cell-3"]
    nbformat.validate(tidy)


def test_an_id_given_by_place_does_not_meet_one_that_is_there():
    cells = [new_code_cell("1", id="x"), new_code_cell("2", id="x"), new_code_cell("3", id="cell-2")]
    assert len({cell.id for cell in clean(book(*cells)).cells}) == 3


IDS = st.sampled_from(["a", "b", "cell-1", "cell-2", "cell-2-1"])
OUTPUTS = st.lists(
    st.sampled_from([stream("x\n"), new_output("display_data", {WIDGET_VIEW: VIEW})]), max_size=2
)
CODE = st.builds(
    lambda id, count, outputs: new_code_cell("1", id=id, execution_count=count, outputs=deepcopy(outputs)),
    IDS,
    st.none() | st.integers(1, 99),
    OUTPUTS,
)
CELLS = st.lists(CODE | st.builds(lambda id: new_markdown_cell("text", id=id), IDS), max_size=6)


@given(CELLS)
def test_cleaning_twice_is_cleaning_once_and_gives_a_valid_notebook(cells):
    tidy = clean(book(*cells))
    nbformat.validate(tidy)
    assert clean(tidy) == tidy
    assert len({cell.id for cell in tidy.cells}) == len(cells)
    assert WIDGET_VIEW not in nbformat.writes(tidy)


def test_saving_writes_the_same_bytes_again_and_ends_the_last_line(tmp_path):
    path = tmp_path / "chapter ünï.ipynb"
    save_notebook(clean(one_cell("print('é')", stream("é\n"))), path)
    first = path.read_bytes()
    save_notebook(clean(nbformat.read(path, as_version=4)), path)
    assert path.read_bytes() == first
    assert first.endswith(b"}\n")
    assert not first.endswith(b"\n\n")
    assert b"\r" not in first
    assert "é".encode() in first
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_a_save_that_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.ipynb"
    save_notebook(one_cell(), path)
    before = path.read_bytes()
    broken = one_cell()
    broken.cells[0].source = object()
    with pytest.raises(Exception):  # noqa: B017 - whatever the writer says
        save_notebook(broken, path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "notebook, words",
    [
        (one_cell("warn()", stream("UserWarning: no\n", "stderr")), "standard error: UserWarning: no"),
        (one_cell("A()", stream("<A object at 0x7f00aa10>")), "memory address (at 0x7f00aa10)"),
        (one_cell("A()", new_output("execute_result", {"text/html": "at 0x7f00aa10"})), "memory address"),
        (one_cell("path", stream(f"'{Path.cwd() / 'a.txt'}'")), "path of a machine"),
        (one_cell("path", stream(f"{sys.prefix}/lib/x.py")), "path of a machine"),
        (one_cell("path", stream("file:///home/ada/x")), "path of a machine (/home/ada/)"),
        (one_cell("path", stream("WindowsPath('C:\\\\Users\\\\ada')")), "path of a machine (C:/)"),
        (one_cell("path", stream("/var/lib/site-packages/numpy/")), "path of a machine (/site-packages/)"),
        (
            one_cell("1/0", new_output("error", ename="ZeroDivisionError", evalue="no")),
            "ZeroDivisionError: no",
        ),
        (one_cell("plt.plot([1]);"), "trailing semicolon"),
    ],
)
def test_problems_name_the_cell_and_how_to_mend_it(notebook, words):
    (problem,) = problems(notebook)
    assert problem.startswith("In [1]: ")
    assert words in problem


@pytest.mark.parametrize(
    "text",
    [
        "http://harbour.example/home/ferries/",
        "http://127.0.0.1:8000/tmp/tmpabc/x",
        "Disallow: /tmp/\nDisallow: /private/\nAllow: /users/ada/",
        "https://harbour.example:443/C/x",
        "fingerprint 0xcbf29ce484222325",
        "/usr/share/common-licenses/GPL-3",
        "ratio 3/4",
        "",
    ],
)
def test_paths_of_urls_and_hexadecimal_values_are_no_problem(text):
    assert problems(one_cell("x", stream(text))) == []


def test_pictures_are_not_searched():
    picture = '<img src="data:image/png;base64,/home/ada/at0x7f00aa10" alt="a graph">'
    assert (
        problems(one_cell("x", new_output("display_data", {"text/html": picture, "image/png": "/tmp/tmp"})))
        == []
    )


@given(st.text(alphabet="abc/.-_ :", max_size=30))
def test_the_path_of_a_url_is_never_taken_for_a_file(path):
    assert machine_path("http://harbour.example" + path.replace(" ", "").replace(":", "")) is None
