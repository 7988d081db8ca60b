"""Solutions that stand together behind the questions they answer, as in an answer key.

Their numbers are those of the questions and make no new ones; each answer goes to its question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ingestion.document import LoadedDocument
from ingestion.numbering import Depth, Number, read_number
from ingestion.solution_marks import after_solution_marker, begins_solution, solution_number

if TYPE_CHECKING:
    from ingestion.headers import Header

_QUESTION = re.compile(r"\d+|.")
"""The question in a label: 12 in "12b"."""
_HEADING = -1


def without_answers(document: LoadedDocument, headers: Sequence[Header]) -> list[Header]:
    """The headers without those that stand inside a solution."""
    kept: list[Header] = []
    key: Header | None = None
    for header in headers:
        if begins_solution(document.lines[header.line]) or (key and header.rank >= key.rank):
            continue
        key = None
        mark = _last_mark(document, kept[-1].line + 1, header.line) if kept else None
        if mark is not None and _opens_key(document, mark, header, kept):
            key = header
        elif mark is None or not _is_inside(document, mark, header, kept):
            kept.append(header)
    return kept


def _last_mark(document: LoadedDocument, start: int, end: int) -> int | None:
    """The last line before `end` that begins a solution, if it is one from `start` on."""
    return next((n for n in range(end - 1, start - 1, -1) if begins_solution(document.lines[n])), None)


def _opens_key(document: LoadedDocument, mark: int, header: Header, kept: Sequence[Header]) -> bool:
    """Whether a question's number comes again right behind the line `mark` that announces solutions: words that stand
    alone, and that no question before had below it."""
    if header.label is None or all(header.label != one.label for one in kept):
        return False
    alone = [n for n in range(mark + 1) if _stands_alone(document, n)]
    between = (document.lines[n].text for n in range(mark + 1, header.line))
    return alone == [mark] and not any(text.strip(" \t=-") for text in between)


def _is_inside(document: LoadedDocument, mark: int, header: Header, kept: Sequence[Header]) -> bool:
    """Whether a header behind the line `mark`, which begins a solution, is part of it."""
    again = header.label is not None and any(header.label == one.label for one in kept)
    # A question that is new may follow a solution's heading without being a heading itself.
    if 0 < document.lines[mark].level < header.rank and (document.lines[header.line].level or again):
        return True
    if header.label is None:
        return header.rank > kept[-1].rank and bool(kept[-1].label)
    return again and _is_part(header.label, kept[-1].label)


def _stands_alone(document: LoadedDocument, line: int) -> bool:
    """Whether a line begins a solution and says nothing else."""
    return begins_solution(document.lines[line]) and not after_solution_marker(document.lines[line].text)


def _is_part(label: str, before: str | None) -> bool:
    """Whether the label is that of a part of the question that the other one belongs to."""
    question = _QUESTION.match(label)
    other = _QUESTION.match(before or "")
    return bool(question and other) and question[0] == other[0] != label  # type: ignore[index]


def answers_in(solution: str, labels: Sequence[str], own: str) -> list[tuple[int, str]]:
    """The solution cut into the answers to several questions, by place in `labels`; empty where it is that of one.

    `labels` are those of the questions without a solution of their own, in order, `own` that of the last one, behind
    which the solution stands. What comes before the first number belongs to the first answer.
    """
    lines = solution.split("\n")
    reader = _Reader(labels, own, lines)
    starts: list[tuple[int, int]] = []
    heading = 0
    for row, line in enumerate(lines):
        place = reader.read(line)
        if place == _HEADING:
            heading = row
        elif place is not None:
            starts.append((heading or row, place))
            heading = 0
    if len(starts) < 2 or (starts[-1][1] != len(labels) - 1 and 2 * len(starts) < len(labels)):
        return []
    borders = [0, *(row for row, _ in starts[1:]), len(lines)]
    return [(place, "\n".join(lines[borders[n] : borders[n + 1]]).strip()) for n, (_, place) in enumerate(starts)]


class _Reader:
    """Reads the lines of a solution for the questions that they answer, one after the other."""

    def __init__(self, labels: Sequence[str], own: str, lines: Sequence[str]) -> None:
        self._labels = labels
        self._current = own
        self._next = 0
        self._indents: dict[str, int] = {}
        numbers = [number for line in lines if (number := _number_of(line))]
        introduced = after_solution_marker(lines[0]) and not _number_of(lines[0])
        # Among named numbers, and behind the beginning of a sentence, bare ones are those of a list.
        self._bare_count = not introduced and not any(number.named for number in numbers)

    def read(self, line: str) -> int | None:
        """The place of the question that the line begins to answer, if any; `_HEADING` for a number above its parts."""
        number = _number_of(line)
        if number is None or not (self._bare_count or number.named or number.part):
            return None
        indent = len(line) - len(line.lstrip())
        if indent > self._indents.setdefault(number.style, indent):
            return None
        for label in _meanings(number, self._current):
            place = next((n for n in range(self._next, len(self._labels)) if self._labels[n] == label), None)
            if place is not None:
                self._current, self._next = label, place + 1
                return place
        for label in _meanings(number, self._current):
            if any(one.startswith(label) for one in self._labels[self._next :]):
                self._current = label
                return _HEADING
        return None


def _number_of(line: str) -> Number | None:
    """The number on a line, also where the line begins a solution ("Solution 2b:", "**Solution.** (a) ...")."""
    if label := solution_number(line):
        return Number(Depth.QUESTION, label, "", True, "") if label[:1].isdigit() else read_number(f"({label})")
    return read_number(after_solution_marker(line))


def _meanings(number: Number, current: str) -> Iterator[str]:
    """The labels that a number behind the answer to `current` may stand for, the likeliest first."""
    if number.named or (number.question and number.part):
        yield number.label
        return
    for end in range(len(current), 0, -1):
        yield current[:end] + (number.part or f".{number.question}")
    yield number.label
