"""The explorer that CONTRIBUTING.md shows by example works as it stands there."""

import re
from pathlib import Path

TEXT = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_example_explorer_runs():
    names = {}
    exec(re.search(r"```python\n(.*?)```", TEXT, re.DOTALL)[1], names)
    explorer = names["watch_breadth_first"]()
    assert explorer.drive() > 0
    assert explorer.alt() == "Breadth first. Page 1 of the walk: home."
