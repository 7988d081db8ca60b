"""The Pareto front: actors that no other one beats in both quality and cost."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from core.types import Value
from eval.report import Figures

COST, LATENCY = "cost_usd", "latency_ms"


class Front(Value):
    """Actors on the front, the cheapest first; others cost as much or more for a quality that is not higher."""

    quality: str = Field(description="The metric.")
    effort: str = Field(
        description="`cost_usd` per message, or the median `latency_ms` if a price is unknown or all is free."
    )
    actors: tuple[str, ...]


def front(actors: Mapping[str, Figures], metric: str) -> Front:
    """Of the actors with a running time and a score; files of answers have no cost that is known."""
    effort = _effort(actors)
    points = [
        (x, -y, name)
        for name, one in actors.items()
        if (x := position(one, effort)) is not None and (y := one.means[metric].mean) is not None
    ]
    found: list[str] = []
    best = float("inf")
    for _, loss, name in sorted(points):
        if loss < best:
            found.append(name)
            best = loss
    return Front(quality=metric, effort=effort, actors=tuple(found))


def _effort(actors: Mapping[str, Figures]) -> str:
    costs = [one.cost_usd for one in actors.values() if one.latency_ms.p50 is not None]
    return COST if any(costs) and None not in costs else LATENCY


def position(figures: Figures, effort: str) -> float | None:
    """The actor's effort; None if it has none that is known."""
    if figures.latency_ms.p50 is None:
        return None
    return figures.cost_usd if effort == COST else figures.latency_ms.p50
