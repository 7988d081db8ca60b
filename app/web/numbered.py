"""A student's work in numbered lines, with what was found at its line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from core.code import CodeIssue
from core.homework import CRITERION_NAMES, Feedback

MAX_LINES = 2_000
"""Of longer work, the first ones are shown."""


@dataclass(frozen=True)
class LineNote:
    label: str
    text: str


@dataclass(frozen=True)
class WorkLine:
    number: int
    text: str
    notes: tuple[LineNote, ...] = ()


@dataclass(frozen=True)
class NumberedWork:
    """The work; `name` says what it is, for people."""

    name: str
    lines: tuple[WorkLine, ...]


def work_of(
    body: str, code: str | None, issue: CodeIssue | None = None, feedback: Feedback | None = None
) -> NumberedWork | None:
    """Homework with its verdicts, or code with its issue; None without either."""
    if feedback is not None:
        return NumberedWork("Submission", tuple(_lines(body, dict(_of_feedback(body, feedback)))))
    if not code:
        return None
    notes: dict[int, tuple[LineNote, ...]] = {}
    if issue:
        kind = issue.kind.value.replace("_", " ")
        notes[issue.line] = (LineNote(f"{kind}, not sure" if issue.waits else kind, issue.summary),)
    return NumberedWork("Code", tuple(_lines(code, notes)))


def _lines(text: str, notes: dict[int, tuple[LineNote, ...]]) -> Iterator[WorkLine]:
    for number, line in enumerate(text.rstrip("\n").split("\n")[:MAX_LINES], 1):
        yield WorkLine(number, line.rstrip("\r"), notes.get(number, ()))


def _of_feedback(body: str, feedback: Feedback) -> Iterator[tuple[int, tuple[LineNote, ...]]]:
    numbers: dict[str, int] = {}
    for number, line in enumerate(body.split("\n"), 1):
        numbers.setdefault(line.strip(), number)
    notes: defaultdict[int, list[LineNote]] = defaultdict(list)
    for name, verdict in feedback.criteria.items():
        at = numbers.get(verdict.where or "")
        if verdict.verdict.is_flagged and verdict.where and at is not None:
            explanation = " ".join(filter(None, (verdict.evidence, verdict.hint)))
            notes[at].append(LineNote(f"{CRITERION_NAMES[name]}: {verdict.verdict.words}", explanation))
    yield from ((number, tuple(found)) for number, found in notes.items())
