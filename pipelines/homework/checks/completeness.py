"""Compares the parts that a submission answers with those that the task asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.homework import Verdict
from pipelines.homework.checks.conclusions import Conclusion, answer_lines
from pipelines.homework.findings import Check, Finding
from pipelines.homework.submission import Submission

_GAVE_UP = re.compile(
    r"\b(?:i (?:don't|do not|didn't|did not) know|ran out of time|no idea|not sure how|skip(?:ped)?|todo|to do"
    r"|couldn't (?:finish|do|figure)|not finished|unfinished|left (?:this )?blank|got stuck|i am stuck|i'm stuck"
    r"|didn't (?:get to|have time)|will finish)\b|\?\?+",
    re.IGNORECASE,
)
_OPEN_END = re.compile(r"(?:=|\.\.\.|…|\\dots|\\ldots)\s*\$*\s*$")
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
    taken = {conclusion.line.number for conclusion in conclusions if conclusion.is_right and conclusion.line}
    missing: list[tuple[int | None, str]] = []
    for conclusion in conclusions:
        if conclusion.is_right or conclusion.official is None or conclusion.official.is_words:
            continue
        official = conclusion.official
        dimensions = {value.dimension for value in official.values if value.has_unit}
        free = [line for line in lines if line.number not in taken]
        alike = [
            line
            for line in free
            if not dimensions
            or any(value.dimension in dimensions for given in line.answers for value in given.values)
            or any(official.name and given.name == official.name for given in line.answers)
        ]
        if not alike:
            missing.append((lines[-1].number if lines else None, "Fewer results than the task asks for."))
        else:
            taken.add(alike[-1].number)
    return (
        missing if conclusions else ([] if len(lines) >= parts else [(None, "Fewer results than the task asks for.")])
    )


def _has_result(submission: Submission, conclusions: Sequence[Conclusion]) -> bool:
    """Whether the last lines come to a value, or to a term or words where the answer is one."""
    wanted = [conclusion.official for conclusion in conclusions if conclusion.official]
    if wanted and all(official.is_words for official in wanted):
        return len(" ".join(submission.lines).split()) >= 3
    numbers = any(official.values or official.range for official in wanted)
    lines = answer_lines(submission, None)
    if not lines:
        return not wanted and len(" ".join(submission.lines).split()) >= 3
    return not numbers or any(given.values or given.range for line in lines[-3:] for given in line.answers)
