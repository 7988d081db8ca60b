"""Which lines of a submission state its answers, for each part of the task."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from pipelines.homework.answers import FinalAnswer, answers_of_line, base_name
from pipelines.homework.checks.wording import says
from pipelines.homework.comparison import is_same
from pipelines.homework.mathematics.units import Dimension
from pipelines.homework.submission import Submission

_CHECK = re.compile(
    r"^\W*(?:to )?(?:check|verif\w+|sanity|proof|quick check|double[- ]check|plug\w* back)\b", re.IGNORECASE
)
REMARKS = 2
"""How many lines behind the answer may be remarks on it."""


@dataclass(frozen=True)
class AnswerLine:
    """A line (from 1) that states answers."""

    number: int
    text: str
    answers: tuple[FinalAnswer, ...]
    marked: bool
    has_relation: bool


@dataclass(frozen=True)
class Conclusion:
    """What a submission says to one part: the line that gives the answer, if any, and whether it is the official one.

    `is_right` is None where only words could tell and they differ: a paraphrase is no error.
    """

    part: int
    official: FinalAnswer | None
    line: AnswerLine | None
    given: FinalAnswer | None
    is_right: bool | None


def answer_lines(submission: Submission, part: int | None) -> list[AnswerLine]:
    """The lines with results of a part (None: of the submission), in order; checks of a result are left out."""
    steps = [step for step in submission.steps if part is None or step.part == part]
    lines = []
    for number, group in groupby(steps, key=lambda step: step.line):
        text = submission.line(number)
        members = list(group)
        if _CHECK.match(text):
            continue
        answers = tuple(answers_of_line(text, members))
        if answers:
            marked = any(step.marked for step in members)
            lines.append(AnswerLine(number, text, answers, marked, any(step.relations for step in members)))
    return lines


def conclude(
    submission: Submission, part: int, official: Sequence[FinalAnswer], *, labelled: bool, several: bool
) -> list[Conclusion]:
    """A conclusion for each official answer of a part.

    `labelled` tells that the submission says which lines belong to the part, `several` that the lines looked at hold
    the answers of several.
    """
    lines = answer_lines(submission, part if labelled else None)
    text = _text(submission, part if labelled else None)
    names = frozenset(answer.name for answer in official if answer.name)
    return [_conclusion(part, answer, lines, text, names, several=several or len(official) > 1) for answer in official]


def _text(submission: Submission, part: int | None) -> str:
    rows = zip(submission.lines, submission.part_of_line, strict=True)
    return "\n".join(line for line, of in rows if part is None or of == part)


def _conclusion(
    part: int, official: FinalAnswer, lines: list[AnswerLine], text: str, names: frozenset[str], *, several: bool
) -> Conclusion:
    """What is concluded for one official answer; `names` are the variables of all of its part."""
    if official.is_words:
        said = says(text, official.text)
        return Conclusion(part, official, lines[-1] if lines else None, None, said or None)
    for line in _candidates(official, lines, several=several):
        for given in line.answers:
            # "x = 3" does not answer for y where both are asked for.
            is_of_other = official.name and given.name in names - {official.name}
            if not is_of_other and is_same(official, given, line.text):
                return Conclusion(part, official, line, given, True)
    collected = _collected(official, lines)
    if collected is not None:
        return Conclusion(part, official, lines[-1], collected, True)
    given_names = {given.name for line in lines for given in line.answers}
    if official.name in names - given_names and given_names & names:
        return Conclusion(part, official, None, None, None)
    last = _last(official, lines)
    return Conclusion(part, official, last, last.answers[-1] if last else None, False if last else None)


def _collected(official: FinalAnswer, lines: list[AnswerLine]) -> FinalAnswer | None:
    """Solutions of one variable on lines of their own, `x = 3` or `x_1 = 3` and later `x = 5`, if they are official."""
    count = len(official.values)
    single = [given for line in lines for given in line.answers if len(given.values) == 1 and given.name]
    for name in dict.fromkeys(base_name(given.name) for given in single):
        values = dict.fromkeys(value for given in single if base_name(given.name) == name for value in given.values)
        joined = FinalAnswer(official.text, values=tuple(values)[-count:], name=name)
        if count > 1 and is_same(official, joined):
            return joined
    return None


def _candidates(official: FinalAnswer, lines: list[AnswerLine], *, several: bool) -> list[AnswerLine]:
    """Where an answer may stand, likeliest first: marked lines, the last ones, the last that names its variable."""
    if several:
        return list(reversed(lines))
    marked = [line for line in lines if line.marked]
    if marked:
        return list(reversed(marked))
    last = lines[-1:]
    while len(last) <= REMARKS and len(last) < len(lines) and not last[0].has_relation:
        last.insert(0, lines[-len(last) - 1])
    named = [line for line in lines if official.name and any(given.name == official.name for given in line.answers)]
    return [*reversed(last), *named[-1:]]


def _last(official: FinalAnswer, lines: list[AnswerLine]) -> AnswerLine | None:
    """The line that answers instead of the official answer: of its variable or kind of quantity, or the last."""
    if official.values:
        lines = [line for line in lines if any(given.values for given in line.answers)] or lines
    marked = [line for line in lines if line.marked] or lines
    named = [line for line in marked if official.name and any(given.name == official.name for given in line.answers)]
    if named:
        return named[-1]
    dimensions = {value.dimension for value in official.values if value.has_unit}
    alike = [line for line in marked if _has_dimension(line, dimensions)] if dimensions else []
    if alike:
        return alike[-1]
    return marked[-1] if marked else None


def _has_dimension(line: AnswerLine, dimensions: set[Dimension | None]) -> bool:
    return any(value.dimension in dimensions and value.has_unit for given in line.answers for value in given.values)
