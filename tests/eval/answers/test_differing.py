"""Where actors differ, which of them are worth their cost, and the page that shows it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from core.types import StepKind
from eval.answers.differing import differing_items
from eval.answers.front import front
from eval.answers.page import answers_page
from eval.answers.report import AnswersReport, answers_report
from eval.datasets.outputs import AnswerOutput, OutputStep
from eval.metrics.answers.passages import CitedFirst
from eval.report import Figures, Latency
from eval.statistics import Mean
from tests.eval.actors.scripted import outcome
from tests.eval.answers.judging.judged_answers import measured
from tests.eval.answers.labelled import ROWS, message, output, plan

STEP = OutputStep(kind=StepKind.SEARCH, function="qa_retrieval", arguments={"query": "select rows"}, found=(ROWS,))
MESSAGES = (message("1"), message("2"))


def traced(*cited: str, answer: str) -> dict[str, Any]:
    whole = AnswerOutput.model_validate(output(*cited, answer=answer))
    return whole.model_copy(update={"steps": (STEP,)}).model_dump(mode="json")


@pytest.fixture(scope="module")
def report() -> AnswersReport:
    """`a` and `b` differ on the second message alone."""
    rows = [("a", "1", traced(ROWS, answer="Both.")), ("b", "1", traced(ROWS, answer="Both."))]
    rows += [("a", "2", traced(ROWS, answer="Right <b>.")), ("b", "2", traced("x.md", answer="Wrong."))]
    return answers_report(measured(MESSAGES, rows))


def test_messages_with_different_scores_are_shown_with_both_answers_and_their_steps(report: AnswersReport) -> None:
    (found,) = report.differing
    assert (found.item, found.best.actor, found.worst.actor) == ("2", "a", "b")
    assert (found.best.answer, found.worst.answer) == ("Right <b>.", "Wrong.")
    assert found.best.steps == (STEP,)


def test_the_page_has_both_answers_side_by_side_with_their_traces(report: AnswersReport) -> None:
    page = answers_page(report, datetime(2026, 1, 1, tzinfo=UTC))
    assert "Right &lt;b&gt;." in page
    assert page.count("<summary>Trace</summary>") == 2
    assert "search qa_retrieval: select rows" in page
    assert "On the Pareto front: a." in page


def test_no_message_is_shown_where_all_scores_are_equal() -> None:
    same = [(actor, "1", output(ROWS)) for actor in ("a", "b")]
    assert not differing_items(outcome(plan(MESSAGES[0], actors=("a", "b")), *same), CitedFirst())


def figures(quality: float | None, cost: float | None, ms: float | None = 10.0) -> Figures:
    return Figures.model_validate(
        {
            "q": Mean(mean=quality, low=quality, high=quality),
            "latency_ms": Latency(p50=ms, p95=ms),
            "model_calls": 1,
            "tokens": 1,
            "cost_usd": cost,
            "unscored": 0,
        }
    )


def test_the_front_has_who_is_not_beaten_in_both_quality_and_cost() -> None:
    actors = {
        "best": figures(0.9, 0.5),
        "wasteful": figures(0.8, 0.6),
        "cheap": figures(0.4, 0.1),
        "equal": figures(0.4, 0.2),
        "people": figures(0.95, 0.0, None),
        "failed": figures(None, 0.0),
    }
    found = front(actors, "q")
    assert (found.effort, found.actors) == ("cost_usd", ("cheap", "best"))


@pytest.mark.parametrize("cost", [0.0, None])
def test_the_front_is_by_time_where_all_is_free_or_a_price_unknown(cost: float | None) -> None:
    found = front({"slow": figures(0.9, cost, 50.0), "quick": figures(0.4, 0.0, 5.0)}, "q")
    assert (found.effort, found.actors) == ("latency_ms", ("quick", "slow"))
