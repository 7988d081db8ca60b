"""Labelled answers: what is expected of an answer to a message, and the passages that it should rest on.

A folder has `labels.jsonl` and perhaps `questions.jsonl` and `grades.jsonl`. A label's question stands there or in the
`questions.jsonl` of function selection, in the folder `functions` beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from pydantic import Field, ValidationError, model_validator

from core.errors import InvalidInput
from core.store.store import Store
from core.types import Value
from core.validation import problems_in
from eval.datasets.jsonl import JsonLine, read_unique
from eval.datasets.questions import KIND as FUNCTIONS
from eval.datasets.questions import LABELS, QUESTIONS
from eval.datasets.stored import LabelledMessage, stored_labels

KIND = "answers"
"""Kind of evaluations and labels."""
GRADES = "grades.jsonl"
MAX_NAMED = 5
"""Maximum number of ids that a message names."""


class MessageKind(StrEnum):
    """What a message is about."""

    LOGISTICS = "logistics"
    CONCEPT = "concept"
    ASSIGNMENT = "assignment"
    DEBUGGING = "debugging"
    THREAD = "thread"
    MULTI = "multi"
    OFF_TOPIC = "off_topic"
    NO_RESPONSE = "no_response"


class Expectation(StrEnum):
    """The right reaction to a message: answer it, leave it to a person, or stay silent."""

    ANSWER = "answer"
    ABSTAIN = "abstain"
    NO_RESPONSE = "no_response"


class AnswerLabel(Value):
    """What is expected for one message. Passages and reference are empty unless an answer is expected."""

    id: str
    kind: MessageKind
    expects: Expectation
    passages: tuple[str, ...] = ()
    """Locations, each of which answers the message or a part of it."""
    reference: str = ""
    """What a teaching assistant would send, in one to three sentences; in up to eight about an error."""

    @model_validator(mode="after")
    def _fits_expectation(self) -> Self:
        answers = self.expects is Expectation.ANSWER
        if any(bool(part) != answers for part in (self.passages, self.reference.strip())):
            needed = "need passages and a reference" if answers else "have neither passages nor a reference"
            raise ValueError(f"messages that expect {self.expects} {needed}")
        return self


class GradedAnswer(Value):
    """An answer that a person graded: 2 can be sent as it is, 1 helps after editing, 0 is useless or wrong.

    The grade holds for this `answer` alone, in Markdown without its preface.
    """

    grade: int = Field(ge=0, le=2)
    reason: str
    answer: str


class LabelledAnswer(AnswerLabel, LabelledMessage):
    """A student's message with what is expected of its answer, and perhaps a graded answer to it."""

    graded: GradedAnswer | None = None

    @property
    def contents(self) -> tuple[Any, ...]:
        asked = json.dumps(self.question.model_dump(mode="json"), sort_keys=True)
        return (self.id, self.split, asked, str(self.kind), str(self.expects), sorted(self.passages), self.reference)


def read_answer_labels(folder: Path) -> list[LabelledAnswer]:
    """The labelled messages of the folder. Does not check that their locations exist in the material.

    Raises `InvalidInput` naming the file and the line or id.
    """
    labels = read_unique(folder / LABELS, "kind", "expects")
    questions = answer_questions(folder)
    _demand_questions(folder, labels, questions)
    grades = read_unique(folder / GRADES, "grade", "reason", "answer") if (folder / GRADES).is_file() else {}
    if without := sorted(grades.keys() - labels.keys()):
        raise InvalidInput(f"{folder / GRADES}: {_named(without)} has no label in {folder / LABELS}.")
    return [_labelled(row, questions[name], grades.get(name)) for name, row in labels.items()]


def answer_questions(folder: Path) -> dict[str, JsonLine]:
    """Questions by id, of this folder and of the labels of function selection; both files are optional.

    Raises `InvalidInput` if two have the same id.
    """
    files = [path for path in (folder.parent / FUNCTIONS / QUESTIONS, folder / QUESTIONS) if path.is_file()]
    found: dict[str, JsonLine] = {}
    for path in files:
        for name, row in read_unique(path, "split", "question").items():
            if (first := found.setdefault(name, row)) is not row:
                raise InvalidInput(f"{row.location}: the id {name!r} is also in {first.location}. Rename one.")
    return found


def labelled_locations(labels: Iterable[AnswerLabel]) -> set[str]:
    """All locations that answer any of the messages."""
    return {location for label in labels for location in label.passages}


async def labelled_answers(store: Store, course_id: str, split: str | None) -> list[LabelledAnswer]:
    """A course's labelled answers of one split, or all. Raises `InvalidInput` if it has none."""
    return await stored_labels(store, course_id, KIND, LabelledAnswer, split)


def _demand_questions(folder: Path, labels: Mapping[str, JsonLine], questions: Mapping[str, JsonLine]) -> None:
    """Raises `InvalidInput` if a label has no question, or a question of this folder no label."""
    if without := sorted(labels.keys() - questions.keys()):
        raise InvalidInput(
            f"{folder / LABELS}: there is no question {_named(without)} in {folder / QUESTIONS} or "
            f"{folder.parent / FUNCTIONS / QUESTIONS}."
        )
    own = {name for name, row in questions.items() if row.path.parent == folder}
    if without := sorted(own - labels.keys()):
        raise InvalidInput(f"{folder / QUESTIONS}: {_named(without)} has no label in {folder / LABELS}.")


def _named(ids: list[str]) -> str:
    return ", ".join(ids[:MAX_NAMED]) + (", …" if len(ids) > MAX_NAMED else "")


def _labelled(label: JsonLine, question: JsonLine, grade: JsonLine | None) -> LabelledAnswer:
    graded = {name: value for name, value in grade.content.items() if name != "id"} if grade else None
    asked = {name: question.content[name] for name in ("split", "question")}
    try:
        return LabelledAnswer.model_validate({**label.content, **asked, "graded": graded})
    except ValidationError as error:
        raise InvalidInput(f"{label.location}: the label {label.id!r} is not valid: {problems_in(error)}.") from error
