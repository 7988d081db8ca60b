"""The reports of `edumod elmes` on a terminal."""

from __future__ import annotations

from rich.markup import escape

from app.cli.eval.tables.figures import interval, plain_table
from app.cli.output import output
from eval.functions.shown import usd
from eval.report import Figures
from eval.scenarios.evaluation import DialoguesReport, JudgedReport


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


def _usage(figures: Figures) -> tuple[str, str, str, str]:
    numbers = ("–" if value is None else f"{value:.3g}" for value in (figures.model_calls, figures.tokens))
    calls, tokens = numbers
    return str(figures.unscored), calls, tokens, usd(figures.cost_usd)
