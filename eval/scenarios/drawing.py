"""A scenario's directions as a Mermaid diagram, which many programs draw without a network."""

from __future__ import annotations

from collections.abc import Iterator

from eval.scenarios.scenario import Scenario
from eval.scenarios.turns import END, START, KeywordRoute

SHOWN_KEYWORDS = 3


def mermaid(scenario: Scenario, direction: str = "TB") -> str:
    """The flowchart; `direction` is TB, LR, RL or BT."""
    ids = {name: f"n{number}" for number, name in enumerate((START, *scenario.agents, END))}
    nodes = [
        f'    {ids[name]}(["{name}"])' if name in (START, END) else f'    {ids[name]}["{_label(name)}"]' for name in ids
    ]
    arrows = [f"    {ids[source]} -->{_quoted(words)} {ids[target]}" for source, words, target in _arrows(scenario)]
    return "\n".join([f"flowchart {direction}", *nodes, *arrows]) + "\n"


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
