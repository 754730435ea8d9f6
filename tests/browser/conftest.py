"""A real JupyterLab on a copy of some notebooks, and the pages of a Chromium that opens them."""

import json
import os
import queue
import re
import secrets
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCREENSHOTS = ROOT / "_output" / "screenshots"  # of tests that failed; CI keeps them
SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},  # every cell is on the page, in view or not
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}
LONG = 120  # seconds until something that must happen counts as failed


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """A JupyterLab on a folder of its own, with settings of its own; ``lab.url(name)`` opens a notebook."""
    running = Lab(tmp_path_factory.mktemp("lab"))
    yield running
    running.stop()


class Lab:
    """A running JupyterLab."""

    def __init__(self, home):
        self.folder = home / "notebooks"
        self.folder.mkdir()
        self.token = secrets.token_hex(16)
        for name, values in SETTINGS.items():
            path = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(values), encoding="utf-8")
        places = {
            "HOME": home,
            "JUPYTERLAB_SETTINGS_DIR": home / "settings",
            "JUPYTERLAB_WORKSPACES_DIR": home / "workspaces",
            "JUPYTER_CONFIG_DIR": home / "config",
            "JUPYTER_DATA_DIR": home / "data",
            "JUPYTER_RUNTIME_DIR": home / "runtime",
            "IPYTHONDIR": home / "ipython",
        }
        paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
                *("--expose-app-in-browser", "--ServerApp.ip=127.0.0.1", "--ServerApp.port=0"),
                f"--IdentityProvider.token={self.token}",
            ],
            cwd=self.folder,
            env={**os.environ, **{k: str(v) for k, v in places.items()}, "PYTHONPATH": paths},
            stderr=subprocess.PIPE,
            text=True,
        )
        lines = queue.Queue()
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()
        self.base, said = None, []
        while self.base is None:
            line = lines.get(timeout=LONG)
            if line is None:
                raise RuntimeError("JupyterLab ended at once:\n" + "".join(said))
            said.append(line)
            if found := re.search(r"http://127\.0\.0\.1:[1-9]\d*/", line):
                self.base = found[0]

    def _read(self, lines):
        for line in self.process.stderr:
            lines.put(line)
        lines.put(None)

    def url(self, name):
        """The address of a notebook in this JupyterLab."""
        return f"{self.base}lab/tree/{name}?token={self.token}&reset"

    def stop(self):
        """End the server and its kernels."""
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stderr.close()


@pytest.fixture
def page(chromium, request):
    """An empty page of its own; a screenshot is kept where the test fails."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(LONG * 1000)
    made = context.new_page()
    made.errors = []
    made.on("pageerror", lambda error: made.errors.append(str(error)))
    yield made
    if getattr(request.node, "failed", False):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        path = SCREENSHOTS / (re.sub(r"\W+", "_", request.node.name).strip("_") + ".png")
        made.screenshot(path=path, full_page=True)
        print(f"screenshot: {path}")
    end_kernels(made)
    context.close()


def end_kernels(page):
    """End the kernels that a page of JupyterLab has started: they would stay until the server ends."""
    page.evaluate("() => window.jupyterapp?.serviceManager.sessions.shutdownAll()")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed:
        item.failed = True
    return report


@pytest.fixture
def notebook(lab, page):
    """A function that writes cells as a notebook, opens it, runs all, and returns the page."""
    import nbformat

    def run(name, sources):
        cells = [nbformat.v4.new_code_cell(source, id=f"cell-{i}") for i, source in enumerate(sources)]
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        made = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
        nbformat.write(made, lab.folder / f"{name}.ipynb")
        return open_and_run(lab, page, f"{name}.ipynb")

    return run


def open_and_run(lab, page, name):
    """Open a notebook, run all its cells, wait for the last; no cell may have failed."""
    page.goto(lab.url(name))
    page.wait_for_selector(".jp-Notebook .jp-CodeCell")
    page.wait_for_function("window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel")
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
    page.wait_for_function(
        """() => [...document.querySelectorAll('.jp-CodeCell .jp-InputArea-prompt')]
                  .every(prompt => /\\d/.test(prompt.textContent))"""
    )
    assert page.locator("[data-mime-type='application/vnd.jupyter.error']").all_inner_texts() == []
    assert page.locator("[data-mime-type='application/vnd.jupyter.stderr']").all_inner_texts() == []
    return page


@pytest.fixture
def run_chapter(lab, page):
    """A function that copies a chapter and what stands beside it, opens it and runs all cells."""

    def run(name):
        shutil.copytree(ROOT / "chapters", lab.folder, dirs_exist_ok=True)
        return open_and_run(lab, page, f"{name}.ipynb")

    return run


@pytest.fixture(scope="session")
def axe():
    """The source of axe-core, which checks a page's accessibility."""
    import axe_playwright_python

    return (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
