"""A scenario's directions as a Mermaid diagram, and as a picture."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import fill
from typing import TYPE_CHECKING, Any

from eval.charts import as_svg, new_figure
from eval.scenarios.charts import as_png, chinese_glyphs
from eval.scenarios.scenario import Scenario
from eval.scenarios.turns import END, START, KeywordRoute

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN_KEYWORDS = 3
_STEPS = {"TB": (0.0, -1.0), "BT": (0.0, 1.0), "LR": (1.8, 0.0), "RL": (-1.8, 0.0)}
"""From one box of a picture to the next, by direction."""
_BEND = 0.55
"""Of an arrow that does not lead to the next box."""
_LINE_CHARS = 20
_GAPS = (36, 18)
"""Between the centre of a box and an arrow beside and above it, in points."""
_BOX = {"boxstyle": "round,pad=0.5", "facecolor": "#eef2f8", "edgecolor": "#5c6577"}
_LABEL = {"facecolor": "white", "edgecolor": "none", "pad": 1}
Point = tuple[float, float]


def mermaid(scenario: Scenario, direction: str = "TB") -> str:
    """The flowchart; `direction` is TB, LR, RL or BT."""
    ids = {name: f"n{number}" for number, name in enumerate((START, *scenario.agents, END))}
    nodes = [
        f'    {ids[name]}(["{name}"])' if name in (START, END) else f'    {ids[name]}["{_label(name)}"]' for name in ids
    ]
    arrows = [f"    {ids[source]} -->{_quoted(words)} {ids[target]}" for source, words, target in _arrows(scenario)]
    return "\n".join([f"flowchart {direction}", *nodes, *arrows]) + "\n"


def picture(scenario: Scenario, direction: str = "TB") -> tuple[str, bytes]:
    """The same diagram as the text of an SVG file and as a PNG file."""
    names = (START, *scenario.agents, END)
    along, down = _STEPS[direction]
    at = {name: (number * along, number * down) for number, name in enumerate(names)}
    with chinese_glyphs():
        figure = new_figure(height=1.3 * len(names) if down else 3)
        figure.set_layout_engine("none")
        axes = figure.add_axes((0, 0, 1, 1))
        for source, words, target in _arrows(scenario):
            _add_arrow(axes, at[source], at[target], words, names.index(target) - names.index(source))
        axes.update_datalim(list(at.values()))
        for name, point in at.items():
            axes.text(*point, name, ha="center", va="center", bbox=_BOX, zorder=5)
        axes.set_axis_off()
        axes.margins(0.2)
        axes.autoscale_view()
        axes.set_aspect("equal", adjustable="datalim")
        return as_svg(figure), as_png(figure)


def _add_arrow(axes: Axes, start: Point, end: Point, words: str, steps: int) -> None:
    """An arrow between two boxes: straight to the next one, and past the others in a bow; a loop if it is the same."""
    if steps == 0:
        start, end = (start[0] + 0.3, start[1] + 0.12), (end[0] + 0.3, end[1] - 0.12)
    bend = 0.0 if steps == 1 else -2.0 if steps == 0 else _BEND
    x, y = end[0] - start[0], end[1] - start[1]
    middle = ((start[0] + end[0] + bend * y) / 2, (start[1] + end[1] - bend * x) / 2)
    gap = _GAPS[1] if x == 0 else _GAPS[0]
    style = {"arrowstyle": "-|>", "color": "#5c6577", "shrinkA": gap, "shrinkB": gap}
    axes.annotate("", end, start, arrowprops={**style, "connectionstyle": f"arc3,rad={bend}"}, annotation_clip=False)
    # Axes become as wide as these points; arrows and texts do not count.
    axes.update_datalim([middle])
    side: dict[str, Any] = {"ha": "center" if y == 0 or not bend else "right" if middle[0] < 0 else "left"}
    side["va"] = "center" if x == 0 or not bend else "top" if middle[1] < 0 else "bottom"
    axes.text(*middle, fill(words, _LINE_CHARS), fontsize=8, bbox=_LABEL, zorder=4, **side)


def _arrows(scenario: Scenario) -> Iterator[tuple[str, str, str]]:
    """Source, label and target of each arrow."""
    yield START, "", scenario.turns.first
    for agent in scenario.agents:
        following = scenario.turns.after.get(agent, END)
        if isinstance(following, KeywordRoute):
            yield agent, _keywords(following), following.exists_to
            yield agent, "otherwise", following.else_to
        else:
            yield agent, "", following


def _keywords(route: KeywordRoute) -> str:
    shown = (" and " if route.wants_all else " or ").join(route.keywords[:SHOWN_KEYWORDS])
    left_out = len(route.keywords) - SHOWN_KEYWORDS
    return shown + (f" … ({left_out} more)" if left_out > 0 else "")


def _quoted(words: str) -> str:
    return f'|"{_label(words)}"|' if words else ""


def _label(text: str) -> str:
    """Text as Mermaid reads it between quotation marks."""
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")
