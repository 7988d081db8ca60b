"""Compares the parts that a submission answers with those that the task asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.homework import Verdict
from homework.answers import FinalAnswer
from homework.checks.conclusions import AnswerLine, Conclusion, answer_lines
from homework.checks.wording import speaks_of
from homework.comparison import is_same
from homework.findings import Check, Finding
from homework.submission import Submission

_GAVE_UP = re.compile(
    r"\b(?:i (?:don't|do not|didn't|did not) know|ran out of time|no idea|not sure how|skip(?:ped)?|todo|to do"
    r"|couldn't (?:finish|do|figure)|not finished|unfinished|left (?:this )?blank|got stuck|i am stuck|i'm stuck"
    r"|didn't (?:get to|have time)|will finish|(?:don't|do not|can't|cannot|couldn't) remember|forgot how|no time left"
    r"|(?:could|can) not (?:finish|solve|do) |can't (?:finish|solve|do) )\b|\?\?+",
    re.IGNORECASE,
)
_OPEN_END = re.compile(r"(?:=|\.\.\.|…|\\dots|\\ldots)\s*\$*\s*$")
_FEWER = "Fewer results than the task asks for."
_HINT = "Read the task again: what is asked that you have not answered yet?"


def check_completeness(submission: Submission, conclusions: Sequence[Conclusion], parts: int) -> Check:
    """Right if every part asked for has a result, whether it is the right one or not."""
    if not any(line.strip() for line in submission.lines):
        return Check(Verdict.WRONG, (Finding("completeness", None, "The submission is empty.", _HINT),))
    missing = _missing(submission, conclusions, parts)
    if not missing:
        evidence = "A result is stated." if parts == 1 else f"{parts} parts asked for, each has a result."
        return Check(Verdict.RIGHT, evidence=evidence)
    findings = tuple(Finding("completeness", line, evidence, _HINT) for line, evidence in missing)
    return Check(
        Verdict.WRONG if (len(missing) >= parts and parts > 1) or _is_bare(submission) else Verdict.PARTLY, findings
    )


def _is_bare(submission: Submission) -> bool:
    return not any(step.result for step in submission.steps)


def _missing(submission: Submission, conclusions: Sequence[Conclusion], parts: int) -> list[tuple[int | None, str]]:
    """What is missing: the line where it would stand, if there is one, and why."""
    if parts > 1 and submission.parts:
        return [missing for part in range(parts) if (missing := _missing_part(submission, conclusions, part))]
    given_up = next((n for n, line in enumerate(submission.lines, 1) if _GAVE_UP.search(line)), None)
    if given_up is not None:
        return [(given_up, "A part is left open here.")]
    if parts > 1:
        return _missing_unlabelled(submission, conclusions, parts)
    last = max((n for n, line in enumerate(submission.lines, 1) if line.strip()), default=1)
    if _OPEN_END.search(submission.line(last)):
        return [(last, "The work breaks off before a result.")]
    if unstated := _unstated(conclusions):
        return [(last, f"No value of {' and '.join(unstated)} is stated.")]
    if any(conclusion.is_right for conclusion in conclusions) or _has_result(submission, conclusions):
        return []
    return [(last, "No final result is stated.")]


def _unstated(conclusions: Sequence[Conclusion]) -> list[str]:
    """Variables asked for together with others that have a value in the submission, while these have none."""
    if not any(conclusion.line for conclusion in conclusions):
        return []
    return [c.official.name for c in conclusions if c.line is None and c.official is not None and c.official.name]


def _missing_part(
    submission: Submission, conclusions: Sequence[Conclusion], part: int
) -> tuple[int | None, str] | None:
    name = f"part ({chr(ord('a') + part)})"
    lines = [n for n, of in enumerate(submission.part_of_line, 1) if of == part]
    lines = lines or sorted({step.line for step in submission.steps if step.part == part})
    if not lines:
        return None, f"There is no answer to {name}."
    text = "\n".join(submission.line(n) for n in lines)
    if any(conclusion.is_right for conclusion in conclusions if conclusion.part == part):
        return None
    if _GAVE_UP.search(text):
        return lines[0], f"The answer to {name} is left open."
    wanted = [conclusion.official for conclusion in conclusions if conclusion.part == part and conclusion.official]
    numbers = any(official.values for official in wanted)
    results = answer_lines(submission, part)
    if numbers and not any(given.values for line in results for given in line.answers):
        return lines[-1], f"The answer to {name} has no result."
    if not results and len(text.split()) < 5:
        return lines[0], f"The answer to {name} has no result."
    filled = next(n for n in reversed(lines) if submission.line(n) or n == lines[0])
    return (filled, f"The answer to {name} breaks off.") if _OPEN_END.search(submission.line(filled)) else None


def _missing_unlabelled(
    submission: Submission, conclusions: Sequence[Conclusion], parts: int
) -> list[tuple[int | None, str]]:
    """Without labels: a part is missing if its answer is not given and no other result can be meant for it."""
    lines = answer_lines(submission, None)
    last = lines[-1].number if lines else None
    if not conclusions:
        return [] if len(lines) >= parts else [(None, _FEWER)]
    missing: list[tuple[int | None, str]] = []
    taken = {conclusion.line.number for conclusion in conclusions if conclusion.is_right and conclusion.line}
    for at, conclusion in enumerate(conclusions):
        official = conclusion.official
        if conclusion.is_right or official is None:
            continue
        if official.is_words:
            missing += [] if speaks_of("\n".join(submission.lines), official.text) else [(last, _FEWER)]
            continue
        free = [line for line in _between(conclusions, at, lines) if line.number not in taken]
        alike = [line for line in free if _may_answer(line, official) and not _repeats(line, conclusions)]
        if not alike:
            missing.append((last, _FEWER))
        else:
            taken.add(alike[-1].number)
    return missing


def _between(conclusions: Sequence[Conclusion], at: int, lines: Sequence[AnswerLine]) -> list[AnswerLine]:
    """The lines in which a part may be answered: behind the parts before it and ahead of those after it."""
    before = [c.line.number for c in conclusions[:at] if c.is_right and c.line]
    after = [c.line.number for c in conclusions[at + 1 :] if c.is_right and c.line]
    return [line for line in lines if max(before, default=0) <= line.number <= min(after, default=line.number)]


def _may_answer(line: AnswerLine, official: FinalAnswer) -> bool:
    """Whether a line has a result of the kind of quantity, or of the variable, that is asked for."""
    if official.name and any(given.name == official.name for given in line.answers):
        return True
    dimensions = {value.dimension for value in official.values if value.has_unit}
    if dimensions:
        return any(value.dimension in dimensions for given in line.answers for value in given.values)
    if official.rows or official.ranges:
        return any(given.rows or given.ranges for given in line.answers)
    return not official.values or any(given.values for given in line.answers)


def _repeats(line: AnswerLine, conclusions: Sequence[Conclusion]) -> bool:
    """Whether all that a line says is the right answer to another part."""
    right = [c.official for c in conclusions if c.is_right and c.official]
    return all(any(is_same(official, given) for official in right) for given in line.answers)


def _has_result(submission: Submission, conclusions: Sequence[Conclusion]) -> bool:
    """Whether the last lines come to a value, or to a term or words where the answer is one."""
    wanted = [conclusion.official for conclusion in conclusions if conclusion.official]
    if wanted and all(official.is_words for official in wanted):
        return len(" ".join(submission.lines).split()) >= 3
    numbers = any(official.values or official.ranges for official in wanted)
    lines = answer_lines(submission, None)
    if not lines:
        return not wanted and len(" ".join(submission.lines).split()) >= 3
    return not numbers or any(given.values or given.ranges for line in lines[-3:] for given in line.answers)
