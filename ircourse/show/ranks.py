"""Bars of the pages with the highest scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ircourse.show.style import GREEN, INK, look, matplotlib_style

__all__ = ["plot_ranks"]

COLOURS = {"Authority": look("authority").stroke, "Hub": look("hub").stroke}


def plot_ranks(columns: Mapping[str, Sequence[tuple[str, float]]], path: str) -> None:
    """Write a picture of each kind of score to ``path``, .png or .svg: a bar for each page, best first.

    No global figure is touched, so it works without a display; an SVG is the same each time.
    """
    import matplotlib
    from matplotlib.figure import Figure

    most = max(len(pages) for pages in columns.values())
    style: Any = matplotlib_style()
    with matplotlib.rc_context(style):
        figure = Figure(figsize=(9, len(columns) * (0.9 + 0.26 * most)), layout="constrained")
        for axes, (kind, pages) in zip(
            figure.subplots(len(columns), squeeze=False)[:, 0], columns.items(), strict=True
        ):
            scores = [score for _, score in pages]
            bars = axes.barh(range(len(pages)), scores, color=COLOURS.get(kind, GREEN))
            axes.bar_label(bars, [f"{score:#.4g}" for score in scores], padding=3, fontsize=9, color=INK)
            # A label is a stranger's words: no mathematics in it.
            names = [name for name, _ in pages]
            axes.set_yticks(range(len(pages)), names, fontsize=9, parse_math=False)
            axes.invert_yaxis()
            axes.margins(x=0.16)
            axes.set_axisbelow(True)
            axes.grid(axis="y", visible=False)
            axes.locator_params(axis="x", nbins=5)
            axes.set_title(kind, loc="left")
        axes.set_xlabel("score, of 1 for all pages together")
        date = {"Date": None} if Path(path).suffix.lower() == ".svg" else {}
        figure.savefig(path, metadata=date)
