import json

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from ircourse.notebooks import find_chapters, read_notebook, run

pytestmark = pytest.mark.notebook
NAMES = ["19_6_near_duplicates", "20_1_spiders", "20_2_crawler", "A1_at_scale"]


def chapter(folder, name, *sources):
    """Write a chapter of the given code cells, not executed; return its path."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.ipynb"
    cells = [new_markdown_cell("# A chapter", id="top")]
    cells += [new_code_cell(source, id=f"c{n}") for n, source in enumerate(sources)]
    nbformat.write(new_notebook(cells=cells), path)
    return path


@pytest.fixture
def chapters(tmp_path):
    return tmp_path / "chapters"


@pytest.fixture
def named(chapters):
    """A folder with four chapters that are not run."""
    for name in NAMES:
        chapter(chapters, name)
    return chapters


@pytest.mark.parametrize(
    "names, found",
    [
        ([], NAMES),
        (["20_1"], ["20_1_spiders"]),
        (["20"], ["20_1_spiders", "20_2_crawler"]),
        (["A1_at_scale.ipynb", "chapters/19_6_near_duplicates.ipynb"], [NAMES[0], NAMES[3]]),
        (["20_2", "20_2_crawler"], ["20_2_crawler"]),
    ],
)
def test_chapters_are_found_by_the_beginning_of_their_names(named, names, found):
    assert [path.stem for path in find_chapters(names, named)] == found


@given(st.sampled_from(NAMES), st.integers(1, 30))
def test_every_beginning_finds_its_chapter(tmp_path_factory, name, length):
    folder = tmp_path_factory.getbasetemp() / "beginnings"
    if not folder.exists():
        for each in NAMES:
            chapter(folder, each)
    assert name in [path.stem for path in find_chapters([name[:length]], folder)]


@pytest.mark.parametrize("name", ["21_2", "spiders", "20_1_spiders_2"])
def test_an_unknown_name_is_answered_with_the_names_there_are(named, capsys, name):
    assert run(["20_1", name], folder=named) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert repr(name) in printed.err
    assert all(each in printed.err for each in NAMES)
    assert not (named.parent / "_output").exists()


def test_no_chapters_at_all_is_said(tmp_path, capsys):
    assert run([], folder=tmp_path / "nowhere") == 2
    assert "no chapters in" in capsys.readouterr().err


def test_a_run_prints_a_line_a_chapter_and_writes_a_page(chapters, capfd):
    first = chapter(chapters, "20_1_spiders", "print(6 * 7)", "", "_ = 1")
    chapter(chapters, "20_2_crawler", "import os\nos.path.exists('20_1_spiders.ipynb')")
    before = first.read_bytes()
    assert run([], folder=chapters) == 0
    out, err = capfd.readouterr()
    assert [line.split()[0] for line in out.splitlines()] == ["20_1_spiders", "20_2_crawler", "total"]
    assert all(line.split()[2].startswith("s") for line in out.splitlines())
    assert err == ""  # newer kernels print a notice when they start
    assert first.read_bytes() == before
    pages = chapters.parent / "_output"
    assert ">\n<pre>42\n</pre>" in (pages / "20_1_spiders.html").read_text(encoding="utf-8")
    assert "True" in (pages / "20_2_crawler.html").read_text(encoding="utf-8")


def test_a_failing_cell_is_named_and_the_others_still_run(chapters, capsys, tmp_path):
    bad = chapter(chapters, "20_1_spiders", "x = 0", "y = 1\nprint('before')\n\n1 / x", "print('never')")
    chapter(chapters, "20_2_crawler", "print(1)")
    before = bad.read_bytes()
    assert run([], save=True, output=tmp_path / "pages", folder=chapters) == 1
    out, err = capsys.readouterr()
    assert out.splitlines()[0].endswith("failed")
    assert "In [2]:\n    y = 1\n    print('before')" in err
    assert "ZeroDivisionError: division by zero" in err
    assert "\x1b" not in err
    assert bad.read_bytes() == before
    assert [path.name for path in (tmp_path / "pages").iterdir()] == ["20_2_crawler.html"]


def test_a_kernel_that_dies_is_reported_with_its_cell(chapters, capsys):
    chapter(chapters, "20_1_spiders", "import os", "os._exit(3)")
    assert run([], folder=chapters) == 1
    assert "In [2]:\n    os._exit(3)\n  DeadKernelError" in capsys.readouterr().err


def test_a_formula_that_cannot_be_shown_fails_the_chapter(chapters, capsys):
    path = chapter(chapters, "20_1_spiders", "1")
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[0].source = "$\\nosuch$"
    nbformat.write(notebook, path)
    assert run([], folder=chapters) == 1
    assert "the formula '\\\\nosuch' cannot be shown" in capsys.readouterr().err


def test_a_file_that_is_no_notebook_fails_with_a_sentence(chapters, capsys):
    chapters.mkdir()
    (chapters / "20_1_spiders.ipynb").write_text("not json", encoding="utf-8")
    assert run([], folder=chapters) == 1
    assert "20_1_spiders.ipynb is not a notebook" in capsys.readouterr().err


BROKEN = {
    "list": "[]",
    "text": '"x"',
    "nothing": "{}",
    "no UTF-8": b"\xe9",
    "deep": "[" * 100_000,
    "older": '{"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": []}',
    "no metadata": '{"nbformat": 4, "nbformat_minor": 5, "cells": []}',
    "no cells": {},
    "cells of text": {"cells": ["x"]},
    "cells by name": {"cells": {}},
    "cell of nothing": {"cells": [{}]},
    "no source": {"cells": [{"cell_type": "markdown", "metadata": {}, "source": None}]},
    "older cell": {"cells": [{"cell_type": "heading", "metadata": {}, "source": "x"}]},
    "code alone": {"cells": [{"cell_type": "code", "metadata": {}}]},
    "id of numbers": {"cells": [{"cell_type": "raw", "metadata": {}, "source": "", "id": [1]}]},
    "long": {"cells": [{"cell_type": "raw", "metadata": {}, "source": {"x": "y" * 100_000}}]},
}


def broken(folder, name, content):
    folder.mkdir(exist_ok=True)
    if isinstance(content, dict):
        content = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}} | content)
    path = folder / f"{name}.ipynb"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_named_with_what_is_wrong(tmp_path, name):
    with pytest.raises(ValueError, match=r"^20_1\.ipynb is not a notebook: ") as caught:
        read_notebook(broken(tmp_path, "20_1", BROKEN[name]))
    assert len(str(caught.value)) < 500


def test_broken_chapters_fail_and_the_others_run(chapters, capsys):
    for number, content in enumerate(BROKEN.values()):
        broken(chapters, f"20_{number:02}", content)
    text = {"cell_type": "markdown", "metadata": {}, "source": "![x](attachment:nope.png)"}
    broken(chapters, "20_98", {"cells": [text]})
    chapter(chapters, "20_99", "print(1)")
    assert run([], folder=chapters) == 1
    out, err = capsys.readouterr()
    assert [line.endswith("failed") for line in out.splitlines()] == [True] * (len(BROKEN) + 1) + [False] * 2
    assert err.count("is not a notebook") == len(BROKEN) and "nope.png" in err


ENDLESS = {
    "text": "while True: print('x' * 100_000)",
    "pictures": "from IPython.display import HTML, display\nwhile True: display(HTML('x' * 100_000))",
    "widgets": "import ipywidgets\nwhile True: ipywidgets.HTML('x' * 100_000)",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_output_without_end_is_stopped(chapters, capsys, name):
    chapter(chapters, "20_1_spiders", "1", ENDLESS[name])
    chapter(chapters, "20_2_crawler", "print('x' * 1_000_000)")
    assert run([], folder=chapters) == 1
    out, err = capsys.readouterr()
    assert "In [2]:" in err and "output came to more than 10 MB" in err
    assert not out.splitlines()[1].endswith("failed")


def test_the_text_of_an_error_is_cut(chapters, capsys):
    chapter(chapters, "20_1_spiders", f"# {'y' * 100_000}\nraise ValueError('x' * 1_000_000)")
    assert run([], folder=chapters) == 1
    err = capsys.readouterr().err
    assert "ValueError: xxx" in err and len(err) < 3000


def test_a_place_where_no_page_can_be_written_is_named(chapters, tmp_path, capsys):
    chapter(chapters, "20_1_spiders", "1")
    (tmp_path / "pages").write_text("a file")
    assert run([], output=tmp_path / "pages", folder=chapters) == 2
    out, err = capsys.readouterr()
    assert out == "" and "pages" in err and "--output" in err  # before any chapter is run


def test_saving_twice_gives_the_same_bytes_and_keeps_ids(chapters):
    widget = "import ipywidgets\nipywidgets.IntSlider(3)"
    path = chapter(chapters, "20_1_spiders", widget, "", "print('a')\nprint('b')", "{'a': 1}")
    assert run([], save=True, folder=chapters) == 0
    first = path.read_bytes()
    assert run(["20_1"], save=True, folder=chapters) == 0
    assert path.read_bytes() == first
    notebook = nbformat.read(path, as_version=4)
    assert [cell.id for cell in notebook.cells] == ["top", "c0", "c1", "c2", "c3"]
    code = notebook.cells[1:]
    assert [cell.execution_count for cell in code] == [1, None, 2, 3]
    assert code[0].outputs[0].data == {"text/plain": "IntSlider(value=3)"}
    assert code[2].outputs[0].text == "a\nb\n"
    assert all(cell.metadata == {} for cell in notebook.cells)
    assert set(notebook.metadata) == {"kernelspec", "language_info"}


def test_old_outputs_and_older_notebooks_do_not_confuse(chapters):
    path = chapter(chapters, "20_1_spiders", "print('new')")
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].outputs = [nbformat.v4.new_output("stream", text="old\n")]
    notebook.nbformat_minor = 4
    for cell in notebook.cells:
        del cell["id"]
    nbformat.write(notebook, path)
    assert run([], save=True, folder=chapters) == 0
    saved = nbformat.read(path, as_version=4)
    assert [cell.id for cell in saved.cells] == ["cell-1", "cell-2"]
    assert saved.cells[1].outputs[0].text == "new\n"


def test_a_notebook_with_problems_is_not_saved(chapters, capsys):
    path = chapter(chapters, "20_1_spiders", "class A: pass\nA()", "import os\nos.getcwd()")
    before = path.read_bytes()
    assert run([], folder=chapters) == 0
    assert run([], save=True, folder=chapters) == 1
    err = capsys.readouterr().err
    assert "In [1]: memory address" in err
    assert "left as it was" in err
    assert path.read_bytes() == before
