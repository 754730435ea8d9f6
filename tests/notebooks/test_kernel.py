import json
import os
import subprocess
import sys
import warnings

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from ircourse.notebooks import CellFailed, execute
from ircourse.notebooks.kernel import HIDDEN, kernel_folder, make_warnings_errors, write_kernel

SHOW = """
import os, sys, json
print(json.dumps([sys.executable, os.getcwd(), "warnings" in globals(), os.environ["IRCOURSE_STRICT"]]))
"""


def test_the_kernel_is_this_interpreter_whatever_is_installed_and_leaves_no_trace(tmp_path):
    with kernel_folder() as folder:
        spec = json.loads((folder / "kernels" / "python3" / "kernel.json").read_text(encoding="utf-8"))
        assert spec["argv"][0] == sys.executable
    assert not folder.exists()


def test_a_dollar_in_a_path_is_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "one$HOME")
    write_kernel(tmp_path)
    spec = json.loads((tmp_path / "kernels" / "python3" / "kernel.json").read_text(encoding="utf-8"))
    assert spec["env"]["PYTHONPATH"].endswith(os.pathsep + "one$$HOME")


@pytest.mark.notebook
def test_the_user_s_own_kernel_profile_and_start_up_are_not_taken(tmp_path, kernel, monkeypatch):
    other = tmp_path / "kernels" / "python3"
    other.mkdir(parents=True)
    (other / "kernel.json").write_text('{"argv": ["false"], "display_name": "x", "language": "python"}')
    (tmp_path / "startup.py").write_text("warnings = 1")
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "startup.py"))
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    folder = tmp_path / "chapters ü"
    folder.mkdir()
    notebook = execute(new_notebook(cells=[new_code_cell(SHOW)]), folder, kernel)
    executable, here, name, strict = json.loads(notebook.cells[0].outputs[0].text)
    assert (executable, name, strict) == (sys.executable, False, "1")
    assert os.path.samefile(here, folder)


@pytest.mark.notebook
def test_a_warning_fails_its_cell(tmp_path, kernel):
    source = "import warnings\nwarnings.warn('old', DeprecationWarning)"
    with pytest.raises(CellFailed, match=r"In \[1\]:(.|\n)*DeprecationWarning: old"):
        execute(new_notebook(cells=[new_code_cell(source)]), tmp_path, kernel)


REACH = {
    "connect": "import socket\nsocket.create_connection(('192.0.2.1', 80), timeout=1)",
    "beneath": "import _socket\n_socket.socket().connect(('192.0.2.1', 80))",
    "send": "import socket\nsocket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
    "a page": "import requests\nrequests.get('http://192.0.2.1/')",
    "look up": "import socket\nsocket.getaddrinfo('harbour.example', 80)",
    "caught": "import socket\ntry: socket.gethostbyname('harbour.example')\nexcept OSError: pass",
}


@pytest.mark.notebook
def test_a_cell_that_reaches_for_another_machine_fails(tmp_path, kernel):
    cells = [new_code_cell(source, metadata={"tags": ["raises-exception"]}) for source in REACH.values()]
    own = "import socket\nwith socket.create_server(('127.0.0.1', 0)) as s:\n"
    own += "    socket.create_connection(s.getsockname()).close()\nsocket.getaddrinfo('localhost', 80) and 1"
    notebook = execute(new_notebook(cells=[*cells, new_code_cell(own)]), tmp_path, kernel)
    for cell in notebook.cells[:-1]:
        (error,) = cell.outputs
        assert error.ename == "OutsideLoopback" and "is another machine" in error.evalue
    assert notebook.cells[-1].outputs[0].data["text/plain"] == "1"
    with pytest.raises(CellFailed, match=r"OutsideLoopback: '192\.0\.2\.1' is another machine"):
        execute(new_notebook(cells=[new_code_cell(REACH["connect"])]), tmp_path, kernel)


def test_what_python_hides_stays_hidden_unless_we_or_the_cell_are_to_blame():
    with warnings.catch_warnings():
        make_warnings_errors()
        for category in HIDDEN:
            warnings.warn_explicit("old", category, "lib.py", 1, module="library.part")
        for module in ("__main__", "ircourse", "ircourse.graphs"):
            with pytest.raises(DeprecationWarning):
                warnings.warn_explicit("old", DeprecationWarning, "x.py", 1, module=module)
        warnings.warn_explicit("old", DeprecationWarning, "x.py", 1, module="ircourses")
        with pytest.raises(UserWarning):
            warnings.warn_explicit("no", UserWarning, "lib.py", 1, module="library")


def test_the_kernel_s_first_line_imports_no_notebook_library():
    code = "import sys, ircourse.notebooks.kernel; print({'nbformat', 'nbclient'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
