"""Solutions that stand together behind the questions they answer, as in an answer key.

Their numbers are those of the questions and make no new ones; each answer goes to its question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ingestion.document import LoadedDocument
from ingestion.numbering import Number, read_number
from ingestion.statements import after_solution_marker, is_solution_marker

if TYPE_CHECKING:
    from ingestion.headers import Header

_QUESTION = re.compile(r"\d+|.")
"""The question in a label: 12 in "12b"."""


def without_answers(document: LoadedDocument, headers: Sequence[Header]) -> list[Header]:
    """The headers without those that stand inside a solution."""
    kept: list[Header] = []
    seen: set[str] = set()
    answers: Header | None = None
    for header in headers:
        mark = _last_mark(document, kept[-1].line + 1 if kept else 0, header.line)
        if mark is not None and _is_answer(document, mark, header, kept, seen, answers):
            answers = answers or header
            continue
        answers = None
        kept.append(header)
        if header.label:
            seen.add(header.label)
    return kept


def _last_mark(document: LoadedDocument, start: int, end: int) -> int | None:
    """The last line before `end` that begins a solution, if it is one from `start` on."""
    return next((n for n in range(end - 1, start - 1, -1) if is_solution_marker(document.lines[n].text)), None)


def _is_answer(
    document: LoadedDocument,
    mark: int,
    header: Header,
    kept: Sequence[Header],
    seen: set[str],
    answers: Header | None,
) -> bool:
    """Whether a header behind the line `mark`, which begins a solution, is part of it."""
    if 0 < document.lines[mark].level < header.rank:
        return True
    before = answers or (kept[-1] if kept else None)
    if before is None:
        return False
    if header.label is None:
        return header.rank > before.rank and bool(before.label)
    if header.label not in seen:
        return False
    return answers is not None or _is_right_behind(document, mark, header.line) or _is_part(header.label, before.label)


def _is_right_behind(document: LoadedDocument, mark: int, line: int) -> bool:
    """Whether nothing but the words that announce solutions stands before the line."""
    between = (document.lines[n].text for n in range(mark + 1, line))
    return not after_solution_marker(document.lines[mark].text) and not any(text.strip() for text in between)


def _is_part(label: str, before: str | None) -> bool:
    """Whether the label is that of a part of the question that the other one belongs to."""
    question = _QUESTION.match(label)
    other = _QUESTION.match(before or "")
    return bool(question and other) and question[0] == other[0] != label  # type: ignore[index]


def answers_in(solution: str, labels: Sequence[str], own: str) -> dict[str, str]:
    """The solution cut into the answers to several questions, by label; empty where it is that of one.

    `labels` are those of the questions without a solution of their own, in order, `own` that of the last one, behind
    which the solution stands. What comes before the first number belongs to the first answer.
    """
    lines = solution.split("\n")
    starts: list[tuple[int, str]] = []
    left, current, start = list(labels), own, 0
    for place, line in enumerate(lines):
        number = read_number(after_solution_marker(line))
        if number is None:
            continue
        label = _answered(number, current, left)
        if label is not None:
            starts.append((start or place, label))
            left, current, start = left[left.index(label) + 1 :], label, 0
        elif number.named and any(one.startswith(number.label) for one in left):
            # The question's number stands alone, above those of its parts.
            current, start = number.label, place
    if len(starts) < 2 or (starts[-1][1] != labels[-1] and 2 * len(starts) < len(labels)):
        return {}
    borders = [0, *(place for place, _ in starts[1:]), len(lines)]
    return {label: "\n".join(lines[borders[n] : borders[n + 1]]).strip() for n, (_, label) in enumerate(starts)}


def _answered(number: Number, current: str, left: Sequence[str]) -> str | None:
    """The question among `left` that a number behind the answer to `current` stands for."""
    return next((label for label in _meanings(number, current) if label in left), None)


def _meanings(number: Number, current: str) -> Iterator[str]:
    if number.named or (number.question and number.part):
        yield number.label
        return
    for end in range(len(current), 0, -1):
        yield current[:end] + (number.part or f".{number.question}")
    yield number.label
