"""Calibration: figures, ceiling, baselines and biases, and judges that are exposed by them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from core.errors import BadReply, CannotTell
from core.llm.base import LLM
from core.llm.models import Models, NamedModel
from core.llm.offline import OfflineLLM
from core.llm.scripted import ScriptedLLM
from core.settings import ModelPrice
from core.store.store import Store
from eval.agreement import agreement, among_raters
from eval.calibration.evaluation import calibration_plan
from eval.calibration.page import calibration_page
from eval.calibration.report import CalibrationReport, calibration_report
from eval.request import evaluate
from eval.runner import RunLimits, Runner
from eval.statistics import Resampling
from judging import judge_named
from judging.answers import JudgedAnswers
from judging.options import JudgeOptions
from judging.tasks import CompareAnswers, JudgeTeachingPoints
from tests.judging import scripted
from tests.judging.judged import answers
from tests.sweeps import sweep

PRICES = {"scripted": ModelPrice(input=1000.0, output=0.0)}
"""A call of the scripted model has 100 prompt tokens: 10 cents."""


async def calibrated(
    store: Store,
    llm: LLM,
    data: JudgedAnswers,
    name: str = "teaching_points",
    cap: float | None = None,
    options: JudgeOptions | None = None,
) -> CalibrationReport:
    judge = judge_named(name, options)
    plan = calibration_plan(judge, data, NamedModel(llm.model, llm, llm.model))
    return await evaluate(
        Runner(store.evaluations, llm, PRICES),
        plan,
        lambda outcome: calibration_report(outcome, judge, data.scale),
        RunLimits(8, cap),
        lambda _done, _all: None,
    )


def judging(reply: Callable[[Any], Any]) -> ScriptedLLM:
    return ScriptedLLM({JudgeTeachingPoints: [reply], CompareAnswers: [reply]})


def test_figures_of_raters_who_agree_and_of_one_who_is_constant() -> None:
    scores = np.array([0.0, 1, 2, 3, 4, 5])
    resampling = Resampling(list("abcdef"))
    same = agreement(resampling, [(scores, scores)])
    assert [getattr(same, name).mean for name in type(same).model_fields] == [1, 1, 1, 0, 1, 1, 1, 1, 1]
    flat = agreement(resampling, [(scores, np.full(6, 3.0))])
    assert (flat.pearson.mean, flat.kendall.mean, flat.kappa_linear.mean) == (None, None, 0)
    assert among_raters(resampling, [scores]) is None


async def test_a_judge_that_agrees_with_people_is_shown_to_and_one_on_another_scale_is_converted(store: Store) -> None:
    data = answers(24, good=8)
    by_answer = {item.answer: item.human for item in data.dataset.items}
    report = await calibrated(store, judging(lambda task: scripted.points(by_answer[task.answer])), data)
    assert (report.pearson.mean, report.mae.mean, report.n, report.unscored) == (1, 0, 24, 0)
    assert report.humans is not None
    assert report.humans.pearson.mean < 1
    assert (report.form, report.raters) == ("model", 2)
    assert sum(map(sum, report.heatmap.counts)) == 24
    dumped = report.model_dump(mode="json")
    assert set(dumped["kappa_quadratic"]) == {"mean", "low", "high"}
    assert dumped["baselines"]["cosine"]["pearson"]["mean"] is not None


@pytest.mark.parametrize(
    "reply",
    sweep([scripted.lenient, scripted.constant, scripted.long_is_good, scripted.random], every=2),
)
async def test_a_bad_judge_does_not_correlate_with_people(store: Store, reply: Callable[[Any], Any]) -> None:
    report = await calibrated(store, judging(reply), answers(60, good=20))
    assert report.pearson.mean is None or report.pearson.low is None or report.pearson.low < 0.2
    assert report.kappa_quadratic.mean is None or report.kappa_quadratic.mean < 0.3


async def test_a_judge_that_prefers_what_comes_first_is_exposed(store: Store) -> None:
    report = await calibrated(store, judging(scripted.first_is_better), answers(12), "preference")
    assert (report.inconsistent, report.biases.position.mean) == (1, 0.5)


async def test_a_panel_is_reported_with_its_members_and_their_agreement(store: Store) -> None:
    data = answers(24, good=8)
    human = {item.answer: item.human for item in data.dataset.items}
    left_out = {item.answer for item in data.dataset.items[:4]}

    def other(task: JudgeTeachingPoints) -> Any:
        return BadReply("The reply was truncated.") if task.answer in left_out else scripted.random(task)

    right = ScriptedLLM({JudgeTeachingPoints: [lambda task: scripted.points(human[task.answer])]}, model="right")
    models = Models.of(right, ScriptedLLM({JudgeTeachingPoints: [other]}, model="wrong"))
    report = await calibrated(store, models, data, options=JudgeOptions(panel=("right", "wrong")))
    assert (report.n, report.unscored) == (24, 0)
    assert report.panel is not None
    assert (report.panel.n, report.panel.members["right"].mean) == (20, 1)
    assert report.panel.agreement is not None
    assert (report.panel.members["wrong"].mean or 0) < 0.5
    assert (report.panel.agreement.pearson.mean or 0) < 0.5
    page = calibration_page(report, datetime(2026, 1, 1, tzinfo=UTC))
    assert "20 answers scored by all" in page


async def test_unusable_replies_are_unscored_and_stay_in_n(store: Store) -> None:
    lines = [BadReply("The reply was truncated.") if n % 3 == 0 else scripted.points(n % 5) for n in range(12)]
    report = await calibrated(store, ScriptedLLM({JudgeTeachingPoints: lines}), answers(12, good=4))
    assert (report.n, report.unscored, report.unscored_reasons) == (12, 4, {"The reply was truncated.": 4})
    assert sum(map(sum, report.heatmap.counts)) == 8


async def test_a_judge_that_never_replies_usably_has_no_figures(store: Store) -> None:
    report = await calibrated(store, judging(lambda _task: BadReply("prose")), answers(6))
    assert (report.unscored, report.pearson.mean, report.worst) == (6, None, ())


async def test_estimates_stand_for_scores_in_doubt_beside_the_agreement_of_the_certain_ones(store: Store) -> None:
    def reply(task: JudgeTeachingPoints) -> Any:
        number = int(task.question.split()[-1].strip("?"))
        if number % 2:
            raise CannotTell("A word differs.", "", 0.8)
        return scripted.points(number % 4)

    report = await calibrated(store, judging(reply), answers(12, good=4))
    assert (report.unscored, report.unscored_reasons) == (6, {"A word differs.": 6})
    assert report.with_estimates is not None
    assert report.with_estimates.pearson.mean != report.pearson.mean


async def test_a_cost_cap_leaves_answers_unscored_and_in_n(store: Store) -> None:
    llm = judging(lambda task: scripted.points(len(task.answer) % 6))
    report = await calibrated(store, llm, answers(30, good=10), cap=1.0)
    assert (report.n, report.capped) == (30, True)
    assert 10 <= report.n - report.unscored < 30
    assert set(report.unscored_reasons) == {"It was not judged: the run ended before."}


async def test_the_computed_form_is_named_and_free(store: Store) -> None:
    from judging.computed.verdicts import COMPUTED_RULES

    report = await calibrated(store, OfflineLLM(COMPUTED_RULES), answers(6))
    assert (report.form, report.per_100.cost_usd) == ("computed", 0)


async def test_the_page_shows_agreement_heatmap_and_errors_and_escapes_texts(store: Store) -> None:
    data = answers(6, good=2)
    odd = data.dataset.items[0].model_copy(update={"answer": "<script>alert(1)</script>"})
    data = JudgedAnswers(type(data.dataset)("scripted", (odd, *data.dataset.items[1:])), data.scale, data.raters)
    page = calibration_page(await calibrated(store, judging(scripted.random), data), datetime(2026, 1, 1, tzinfo=UTC))
    for words in ("Judge teaching_points (model)", "kappa quadratic", "heatmap", "Greatest errors"):
        assert words in page
    assert "<script>" not in page
