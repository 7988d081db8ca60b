"""The reports of `edumod elmes` on a terminal."""

from __future__ import annotations

from rich.markup import escape

from app.cli.eval.tables.figures import interval, plain_table
from app.cli.output import output
from eval.functions.shown import usd
from eval.report import Figures
from eval.scenarios.evaluation import DialoguesReport, JudgedReport
from eval.scenarios.runs.report import FIELD, ModelFigures, ScenarioReport
from eval.statistics import ALPHA, Mean


def show_dialogues(report: DialoguesReport) -> None:
    """On stdout: how many dialogues there are, how many of them the agents ended, and what they cost."""
    table = plain_table(escape(f"{report.dataset}: {report.n} tasks, {report.seeds} seeds"), "scenario")
    for name in ("finished", "failed", "calls", "tokens", "cost"):
        table.add_column(name, justify="right")
    for name, figures in report.actors.items():
        table.add_row(escape(name), interval(figures.means["finished"]), *_usage(figures))
    output.print(table)


def show_judged(report: JudgedReport) -> None:
    """On stdout: the mean of each field with its interval."""
    judged = report.kind.removeprefix("judged ")
    for name, figures in report.actors.items():
        table = plain_table(escape(f"{name}: {report.n} {judged}, {figures.unscored} not judged"), "field")
        for column in ("mean", "95 % interval"):
            table.add_column(column, justify="right")
        for metric, mean in figures.means.items():
            shown = "–" if mean.mean is None else f"{mean.mean:.2f}"
            bounds = "–" if mean.low is None or mean.high is None else f"{mean.low:.2f} to {mean.high:.2f}"
            table.add_row(escape(metric.removeprefix("judged@")), shown, bounds)
        output.print(table)


def show_scenario(report: ScenarioReport) -> None:
    """On stdout: every field by model, then dialogues and their cost, how far judges agree, and what differs."""
    table = plain_table(escape(f"{report.dataset}: {report.n} tasks, {report.seeds} seeds; 95 % intervals"), "field")
    for name in report.actors:
        table.add_column(escape(name), justify="right")
    for metric in report.means:
        cells = (points(figures.means[metric]) for figures in report.actors.values())
        table.add_row(escape(metric.removeprefix(FIELD)), *cells)
    output.print(table)
    _show_dialogues(report)
    _show_agreement(report)
    for field, comparisons in report.differences.items():
        for one in comparisons:
            if one.p < ALPHA:
                text = f"{field}: {one.better} is better than {one.than} by {one.difference:.2f} (p = {one.p:.2g})"
                output.print(text, markup=False, highlight=False, soft_wrap=True)


def _show_dialogues(report: ScenarioReport) -> None:
    table = plain_table("Dialogues", "model")
    for name in ("failed", "partial", "turns", "not judged", "calls", "tokens", "cost"):
        table.add_column(name, justify="right")
    for name, figures in report.actors.items():
        failed, *usage = _usage(figures)
        table.add_row(escape(name), failed, str(figures.partial), _turns(figures), str(figures.unjudged), *usage)
    for name, judge in report.judges.items():
        failed, *usage = _usage(judge)
        table.add_row(escape(f"judge {name}"), failed, "", "", "", *usage)
    output.print(table)


def _show_agreement(report: ScenarioReport) -> None:
    if report.agreement is None:
        return
    table = plain_table(escape(f"Agreement of {', '.join(report.agreement.raters)}"), "field")
    for name in ("exact", "weighted kappa", "alpha"):
        table.add_column(name, justify="right")
    for field, found in report.agreement.fields.items():
        table.add_row(escape(field), *map(points, (found.exact, found.kappa_quadratic, found.alpha)))
    output.print(table)


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
