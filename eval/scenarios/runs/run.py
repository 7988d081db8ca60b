"""Runs a scenario as a whole: dialogues, judgements, and the evaluation of both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.concurrency import in_thread
from core.store.tables import ResultRow
from eval.judged import judged_report
from eval.runner import Progress, RunLimits, Runner
from eval.scenarios.cast import Cast
from eval.scenarios.evaluation import dialogues_report
from eval.scenarios.runs.judgements import judgements_plan
from eval.scenarios.runs.outcome import scenarios_plan
from eval.scenarios.runs.report import ScenarioReport, scenario_report
from eval.scenarios.runs.request import RunRequest
from eval.scoring import ScoredRun


@dataclass(frozen=True)
class ScenarioRun:
    """A finished run: its report, and a row for every dialogue with its judgements."""

    report: ScenarioReport
    rows: tuple[ResultRow, ...]
    spent_usd: float


async def run_scenario(
    runner: Runner,
    request: RunRequest,
    cast: Cast,
    max_cost: float | None,
    progress: Progress,
) -> ScenarioRun:
    """Hold and judge the dialogues that are missing, and report on all.

    Dialogues and judgements are two evaluations, each continued where it stopped. They are closed once nothing is
    missing in either, so that running again after a failure or the cost cap pays only for what is missing.
    Raises `SetupError` if a cost cap is set and the price of a model is not known.
    """
    size, concurrency = request.size, request.scenario.concurrency
    total = size.dialogues + size.judgements
    held = await runner.run(
        request.dialogues_plan(cast), RunLimits(concurrency, max_cost), lambda done, _: progress(done, total)
    )
    left = None if max_cost is None else max(0.0, max_cost - _spent(held))
    judged = await runner.run(
        judgements_plan(request, held),
        RunLimits(concurrency, left),
        lambda done, _: progress(size.dialogues + done, total),
    )
    whole = await runner.run(scenarios_plan(request, held, judged))
    report = await in_thread(scenario_report, request, held, judged, whole)
    await runner.finish(whole, report)
    if report.complete:
        await runner.finish(held, dialogues_report(held))
        await runner.finish(judged, judged_report(judged))
    return ScenarioRun(report, whole.rows, _spent(held) + _spent(judged))


def _spent(outcome: ScoredRun[Any]) -> float:
    return sum(float(row.usage.get("cost_usd") or 0.0) for row in outcome.rows)
