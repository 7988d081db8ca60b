"""The report on answers."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from core.types import Status
from eval.answers.page import answers_page
from eval.answers.report import AnswersReport, answers_report
from eval.answers.shown import counts, paired_tests, significant
from tests.eval.actors.scripted import outcome
from tests.eval.answers.labelled import ROWS, abstention, message, output, plan

MESSAGES = (
    message("1"),
    message("2"),
    message("3", kind="logistics"),
    message("4", "abstain"),
    message("5", "no_response"),
)
SILENCE = {**abstention(), "status": Status.NO_RESPONSE_NEEDED}
GOOD = (output(ROWS, confidence=0.9, retrieved=(ROWS,)), abstention(), SILENCE)


@pytest.fixture(scope="module")
def report() -> AnswersReport:
    """`fc/tree` abstains from message 2, and fails on message 3."""
    answer, none, silence = GOOD
    rows = [("fc/tree", "1", answer), ("fc/tree", "2", none), ("fc/tree", "3", None)]
    rows += [("fc/tree", "4", answer), ("fc/tree", "5", silence)]
    return answers_report(outcome(plan(*MESSAGES), *rows))


def test_shares_are_over_the_messages_that_they_are_about(report: AnswersReport) -> None:
    figures = report.actors["fc/tree"]
    means = {name: mean.mean for name, mean in figures.means.items()}
    assert (means["retrieved"], means["cited_first"], means["wrongly_abstained"]) == (0.5, 0.5, 0.5)
    assert (means["wrongly_answered"], means["no_response_right"]) == (1.0, 1.0)
    assert report.counts == {"answer": 3, "abstain": 1, "no_response": 1}


def test_a_failed_message_is_counted_and_not_scored(report: AnswersReport) -> None:
    assert report.actors["fc/tree"].unscored == 1
    assert not report.complete
    assert report.n == 5


def test_figures_are_given_by_kind_of_message(report: AnswersReport) -> None:
    kinds = report.actors["fc/tree"].kinds
    assert {kind: found.n for kind, found in kinds.items()} == {"concept": 3, "logistics": 1, "no_response": 1}
    assert kinds["concept"].means["cited_first"].mean == 0.5
    assert "cited_first" not in kinds["no_response"].means
    assert not kinds["logistics"].means


def test_an_actor_that_answers_better_is_named_for_every_metric() -> None:
    messages = tuple(message(str(number)) for number in range(12))
    better = [("fc/hybrid", one.id, output(ROWS, confidence=0.9, retrieved=(ROWS,))) for one in messages]
    worse = [("fc/tree", one.id, abstention(0.9)) for one in messages]
    found = answers_report(outcome(plan(*messages, actors=("fc/tree", "fc/hybrid")), *better, *worse))
    assert (found.baseline, found.comparisons[0].better, found.comparisons[0].difference) == ("fc/tree", "fc/hybrid", 1)
    for metric in ("cited_first", "wrongly_abstained", "brier"):
        (one,) = paired_tests(found)[metric]
        assert (one.better, one.wins, one.losses) == ("fc/hybrid", 12, 0)
        assert ("fc/hybrid", metric) in significant(found)


def test_the_report_is_the_same_after_storing_it(report: AnswersReport) -> None:
    stored = report.model_dump(mode="json")
    assert {"course", "n", "actors"} <= stored.keys()
    assert AnswersReport.model_validate(stored) == report


def test_the_page_shows_figures_diagram_and_kinds(report: AnswersReport) -> None:
    page = answers_page(report, datetime(2026, 1, 1, tzinfo=UTC))
    assert counts(report) in page
    assert "<svg" in page
    for words in ("Answers in ds", "fc/tree", "wrongly abstained", "logistics", "Brier skill"):
        assert words in page


def test_a_page_of_actors_that_state_no_confidence_has_no_reliability_diagram() -> None:
    silent = {**output(ROWS), "confidence": None}
    page = answers_page(
        answers_report(outcome(plan(MESSAGES[0]), ("fc/tree", "1", silent))), datetime(2026, 1, 1, tzinfo=UTC)
    )
    assert "share with the right passage first" not in page
