"""The other four forms: sliders to a figure, an editor, a comparison side by side, a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ircourse.show.controls import Control, Text
from ircourse.show.explorer import Explorer, Row, html_table, remark, show
from ircourse.show.lists_svg import grid
from ircourse.show.player import Player
from ircourse.show.svg import Drawing, below, beside, caption, joined

__all__ = ["Comparison", "Editor", "Sliders", "Table"]


class Sliders(Explorer):
    """Numbers and choices to one figure; ``state`` is a function of the controls' values to its state."""

    def __init__(self, state: Callable[..., Any], *functions: Any, **more: Any) -> None:
        super().__init__(lambda **values: [state(**values)], *functions, **more)


class Editor(Player):
    """A player whose input the student writes; ``states`` receives it as ``text``."""

    def __init__(
        self, text: Text, *functions: Any, controls: Mapping[str, Control] | None = None, **more: Any
    ) -> None:
        super().__init__(*functions, controls={"text": text, **(controls or {})}, **more)


class Comparison(Player):
    """Two traces side by side in step; the shorter one waits at its end.

    names   what stands above each side
    states  a function of the controls' values that returns the two traces
    """

    def __init__(
        self,
        names: tuple[str, str],
        states: Callable[..., tuple[Sequence[Any], Sequence[Any]]],
        draw: Callable[[Any], Drawing],
        describe: Callable[[Any], str],
        table: Callable[[Any], Sequence[Row]],
        **more: Any,
    ) -> None:
        def paired(**values: Any) -> Sequence[tuple[Any, Any]]:
            left, right = states(**values)
            longest = max(len(left), len(right))
            return [(left[min(i, len(left) - 1)], right[min(i, len(right) - 1)]) for i in range(longest)]

        def draw_both(pair: tuple[Any, Any]) -> Drawing:
            sides = [draw(state) for state in pair]
            return beside(*(below(caption(n, s.width), s) for n, s in zip(names, sides, strict=True)), gap=32)

        def describe_both(pair: tuple[Any, Any]) -> str:
            return " ".join(f"{n}: {describe(state)}" for n, state in zip(names, pair, strict=True))

        def table_both(pair: tuple[Any, Any]) -> Sequence[Row]:
            left, right = (table(state) for state in pair)
            rows = [["side", *left[0]], *([names[0], *row] for row in left[1:])]
            return [*rows, *([names[1], *row] for row in right[1:])]

        super().__init__(paired, draw_both, describe_both, table_both, **more)


class Table(Sliders):
    """Values to read rather than to see: the table itself is shown."""

    def __init__(
        self,
        state: Callable[..., Any],
        describe: Callable[[Any], str],
        table: Callable[[Any], Any],
        **more: Any,
    ) -> None:
        def draw(state: Any) -> Drawing:
            rows = table(state)
            return grid([str(cell) for cell in rows[0]], rows[1:])

        super().__init__(state, draw, describe, table, **more)

    def _back(self) -> list[Any]:
        return []

    def _show(self) -> None:
        super()._show()
        self._view.value = str(show(joined([html_table(self._table(self.trace[0])), remark(self.notice)])))
