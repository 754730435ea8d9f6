"""Pictures without a kernel: in a notebook that nobody trusts, and in the page that `run` writes."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from ircourse.notebooks.clean import clean
from ircourse.notebooks.page import html_page

ROOT = Path(__file__).parents[2]
CELLS = [
    "from ircourse.show.spiders import watch_spiders\nwatch_spiders()",
    "from ircourse.show.seeds import cover_with_seeds\ncover_with_seeds()",
    "from ircourse.show.predict import predict\npredict('How often?', ['1 in 5', '2 in 5'])",
]
PICTURES = """() => [...document.querySelectorAll('img')].map(
    image => [image.complete && image.naturalWidth > 100, (image.alt ?? '').length > 20])"""


@pytest.fixture(scope="module")
def executed():
    """A notebook as it is committed: executed, and without widget views."""
    cells = [nbformat.v4.new_code_cell(source, id=f"cell-{i}") for i, source in enumerate(CELLS)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    NotebookClient(notebook, resources={"metadata": {"path": ROOT}}).execute()
    return clean(notebook)


def test_an_untrusted_notebook_without_a_kernel_shows_the_pictures(lab, page, executed):
    notebook = nbformat.from_dict({**executed})
    notebook.metadata["kernelspec"] = {"name": "none", "display_name": "none", "language": "python"}
    nbformat.write(notebook, lab.folder / "static.ipynb")
    page.goto(lab.url("static.ipynb"))
    page.wait_for_selector(".jp-Notebook .jp-OutputArea-output img")
    page.wait_for_function(f"({PICTURES})().filter(([shown]) => shown).length >= 2")
    pictures = page.locator(".jp-OutputArea-output").evaluate_all(
        """outputs => outputs.flatMap(output => [...output.querySelectorAll('img')])
                             .map(image => [image.naturalWidth > 100, image.alt.length > 20])"""
    )
    assert pictures == [[True, True], [True, True]]
    assert page.get_by_text("2 in 5").first.is_visible()
    assert "Error displaying widget" not in page.locator(".jp-Notebook").inner_text()


def test_the_page_that_run_writes_shows_them_offline(page, executed, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(html_page(executed, tmp_path, "page"), encoding="utf-8")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.context.set_offline(True)
    page.goto(path.as_uri())
    assert page.evaluate(PICTURES) == [[True, True], [True, True]]
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    page.locator("summary").first.click()
    assert page.locator("details td").first.is_visible()
