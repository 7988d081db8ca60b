"""The final answers that an official solution states."""

from __future__ import annotations

import re

from pipelines.homework.checks.conclusions import AnswerLine, answer_lines
from pipelines.homework.mathematics.pieces import chains_of, with_units
from pipelines.homework.mathematics.tokens import tokens_of
from pipelines.homework.submission import Submission, read_submission

_ANSWER = re.compile(r"^\W*(?:final\s+)?answers?\W*(?::|is\b)\W*(.+)$", re.IGNORECASE | re.MULTILINE)
_BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")


def final_answers(solution: str, parts: int) -> tuple[str, ...]:
    """The final answers of a solution: what it marks as answer, otherwise the last result of each part."""
    marked = [match[1].strip(" *_`.") for match in _ANSWER.finditer(solution)] or _BOXED.findall(solution)
    if len(marked) == parts:
        return tuple(marked)
    submission = read_submission(solution, parts=parts)
    wanted = range(parts) if parts > 1 and submission.parts else (None,)
    found = [_last_result(submission, part) for part in wanted]
    return tuple(one for one in found if one) if all(found) else ()


def _last_result(submission: Submission, part: int | None) -> str | None:
    lines = answer_lines(submission, part)
    if not lines:
        return None
    last = next((line for line in reversed(lines) if line.marked), lines[-1])
    if len(several := _named_results(last)) > 1:
        return ", ".join(f"{name} = {text}" for name, text in several.items())
    whole = chains_of(with_units(tokens_of(last.text)))
    given = last.answers[-1]
    return f"{given.name} = {given.text}" if given.name and len(whole) == 1 else given.text


def _named_results(line: AnswerLine) -> dict[str, str]:
    """The results of different variables on one line ("v = 2 m/s and s = 5 m"), in the order of the line."""
    single = [one for one in line.answers if one.name and one.text != line.text and len(one.values) == 1]
    found = {one.name: one.text for one in single if one.name}
    return dict(sorted(found.items(), key=lambda one: line.text.find(one[0])))
