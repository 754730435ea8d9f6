"""Check yourself: questions with feedback for every answer.

The form of a chapter's questions is told in question_files.py.

Why not jupyterquiz: its markup carries random ids, which change a committed notebook at every run, and it
lives in a script, which an untrusted notebook drops.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from ircourse.show.explorer import CARD, note
from ircourse.show.question_files import LETTERS, check, load_questions
from ircourse.show.svg import Markup, element, joined

LINE = f"{CARD}; padding: 5px 10px; border-radius: 6px"

__all__ = ["Question", "Quiz", "ask"]


class Question(widgets.VBox):
    """One question on the page; `answer` gives an answer as a click does. ``right`` is None until then.

    >>> q = Question({"id": "q", "question": "1 + 1?", "answer": 2, "feedback": "Yes.", "otherwise": "No."})
    >>> q.answer(3)
    'No.'
    >>> q.right
    False
    """

    def __init__(self, item: Mapping[str, Any], number: int = 1) -> None:
        check(item)
        self.item, self.number = item, number
        self.right: bool | None = None
        head = widgets.HTML(str(self._head()))
        self._says = widgets.HTML()
        super().__init__([head, *(self._choices() if "choices" in item else self._number()), self._says])

    def _head(self) -> Markup:
        strong = element("strong", f"Question {self.number}. ")
        return element("div", strong, self.item["question"], style=LINE)

    def _choices(self) -> list[widgets.Widget]:
        self.buttons = []
        rows = []
        for i, choice in enumerate(self.item["choices"]):
            button = widgets.Button(
                description=LETTERS[i],
                tooltip=f"Answer {LETTERS[i]}: {choice['text']}",
                layout=widgets.Layout(width="44px", flex="0 0 auto"),
            )
            button.on_click(lambda _, i=i: self.answer(i))
            self.buttons.append(button)
            text = element("div", choice["text"], style=LINE)
            rows.append(widgets.HBox([button, widgets.HTML(str(text))]))
        return rows

    def _number(self) -> list[widgets.Widget]:
        unit = self.item.get("unit", "")
        self.field = widgets.Text(
            description=f"Answer ({unit})" if unit else "Answer",
            placeholder="a number",
            continuous_update=False,
            style={"description_width": "initial"},
        )
        self.button = widgets.Button(description="Check", tooltip="Check the answer")
        self.field.observe(lambda change: self.answer(change["new"]), "value")  # Enter
        self.button.on_click(lambda _: self.answer(self.field.value))
        return [widgets.HBox([self.field, self.button])]

    def answer(self, given: int | float | str) -> str:
        """Give an answer, a choice's number from 0 or a number as written; show and return the feedback."""
        self.right, says = judge(self.item, given)
        signs = {True: "\u2713 Right. ", False: "\u2717 Not this. ", None: ""}
        self._says.value = str(note(signs[self.right] + says, "status"))
        return says

    def static(self) -> Markup:
        """Return the question and its choices: what a page without a kernel shows."""
        if "choices" not in self.item:
            return self._head()
        choices = [element("li", choice["text"]) for choice in self.item["choices"]]
        return joined([self._head(), element("ol", *choices, style="list-style-type: upper-alpha")])

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        return {**bundle, "text/plain": f"Question: {self.item['question']}", "text/html": str(self.static())}

    def __repr__(self) -> str:
        return f"<Question: {self.item['question']}>"

    def drive(self) -> int:
        """Give every answer that has feedback, and nonsense; each must say something. Returns how many."""
        if "choices" in self.item:
            answers: list[Any] = list(range(len(self.item["choices"])))
        else:
            known = [wrong["value"] for wrong in self.item.get("known", ())]
            answers = [self.item["answer"], *known, self.item["answer"] + 1e6, "", "many", "nan"]
        for given in answers:
            if not self.answer(given):
                raise ValueError(f"{self.item.get('id')}: no feedback for {given!r}")
        return len(answers)


def judge(item: Mapping[str, Any], given: int | float | str) -> tuple[bool | None, str]:
    """Return whether an answer is right (None: it is no answer) and what to say about it."""
    if "choices" in item:
        choice = item["choices"][int(given)]
        return choice["right"], choice["feedback"]
    value = read_number(str(given), item.get("unit", ""))
    if value is None:
        return None, f"{str(given)[:40]!r} is not a number: write digits, such as 12, 0.5 or 2/5."
    tolerance = item.get("tolerance", 0) + 1e-9
    if abs(value - item["answer"]) <= tolerance:
        return True, item["feedback"]
    for known in item.get("known", ()):
        if abs(value - known["value"]) <= tolerance:
            return False, known["feedback"]
    return False, item["otherwise"]


def read_number(text: str, unit: str = "") -> float | None:
    """Return what a student means by a number, None where it is none.

    >>> [read_number(text) for text in ("1,200", "0,4", "2/5", "40%", "many")]
    [1200.0, 0.4, 0.4, 0.4, None]
    >>> read_number("40%", unit="%"), read_number("40%", unit="per cent")
    (40.0, 40.0)
    """
    text = text.strip()
    share = 0.01 if text.endswith("%") and unit not in ("%", "per cent", "percent") else 1.0
    text = text.rstrip("% ")
    if re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?", text):
        text = text.replace(",", "")
    try:
        top, _, bottom = text.replace(",", ".").partition("/")
        value = float(top) / float(bottom or 1) * share
    except (ValueError, ZeroDivisionError):
        return None
    return value if math.isfinite(value) else None


class Quiz(widgets.VBox):
    """Several questions, one below the other."""

    def __init__(self, questions: Sequence[Question]) -> None:
        self.questions = list(questions)
        gap = widgets.Layout(margin="0 0 14px")
        super().__init__([widgets.Box([question], layout=gap) for question in self.questions])

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        pages = joined(question.static() for question in self.questions)
        return {**bundle, "text/plain": f"{len(self.questions)} questions", "text/html": str(pages)}

    def __repr__(self) -> str:
        return f"<Quiz: {len(self.questions)} questions>"

    def drive(self) -> int:
        """Drive every question; return how many answers were given."""
        return sum(question.drive() for question in self.questions)


def ask(path: str | Path, *ids: str) -> Quiz:
    """Return the questions of a file, all in order or those named, to be shown as a cell's last value."""
    found = load_questions(path)
    for name in ids:
        if name not in found:
            raise ValueError(f"{path} has no question {name!r}: it has {', '.join(found)}")
    return Quiz([Question(found[name], i) for i, name in enumerate(ids or found, 1)])
