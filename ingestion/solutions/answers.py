"""Answer keys behind the questions: gives each question its answer."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from ingestion.document import Header, LoadedDocument
from ingestion.matter import MATTER
from ingestion.numbering import Depth, Number, read_heading_number, read_number
from ingestion.solutions.marks import after_solution_marker, opens_solution, solution_number

_QUESTION = re.compile(r"\d+|.")
_HEADING = -1


def without_answers(document: LoadedDocument, headers: Sequence[Header]) -> list[Header]:
    """The headers without those that stand inside a solution."""
    marks = _Marks(document)
    kept: list[Header] = []
    seen: set[str] = set()
    key: Header | None = None
    for header, following in zip(headers, [*headers, None][1:], strict=True):
        if marks.stand_at(header.line) or (key and header.rank >= key.rank):
            continue
        key = None
        mark = marks.last(kept[-1].line + 1, header.line) if kept else None
        again = header.label in seen
        if mark is not None and again and marks.opens_key(mark, header.line):
            key = header
        elif mark is None or not (
            _is_inside(header, again, document.lines[mark].level, marks.level(header), kept[-1])
            or (document.lines[mark].level == header.rank and _goes_on(header, following, kept[-1]))
        ):
            kept.append(header)
            seen.update([header.label] if header.label else ())
    return kept


class _Marks:
    """The lines of a document with which solutions begin, in order."""

    def __init__(self, document: LoadedDocument) -> None:
        self._document = document
        self._lines = [n for n, line in enumerate(document.lines) if opens_solution(line)]
        alone = (n for n in self._lines if not after_solution_marker(document.lines[n].text))
        self._first_alone = next(alone, len(document.lines))
        below = range(self._first_alone + 1, len(document.lines))
        self._text_below = next((n for n in below if document.lines[n].text.strip(" \t=-")), len(document.lines))

    def stand_at(self, line: int) -> bool:
        return self._document.lines[line].closed or self.last(line, line + 1) is not None

    def last(self, start: int, end: int) -> int | None:
        """The last one from `start` on and before `end`."""
        index = bisect_left(self._lines, end) - 1
        return self._lines[index] if index >= 0 and self._lines[index] >= start else None

    def opens_key(self, mark: int, line: int) -> bool:
        """Whether the words right above a line announce an answer key."""
        return mark == self._first_alone and line <= self._text_below

    def level(self, header: Header) -> int:
        return self._document.lines[header.line].level


def _is_inside(header: Header, again: bool, mark_level: int, level: int, before: Header) -> bool:
    """Whether a header behind a solution's beginning is part of it; `again` if its label occurred before."""
    # A question that is new may follow a solution's heading without being a heading itself.
    if 0 < mark_level < header.rank and (level or again):
        return True
    if header.label is None:
        return header.rank > before.rank and bool(before.label)
    return again and _is_part(header.label, before.label)


def _goes_on(header: Header, following: Header | None, before: Header) -> bool:
    """Whether an unnumbered heading beside a solution's heading belongs to it."""
    opens_section = following is not None and following.rank > header.rank and following.label is not None
    aside = MATTER.fullmatch(header.title) or read_heading_number(header.title)
    return bool(before.label and before.rank == header.rank and not header.label and not opens_section and not aside)


def _is_part(label: str, before: str | None) -> bool:
    return _question(label) == _question(before or "") != label


def _question(label: str) -> str:
    match = _QUESTION.match(label)
    return match[0] if match else ""


def answers_in(solution: str, labels: Sequence[str], own: str) -> list[tuple[int, str]]:
    """The solution cut into answers, by index in `labels`; empty if it answers one question.

    `labels` are the unanswered questions in order, `own` the last of them.
    """
    lines = solution.split("\n")
    reader = _AnswerReader(labels, own, lines)
    starts: list[tuple[int, int]] = []
    heading = 0
    for row, line in enumerate(lines):
        index = reader.read(line)
        if index == _HEADING:
            heading = row
        elif index is not None:
            starts.append((heading or row, index))
            heading = 0
    if len(starts) < 2 or (starts[-1][1] != len(labels) - 1 and 2 * len(starts) < len(labels)):
        return []
    borders = [0, *(row for row, _ in starts[1:]), len(lines)]
    return [(index, "\n".join(lines[borders[n] : borders[n + 1]]).strip()) for n, (_, index) in enumerate(starts)]


class _AnswerReader:
    """Reads the lines of a solution for the questions that they answer, one after the other."""

    def __init__(self, labels: Sequence[str], own: str, lines: Sequence[str]) -> None:
        self._indices: dict[str, list[int]] = {}
        self._last_below: dict[str, int] = {}
        for index, label in enumerate(labels):
            self._indices.setdefault(label, []).append(index)
            self._last_below.update({label[:end]: index for end in range(1, len(label) + 1)})
        self._current = own
        self._next = 0
        self._indents: dict[str, int] = {}
        numbers = [number for line in lines if (number := _number_of(line))]
        introduced = after_solution_marker(lines[0]) and not _number_of(lines[0])
        # Among named numbers, and behind the beginning of a sentence, bare ones are those of a list.
        self._bare_count = not introduced and not any(number.named for number in numbers)

    def read(self, line: str) -> int | None:
        """The index of the question the line answers; `_HEADING` for a number above its parts."""
        number = _number_of(line)
        if number is None or not (self._bare_count or number.named or number.part):
            return None
        indent = len(line) - len(line.lstrip())
        if indent > self._indents.setdefault(number.style, indent):
            return None
        for label in _meanings(number, self._current):
            indices = self._indices.get(label, [])
            left = bisect_left(indices, self._next)
            if left < len(indices):
                self._current, self._next = label, indices[left] + 1
                return indices[left]
        for label in _meanings(number, self._current):
            if self._last_below.get(label, -1) >= self._next:
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
