"""The report of `edumod eval compare` on a terminal."""

from __future__ import annotations

from rich.markup import escape

from app.cli.output import output
from eval.comparison.compare import ActorComparison, ComparisonReport, MetricDifference
from eval.comparison.item_differences import ItemDifference
from eval.statistics import ALPHA
from eval.stored import short_id
from eval.tables import plain_table

MAX_CHARS = 60
"""Characters shown of an item's text."""
WIDE = 10
"""Values of at least this size are shown with one decimal."""


def show(report: ComparisonReport) -> None:
    """On stdout: warnings, a table of differences, and the changed items of each actor."""
    for warning in report.warnings:
        output.print(f"[bold yellow]Warning:[/] {escape(warning)}", soft_wrap=True, highlight=False)
    for change in report.changes:
        output.print(f"Changed: {change}", soft_wrap=True, markup=False, highlight=False)
    _show_differences(report)
    for actor in report.actors:
        _show_items(actor)


def _show_differences(report: ComparisonReport) -> None:
    base, candidate = report.base, report.candidate
    title = f"{escape(candidate.dataset)}: {short_id(candidate.id)} less {short_id(base.id)}, item by item"
    table = plain_table(title, "actor")
    table.padding = 0
    table.add_column("metric", no_wrap=True)
    for name in ("base", "candidate", "difference", "95 % interval", "n", "p (Holm)"):
        table.add_column(name, justify="right", no_wrap=True)
    for actor in report.actors:
        for number, one in enumerate(actor.metrics):
            table.add_row(escape(_name(actor)) if number == 0 else "", one.metric, *_cells(one))
    output.print(table)


def _name(actor: ActorComparison) -> str:
    return actor.candidate if actor.base == actor.candidate else f"{actor.candidate}\n(less {actor.base})"


def _cells(one: MetricDifference) -> tuple[str, ...]:
    difference = one.difference
    if difference.mean is None or difference.low is None or difference.high is None:
        return ("–", "–", "–", "–", "0", "–")
    mark = "*" if one.p < ALPHA else ""
    return (
        _figure(one.base),
        _figure(one.candidate),
        f"{_figure(difference.mean, '+')}{mark}",
        f"{_figure(difference.low, '+')} to {_figure(difference.high, '+')}",
        str(one.n),
        f"{one.p:.3g}",
    )


def _show_items(actor: ActorComparison) -> None:
    items = actor.items
    output.print(
        f"[bold]{escape(actor.candidate)}[/] by {items.metric}: {items.better} better, {items.worse} worse, "
        f"{items.changed} changed with the same score, {items.missing} missing in one of the two",
        highlight=False,
    )
    for state in ("worse", "better", "missing", "changed"):
        for one in items.shown[state]:
            output.print(_line(state, one), highlight=False, no_wrap=True, overflow="ellipsis")


def _line(state: str, one: ItemDifference) -> str:
    text = one.text if len(one.text) <= MAX_CHARS else one.text[: MAX_CHARS - 1] + "…"
    scores = f"{_figure(one.base)} → {_figure(one.candidate)}"
    return f"  {state:7} {scores:15} {escape(one.item)}: {escape(' '.join(text.split()))}"


def _figure(value: float | None, sign: str = "") -> str:
    """Three decimals, or one for large values."""
    if value is None:
        return "–"
    digits = 3 if abs(value) < WIDE else 1
    return f"{value:{sign}.{digits}f}"
