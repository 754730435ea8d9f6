"""Predict, then run: the student commits to an answer, and a later cell sets it beside the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ipywidgets as widgets

from ircourse.show.explorer import html_table, note, remark, show
from ircourse.show.question_files import LETTERS
from ircourse.show.questions import LINE, read_number
from ircourse.show.svg import Markup, element, joined

NONE_YET = "none yet"

__all__ = ["Beside", "Prediction", "predict"]


class Prediction(widgets.VBox):
    """A question without feedback. ``value`` is the choice's text or the number given, None until then."""

    def __init__(self, question: str, choices: Sequence[str] | None = None) -> None:
        self.question, self.choices = question, None if choices is None else list(choices)
        if self.choices is not None and not 2 <= len(self.choices) <= len(LETTERS):
            raise ValueError(f"{len(self.choices)} choices to predict from; give 2 to {len(LETTERS)}")
        self.value: str | float | None = None
        self._shown: list[Beside] = []
        head = widgets.HTML(str(self._head()))
        self._says = widgets.HTML(str(note(f"Your prediction: {NONE_YET}.", "status")))
        super().__init__([head, *(self._field() if self.choices is None else self._buttons()), self._says])

    def _head(self) -> Markup:
        return element("div", element("strong", "Predict. "), self.question, style=LINE)

    def _buttons(self) -> list[widgets.Widget]:
        rows = []
        self.buttons = []
        for letter, text in zip(LETTERS, self.choices or (), strict=False):
            layout = widgets.Layout(width="44px", flex="0 0 auto")
            button = widgets.Button(description=letter, tooltip=f"Predict {letter}: {text}", layout=layout)
            button.on_click(lambda _, text=text: self.choose(text))
            self.buttons.append(button)
            rows.append(widgets.HBox([button, widgets.HTML(str(element("div", text, style=LINE)))]))
        return rows

    def _field(self) -> list[widgets.Widget]:
        style = {"description_width": "initial"}
        self.field = widgets.Text(description="Your number", continuous_update=False, style=style)
        self.field.observe(lambda change: self.choose(change["new"]), "value")
        return [self.field]

    def choose(self, given: str | float) -> None:
        """Record a prediction; what is no number where one is asked leaves the last one."""
        if self.choices is None:
            number = read_number(str(given))
            if number is None:
                self._says.value = str(note(f"{str(given)[:40]!r} is not a number: write digits.", "alert"))
                return
            self.value = number
        else:
            self.value = str(given)
        self._says.value = str(note(f"Your prediction: {_written(self.value)}.", "status"))
        for beside in self._shown:
            beside.predict(self.value)

    def beside(self, result: object, notice: str = "") -> Beside:
        """Return the prediction and the result, to be shown as a cell's last value."""
        beside = Beside(self.value, result, notice)
        self._shown.append(beside)
        return beside

    def static(self) -> Markup:
        """Return the question and its choices: what a page without a kernel shows."""
        choices = [element("li", text) for text in self.choices or ()]
        style = "list-style-type: upper-alpha"
        return joined([self._head(), *([element("ol", *choices, style=style)] if choices else [])])

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        return {**bundle, "text/plain": f"Predict. {self.question}", "text/html": str(self.static())}

    def __repr__(self) -> str:
        return f"<Prediction: {self.question}>"

    def drive(self) -> int:
        """Give every choice, or a number and nonsense; afterwards nothing is predicted. Returns how many."""
        given = ["12", "2/5", "", "many"] if self.choices is None else self.choices
        for answer in given:
            self.choose(answer)
        self.value = None
        return len(given)


class Beside(widgets.HTML):
    """A prediction and a result, side by side on the page; a prediction made late still arrives."""

    def __init__(self, predicted: str | float | None, result: object, notice: str = "") -> None:
        self.result, self.notice = result, notice
        super().__init__()
        self.predict(predicted)

    def predict(self, value: str | float | None) -> None:
        """Show another prediction."""
        self.predicted = value
        self.value = str(self.static())

    def static(self) -> Markup:
        """Return the two in a table: what a page without a kernel shows too."""
        rows = [["predicted", "result"], [_written(self.predicted), _written(self.result)]]
        return show(joined([html_table(rows), remark(self.notice)]))

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        return {**bundle, "text/plain": repr(self), "text/html": str(self.static())}

    def __repr__(self) -> str:
        return (
            f"Predicted: {_written(self.predicted).rstrip('.')}. Result: {_written(self.result).rstrip('.')}."
        )


def _written(value: object) -> str:
    if value is None:
        return NONE_YET
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def predict(question: str, choices: Sequence[str] | None = None) -> Prediction:
    """Return a question to answer before an experiment; without ``choices`` a number is asked for.

    >>> guess = predict("How often do the first shingles agree?", ["1 in 5", "2 in 5", "2 in 3"])
    >>> guess.beside("2 in 5")
    Predicted: none yet. Result: 2 in 5.
    """
    return Prediction(question, choices)
