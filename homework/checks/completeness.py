"""Compares the parts that a submission answers with those that the task asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.homework import Verdict
from homework.answers import FinalAnswer, Quantity, answers_of_step, answers_passed, rows_of
from homework.asides import REMARK
from homework.checks.conclusions import AnswerLine, Conclusion, answer_lines
from homework.checks.spelling import is_spelled
from homework.checks.wording import speaks_of
from homework.findings import Check, HomeworkFinding
from homework.mathematics.tolerances import ROUNDED
from homework.submission import Submission

_GAVE_UP = re.compile(
    r"\b(?:i (?:don't|do not|didn't|did not) know|ran out of time|no idea|not sure how|skip(?:ped)?|todo|to do"
    r"|couldn't (?:finish|do|figure)|not finished|unfinished|left (?:this )?blank|got stuck|i am stuck|i'm stuck"
    r"|didn't (?:get to|have time)|will finish|(?:don't|do not|can't|cannot|couldn't) remember|forgot how|no time left"
    r"|(?:could|can) not (?:finish|solve|do) |can't (?:finish|solve|do) )\b"
    r"|(?m:^\W{0,5}(?:[a-h]\)[^\w\n?]{0,3})?\?\?)|[=:][^\w\n?]{0,5}\?\?",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"\b(?:(?:does|do) not exist|doesn't exist|there (?:is|are) no|has no|have no|no (?:real )?solutions?|undefined)\b",
    re.IGNORECASE,
)
_OPEN_END = re.compile(r"(?:=|\.\.\.|…|\\dots|\\ldots)\s*\$*\s*$")
_FEWER = "Fewer results than the task asks for."
_HINT = "Read the task again: what is asked that you have not answered yet?"
MIN_LINES_ABOVE = 4
"""Lines above the first label from which on they are work on a part: a table, or a derivation in words."""
NEAR = 2.0
"""The factor by which a result may differ from the official one to be meant for the same part."""
MIN_WORDS = 3
"""Of an answer in words."""

Missing = list[tuple[int | None, str]]
"""What is missing: the line where it would stand, if there is one, and why."""


def check_completeness(submission: Submission, conclusions: Sequence[Conclusion], parts: int) -> Check:
    """Right if every part asked for has a result, whether it is the right one or not."""
    if not any(line.strip() for line in submission.lines):
        return Check(Verdict.WRONG, (HomeworkFinding("completeness", None, "The submission is empty.", _HINT),))
    missing = _missing(submission, conclusions, parts)
    if not missing:
        evidence = "A result is stated." if parts == 1 else f"{parts} parts asked for, each has a result."
        return Check(Verdict.RIGHT, evidence=evidence)
    findings = tuple(HomeworkFinding("completeness", line, evidence, _HINT) for line, evidence in missing)
    is_bare = not any(step.result for step in submission.steps)
    return Check(Verdict.WRONG if (len(missing) >= parts > 1) or is_bare else Verdict.PARTLY, findings)


def _missing(submission: Submission, conclusions: Sequence[Conclusion], parts: int) -> Missing:
    if conclusions and len({c.part for c in conclusions}) == parts and all(c.is_right for c in conclusions):
        return []
    if parts > 1 and submission.parts:
        return [missing for part in range(parts) if (missing := _missing_part(submission, conclusions, part, parts))]
    filled = [number for number, line in enumerate(submission.lines, 1) if line.strip()]
    given_up = next((number for number in filled if _GAVE_UP.search(submission.line(number))), None)
    if given_up is not None:
        return [(given_up, "A part is left open here.")]
    if parts > 1:
        return _missing_unlabelled(submission, conclusions, parts)
    last = filled[-1]
    if _OPEN_END.search(submission.line(last)):
        return [(last, "The work breaks off before a result.")]
    unstated = [c.official.name for c in conclusions if c.line is None and c.official.name]
    if unstated and any(conclusion.line for conclusion in conclusions):
        return [(last, f"No value of {' and '.join(unstated)} is stated.")]
    is_stated = any(conclusion.is_right for conclusion in conclusions) or _has_result(submission, conclusions)
    return [] if is_stated else [(last, "No final result is stated.")]


def _missing_part(
    submission: Submission, conclusions: Sequence[Conclusion], part: int, parts: int
) -> tuple[int | None, str] | None:
    name = f"part ({chr(ord('a') + part)})"
    lines = [number for number, of in enumerate(submission.part_of_line, 1) if of == part]
    lines = lines or sorted({step.line for step in submission.steps if step.part == part})
    own = [conclusion for conclusion in conclusions if conclusion.part == part]
    if not lines:
        text = "\n".join(submission.lines)
        is_written = own and all(is_spelled(conclusion.official, text, ROUNDED) for conclusion in own)
        return None if is_written or _has_work_above(submission, parts) else (None, f"There is no answer to {name}.")
    text = "\n".join(submission.line(number) for number in lines)
    if any(conclusion.is_right for conclusion in own):
        return None
    if _GAVE_UP.search(text):
        return lines[0], f"The answer to {name} is left open."
    results = [answer for line in answer_lines(submission, part) for answer in line.answers]
    wants_number = any(conclusion.official.values for conclusion in own)
    if _says_none(text):
        return None
    if results and wants_number and all(answer.term for answer in results):
        return lines[-1], f"The answer to {name} has no result."
    if not results and len(text.split()) < MIN_WORDS and not any(sign.isnumeric() for sign in text):
        return lines[0], f"The answer to {name} has no result."
    filled = next(number for number in reversed(lines) if submission.line(number) or number == lines[0])
    return (filled, f"The answer to {name} breaks off.") if _OPEN_END.search(submission.line(filled)) else None


def _has_work_above(submission: Submission, parts: int) -> bool:
    """Whether something is computed, or laid out in several lines, before the first label: to the one part without."""
    if submission.parts[:1] == (0,) or len({*range(parts)} - {*submission.parts}) != 1:
        return False
    above = [number for number, of in enumerate(submission.part_of_line, 1) if of is None]
    laid_out = [number for number in above if any(sign in submission.line(number) for sign in "|=→")]
    return len(laid_out) >= MIN_LINES_ABOVE or any(
        step.line in above and step.relations and step.result is not None for step in submission.steps
    )


def _missing_unlabelled(submission: Submission, conclusions: Sequence[Conclusion], parts: int) -> Missing:
    """Without labels: a part is missing if its answer is not given and no other result can be meant for it."""
    lines = answer_lines(submission, None)
    if not conclusions:
        return [] if sum(len(line.answers) for line in lines) >= parts else [(None, _FEWER)]
    last = lines[-1].number if lines else None
    text = "\n".join(submission.lines)
    return [
        (last, _FEWER)
        for conclusion in conclusions
        if not (
            conclusion.is_right
            or conclusion.line
            or is_spelled(conclusion.official, text, ROUNDED)
            or _is_about(conclusion.official, submission, conclusions)
            or _says_none(text)
        )
        and not _has_one_of_each(conclusion, conclusions, lines)
        and not (conclusion.official.is_words and speaks_of(text, conclusion.official.text))
    ]


def _has_one_of_each(conclusion: Conclusion, conclusions: Sequence[Conclusion], lines: Sequence[AnswerLine]) -> bool:
    """Whether there are as many results of the kind of quantity as answers."""
    (kind,) = {value.dimension for value in conclusion.official.values if value.has_unit} or {None}
    asked = sum(any(value.dimension == kind for value in other.official.values) for other in conclusions)
    given = {
        value.value
        for line in lines
        for answer in line.answers
        if answer.is_result
        for value in answer.values
        if value.has_unit and value.dimension == kind
    }
    return kind is not None and len(given) >= asked


def _says_none(text: str) -> bool:
    """Whether the work concludes that there is nothing to state, which is a result, too."""
    return bool(_NONE.search(text))


def _is_about(official: FinalAnswer, submission: Submission, conclusions: Sequence[Conclusion]) -> bool:
    """Whether a result that no other part has comes near the answer, or is a list of as many numbers: it is meant,
    right or not."""
    taken = {value for other in conclusions if other.is_right and other.given for value in other.given.values}
    steps = [step for step in submission.steps if not REMARK.search(submission.line(step.line))]
    results = [answer for step in steps for answer in (*answers_of_step(step), *answers_passed(step))]
    if official.rows:
        shape = [len(row) for row in official.rows]
        return any([len(row) for row in rows_of(answer)] == shape for answer in results)
    values = {value for answer in results if answer.is_computed for value in answer.values} - taken
    return len(official.values) == 1 and any(_is_near(official.values[0], value) for value in values)


def _is_near(official: Quantity, given: Quantity) -> bool:
    is_alike = official.has_unit == given.has_unit and (official.dimension or ()) == (given.dimension or ())
    return is_alike and abs(official.value) / NEAR <= abs(given.value) <= abs(official.value) * NEAR


def _has_result(submission: Submission, conclusions: Sequence[Conclusion]) -> bool:
    """Whether the last lines come to a value, or to a term or words where the answer is one, or to what is not read."""
    if any(step.relations and step.result is None for step in submission.steps[-2:]):
        return True
    if _says_none(submission.lines[-1]):
        return True
    wanted = [conclusion.official for conclusion in conclusions]
    lines = answer_lines(submission, None)
    if all(official.is_words for official in wanted) and (wanted or not lines):
        return len(" ".join(submission.lines).split()) >= MIN_WORDS
    numbers = any(official.values or official.ranges for official in wanted)
    answers = [answer for line in lines[-3:] for answer in line.answers]
    return bool(answers) and (not numbers or any(answer.values or answer.ranges for answer in answers))
