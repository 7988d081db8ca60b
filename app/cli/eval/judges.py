"""`edumod eval judges`."""

from __future__ import annotations

from app.cli.eval.options import (
    Concurrency,
    Expected,
    HideReference,
    JudgeModel,
    JudgeName,
    MaxCost,
    PagePath,
    Panel,
    Samples,
    ScoredAnswers,
    check_page,
    names_in,
)
from app.cli.eval.reports import conclude
from app.cli.measuring import Progress, measure
from app.cli.output import AsJson, Replay
from app.wiring import Services
from eval.calibration.evaluation import calibration_plan, demand_capabilities
from eval.calibration.report import CalibrationReport, calibration_report
from eval.datasets.judged import read_judged
from eval.request import evaluate
from eval.runner import RunLimits
from judging import judge_named
from judging.options import JudgeOptions


def judges(
    dataset: ScoredAnswers,
    judge: JudgeName,
    model: JudgeModel = None,
    samples: Samples = 1,
    hide_reference: HideReference = False,
    expected: Expected = False,
    panel: Panel = "",
    concurrency: Concurrency = 1,
    max_cost: MaxCost = None,
    page: PagePath = None,
    replay: Replay = None,
    as_json: AsJson = False,
) -> None:
    """Calibrate a judge against human scores: agreement with 95 % intervals over questions, ceiling, baselines, biases.

    A run that was interrupted continues where it stopped. Exits with 1 if answers could not be judged.
    """
    check_page(page)
    chosen = judge_named(judge, JudgeOptions(model, samples, not hide_reference, expected, names_in(panel)))
    data = chosen.prepared(read_judged(dataset, judge))

    async def work(services: Services, progress: Progress) -> CalibrationReport:
        await demand_capabilities(chosen, data.dataset, services.models)
        plan = calibration_plan(chosen, data, *chosen.options.asked(services.models))
        limits = RunLimits(concurrency, max_cost)
        return await evaluate(
            services.runner(), plan, lambda outcome: calibration_report(outcome, chosen, data.scale), limits, progress
        )

    conclude(measure("answers", work, replay), as_json, page)
