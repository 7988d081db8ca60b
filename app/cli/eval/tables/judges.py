"""The reports of `edumod eval judges` and `edumod eval attacks` on a terminal."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from app.cli.eval.tables.figures import plain_table
from app.cli.output import cost, output
from eval.attacks.report import AttackReport
from eval.calibration.measures import Agreement
from eval.calibration.panel import PanelFigures
from eval.calibration.report import CalibrationReport, PerHundred
from eval.statistics import Mean

MAX_CHARS = 100
"""Characters shown of a text."""


def show(report: CalibrationReport) -> None:
    """On stdout: agreement beside the humans' own, baselines, biases, and where the judge errs most."""
    output.print(_agreement(report))
    if report.raters == 1:
        output.print("With one rater there is no agreement of humans to compare with.")
    output.print(_unscored(report), highlight=False)
    if report.with_estimates is not None:
        output.print(f"With estimates for those in doubt: Pearson {_plain(report.with_estimates.pearson)}")
    output.print()
    output.print(_baselines(report))
    output.print()
    if report.panel is not None:
        output.print(_panel(report.panel))
        output.print()
    output.print(_heatmap(report))
    output.print()
    output.print(f"Bias by length {_plain(report.biases.length)}, by position {_plain(report.biases.position)}")
    for author, error in report.biases.authors.items():
        output.print(f"Mean error for {escape(author)}: {_plain(error)}")
    if report.inconsistent is not None:
        output.print(f"Verdicts that depend on the order: {report.inconsistent:.1%}")
    output.print(_usage(report.per_100), highlight=False)
    output.print("\nGreatest errors:")
    for one in report.worst:
        output.print(f"  {escape(one.id)}: human {one.human:g}, judge {one.judge:g}", highlight=False)
        output.print(f"    {escape(_short(one.question))}\n    {escape(_short(one.answer))}", highlight=False)


def show_attacks(report: AttackReport) -> None:
    """On stdout: each attack and each harmless change with its limit."""
    title = f"{report.judge} ({report.form}) under attack: {report.n} good answers of {escape(report.dataset)}"
    table = plain_table(title, "attack")
    for name in ("n", "AUC", "drop", "accepted", "unscored", "limit", ""):
        table.add_column(name, justify="right", no_wrap=True)
    for name, one in report.attacks.items():
        shares = (f"{one.accepted:.2f}", f"{one.unscored / one.n:.2f}")
        values = (str(one.n), _figure(one.auc), _figure(one.mean_drop), *shares, one.limit.spelling)
        table.add_row(name, *values, _verdict(one.passed))
    output.print(table)
    if report.intact is not None:
        output.print(
            f"Good answers: {report.intact.accepted:.2f} accepted, {report.intact.unscored:.2f} unscored (at most "
            f"{report.intact.max_unscored:g}) {_verdict(report.intact.passed)}",
            highlight=False,
        )
    output.print()
    harmless = plain_table("harmless changes", "change")
    for name in ("n", "mean shift", ""):
        harmless.add_column(name, justify="right", no_wrap=True)
    for name, change in report.harmless.items():
        harmless.add_row(name, str(change.n), _figure(change.mean_shift), _verdict(change.passed))
    output.print(harmless)
    if report.not_applicable:
        output.print(f"Too few answers to make: {', '.join(report.not_applicable)}")
    if report.spared:
        output.print(f"Do not apply to this judge: {', '.join(report.spared)}")
    output.print(_usage(report.per_100), highlight=False)


def _agreement(report: CalibrationReport) -> Table:
    title = (
        f"{report.judge} ({report.form}) against {report.raters} human raters: {escape(report.dataset)}, n {report.n}"
    )
    table = plain_table(title, "")
    table.add_column("judge and humans", justify="right", no_wrap=True)
    table.add_column("humans among themselves", justify="right", no_wrap=True)
    for name in Agreement.model_fields:
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


def _usage(per_100: PerHundred) -> str:
    seconds = "–" if per_100.seconds is None else f"{per_100.seconds:.1f} s"
    return f"Per 100 judged answers: {cost(per_100.cost_usd)}, {seconds}"


def _plain(mean: Mean) -> str:
    if mean.mean is None:
        return "–"
    return f"{mean.mean:.3f} ({mean.low:.3f} to {mean.high:.3f})"


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _verdict(passed: bool) -> str:
    return "[green]passed[/]" if passed else "[red]failed[/]"


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= MAX_CHARS else plain[: MAX_CHARS - 1] + "…"
