"""All checks of a submission that need no model, in one call that a separate process can run."""

from __future__ import annotations

import re
from dataclasses import replace

from core.homework import Verdict
from homework.answers import official_answers
from homework.checks.arithmetic import check_arithmetic
from homework.checks.completeness import check_completeness
from homework.checks.conclusions import Conclusion, answer_lines, conclude
from homework.checks.final_answer import check_final_answer
from homework.checks.posed import Posed, posed_by
from homework.checks.units import check_units
from homework.findings import Check, Checked
from homework.mathematics.decimals import other_reading, with_decimal_points
from homework.solutions import final_answers
from homework.submission import Submission, labels_in, read_submission
from homework.task import HomeworkTask

_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,15})?")


def check(task: HomeworkTask, text: str) -> Checked:
    """A check for each criterion. The method is never computed: only a model or a person can tell.

    Where steps or results do not hold with commas between numbers, these are tried as decimal commas.
    """
    checked = _check(task, text)
    other = other_reading(with_decimal_points(text)) if _fails(checked) else None
    if other is None:
        return checked
    with_points = _check(task, other)
    return checked if _fails(with_points) else with_points


def _fails(checked: Checked) -> bool:
    final = checked["final_answer"].verdict
    is_unclear = final is Verdict.CANNOT_TELL and bool(checked.final)
    return is_unclear or final.is_flagged or checked["arithmetic"].verdict.is_flagged


def _check(task: HomeworkTask, text: str) -> Checked:
    parts = max(task.parts, len(task.final), 1)
    final = task.final or final_answers(with_decimal_points(task.solution or ""), parts)
    submission = read_submission(with_decimal_points(text), parts=parts, labels=labels_in(text, task.text, parts))
    conclusions = _without_shared_lines(_conclusions(final, submission, parts, _numbers_in(task.text)))
    arithmetic = check_arithmetic(submission, posed_by(task.text) if parts == 1 else Posed())
    completeness = check_completeness(submission, conclusions, parts)
    checks = {
        "completeness": completeness,
        "method": Check(Verdict.CANNOT_TELL, evidence="Whether the method is right cannot be computed."),
        "final_answer": check_final_answer(conclusions, parts, incomplete=completeness.verdict.is_flagged),
        "arithmetic": arithmetic,
        "units": check_units(submission, conclusions, arithmetic_fails=arithmetic.verdict.is_flagged),
    }
    return Checked(checks, final)


def _numbers_in(task: str) -> frozenset[float]:
    """The numbers of a task, of percentages also the shares."""
    numbers = [float(number) for number in _NUMBER.findall(with_decimal_points(task))]
    return frozenset((*numbers, *(number / 100 for number in numbers)))


def _conclusions(
    finals: tuple[str, ...], submission: Submission, parts: int, posed: frozenset[float]
) -> list[Conclusion]:
    """One for each official answer. If there are as many answers as parts they belong to them in order."""
    paired = len(finals) == parts
    labelled = parts > 1 and paired and bool(submission.parts)
    everything = answer_lines(submission, None)
    found: list[Conclusion] = []
    for at, final in enumerate(finals):
        official = official_answers(with_decimal_points(final))
        found += conclude(
            submission,
            everything,
            at if paired else 0,
            official,
            posed,
            labelled=labelled,
            several=1 if labelled else max(parts, len(finals)),
        )
    return found


def _without_shared_lines(conclusions: list[Conclusion]) -> list[Conclusion]:
    """A line that rightly answers one part is not another part's wrong answer."""
    taken = {c.line.number for c in conclusions if c.is_right and c.line}
    return [
        replace(c, line=None, given=None, is_right=None)
        if c.is_right is False and c.line and c.line.number in taken and not _gives_variable(c)
        else c
        for c in conclusions
    ]


def _gives_variable(conclusion: Conclusion) -> bool:
    """Whether the variable that is asked for has a value there, or the point of which it is a coordinate."""
    official, given = conclusion.official, conclusion.given
    return bool(official and official.name and given and (given.name == official.name or given.ranges or given.rows))
