"""The player: states in order, with a slider, steps to and fro, play at a chosen speed, a leap to the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as widgets

from ircourse.show.controls import LABEL
from ircourse.show.explorer import Explorer

SPEEDS = {"slow": 1600, "normal": 800, "fast": 250}
PLAY, PAUSE = "\u25b6 Play", "|| Pause"
WHOLE, FLASH = "all in 10 s", 100  # so many pictures, ten a second

__all__ = ["Player"]


class Player(Explorer):
    """An explorer whose states are walked through. Any sequence will do as a trace, a lazy one too.

    start  the number of the state shown first, and after a control changed, where the first shows little

    Pictures are drawn when they are shown, so that a trace of 10,000 states opens as fast as one of ten. The
    clock of "play" runs in the browser and never blocks the kernel.
    """

    def __init__(self, *functions: Any, start: int = 0, **more: Any) -> None:
        self._first = start
        super().__init__(*functions, **more)

    def _front(self) -> list[widgets.Widget]:
        self.slider = widgets.IntSlider(min=0, max=0, readout=False, layout=widgets.Layout(width="190px"))
        self.number = widgets.BoundedIntText(
            description="Step", min=0, max=0, style=LABEL, layout=widgets.Layout(width="115px")
        )
        # The clock of "play" is ipywidgets' Play, hidden: its own buttons have no names for a screen reader.
        hidden = widgets.Layout(display="none")
        self.clock = widgets.Play(min=0, max=0, interval=SPEEDS["normal"], layout=hidden)
        self.speed = "normal"
        self.buttons = {
            "start": self._button("|\u25c0 Start", "Go to the first step", lambda: self.go(0)),
            "back": self._button("\u25c0 Back", "Go one step back", lambda: self.go(self.at - 1)),
            "step": self._button("Step \u25b6", "Go one step on", lambda: self.go(self.at + 1)),
            "play": self._button(PLAY, "Play on from here, or pause", self._play),
            "end": self._button(
                "To the end \u25b6|", "Go to the last step", lambda: self.go(len(self.trace) - 1)
            ),
            "speed": self._button("Speed: normal", "Change the speed of play", self._next_speed),
        }
        self._link = widgets.jslink((self.clock, "value"), (self.slider, "value"))
        self.slider.observe(self._stepped, "value")
        self.number.observe(self._typed, "value")
        self.clock.observe(self._playing, "playing")
        row = widgets.Layout(flex_flow="row wrap", align_items="center")
        transport = [*self.buttons.values(), self.slider, self.number, self.clock]
        return [*super()._front(), widgets.Box(transport, layout=row)]

    def _button(self, text: str, says: str, act: Callable[[], None]) -> widgets.Button:
        button = widgets.Button(description=text, tooltip=says, layout=widgets.Layout(width="auto"))
        button.on_click(lambda _: self._guarded(act))
        return button

    @property
    def at(self) -> int:
        """The number of the state shown, from 0."""
        return int(self.slider.value)

    def go(self, step: int) -> None:
        """Show the state number ``step``; the first or the last where there is none."""
        self.slider.value = max(0, min(step, len(self.trace) - 1))

    def _play(self) -> None:
        """Let the clock run, from the start again where the end is reached; or stop it."""
        if not self.clock.playing and self.at == len(self.trace) - 1:
            self.go(0)
        self.clock.playing = not self.clock.playing

    def _playing(self, change: Any) -> None:
        self.buttons["play"].description = PAUSE if change["new"] else PLAY

    def _begin(self, trace: Sequence[Any]) -> None:
        super()._begin(trace)
        self._quiet = True  # the slider and its limits move: one redraw will do
        try:
            for field in (self.slider, self.number, self.clock):
                field.max = len(trace) - 1
            self.go(self._first)
        finally:
            self._quiet = False
        self._paced()

    def _show(self) -> None:
        if self.number.value != self.at:
            self.number.value = self.at
        super()._show()

    def _step(self) -> str:
        return f"Step {self.at:,} of {len(self.trace) - 1:,}. "

    def _stepped(self, _change: object) -> None:
        if not self._quiet:
            self._redraw(self._show)

    def _typed(self, change: Any) -> None:
        if not self._quiet:
            self.slider.value = change["new"]

    def _next_speed(self) -> None:
        names = [*SPEEDS, WHOLE]
        self.speed = names[(names.index(self.speed) + 1) % len(names)]
        self.buttons["speed"].description = f"Speed: {self.speed}"
        self._paced()

    def _paced(self) -> None:
        """Set how often the browser asks for a picture, and how many steps on."""
        whole = self.speed == WHOLE
        self.clock.interval = 100 if whole else SPEEDS[self.speed]
        self.clock.step = max(1, len(self.trace) // FLASH) if whole else 1

    def drive(self, most: int = 40) -> int:
        """Drive the controls, and the steps for each of their values; afterwards all stand as before."""
        before = self.at
        count = super().drive(most)
        self.go(before)
        return count

    def _drive_steps(self, most: int) -> int:
        last = len(self.trace) - 1
        steps = (
            sorted({round(i * last / min(last, most)) for i in range(min(last, most) + 1)}) if last else [0]
        )
        before = self.at
        for name in ("end", "back", "step", "play", "play", "start", "step"):
            self.buttons[name].click()
            if self.failure:
                raise self.failure
        for step in [*steps, before]:
            self.slider.value = step
        for _ in (*SPEEDS, WHOLE):
            self.buttons["speed"].click()
        return len(steps) + 13
