"""The report on a judge under attack as tables."""

from __future__ import annotations

from collections.abc import Iterator

from rich.markup import escape

from eval.attacks.report import AttackReport
from eval.calibration.tables import usage_line
from eval.tables import Part, plain_table


def tabulate_attacks(report: AttackReport) -> Iterator[Part]:
    """Each attack and each harmless change with its limit."""
    title = f"{report.judge} ({report.form}) under attack: {report.n} good answers of {escape(report.dataset)}"
    table = plain_table(title, "attack")
    for name in ("n", "AUC", "drop", "accepted", "unscored", "limit", ""):
        table.add_column(name, justify="right", no_wrap=True)
    for name, one in report.attacks.items():
        shares = (f"{one.accepted:.2f}", f"{one.unscored / one.n:.2f}")
        values = (str(one.n), _figure(one.auc), _figure(one.mean_drop), *shares, one.limit.spelling)
        table.add_row(name, *values, _verdict(one.passed))
    yield table
    if report.intact is not None:
        yield (
            f"Good answers: {report.intact.accepted:.2f} accepted, {report.intact.unscored:.2f} unscored (at most "
            f"{report.intact.max_unscored:g}) {_verdict(report.intact.passed)}"
        )
    yield ""
    harmless = plain_table("harmless changes", "change")
    for name in ("n", "mean shift", ""):
        harmless.add_column(name, justify="right", no_wrap=True)
    for name, change in report.harmless.items():
        harmless.add_row(name, str(change.n), _figure(change.mean_shift), _verdict(change.passed))
    yield harmless
    if report.not_applicable:
        yield f"Too few answers to make: {', '.join(report.not_applicable)}"
    if report.spared:
        yield f"Do not apply to this judge: {', '.join(report.spared)}"
    yield usage_line(report.per_100)


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _verdict(passed: bool) -> str:
    return "[green]passed[/]" if passed else "[red]failed[/]"
