"""The final answers that an official solution states."""

from __future__ import annotations

import re
from collections.abc import Sequence

from homework.checks.conclusions import AnswerLine, answer_lines
from homework.mathematics.chains import chains_of
from homework.mathematics.pieces import with_units
from homework.mathematics.tokens import tokens_of
from homework.submission import Submission, WorkStep, labels_in, read_submission

_ANSWER = re.compile(r"^\W*(?:final\s+)?answers?\W*(?::|is\b)\W*(.+)$", re.IGNORECASE | re.MULTILINE)
_HEADING = re.compile(r"^\W*(?:solution|lösung)\b[\s.:*_]*", re.IGNORECASE)
_AND = re.compile(r"\b(?:and|or|und|oder|en|of|et|ou|y|o)\b")
_BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")


def final_answers(solution: str, parts: int) -> tuple[str, ...]:
    """The final answers of a solution: what it marks as answer, otherwise the last result of each part."""
    solution = _HEADING.sub("", solution)
    marked = [match[1].strip(" *_`.") for match in _ANSWER.finditer(solution)] or _BOXED.findall(solution)
    if len(marked) == parts:
        return tuple(marked)
    submission = read_submission(solution, parts=parts, labels=labels_in(solution, solution, parts))
    wanted = range(parts) if parts > 1 and submission.parts else (None,)
    found = [_last_result(submission, part) for part in wanted]
    return tuple(one for one in found if one) if all(found) else ()


def _last_result(submission: Submission, part: int | None) -> str | None:
    lines = answer_lines(submission, part)
    if not lines:
        return None
    last = next((line for line in reversed(lines) if line.marked), lines[-1])
    steps = [step for step in submission.steps if step.line == last.number and part in (None, step.part)]
    if _is_read_as_a_whole(last, steps):
        return last.text
    named = _named_at_the_end(last.text, steps)
    if len(named) > 1:
        names = {step.name for step in named}
        return (" or " if len(names) == 1 else ", ").join(f"{step.name} = {step.texts[-1]}" for step in named)
    given = next(answer for answer in last.answers if answer.text != last.text or len(last.answers) == 1)
    is_only = len(chains_of(with_units(tokens_of(last.text)))) == 1
    return f"{given.name} = {given.text}" if given.name and (is_only or named) else given.text


def _is_read_as_a_whole(line: AnswerLine, steps: Sequence[WorkStep]) -> bool:
    """Whether a line ends in a matrix, a vector or a range; `P(1 < X < 5) = 0.68` ends in a number."""
    whole = line.answers[0]
    is_equality = bool(steps) and bool(steps[-1].relations) and set(steps[-1].relations) <= {"=", "≈"}
    ends_in_bracket = line.text.rstrip(" $.*_").endswith(("]", ")"))
    return bool(whole.rows) or (bool(whole.ranges) and (ends_in_bracket or not is_equality))


def _named_at_the_end(text: str, steps: Sequence[WorkStep]) -> list[WorkStep]:
    """The steps at the end of a line that give variables their values: `x = 2 or x = 3`, `v = 2 m/s and s = 5 m`.

    "mean = 12, s = 4/2 = 2" works towards the last one alone.
    """
    found: list[WorkStep] = []
    for step in reversed(steps):
        if not step.name or "'" in step.name or step.result is None or step.result.names:
            break
        is_alike = not found or step.name == found[0].name or _AND.search(text) or _worked(step) == _worked(found[0])
        if not is_alike:
            break
        found.insert(0, step)
    return found


def _worked(step: WorkStep) -> bool:
    return len(step.expressions) > 2
