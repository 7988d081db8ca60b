"""All checks of a submission that need no model, in one call that a separate process can run."""

from __future__ import annotations

import re
from dataclasses import replace

from core.homework import Verdict
from homework.answers import official_answers
from homework.checks.arithmetic import check_arithmetic
from homework.checks.completeness import check_completeness
from homework.checks.conclusions import Conclusion, Slot, conclude
from homework.checks.final_answer import check_final_answer
from homework.checks.posed import Posed, posed_by
from homework.checks.units import check_units
from homework.checks.wording import words_of
from homework.confidence import facts_of, with_confidence
from homework.findings import Check, HomeworkChecks
from homework.mathematics.decimals import other_reading, with_decimal_points
from homework.solutions import final_answers
from homework.submission import Submission, labels_in, read_submission
from homework.task import HomeworkTask

_PART = re.compile(r"(?:^|(?<=\s))\(?(?:[a-h]|\d|[iv]{1,3})\)\s", re.MULTILINE)
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,15})?")


def check(task: HomeworkTask, text: str) -> HomeworkChecks:
    """A check for each criterion. The method is never computed: only a model or a person can tell.

    Where steps or results do not hold with commas between numbers, those of the official answer and those of the
    submission are tried as decimal commas.
    """
    checked = _check(task, text)
    if _fails(checked) and (officials := [other_reading(final) or final for final in checked.final]) != [
        *checked.final
    ]:
        read_otherwise = _check(replace(task, final=tuple(officials)), text)
        checked = min(checked, read_otherwise, key=_flags)
    other = other_reading(with_decimal_points(text)) if _fails(checked) else None
    if other is None:
        return checked
    return min(checked, _check(task, other), key=_flags)


def _fails(checked: HomeworkChecks) -> bool:
    final = checked["final_answer"].verdict
    is_unclear = final is Verdict.CANNOT_TELL and bool(checked.final)
    return is_unclear or final.is_flagged or checked["arithmetic"].verdict.is_flagged


def _flags(checked: HomeworkChecks) -> tuple[int, bool]:
    """How many criteria are flagged; with as many, whether nothing is known of the answers."""
    return sum(check.verdict.is_flagged for check in checked.checks.values()), _fails(checked)


def _check(task: HomeworkTask, text: str) -> HomeworkChecks:
    parts = max(task.parts, len(task.final), 1)
    final = task.final or final_answers(with_decimal_points(task.solution or ""), parts)
    submission = read_submission(with_decimal_points(text), parts=parts, labels=labels_in(text, task.text, parts))
    conclusions = _conclusions(task, final, submission, parts)
    arithmetic = check_arithmetic(submission, posed_by(task.text) if parts == 1 else Posed())
    completeness = check_completeness(submission, conclusions, parts)
    checks = {
        "completeness": completeness,
        "method": Check(Verdict.CANNOT_TELL, evidence="Whether the method is right cannot be computed."),
        "final_answer": check_final_answer(submission, conclusions, parts),
        "arithmetic": arithmetic,
        "units": check_units(submission, conclusions, arithmetic_fails=arithmetic.verdict.is_flagged),
    }
    facts = facts_of(submission, parts)
    return HomeworkChecks(with_confidence(checks, facts), final, facts)


def _numbers_in(task: str) -> frozenset[float]:
    """The numbers of a task, of percentages also the shares."""
    numbers = [float(number) for number in _NUMBER.findall(with_decimal_points(task))]
    return frozenset((*numbers, *(number / 100 for number in numbers)))


def _conclusions(task: HomeworkTask, finals: tuple[str, ...], submission: Submission, parts: int) -> list[Conclusion]:
    """One for each official answer. If there are as many answers as parts they belong to them in order."""
    is_paired = len(finals) == parts
    words = _words_of_parts(task.text, parts)
    slots = [
        Slot(at if is_paired else 0, official, words[at] if is_paired else frozenset())
        for at, final in enumerate(finals)
        for official in official_answers(with_decimal_points(final))
    ]
    return conclude(
        submission, slots, _numbers_in(task.text), labelled=parts > 1 and is_paired and bool(submission.parts)
    )


def _words_of_parts(task: str, parts: int) -> list[frozenset[str]]:
    """For each part the words that the task has in it and in no other part."""
    texts = _PART.split(task)[1:]
    if len(texts) != parts:
        return [frozenset()] * parts
    words = [words_of(text) for text in texts]
    return [
        frozenset(own.difference(*(other for at, other in enumerate(words) if at != part)))
        for part, own in enumerate(words)
    ]
