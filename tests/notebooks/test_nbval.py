"""What nbval, run as the course's `test` command runs it, lets pass and what it stops.

Each notebook is stored by one run of our own kernel, or made by hand, and checked by nbval in another.
"""

import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from importlib.metadata import version
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from ircourse.notebooks import clean, execute, save_notebook

pytestmark = pytest.mark.notebook
ROOT = Path(__file__).parents[2]
BUNDLE = """
class Player(widgets.IntSlider):
    def _repr_mimebundle_(self, **more):
        picture = '<img src="data:image/svg+xml;base64,PHN2Zy8+" alt="state 1">'
        return super()._repr_mimebundle_(**more) | {"text/html": picture, "text/plain": "a player"}
Player(3)
"""
PASS = {
    "import": "import matplotlib.pyplot as plt\nimport ipywidgets as widgets\nfrom random import random",
    "text": "print('ünï')\n6 * 7",
    "semicolon mended": "_ = plt.plot([1, 2, 3])",
    "widget": "widgets.IntSlider(3)",
    "static picture beside a widget": BUNDLE,
    "text in two pieces around a figure": "print('a', flush=True)\nplt.figure(); plt.show()\nprint('b')",
    "many lines": "for i in range(2000):\n    print(i)",
    "sorted set": "{x: len(x) for x in sorted({'ferry', 'quay', 'pier', 'buoy'})}",
    "a library's deprecation": "import warnings\nwarning = DeprecationWarning, 'library.py', 1, 'library'\n"
    "warnings.warn_explicit('old', *warning)",
    "nothing shown": "_ = 1",
    "blank": "",
}
DIFFER = {
    "import": "import random\nimport time\nimport matplotlib.pyplot as plt\nimport numpy as np",
    "semicolon": "plt.plot([1, 2, 3]);",
    "unseeded start": "np.random.default_rng().random(3)",
    "order of a set": "{f'page{i}': i for i in {str(i) for i in range(40)}}",
    "object without repr": "class Page: pass\nPage()",
    "global random state": "random.random()",
    "time": "print('took %.9f s' % time.perf_counter())",
}


def count(source, *outputs, number=1, tags=()):
    """A code cell as it is stored, with its outputs."""
    cell = new_code_cell(source, execution_count=number, outputs=list(outputs))
    if tags:
        cell.metadata["tags"] = list(tags)
    return cell


def out(text, name="stdout"):
    return new_output("stream", name=name, text=text)


def result(number=1, **data):
    forms = {name.replace("_", "/", 1): value for name, value in data.items()}
    return new_output("execute_result", forms, execution_count=number)


PNG = "plt.figure(); plt.show()"
HTML = 'from IPython.display import HTML\nHTML(\'<img alt="a" src="data:image/svg+xml;base64,PHN2Zy8+">\')'
FIGURE = {"image_png": "iVBORw0KGgo=", "text_plain": "<Figure size 640x480 with 0 Axes>"}
HAND = {
    "same": (count("print(1)", out("1\n")), True),
    "changed text": (count("print(1)", out("2\n")), False),
    "changed value": (count("6 * 7", result(text_plain="43")), False),
    "sum of floats on another Python": (count("print(1 - 2**-53)", out("1.0\n")), False),
    "output missing": (count("print(1)"), False),
    "output too many": (count("_ = 1", out("1\n")), False),
    "count stripped": (count("1 + 1", result(text_plain="2"), number=None), False),
    "warning": (count("import warnings\nwarnings.warn('no')", out("UserWarning: no\n", "stderr")), False),
    "deprecation": (count("import warnings\nwarnings.warn('old', DeprecationWarning)"), False),
    "numpy's warning": (count("import numpy as np\n_ = np.log(np.zeros(1))"), False),
    "standard error": (
        count("import sys, os\nprint(os.getpid(), file=sys.stderr)", out("7\n", "stderr")),
        False,
    ),
    "exception": (count("1 / 0"), False),
    "failed assertion": (count("assert 1 + 1 == 3"), False),
    "real input": (count("print(2)", out("1\n"), tags=["nbval-ignore-output"]), True),
    "real input out of range": (count("assert 2 < 1", tags=["nbval-ignore-output"]), False),
    "import": (count("import matplotlib.pyplot as plt"), True),
    "other picture in a figure": (count(PNG, new_output("display_data", dict(result(**FIGURE).data))), True),
    "other size of a figure": (
        count(PNG, new_output("display_data", dict(result(**FIGURE | {"text_plain": "<Figure>"}).data))),
        False,
    ),
    "other picture of an explorer": (
        count(
            HTML,
            result(text_html='<img alt="a" src="data:,">', text_plain="<IPython.core.display.HTML object>"),
        ),
        False,
    ),
}


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory, kernel):
    """From (notebook, cell's name) to whether nbval lets the cell pass."""
    folder = tmp_path_factory.mktemp("nbval") / "chapters"
    folder.mkdir()
    shutil.copy(ROOT / "chapters" / "conftest.py", folder)
    for name, sources in (("passing", PASS), ("differing", DIFFER)):
        cells = [new_code_cell(source) for source in sources.values()]
        save_notebook(clean(execute(new_notebook(cells=cells), folder, kernel)), folder / f"{name}.ipynb")
    nbformat.write(new_notebook(cells=[cell for cell, _ in HAND.values()]), folder / "stored.ipynb")
    nbformat.write(new_notebook(cells=[new_code_cell("print(1)")]), folder / "unrun.ipynb")
    names = {"passing": list(PASS), "differing": list(DIFFER), "stored": list(HAND), "unrun": ["unrun"]}
    return {(book, names[book][cell]): passed for book, cell, passed in nbval(folder)}


def nbval(folder):
    """Run nbval over the notebooks in a folder; give the name, the cell's number and whether it passed."""
    options = ["--nbval", "--nbval-sanitize-with", "tests/notebooks/sanitize.cfg", "-c", "pyproject.toml"]
    report = folder / "report.xml"
    command = [sys.executable, "-m", "pytest", *options, "-p", "no:cacheprovider", f"--junitxml={report}"]
    # Variables that would hide a fault, were they passed on to the kernels.
    env = os.environ | {"PYTHONHASHSEED": "0", "MPLBACKEND": "agg", "PYTHONWARNINGS": ""}
    done = subprocess.run([*command, str(folder)], cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 1, done.stdout + done.stderr
    for case in ET.parse(report).getroot().iter("testcase"):
        book = Path(case.get("classname").replace(".", "/")).parts
        if case.get("name").startswith("Cell "):
            name = next(part for part in book if part in ("passing", "differing", "stored", "unrun"))
            yield name, int(case.get("name").removeprefix("Cell ")), not len(case)


@pytest.mark.parametrize("name", PASS)
def test_what_is_the_same_in_every_run_passes(verdicts, name):
    assert verdicts["passing", name]


@pytest.mark.parametrize("name", [name for name in DIFFER if name != "import"])
def test_what_differs_from_run_to_run_is_stopped(verdicts, name):
    assert not verdicts["differing", name]


@pytest.mark.parametrize("name", HAND)
def test_what_is_stored_is_compared(verdicts, name):
    assert verdicts["stored", name] == HAND[name][1]


def test_a_notebook_that_was_not_run_checks_nothing(verdicts):
    assert verdicts["unrun", "unrun"]  # hence test_chapters.py


def test_nbval_is_one_that_knows_the_hooks_of_this_pytest():
    assert tuple(map(int, version("nbval").split(".")[:2])) >= (0, 11)
