"""Adds imported questions to the labelled answers of a course."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.errors import InvalidInput
from core.types import Passage, Question, Source, Value, Visibility
from eval.datasets.answer_files import append_message, new_label
from eval.datasets.answers import Expectation, LabelledAnswer, MessageKind, read_answer_labels
from eval.datasets.imported.question import ImportedQuestion
from eval.datasets.label_checks import demand_label
from eval.datasets.questions import LABELS
from retrievers.locations import location_of
from student_code.languages import programming_language

MIN_COMMON_WORDS = 0.6
"""Words that two texts of one exercise have in common, as a share of all their words (Jaccard)."""


class LeftOut(Value):
    """A question that was not added."""

    location: str
    reason: str


class Imported(Value):
    """What came of an import."""

    added: tuple[str, ...]
    """Ids of the new labels."""
    left_out: tuple[LeftOut, ...]


def import_questions(
    questions: Sequence[ImportedQuestion], folder: Path, passages: Sequence[Passage], split: str
) -> Imported:
    """Add each question that staff answered to the folder of labelled answers: the answer is the reference, and the
    exercise in the course is the passage.

    Left out are those without an answer, those whose exercise the course does not have, those that are labelled
    already, and those whose answer a label may not have. CPU-bound. Raises `InvalidInput` if the existing labels are
    not valid.
    """
    if (folder / LABELS).is_file():
        read_answer_labels(folder)
    added, left_out = [], []
    for one in questions:
        try:
            added.append(_added(one, folder, passages, split).id)
        except InvalidInput as error:
            left_out.append(LeftOut(location=one.location, reason=str(error)))
    return Imported(added=tuple(added), left_out=tuple(left_out))


def _added(one: ImportedQuestion, folder: Path, passages: Sequence[Passage], split: str) -> LabelledAnswer:
    if not one.answer:
        raise InvalidInput("No answer of staff is stored.")
    exercise = exercise_of(one.exercise, passages)
    if exercise is None:
        raise InvalidInput("The course has no exercise with this text. Ingest its assignments first.")
    fields = {
        "kind": MessageKind.DEBUGGING,
        "expects": Expectation.ANSWER,
        "passages": (location_of(exercise.document, exercise.heading_path),),
        "reference": one.answer,
    }
    demand_label(new_label({**fields, "id": "The label"}), passages)
    return append_message(folder, _question(one, exercise), split, fields)


def _question(one: ImportedQuestion, exercise: Passage) -> Question:
    return Question(
        body=one.question,
        code=one.code,
        line=one.line,
        tests=one.tests,
        linting=one.linting,
        language=one.language,
        programming_language=programming_language(one.programming_language, one.code),
        exercise=exercise.block_id,
    )


def exercise_of(text: str, passages: Sequence[Passage]) -> Passage | None:
    """The passage of an assignment, for students to read, that has most of the words of this text."""
    wanted = _words(text)
    scored = [(_in_common(wanted, _words(one.text)), one) for one in _exercises(passages)]
    best, found = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    return found if best >= MIN_COMMON_WORDS else None


def _exercises(passages: Sequence[Passage]) -> Iterator[Passage]:
    shown = (one for one in passages if one.visibility is Visibility.STUDENT)
    return (one for one in shown if one.source is Source.ASSIGNMENT)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.casefold()))


def _in_common(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0
