"""The four kinds of control that explorers need: choose, switch on, set a number, write a text.

All are native buttons and fields with a name that screen readers say, and all work by keyboard. A drop-down
list would not: JupyterLab takes the arrow keys and letters that it needs for commands of its own, while
buttons, number fields and text fields get theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import ipywidgets as widgets
import traitlets

LABEL = {"description_width": "initial"}
HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=1</script>\u202e\x00'

__all__ = ["HOSTILE", "BadInput", "Bound", "Check", "Choice", "Control", "Number", "Text", "bind"]


class BadInput(ValueError):
    """What the student wrote cannot be used; the message says why, and stands beside the field."""


@dataclass(frozen=True)
class Choice:
    """One of several; ``options`` are what ``states`` receives, written as text, or pairs (text, value)."""

    label: str
    options: Sequence[Any]
    value: Any = None


@dataclass(frozen=True)
class Check:
    """A checkbox: True while it is ticked."""

    label: str
    value: bool = False


@dataclass(frozen=True)
class Number:
    """A number from ``low`` to ``high`` in steps of ``step``; whole where all three are."""

    label: str
    low: float
    high: float
    value: float
    step: float = 1


@dataclass(frozen=True)
class Text:
    """A text to write, over several lines where ``lines`` > 1.

    parse     turns it into what ``states`` receives; a ValueError's message is shown beside the field
    examples  further texts that a test puts in
    ready     texts to choose instead, by name: a button each above the field, which it fills
    """

    label: str
    value: str
    parse: Callable[[str], Any] = str
    lines: int = 1
    examples: Sequence[str] = field(default=())
    ready: Mapping[str, str] = field(default_factory=dict)


Control: TypeAlias = Check | Choice | Number | Text


@dataclass(frozen=True)
class Bound:
    """A control on the page: the widget with its value, and what is shown, that widget or a box with it."""

    control: Control
    widget: Any
    shown: Any

    def value(self) -> Any:
        """Return what ``states`` receives; BadInput where the student's text cannot be read."""
        if not isinstance(self.control, Text):
            return self.widget.value
        try:
            return self.control.parse(self.widget.value)
        except ValueError as bad:
            raise BadInput(str(bad)) from bad

    def range(self, most: int) -> list[Any]:
        """Return values that cover the range, both ends included, hostile and empty texts too."""
        match self.control:
            case Check():
                return [True, False]
            case Choice():
                return list(self.widget.texts.values())
            case Number(_, low, high, _, step):
                steps = round((high - low) / step)
                chosen = sorted({round(i * steps / min(steps, most)) for i in range(min(steps, most) + 1)})
                return [min(low + i * step, high) for i in chosen] if steps else [low]
            case Text():
                return [*self.control.ready.values(), *self.control.examples, "", HOSTILE]


class Options(widgets.Box):
    """A row of buttons of which one is chosen; ``value`` is what it stands for, None where none is."""

    value = traitlets.Any()

    def __init__(self, label: str, options: Sequence[Any], value: Any) -> None:
        pairs = [option if isinstance(option, tuple) else (str(option), option) for option in options]
        self.texts = dict(pairs)
        self.buttons = {text: self._button(label, text) for text in self.texts}
        row = widgets.Layout(flex_flow="row wrap", align_items="center", margin="2px 16px 2px 2px")
        super().__init__([widgets.Label(label), *self.buttons.values()], layout=row, value=value)
        self._mark()

    def _button(self, label: str, text: str) -> widgets.Button:
        button = widgets.Button(tooltip=f"{label}: {text}", layout=widgets.Layout(width="auto"))
        button.on_click(lambda _: self.set_trait("value", self.texts[text]))
        return button

    @traitlets.validate("value")
    def _known(self, proposal: Any) -> Any:
        if proposal["value"] is not None and proposal["value"] not in self.texts.values():
            known = ", ".join(self.texts)
            raise ValueError(f"{proposal['value']!r} is none of the options: use one of {known}")
        return proposal["value"]

    @traitlets.observe("value")
    def _mark(self, _change: object = None) -> None:
        for text, button in self.buttons.items():
            dot = "\u25cf" if self.texts[text] == self.value else "\u25cb"
            button.description = f"{dot} {text}"


def bind(control: Control, changed: Callable[[object], None]) -> Bound:
    """Put a control on the page; ``changed`` is called whenever its value changes."""
    wide = {"layout": widgets.Layout(width="auto", margin="2px 16px 2px 2px"), "style": LABEL}
    widget: Any
    match control:
        case Check(label, value):
            widget = widgets.Checkbox(description=label, value=value, indent=False, **wide)
        case Choice(label, options, value):
            first = options[0][1] if isinstance(options[0], tuple) else options[0]
            chosen = first if value is None else value
            widget = Options(label, options, chosen)
        case Number(label, low, high, value, step):
            whole = all(float(x).is_integer() for x in (low, high, step))
            kind = widgets.BoundedIntText if whole else widgets.BoundedFloatText
            widget = kind(description=label, min=low, max=high, step=step, value=value, **wide)
        case Text(label, value, _, lines):
            style = {"layout": widgets.Layout(width="98%"), "style": LABEL, "continuous_update": True}
            if lines > 1:
                widget = widgets.Textarea(description=label, value=value, rows=lines, **style)
            else:
                widget = widgets.Text(description=label, value=value, **style)
    widget.observe(changed, "value")
    return Bound(control, widget, _with_ready(control, widget) if isinstance(control, Text) else widget)


def _with_ready(text: Text, field: Any) -> Any:
    """Return the field below buttons that fill it; the one whose text stands in it is marked."""
    if not text.ready:
        return field
    options = Options("Ready-made", list(text.ready.items()), None)

    def mark(_change: object = None) -> None:
        options.value = field.value if field.value in text.ready.values() else None

    def fill(change: Any) -> None:
        if change["new"] is not None:
            field.value = change["new"]

    mark()
    field.observe(mark, "value")
    options.observe(fill, "value")
    return widgets.VBox([options, field], layout=widgets.Layout(width="98%"))
