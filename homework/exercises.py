"""Homework tasks in a course's material, found by assignment and question."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.errors import UnknownName
from core.types import Passage, Visibility
from homework.task import HomeworkTask
from retrievers.names import WHOLE_MATCH, Directory

SHINGLE, MIN_SHINGLES = 5, 8
"""Words in a row by which texts are compared, and how many such rows a text must have."""
SAME_TEXT = 0.8
"""Share of the shorter text's rows of words that the other has if both are the same exercise."""
_PART = re.compile(r"^\W*\(?([a-h])[).]\s|(?<=[\s.;:?*])\(([a-h])\)\s", re.MULTILINE)
"""The label of a part, at the beginning of a line or, in parentheses, within one."""


def find_exercise(passages: Sequence[Passage], names: Directory, assignment: str, question: str) -> Passage:
    """The passage of a question that students may read. Raises `UnknownName` with the questions that there are."""
    wanted = names.named(f"{assignment} question {question}")
    named = [passages[at] for at, worth in wanted.items() if worth >= WHOLE_MATCH]
    shown = [one for one in passages if one.visibility is Visibility.STUDENT]
    found = [one for one in named if one.visibility is Visibility.STUDENT]
    found = found or [one for one in shown if one.label == question and _is_of(one, assignment)]
    if found:
        return found[0]
    known = sorted({f"{one.title} {one.label}" for one in shown if one.label})
    raise UnknownName("question", f"{assignment} {question}", known)


def exercise_with_text(passages: Sequence[Passage], text: str) -> Passage | None:
    """The question that students may read and that has this wording, with or without its examples."""
    given = _shingles(text)
    shown = [one for one in passages if one.visibility is Visibility.STUDENT]
    alike = [(_overlap(given, _shingles(one.text)), one) for one in shown]
    share, found = max(alike, key=lambda pair: pair[0], default=(0.0, None))
    return found if share >= SAME_TEXT else None


def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = re.findall(r"\w+", text.casefold())
    return frozenset(tuple(words[n : n + SHINGLE]) for n in range(len(words) - SHINGLE + 1))


def _overlap(first: frozenset[tuple[str, ...]], second: frozenset[tuple[str, ...]]) -> float:
    shorter = min(len(first), len(second))
    return len(first & second) / shorter if shorter >= MIN_SHINGLES else 0.0


def _is_of(passage: Passage, assignment: str) -> bool:
    wanted = _simple(assignment)
    return any(
        wanted == _simple(name) for name in (passage.title, passage.document.rpartition("/")[2].rpartition(".")[0])
    )


def _simple(text: str) -> str:
    return re.sub(r"\W+", "", text).casefold()


def homework_task(passage: Passage, readable: Sequence[Passage], solved: Sequence[Passage]) -> HomeworkTask:
    """The task of a question with its parts, which are passages of their own, and the official solution.

    The texts are from what is `readable` for students, the solution from the same passages as staff have them,
    `solved`. The solution of a part may stand in that of the whole question. Final answers are read from it when it is
    checked.
    """
    parts = _parts(passage, readable)
    text = "\n\n".join((passage.text, *(one.text for one in parts)))
    ids = [passage.block_id, *(one.block_id for one in _parts(passage, solved))]
    solutions = {one.block_id: one.solution for one in solved}
    solution = "\n\n".join(filter(None, (solutions.get(block_id, "") for block_id in ids)))
    count = len(parts) or _parts_named(passage.text)
    return HomeworkTask(text, solution or _of_whole(passage, solved) or None, parts=count)


def _parts(passage: Passage, passages: Sequence[Passage]) -> list[Passage]:
    label = re.compile(rf"{re.escape(passage.label)}[a-h]") if passage.label else None
    return [one for one in passages if label and one.document_id == passage.document_id and label.fullmatch(one.label)]


def _of_whole(part: Passage, passages: Sequence[Passage]) -> str:
    """What the solution of the whole question says to this part of it."""
    whole = next(
        (one for one in passages if one.document_id == part.document_id and one.label == part.label[:-1]), None
    )
    text = whole.solution if whole and whole.solution and part.label else ""
    labels = list(_PART.finditer(text))
    ends = (*(label.start() for label in labels[1:]), len(text))
    pieces = {label[1] or label[2]: text[label.end() : end] for label, end in zip(labels, ends, strict=False)}
    return pieces.get(part.label[-1:], "")


def _parts_named(text: str) -> int:
    """How many parts a text labels with a, b, ... without a gap; 1 if it labels none."""
    labels = {found[1] or found[2] for found in _PART.finditer(text)}
    return next((at for at, letter in enumerate("abcdefgh") if letter not in labels), len(labels)) or 1
