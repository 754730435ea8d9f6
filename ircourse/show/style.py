"""The look of the whole course: one colour for one meaning, and never colour alone.

The hues are those of Okabe and Ito, told apart with every common kind of colour blindness; fills are pale,
so that dark text on them keeps a contrast of at least 7 to 1. Each meaning has a second carrier: a mark, a
dashed or heavy border, a shape, a letter.
Source: Okabe and Ito, Color Universal Design (2008).
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

INK, MUTED, RULE, PAPER = "#1b1b1b", "#595959", "#c9c9c9", "#ffffff"
ORANGE, SKY, GREEN = "#e69f00", "#56b4e9", "#009e73"
BLUE, VERMILION, PURPLE = "#0072b2", "#d55e00", "#cc79a7"
FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
MONO = "'DejaVu Sans Mono', Menlo, Consolas, monospace"
SIZE = 14

__all__ = ["LOOKS", "Look", "look", "matplotlib_style"]


@dataclass(frozen=True, slots=True)
class Look:
    """How one meaning is drawn: its colours, and the mark, dash or shape that says the same without colour.

    corner is the radius of a box's corners in pixels, dash an SVG dash pattern, width the border's in pixels.
    """

    meaning: str
    fill: str
    stroke: str
    mark: str = ""
    dash: str | None = None
    width: float = 1.5
    corner: float = 6

    def frame(self) -> dict[str, Any]:
        """Return the attributes of a shape with these colours and this dash."""
        return {"fill": self.fill, "stroke": self.stroke, "stroke_dasharray": self.dash}


LOOKS = MappingProxyType(
    {
        "plain": Look("a page", "#f4f4f4", "#6b6b6b"),
        "unseen": Look("not seen yet", "#ffffff", "#8a8a8a", dash="2 3", width=1.2),
        "waiting": Look("waiting", "#fdecc2", "#a06f00", mark="\u2026", dash="6 3"),
        "fetching": Look("being fetched", "#cfe9fa", "#003f63", mark="\u25b6", width=3),
        "stored": Look("stored", "#c5eadd", "#00624a", mark="\u2713"),
        "refused": Look("refused", "#fbdcc8", "#a34700", mark="\u2715", dash="1.5 2", width=2),
        "dead": Look("dead link", "#fbdcc8", "#a34700", mark="\u2715", dash="1.5 2", width=2),
        "seed": Look("seed", "#f8f3b0", "#6f6800", mark="\u2605"),
        "a": Look("document A", "#cce3f0", BLUE, mark="A", corner=0),
        "b": Look("document B", "#fbdcc8", "#a34700", mark="B", corner=13),
        "shared": Look("shared", "#f3dde9", "#8a3a68", mark="A\u2229B", width=3),
        "hub": Look("hub", "#fdecc2", "#a06f00", mark="H", corner=0),
        "authority": Look("authority", "#cce3f0", BLUE, mark="A", corner=13),
        "target": Look("the page it is about", "#f8f3b0", "#6f6800", mark="\u25ce", width=3),
        "spam": Look("made for spam", "#e6e0f0", "#5b3a8a", mark="!", dash="4 2", width=2, corner=0),
    }
)


def look(name: str) -> Look:
    """Return the look of a meaning.

    >>> look("stored").mark
    '✓'
    """
    if name not in LOOKS:
        raise ValueError(f"no look is called {name!r}: use one of {', '.join(LOOKS)}")
    return LOOKS[name]


def matplotlib_style() -> dict[str, Any]:
    """Return settings that make a matplotlib figure match; for ``plt.rc_context``."""
    from cycler import cycler

    colours = [BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, INK]
    dashes = ["-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1))]
    return {
        "figure.facecolor": PAPER,
        "axes.facecolor": PAPER,
        "axes.edgecolor": MUTED,
        "axes.labelcolor": INK,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.prop_cycle": cycler(color=colours, linestyle=dashes),
        "grid.color": "#e4e4e4",
        "xtick.color": INK,
        "ytick.color": INK,
        "text.color": INK,
        "font.family": "DejaVu Sans",
        "font.size": 11,
        "lines.linewidth": 2,
        "figure.figsize": (6.8, 3.6),
        "figure.dpi": 100,
        "svg.hashsalt": "ircourse",
    }
