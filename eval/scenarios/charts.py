"""Charts of the scores of models: bars on each other, a radar and a heatmap. Names may be in Chinese."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import pi
from pathlib import Path
from typing import TYPE_CHECKING

from core.files import write_atomically
from eval.charts import MARKERS, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Scores = Mapping[str, Mapping[str, float | None]]
"""Means by model, then field."""
DPI = 300
LATIN = "DejaVu Sans"
CHINESE = "Droid Sans Fallback"
"""Comes with PyMuPDF; used for the characters that the first font lacks."""
LABEL_POINTS = 8
DARK = 0.6
"""Cells above this share of the range have white figures."""


def fields_of(scores: Scores) -> tuple[str, ...]:
    """The fields that any model has a score for, in order."""
    return tuple(dict.fromkeys(field for of_model in scores.values() for field in of_model))


def stacked(scores: Scores, title: str, rotation: float = 0) -> Figure:
    """A bar per model, whose parts are the fields. `rotation` is that of the models' names, in degrees."""
    figure = new_figure(height=5)
    axes = figure.subplots()
    models, bottoms = list(scores), [0.0] * len(scores)
    for field in fields_of(scores):
        heights = [scores[model].get(field) or 0.0 for model in models]
        bars = axes.bar(range(len(models)), heights, bottom=bottoms, width=0.6, label=field)
        axes.bar_label(bars, [f"{one:.2f}" if one else "" for one in heights], label_type="center", fontsize=7)
        bottoms = [bottom + height for bottom, height in zip(bottoms, heights, strict=True)]
    axes.set_xticks(range(len(models)), models, rotation=rotation, ha="right" if rotation else "center")
    axes.set_ylabel("sum of the fields' means")
    axes.set_title(title)
    if fields_of(scores):
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=LABEL_POINTS)
    return figure


def radar(scores: Scores, title: str) -> Figure:
    """A line per model around the fields, from 0 at the centre; a field that was not scored interrupts it."""
    fields = fields_of(scores)
    figure = new_figure(height=6)
    axes = figure.subplots(subplot_kw={"projection": "polar"})
    angles = [2 * pi * number / max(len(fields), 1) for number in range(len(fields))]
    for number, (model, of_model) in enumerate(scores.items()):
        found = [of_model.get(field) for field in fields]
        values = [float("nan") if value is None else value for value in found]
        marker = MARKERS[number % len(MARKERS)]
        axes.plot([*angles, *angles[:1]], [*values, *values[:1]], marker=marker, markersize=4, label=model)
    axes.set_xticks(angles, fields, fontsize=LABEL_POINTS)
    axes.tick_params(axis="x", pad=16)
    axes.tick_params(axis="y", labelsize=7, labelcolor="gray")
    axes.set_ylim(bottom=0)
    axes.set_title(title)
    axes.legend(loc="center left", bbox_to_anchor=(1.15, 0.5), frameon=False, fontsize=LABEL_POINTS)
    return figure


def heatmap(scores: Scores, title: str) -> Figure:
    """A cell per model and field with its mean, dark where it is high; empty where nothing was scored."""
    fields = fields_of(scores)
    figure = new_figure(height=1.2 + 0.4 * len(scores))
    axes = figure.subplots()
    rows = [[_number(of_model.get(field)) for field in fields] for of_model in scores.values()]
    known = [value for row in rows for value in row if value == value]
    low, high = (min(0.0, *known), max(known)) if known else (0.0, 1.0)
    if known:
        axes.imshow(rows, cmap="Blues", aspect="auto", vmin=low, vmax=high or 1.0)
    for row, values in enumerate(rows):
        for column, value in enumerate(values):
            color = "white" if value > low + DARK * (high - low) else "black"
            shown = "–" if value != value else f"{value:.2f}"
            axes.text(column, row, shown, ha="center", va="center", color=color, fontsize=LABEL_POINTS)
    axes.set_xticks(range(len(fields)), fields, fontsize=LABEL_POINTS, rotation=30, ha="right")
    axes.set_yticks(range(len(rows)), list(scores), fontsize=LABEL_POINTS)
    axes.set_title(title)
    return figure


def as_png(figure: Figure) -> bytes:
    """The figure as a PNG file, the same for the same figure."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=DPI, bbox_inches="tight", metadata={"Software": None})
    return file.getvalue()


@contextmanager
def chinese_glyphs() -> Iterator[None]:
    """Figures made and written inside have glyphs for Chinese, Japanese and Korean."""
    from matplotlib import rc_context
    from matplotlib.font_manager import fontManager

    if CHINESE not in fontManager.get_font_names():
        fontManager.addfont(_chinese_font())
    with rc_context({"font.family": [LATIN, CHINESE], "axes.unicode_minus": False}):
        yield


def _chinese_font() -> Path:
    """The font's file, which matplotlib reads by its path: written once to matplotlib's cache."""
    import pymupdf
    from matplotlib import get_cachedir

    path = Path(get_cachedir()) / "edumod-chinese.ttf"
    if not path.is_file():
        write_atomically(path, pymupdf.Font("china-s").buffer, private=False)  # type: ignore[no-untyped-call]
    return path


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def scores_charts(scores: Scores, title: str, rotation: float = 0) -> dict[str, bytes]:
    """The stacked bars and the radar as PNG files by their kind, as `edumod elmes visualize` writes them."""
    with chinese_glyphs():
        return {"stack": as_png(stacked(scores, title, rotation)), "radar": as_png(radar(scores, title))}
