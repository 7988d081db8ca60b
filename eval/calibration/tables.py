"""The report on a judge's agreement with people as tables."""

from __future__ import annotations

from collections.abc import Iterator

from rich.markup import escape
from rich.table import Table

from core.costs import cost
from eval.agreement import ScoreAgreement
from eval.calibration.panel import PanelFigures
from eval.calibration.report import CalibrationReport, PerHundred
from eval.statistics import Mean
from eval.tables import Part, plain_table

MAX_CHARS = 100
"""Characters shown of a text."""


def tabulate_calibration(report: CalibrationReport) -> Iterator[Part]:
    """Agreement beside the humans' own, baselines, biases, and where the judge errs most."""
    yield _agreement(report)
    if report.raters == 1:
        yield "With one rater there is no agreement of humans to compare with."
    yield _unscored(report)
    if report.with_estimates is not None:
        yield f"With estimates for those in doubt: Pearson {_plain(report.with_estimates.pearson)}"
    yield ""
    yield _baselines(report)
    yield ""
    if report.panel is not None:
        yield _panel(report.panel)
        yield ""
    yield _heatmap(report)
    yield ""
    yield f"Bias by length {_plain(report.biases.length)}, by position {_plain(report.biases.position)}"
    for author, error in report.biases.authors.items():
        yield f"Mean error for {escape(author)}: {_plain(error)}"
    if report.inconsistent is not None:
        yield f"Verdicts that depend on the order: {report.inconsistent:.1%}"
    for criterion, mean in report.criteria.items():
        yield f"Mean {escape(criterion)}: {_plain(mean)}"
    yield usage_line(report.per_100)
    yield "\nGreatest errors:"
    for one in report.worst:
        yield f"  {escape(one.id)}: human {one.human:g}, judge {one.judge:g}"
        yield f"    {escape(_short(one.question))}\n    {escape(_short(one.answer))}"


def _agreement(report: CalibrationReport) -> Table:
    title = (
        f"{report.judge} ({report.form}) against {report.raters} human raters: {escape(report.dataset)}, n {report.n}"
    )
    table = plain_table(title, "")
    table.add_column("judge and humans", justify="right", no_wrap=True)
    table.add_column("humans among themselves", justify="right", no_wrap=True)
    for name in ScoreAgreement.model_fields:
        ceiling = _plain(getattr(report.humans, name)) if report.humans else "–"
        table.add_row(name.replace("_", " "), _plain(getattr(report, name)), ceiling)
    return table


def _baselines(report: CalibrationReport) -> Table:
    table = plain_table("Pearson of baselines", "")
    for name in ("baseline", "judge less baseline"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, one in report.baselines.items():
        table.add_row(name, _plain(one.pearson), _plain(one.judge_minus_baseline))
    return table


def _panel(panel: PanelFigures) -> Table:
    table = plain_table(f"panel: {panel.n} answers scored by all", "")
    table.add_column("Pearson with humans", justify="right", no_wrap=True)
    for name, pearson in panel.members.items():
        table.add_row(escape(name), _plain(pearson))
    if panel.agreement is not None:
        table.add_row("members with each other", _plain(panel.agreement.pearson))
        table.add_row("their alpha", _plain(panel.agreement.alpha))
    return table


def _heatmap(report: CalibrationReport) -> Table:
    table = plain_table("answers by human score (rows) and judge's score", "")
    for label in report.heatmap.labels:
        table.add_column(f"{label:g}", justify="right", no_wrap=True)
    for label, row in zip(report.heatmap.labels, report.heatmap.counts, strict=True):
        table.add_row(f"{label:g}", *(str(count) if count else "·" for count in row))
    return table


def _unscored(report: CalibrationReport) -> str:
    reasons = "; ".join(f"{count} × {reason}" for reason, count in report.unscored_reasons.items())
    return f"{report.unscored} of {report.n} unscored" + (f": {reasons}" if reasons else "")


def usage_line(per_100: PerHundred) -> str:
    """Cost and time of 100 answers in one line."""
    seconds = "–" if per_100.seconds is None else f"{per_100.seconds:.1f} s"
    return f"Per 100 judged answers: {cost(per_100.cost_usd)}, {seconds}"


def _plain(mean: Mean) -> str:
    if mean.mean is None:
        return "–"
    return f"{mean.mean:.3f} ({mean.low:.3f} to {mean.high:.3f})"


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= MAX_CHARS else plain[: MAX_CHARS - 1] + "…"
