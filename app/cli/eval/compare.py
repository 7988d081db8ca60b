"""`edumod eval compare`."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.eval.comparison_tables import show
from app.cli.output import AsJson, errors, print_json, with_services
from app.wiring import Services
from core.concurrency import in_thread
from eval.comparison.compare import ComparisonReport, compared, selected
from eval.comparison.limits import MetricLimit

EXCEEDED = 3
"""Exit code if a limit is exceeded or cannot be checked."""


def compare(
    base: Annotated[
        str, typer.Argument(metavar="BASE", help="Id of an evaluation, or ID:ACTOR for one of its actors.")
    ],
    candidate: Annotated[
        str, typer.Argument(metavar="CANDIDATE", help="The same, for the evaluation to compare with it.")
    ],
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METRIC:LIMIT",
            help="Exit with 3 if the candidate is worse by more than the limit, as in recall@5:-0.02, latency_ms:+50 "
            "or latency_ms:+20%, or lacks scores that the base has; may be repeated.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Compare even if the two were measured under different conditions.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compare two evaluations item by item: differences with 95 % intervals, and what got better or worse.

    Actors are matched by name. Evaluations with different data sets, labels or metric versions are refused.
    """
    limits = [MetricLimit.parsed(text) for text in fail_on or ()]

    async def work(services: Services) -> ComparisonReport:
        one = await selected(services.store.evaluations, base)
        other = await selected(services.store.evaluations, candidate)
        return await in_thread(lambda: compared(one, other, limits, force=force))

    report = with_services(work)
    print_json(report) if as_json else show(report)
    for failure in report.failures:
        errors.print(f"Failed: {failure}", soft_wrap=True, markup=False, highlight=False, style="red")
    if report.failures:
        raise typer.Exit(EXCEEDED)
