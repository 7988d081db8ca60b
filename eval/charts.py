"""Charts as SVG, for self-contained pages."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_TICKS = 10
MARKERS = "osD^vPX*"
"""Used together with colours, for readers who cannot distinguish them."""
LINES = ("--", ":", "-.")
PER_ROW = 3
"""Reliability diagrams beside each other."""
MIN_DISTANCE = 0.012
"""Minimum distance between points that would cover each other, as a share of the axis."""


def trend(moments: Sequence[datetime], lines: Mapping[str, Sequence[float | None]], label: str) -> str:
    """One line per name over time, with a gap for each missing value."""
    figure = new_figure()
    axes = figure.subplots()
    nights = range(len(moments))
    for name, values in lines.items():
        shown = [float("nan") if value is None else value for value in values]
        axes.plot(nights, shown, marker="o", markersize=4, label=name)
    ticks = nights[:: 1 + len(moments) // MAX_TICKS]
    axes.set_xticks(ticks, [moments[tick].strftime("%d %b") for tick in ticks])
    axes.set_ylabel(label)
    axes.grid(alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return as_svg(figure)


@dataclass(frozen=True)
class Mark:
    """A named point with the interval around its y."""

    name: str
    x: float
    y: float
    low: float
    high: float


def scatter(
    marks: Sequence[Mark],
    x_label: str,
    y_label: str,
    lines: Mapping[str, float],
    front: Sequence[tuple[float, float]] = (),
) -> str:
    """A point with whiskers for each mark, the highest first in the legend, and a dashed line for each named height.

    `front` is drawn as steps through its points, from left to right.
    """
    figure = new_figure(height=4)
    axes = figure.subplots()
    falling = sorted(marks, key=lambda mark: -mark.y)
    for number, (mark, x) in enumerate(zip(falling, beside([mark.x for mark in falling]), strict=True)):
        axes.errorbar(
            x,
            mark.y,
            yerr=[[mark.y - mark.low], [mark.high - mark.y]],
            fmt=MARKERS[number % len(MARKERS)],
            capsize=3,
            elinewidth=1,
            label=mark.name,
        )
    for number, (name, height) in enumerate(lines.items()):
        style = LINES[number % len(LINES)]
        axes.axhline(height, linestyle=style, linewidth=1, color="gray", label=name, zorder=1)
    if front:
        steps = list(zip(*front, strict=True))
        axes.step(*steps, where="post", linewidth=1, color="black", alpha=0.5, label="Pareto front", zorder=1)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.margins(x=0.1)
    axes.set_xlim(left=0)
    axes.grid(alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return as_svg(figure)


@dataclass(frozen=True)
class SharePoint:
    """A share at some predicted value, with its interval and the number of values behind it."""

    predicted: float
    share: float
    low: float
    high: float
    n: int


def reliability(diagrams: Mapping[str, Sequence[SharePoint]], x_label: str, y_label: str) -> str:
    """A reliability diagram per name: the nearer to the diagonal the better. Areas of points grow with their number."""
    rows = -(-len(diagrams) // PER_ROW)
    figure = new_figure(height=2.8 * rows)
    grid = figure.subplots(rows, PER_ROW, sharex=True, sharey=True, squeeze=False).flat
    for axes, (name, points) in zip(grid, diagrams.items(), strict=False):
        most = max((point.n for point in points), default=1)
        xs, ys = [point.predicted for point in points], [point.share for point in points]
        whiskers = [[point.share - point.low for point in points], [point.high - point.share for point in points]]
        axes.plot([0, 1], [0, 1], linestyle="--", linewidth=1, color="gray")
        axes.errorbar(xs, ys, yerr=whiskers, fmt="none", capsize=2, elinewidth=1)
        axes.scatter(xs, ys, s=[10 + 70 * point.n / most for point in points], zorder=3)
        axes.set_title(name, fontsize=9)
        axes.grid(alpha=0.3)
    for axes in list(figure.axes)[len(diagrams) :]:
        axes.set_visible(False)
    figure.supxlabel(x_label, fontsize=9)
    figure.supylabel(y_label, fontsize=9)
    return as_svg(figure)


def beside(positions: Sequence[float]) -> list[float]:
    """Positions on an axis from 0 on, equal ones moved next to each other, so that no point hides another."""
    step = max(positions, default=0.0) * MIN_DISTANCE
    crowd: Counter[float] = Counter()
    moved = []
    for position in positions:
        moved.append(position + step * crowd[position])
        crowd[position] += 1
    return moved


def new_figure(height: float = 3) -> Figure:
    """An empty figure as wide as a page; `height` is in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(8, height), layout="constrained")


def as_svg(figure: Figure) -> str:
    """The figure's svg element, the same for the same figure. Its texts stay texts, in the fonts of the reader."""
    from matplotlib import rc_context

    file = io.StringIO()
    with rc_context({"svg.hashsalt": "edumod", "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    text = file.getvalue()
    return text[text.index("<svg") :]
