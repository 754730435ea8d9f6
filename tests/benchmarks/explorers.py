"""The kernel's share of a redraw, from a change that has arrived to all that the page shows.

Run with ``python tests/benchmarks/explorers.py``: a row an explorer, with the time to make it, and the median
and the worst of its redraws, over every control taken through its range and the steps of each trace.
"""

import importlib
import inspect
import pkgutil
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
import ircourse.show

STEPS = 12


def factories():
    """Yield the name and the function of every explorer of the package."""
    for module in pkgutil.iter_modules(ircourse.show.__path__, "ircourse.show."):
        for name, thing in vars(importlib.import_module(module.name)).items():
            here = inspect.isfunction(thing) and thing.__module__ == module.name
            if here and thing.__annotations__.get("return") == "Explorer":
                yield name, thing


def redraws(explorer):
    """Yield the seconds of each redraw, with what caused it."""
    explorer.fold.click()  # the table is part of it
    yield explorer.redraw_seconds, "the table"
    yield from walk(explorer)
    for name, control in explorer.controls.items():
        before = control.widget.value
        for value in [*control.range(STEPS), before]:
            if value != control.widget.value:
                control.widget.value = value
                yield explorer.redraw_seconds, f"{name} = {str(value)[:24]!r}"
                yield from walk(explorer)


def walk(explorer):
    """Yield the same for some steps of the trace."""
    last = len(explorer.trace) - 1
    for step in sorted({round(i * last / STEPS) for i in range(STEPS + 1)}):
        if step != explorer.at:
            explorer.go(step)
            yield explorer.redraw_seconds, f"step {step}"


def main():
    """Print a row for each explorer."""
    for name, make in factories():
        began = time.perf_counter()
        explorer = make()
        made = time.perf_counter() - began
        seconds, causes = zip(*redraws(explorer), strict=True)
        worst = max(seconds)
        print(
            f"{name:20} made in {made * 1e3:5.0f} ms, {len(seconds):4} redraws: "
            f"median {statistics.median(seconds) * 1e3:6.2f} ms, worst {worst * 1e3:6.1f} ms "
            f"({causes[seconds.index(worst)]})"
        )


if __name__ == "__main__":
    main()
