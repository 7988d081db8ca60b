"""Charts as SVG, to stand in a page that needs nothing from the network."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


MOST_TICKS = 10


def trend(moments: Sequence[datetime], lines: Mapping[str, Sequence[float | None]], label: str) -> str:
    """One line per name, night by night; a gap where there is no value."""
    figure = _figure()
    axes = figure.subplots()
    nights = range(len(moments))
    for name, values in lines.items():
        shown = [float("nan") if value is None else value for value in values]
        axes.plot(nights, shown, marker="o", markersize=4, label=name)
    ticks = nights[:: 1 + len(moments) // MOST_TICKS]
    axes.set_xticks(ticks, [moments[tick].strftime("%d %b") for tick in ticks])
    axes.set_ylabel(label)
    axes.grid(alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return _svg(figure)


def _figure() -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(8, 3), layout="constrained")


def _svg(figure: Figure) -> str:
    """The figure's svg element, the same for the same figure."""
    from matplotlib import rc_context

    file = io.StringIO()
    with rc_context({"svg.hashsalt": "edumod", "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    text = file.getvalue()
    return text[text.index("<svg") :]
