"""Metrics of answers."""

from __future__ import annotations

from typing import Any

import pytest

from core.score import Score
from core.types import Status
from eval.datasets.outputs import CitedPassage
from eval.metrics import metric_named
from eval.metrics.answers import ANSWER_METRICS
from eval.metrics.base import Output
from tests.eval.answers.labelled import ROWS, abstention, message, output

ELSEWHERE = "book.md > Tables > Charts"


def score(metric: str, expects: str, content: dict[str, Any]) -> Score:
    return metric_named(metric).score(message("1", expects), Output(content, 1.0))


def value(metric: str, expects: str, content: dict[str, Any]) -> float | None:
    return score(metric, expects, content).value


@pytest.mark.parametrize(
    ("cited", "first", "at_all"),
    [
        ((ROWS,), 1, 1),
        ((f"{ROWS} > By label",), 1, 1),
        ((ELSEWHERE, ROWS), 0, 1),
        ((f"{ROWS}2", "book.md > Tables"), 0, 0),
        ((), 0, 0),
    ],
)
def test_a_citation_is_right_at_or_below_a_labelled_location(cited: tuple[str, ...], first: int, at_all: int) -> None:
    assert value("cited_first", "answer", output(*cited)) == first
    assert value("cited", "answer", output(*cited)) == at_all
    assert value("retrieved", "answer", output(retrieved=cited)) == at_all


def test_each_metric_is_over_the_messages_that_it_is_about() -> None:
    answered = output(ROWS, retrieved=(ROWS,))
    of = {
        expects: {metric.stem for metric in ANSWER_METRICS if value(metric.stem, expects, answered) is not None}
        for expects in ("answer", "abstain", "no_response")
    }
    assert of["abstain"] == {"wrongly_answered", "quote_support", "brier"}
    assert of["no_response"] == {"no_response_right"}
    assert of["answer"] == {metric.stem for metric in ANSWER_METRICS} - {"wrongly_answered", "no_response_right"}


@pytest.mark.parametrize(
    ("metric", "expects", "status", "wanted"),
    [
        ("wrongly_abstained", "answer", Status.ANSWERED, 0),
        ("wrongly_abstained", "answer", Status.ABSTAINED, 1),
        ("wrongly_abstained", "answer", Status.NO_RESPONSE_NEEDED, 1),
        ("wrongly_answered", "abstain", Status.ANSWERED, 1),
        ("wrongly_answered", "abstain", Status.NEEDS_CLARIFICATION, 0),
        ("no_response_right", "no_response", Status.NO_RESPONSE_NEEDED, 1),
        ("no_response_right", "no_response", Status.ABSTAINED, 0),
    ],
)
def test_decisions_are_read_from_the_status(metric: str, expects: str, status: Status, wanted: int) -> None:
    assert value(metric, expects, output(status=status)) == wanted


def test_quotes_support_an_answer_by_their_share_and_none_by_nothing() -> None:
    citations = (CitedPassage(location=ROWS, verified=True), CitedPassage(location=ROWS, verified=False))
    assert value("quote_support", "answer", output(citations=citations)) == 0.5
    assert value("quote_support", "abstain", output()) == 0
    assert score("quote_support", "answer", abstention()).unscored == "There is no answer: its status is abstained."


def test_agreement_is_the_share_of_the_reference_that_the_answer_has() -> None:
    assert value("rouge_l_recall", "answer", output(answer="A row is selected [1] by conditions.")) == 1
    assert value("rouge_l_recall", "answer", output(answer="By rows.")) == pytest.approx(1 / 3)
    assert value("rouge_l_recall", "answer", abstention()) is None


def test_agreement_reads_languages_without_spaces() -> None:
    item = message("1", reference="迟交扣分")
    assert metric_named("rouge_l_recall").score(item, Output(output(answer="迟交要扣分"), 1.0)).value == pytest.approx(
        2 / 3
    )


def test_similarity_is_higher_for_an_answer_that_says_the_same() -> None:
    texts = ("You select rows with a condition.", "Office hours are on Monday.")
    outputs = [
        (message("1"), Output(content, 1.0)) for content in (*(output(answer=one) for one in texts), abstention())
    ]
    same, other, none = metric_named("embedding_similarity").score_all(outputs)
    assert same.value is not None
    assert other.value is not None
    assert same.value > 0.7 > 0.3 > other.value
    assert none.value is None


def test_brier_compares_the_confidence_with_the_first_citation() -> None:
    assert value("brier", "answer", output(ROWS, confidence=0.8)) == pytest.approx(0.04)
    assert value("brier", "abstain", output(ROWS, confidence=0.8)) == pytest.approx(0.64)
    assert value("brier", "answer", abstention(0.1)) == pytest.approx(0.01)
    assert value("brier", "answer", output(ROWS, confidence=None)) is None
