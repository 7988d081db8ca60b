"""Homework tasks in a course's material, found by assignment and question."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.errors import UnknownName
from core.types import Passage, Visibility
from pipelines.homework.task import HomeworkTask
from retrievers.names import WHOLE_MATCH, Directory

_PART = re.compile(r"^\W*\(?([a-h])[).]\s", re.MULTILINE)


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


def _is_of(passage: Passage, assignment: str) -> bool:
    wanted = _simple(assignment)
    return any(
        wanted == _simple(name) for name in (passage.title, passage.document.rpartition("/")[2].rpartition(".")[0])
    )


def _simple(text: str) -> str:
    return re.sub(r"\W+", "", text).casefold()


def homework_task(passage: Passage, passages: Sequence[Passage]) -> HomeworkTask:
    """The task of a question with its parts, which are passages of their own, and the official solution.

    The solution of a part may stand in that of the whole question. Final answers are read from it when it is checked.
    """
    parts = _parts(passage, passages)
    text = "\n\n".join((passage.text, *(one.text for one in parts)))
    solution = "\n\n".join(filter(None, (passage.solution, *(one.solution for one in parts))))
    count = len(parts) or max(1, len(set(_PART.findall(passage.text))))
    return HomeworkTask(text, solution or _of_whole(passage, passages) or None, parts=count)


def _parts(passage: Passage, passages: Sequence[Passage]) -> list[Passage]:
    label = re.compile(rf"{re.escape(passage.label)}[a-h]") if passage.label else None
    return [one for one in passages if label and one.document_id == passage.document_id and label.fullmatch(one.label)]


def _of_whole(part: Passage, passages: Sequence[Passage]) -> str:
    """What the solution of the whole question says to this part of it."""
    whole = next(
        (one for one in passages if one.document_id == part.document_id and one.label == part.label[:-1]), None
    )
    pieces = _PART.split(whole.solution)[1:] if whole and part.label else []
    return next((text for label, text in zip(pieces[::2], pieces[1::2], strict=True) if label == part.label[-1]), "")
