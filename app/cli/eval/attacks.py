"""`edumod eval attacks`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.eval.options import (
    Concurrency,
    Expected,
    HideReference,
    JudgeModel,
    JudgeName,
    MaxCost,
    Panel,
    Samples,
    ScoredAnswers,
    names_in,
)
from app.cli.eval.reports import present
from app.cli.measuring import Progress, measure
from app.cli.output import AsJson, Replay, errors
from app.wiring import Services
from eval.attacks.evaluation import attack_plan, attacked
from eval.attacks.limits import SHIPPED, read_limits
from eval.attacks.report import AttackReport, attack_report
from eval.calibration.evaluation import demand_capabilities
from eval.datasets.judged import read_judged
from eval.request import evaluate
from eval.runner import RunLimits
from judging import judge_named
from judging.options import JudgeOptions

FOOLED = 3
"""Exit code if an attack or a harmless change is over its limit."""


def attacks(
    dataset: ScoredAnswers,
    judge: JudgeName,
    model: JudgeModel = None,
    samples: Samples = 1,
    hide_reference: HideReference = False,
    expected: Expected = False,
    panel: Panel = "",
    limits: Annotated[
        Path | None, typer.Option(help="YAML file of limits, instead of those that come with EduMod.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Another seed makes other attacks.")] = 0,
    concurrency: Concurrency = 1,
    max_cost: MaxCost = None,
    replay: Replay = None,
    as_json: AsJson = False,
) -> None:
    """Attack a judge with bad answers made from good ones, and with harmless changes.

    Exits with 3 if a limit is exceeded, and with 1 if answers could not be judged.
    """
    chosen = judge_named(judge, JudgeOptions(model, samples, not hide_reference, expected, names_in(panel)))
    kept = read_limits(limits or SHIPPED)
    answers = attacked(read_judged(dataset, judge), chosen, kept, seed)

    async def work(services: Services, progress: Progress) -> AttackReport:
        await demand_capabilities(chosen, answers.dataset, services.models)
        plan = attack_plan(chosen, answers, *chosen.options.asked(services.models))
        return await evaluate(
            services.runner(),
            plan,
            lambda outcome: attack_report(outcome, chosen, answers, kept),
            RunLimits(concurrency, max_cost),
            progress,
        )

    report = measure("answers", work, replay)
    present(report, as_json)
    for name in report.failed:
        errors.print(f"Failed: {name}", style="red")
    if not report.complete:
        raise typer.Exit(1)
    if not report.passed:
        raise typer.Exit(FOOLED)
