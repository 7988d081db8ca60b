"""Labelled messages and outputs, made without running anything."""

from __future__ import annotations

from typing import Any

from core.dataset import Dataset
from core.types import Question, Status
from eval.datasets.answers import LabelledAnswer
from eval.datasets.outputs import AnswerOutput, CitedPassage
from eval.metrics.answers import ANSWER_METRICS
from eval.plan import Plan
from tests.eval.actors.scripted import Scripted

ROWS = "book.md > Tables > Rows"


def message(name: str, expects: str = "answer", **fields: Any) -> LabelledAnswer:
    """Answered by `ROWS` unless an answer is not expected."""
    answers = expects == "answer"
    whole = {
        "id": name,
        "kind": "concept" if expects != "no_response" else "no_response",
        "expects": expects,
        "passages": (ROWS,) if answers else (),
        "reference": "Rows are selected by a condition." if answers else "",
        "split": "test",
        "question": Question(body=f"Question {name}?"),
        **fields,
    }
    return LabelledAnswer.model_validate(whole)


def output(*cited: str, confidence: float = 0.5, answer: str = "Yes [1].", **fields: Any) -> dict[str, Any]:
    """An answer that cites these locations, as it is stored."""
    citations = tuple(CitedPassage(location=one, verified=True) for one in cited)
    whole = {"status": Status.ANSWERED, "answer": answer, "confidence": confidence, "citations": citations, **fields}
    return AnswerOutput.model_validate(whole).model_dump(mode="json")


def abstention(confidence: float = 0.1) -> dict[str, Any]:
    return AnswerOutput(status=Status.ABSTAINED, confidence=confidence, retrieved=()).model_dump(mode="json")


def plan(*messages: LabelledAnswer, actors: tuple[str, ...] = ("fc/tree",), **fields: Any) -> Plan[LabelledAnswer]:
    """With all metrics but the one that needs an embedding model."""
    metrics = tuple(metric() for metric in ANSWER_METRICS if metric.stem != "embedding_similarity")
    scripted = tuple(Scripted(name) for name in actors)
    return Plan(
        "answers", Dataset("ds", messages), scripted, metrics, facts={"split": "test"}, course_id="ds", **fields
    )
