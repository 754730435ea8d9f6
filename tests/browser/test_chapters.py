"""Every chapter in a real JupyterLab: all cells run, every explorer steps, no cell fails."""

import re
from pathlib import Path

import pytest

CHAPTERS = sorted(path.stem for path in (Path(__file__).parents[2] / "chapters").glob("*.ipynb"))

AT_THE_END = re.compile(r"Step (\d+) of \1\b")


def output_of(button):
    """The output that a button belongs to."""
    return button.locator("xpath=ancestor::div[contains(@class, 'jp-OutputArea-output')]")


def status_of(button):
    """What the explorer of a button says of its state."""
    return output_of(button).locator("[role=status]").first


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_runs_and_its_explorers_step(run_chapter, name):
    page = run_chapter(name)
    steps = page.get_by_role("button", name="Step ▶", exact=True)
    backs = page.get_by_role("button", name="◀ Back", exact=True)
    page.locator("svg[role=img]").first.wait_for()
    for step, back in zip(steps.all(), backs.all(), strict=True):
        button = back if AT_THE_END.search(status_of(step).inner_text()) else step
        output = output_of(button)
        says = status_of(button)
        before = says.inner_text()
        button.click()
        page.wait_for_function(
            "([node, before]) => node.querySelector('[role=status]').innerText !== before",
            arg=[output.element_handle(), before],
        )
        assert before != says.inner_text()
    assert page.errors == []
    assert page.locator("[data-mime-type='application/vnd.jupyter.error']").count() == 0
