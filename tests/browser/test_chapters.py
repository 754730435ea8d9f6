"""Every chapter in a real JupyterLab: all cells run, every explorer steps, no cell fails."""

from pathlib import Path

import pytest

CHAPTERS = sorted(path.stem for path in (Path(__file__).parents[2] / "chapters").glob("*.ipynb"))


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_runs_and_its_explorers_step(run_chapter, name):
    page = run_chapter(name)
    steps = page.get_by_role("button", name="Step ▶", exact=True)
    page.locator("svg[role=img]").first.wait_for()
    for button in steps.all():
        output = button.locator("xpath=ancestor::div[contains(@class, 'jp-OutputArea-output')]")
        says = output.locator("[role=status]").first
        before = says.inner_text()
        button.click()
        page.wait_for_function(
            "([node, before]) => node.querySelector('[role=status]').innerText !== before",
            arg=[output.element_handle(), before],
        )
        assert before != says.inner_text()
    assert page.errors == []
    assert page.locator("[data-mime-type='application/vnd.jupyter.error']").count() == 0
