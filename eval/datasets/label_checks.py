"""Checks labelled answers against the material that they are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from core.errors import InvalidInput
from core.text.sentences import prose_sentences
from core.types import Passage, Visibility
from eval.datasets.answers import AnswerLabel, MessageKind
from retrievers.locations import all_locations, covers, location_of, nearest_location
from safeguards import CourseSecrets, staff_texts, without_leaks

MAX_SENTENCES = 3
"""Sentences of a reference."""
MAX_SENTENCES_ON_ERRORS = 8
"""The same for messages about an error: the issue, its reason, and what to try next."""


def open_locations(passages: Iterable[Passage]) -> list[str]:
    """Locations that a label may name: those of passages that students may read, in the order of the material."""
    return all_locations(one for one in passages if one.visibility is Visibility.STUDENT)


def demand_label(label: AnswerLabel, passages: Sequence[Passage]) -> None:
    """Raises `InvalidInput` naming every problem of the label."""
    if problems := list(label_problems([label], passages)):
        raise InvalidInput(" ".join(problems))


def label_problems(labels: Iterable[AnswerLabel], passages: Sequence[Passage]) -> Iterator[str]:
    """A sentence for each problem: unknown locations, with the nearest, or such for staff only, and references that
    are too long or repeat staff texts. CPU-bound."""
    known = open_locations(passages)
    names = frozenset(known)
    readable = [one.text for one in passages if one.visibility is Visibility.STUDENT]
    secrets = CourseSecrets.of(staff_texts(passages), readable)
    for label in labels:
        yield from (_location_problem(label, one, known, passages) for one in label.passages if one not in names)
        if twice := sorted({one for one in label.passages if label.passages.count(one) > 1}):
            yield f"{label.id}: {'; '.join(twice)} is listed twice."
        yield from (f"{label.id}: {problem}" for problem in _reference_problems(label, secrets))


def _location_problem(label: AnswerLabel, location: str, known: Sequence[str], passages: Sequence[Passage]) -> str:
    if any(covers(location, location_of(one.document, one.heading_path)) for one in passages):
        return f"{label.id}: {location} is for staff only. Name what students may read."
    nearest = nearest_location(location, known)
    hint = f" The nearest is {nearest}." if nearest else ""
    return f"{label.id}: there is no location {location} in the material.{hint}"


def _reference_problems(label: AnswerLabel, secrets: CourseSecrets) -> Iterator[str]:
    most = MAX_SENTENCES_ON_ERRORS if label.kind is MessageKind.DEBUGGING else MAX_SENTENCES
    sentences = sum(1 for one in prose_sentences(label.reference) if one)
    if sentences > most:
        yield f"the reference has {sentences} sentences; write at most {most}."
    if secrets and without_leaks(label.reference, (), (), course=secrets)[1]:
        yield "the reference repeats a text for staff only, such as a solution. Give the direction instead."
