"""What every explorer is: controls, a picture that follows them, the same as words and as a table.

states    a function of the controls' values that returns a sequence of states, at least one
draw      a function of a state that returns a `Drawing`
describe  a function of a state that returns what happens in it, a sentence or two: also the text alternative
table     a function of a state that returns rows, the first the column heads

All four are pure: an explorer keeps what it needs, so that nothing the student assigns can break it. A
control that changes calls ``states`` again; a step calls only ``draw``, ``describe`` and ``table``.

An exception in a callback is shown in the explorer, and raised: ipywidgets would swallow it after a click.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ipywidgets as widgets

from ircourse.show.controls import BadInput, Control, bind
from ircourse.show.style import INK, PAPER, RULE
from ircourse.show.svg import Drawing, Markup, clip, data_uri, element, figure, joined

Row = Sequence[object]
LONGEST = 5_000  # characters in a cell or a sentence: a hostile name may have millions
CLOSED, OPEN = "\u25b8 The same as a table", "\u25be The same as a table"
CARD = f"background: {PAPER}; color: {INK}; font-size: 14px; line-height: 1.45"
# Its own colours: JupyterLab stripes tables in those of its theme.
CELL = (
    f"background-color: {PAPER}; color: {INK}; border: 1px solid {RULE}; padding: 2px 8px; text-align: left"
)

__all__ = ["Explorer", "html_table", "show"]


class Explorer(widgets.VBox):
    """A picture with controls, of which the five forms are made.

    title     a short name, and the first words of the text alternative
    controls  name of a parameter of ``states`` to `Check`, `Choice`, `Number` or `Text`
    notice    what to notice: the caption

    ``redraw_seconds`` is the kernel's share of the last redraw: from a change that has arrived, with the
    states computed again where a control changed, to all that the page shows.
    """

    def __init__(
        self,
        states: Callable[..., Sequence[Any]],
        draw: Callable[[Any], Drawing],
        describe: Callable[[Any], str],
        table: Callable[[Any], Sequence[Row]],
        *,
        title: str,
        notice: str = "",
        controls: Mapping[str, Control] | None = None,
    ) -> None:
        self._states, self._draw, self._describe, self._table = states, draw, describe, table
        self.title, self.notice = title, notice
        self.controls = {name: bind(control, self._changed) for name, control in (controls or {}).items()}
        self._says, self._view, self._twin = widgets.HTML(), widgets.HTML(), widgets.HTML()
        says = "Show or hide the values of the picture as a table"
        layout = widgets.Layout(width="auto", align_self="flex-start")
        self.fold = widgets.Button(description=CLOSED, tooltip=says, layout=layout)
        self.fold.on_click(lambda _: self._redraw(self._unfold))
        self.redraw_seconds = 0.0
        self.trace: Sequence[Any] = ()
        self.failure: Exception | None = None
        self._quiet = False
        super().__init__([*self._front(), self._says, self._view, *self._back()])
        self._changed()

    def _front(self) -> list[widgets.Widget]:
        """Return what stands above the picture."""
        row = widgets.Layout(flex_flow="row wrap", align_items="center")
        return [widgets.Box([control.shown for control in self.controls.values()], layout=row)]

    def _back(self) -> list[widgets.Widget]:
        """Return what stands below the picture: the table, which stays open from step to step."""
        return [self.fold, self._twin]

    def _unfold(self) -> None:
        self.fold.description = CLOSED if self.fold.description == OPEN else OPEN
        self._show()

    # What follows the controls

    @property
    def at(self) -> int:
        """The number of the state shown."""
        return 0

    def _changed(self, _change: object = None) -> None:
        """Compute the states again, since a control has changed."""
        if not self._quiet:
            self._redraw(self._restart)

    def _redraw(self, action: Callable[[], object]) -> None:
        began = time.perf_counter()
        self._guarded(action)
        self.redraw_seconds = time.perf_counter() - began

    def _restart(self) -> None:
        try:
            values = {name: control.value() for name, control in self.controls.items()}
        except BadInput as bad:
            self._says.value = str(note(clip(str(bad), LONGEST), "alert"))  # the last good picture stays
            return
        trace = self._states(**values)
        if not len(trace):
            raise ValueError(f"{self.title}: no state to show for {values}")
        self._begin(trace)
        self._show()

    def _begin(self, trace: Sequence[Any]) -> None:
        """Take up new states, of which the first will be shown."""
        self.trace = trace

    def _show(self) -> None:
        state = self.trace[self.at]
        says = self._words(state)
        picture = figure(self._draw(state), f"{self.title}. {says}")
        self._says.value = str(note(f"{self._step()}{says}", "status"))
        self._view.value = str(show(joined([picture, remark(self.notice)])))
        is_open = self.fold.description == OPEN
        self._twin.value = str(show(html_table(self._table(state)))) if is_open else ""

    def _words(self, state: Any) -> str:
        return clip(self._describe(state), LONGEST)

    def _step(self) -> str:
        """Return how the words on a state begin."""
        return ""

    def _guarded(self, action: Callable[[], object]) -> None:
        try:
            action()
            self.failure = None
        except Exception as failure:
            self.failure = failure
            says = f"This explorer failed. {type(failure).__name__}: {clip(str(failure), LONGEST)}"
            self._says.value = str(note(says, "alert"))
            raise

    # Without a kernel

    def picture(self) -> Markup:
        """Return the <svg> of the state shown."""
        state = self.trace[self.at]
        return figure(self._draw(state), f"{self.title}. {self._words(state)}")

    def alt(self) -> str:
        """Return in words what the picture shows."""
        return f"{self.title}. {self._words(self.trace[self.at])}"

    def static(self) -> Markup:
        """Return the picture as an <img>, in words, and as a table: what a page without a kernel shows."""
        state = self.trace[self.at]
        image = element("img", src=data_uri(self.picture()), alt=self.alt(), style="max-width: 100%")
        says = note(f"{self._step()}{self._words(state)}", None)
        return joined([element("p", image), says, twin(self._table(state)), remark(self.notice)])

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        return {**bundle, "text/plain": self.alt(), "text/html": str(self.static())}

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.title}>"

    # Driven by a test

    def drive(self, most: int = 40) -> int:
        """Take every control through its range, at most ``most`` values each; raise what a callback raises.

        Returns how many values were set. Afterwards the controls stand as before.
        """
        count = 0
        for control in self.controls.values():
            before = control.widget.value
            for value in [*control.range(most), before]:
                control.widget.value = value
                count += 1 + self._drive_steps(most)
                if self.failure:
                    raise self.failure
        for _ in range(2):
            self.fold.click()
            count += 1 + self._drive_steps(most)
            if self.failure:
                raise self.failure
        return count

    def _drive_steps(self, most: int) -> int:
        """Take what a form adds to the controls through its range."""
        return 0


def show(content: Markup) -> Markup:
    """Return content on a light ground, as every explorer has it in either theme."""
    if not isinstance(content, Markup):
        raise TypeError(f"only Markup reaches a page, not {type(content).__name__}: make it with svg.element")
    return element("div", content, style=f"{CARD}; padding: 6px; border-radius: 6px")


def note(text: str, role: str | None) -> Markup:
    """Return a line of words; the role "status" or "alert" makes screen readers say it when it changes."""
    colour = "; color: #8f2b00; font-weight: bold" if role == "alert" else ""
    return element("div", text, role=role, style=f"{CARD}; padding: 4px 10px; border-radius: 6px{colour}")


def remark(text: str) -> Markup:
    """Return the caption."""
    return element("p", text, style="margin: 6px 4px 0; font-style: italic") if text else Markup()


def twin(rows: Sequence[Row]) -> Markup:
    """Return the table that says what a picture says, folded away."""
    summary = element("summary", "The same as a table", style="cursor: pointer; padding: 4px")
    return element("details", summary, html_table(rows))


def _cell(value: object, tag: str = "td", scope: str | None = None) -> Markup:
    content = value if isinstance(value, Markup) else clip(str(value), LONGEST)
    return element(tag, content, scope=scope, style=CELL)


def html_table(rows: Sequence[Row]) -> Markup:
    """Return rows as a <table>; the first row holds the column heads, each row's first cell names the row."""
    heads = element("tr", *(_cell(cell, "th", "col") for cell in rows[0]))
    body = [
        element("tr", *(_cell(cell, "th", "row") for cell in row[:1]), *map(_cell, row[1:]))
        for row in rows[1:]
    ]
    return element(
        "table",
        element("thead", heads),
        element("tbody", *body),
        style="border-collapse: collapse; margin: 4px",
    )
