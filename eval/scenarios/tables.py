"""The reports on scenarios as tables."""

from __future__ import annotations

from collections.abc import Iterator

from rich.markup import escape
from rich.table import Table

from eval.judged import JudgedReport
from eval.report import Figures
from eval.scenarios.evaluation import DialoguesReport
from eval.scenarios.runs.report import FIELD, Judges, ModelFigures, ScenarioReport
from eval.statistics import ALPHA, Mean
from eval.tables import Part, interval, name_of, plain_table, usd


def tabulate_dialogues(report: DialoguesReport) -> Iterator[Part]:
    """How many dialogues there are, how many of them the agents ended, and what they cost."""
    table = plain_table(escape(f"{report.dataset}: {report.n} tasks, {report.seeds} seeds"), "scenario")
    for name in ("finished", "failed", "calls", "tokens", "cost"):
        table.add_column(name, justify="right")
    for name, figures in report.actors.items():
        table.add_row(name_of(name, figures), interval(figures.means["finished"]), *_usage(figures))
    yield table


def tabulate_judged(report: JudgedReport) -> Iterator[Part]:
    """The mean of each field with its interval."""
    judged = report.kind.removeprefix("judged ")
    for name, figures in report.actors.items():
        table = plain_table(escape(f"{name}: {report.n} {judged}, {figures.unscored} not judged"), "field")
        for column in ("mean", "95 % interval"):
            table.add_column(column, justify="right")
        for metric, mean in figures.means.items():
            shown = "–" if mean.mean is None else f"{mean.mean:.2f}"
            bounds = "–" if mean.low is None or mean.high is None else f"{mean.low:.2f} to {mean.high:.2f}"
            table.add_row(escape(metric.removeprefix("judged@")), shown, bounds)
        yield table


def tabulate_scenario(report: ScenarioReport) -> Iterator[Part]:
    """Every field by model, then dialogues and their cost, how far judges agree, and what differs."""
    table = plain_table(escape(f"{report.dataset}: {report.n} tasks, {report.seeds} seeds; 95 % intervals"), "field")
    for name in report.actors:
        table.add_column(escape(name), justify="right")
    for metric in report.means:
        cells = (points(figures.means[metric]) for figures in report.actors.values())
        table.add_row(escape(metric.removeprefix(FIELD)), *cells)
    yield table
    yield _dialogues(report)
    if report.agreement is not None:
        yield _agreement(report.agreement)
    for field, comparisons in report.differences.items():
        for one in comparisons:
            if one.p < ALPHA:
                text = f"{field}: {one.better} is better than {one.than} by {one.difference:.2f} (p = {one.p:.2g})"
                yield escape(text)


def _dialogues(report: ScenarioReport) -> Table:
    table = plain_table("Dialogues", "model")
    for name in ("failed", "partial", "turns", "not judged", "calls", "tokens", "cost"):
        table.add_column(name, justify="right")
    for name, figures in report.actors.items():
        failed, *usage = _usage(figures)
        table.add_row(
            name_of(name, figures), failed, str(figures.partial), _turns(figures), str(figures.unjudged), *usage
        )
    for name, judge in report.judges.items():
        failed, *usage = _usage(judge)
        table.add_row(escape(f"judge {name}"), failed, "", "", "", *usage)
    return table


def _agreement(agreement: Judges) -> Table:
    table = plain_table(escape(f"Agreement of {', '.join(agreement.raters)}"), "field")
    for name in ("exact", "weighted kappa", "alpha"):
        table.add_column(name, justify="right")
    for field, found in agreement.fields.items():
        table.add_row(escape(field), *map(points, (found.exact, found.kappa_quadratic, found.alpha)))
    return table


def points(mean: Mean) -> str:
    """A mean with its interval, on the scale of its field."""
    if mean.mean is None or mean.low is None or mean.high is None:
        return "–"
    return f"{mean.mean:.2f} [dim]{mean.low:.2f} to {mean.high:.2f}[/]"


def _turns(figures: ModelFigures) -> str:
    return "–" if figures.turns is None else f"{figures.turns:.1f}"


def _usage(figures: Figures) -> tuple[str, str, str, str]:
    numbers = ("–" if value is None else f"{value:.3g}" for value in (figures.model_calls, figures.tokens))
    calls, tokens = numbers
    return str(figures.unscored), calls, tokens, usd(figures.cost_usd)
