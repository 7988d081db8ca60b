"""Which lines of a submission state its answers, for each part of the task."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile

from homework.answers import FinalAnswer, alternatives_of_line, answers_of_line, base_name, rows_of
from homework.asides import CHECK, REMARK, split_asides
from homework.checks.offers import Offers
from homework.checks.wording import says, speaks_of
from homework.comparison import is_same
from homework.mathematics.units import Dimension
from homework.submission import Submission, is_marked

REMARKS = 2
"""How many lines behind the answer may be remarks on it."""
LINES_EACH = 4
"""How many of the last lines may give each of several answers."""
MIN_STATEMENT_WORDS = 4
"""Words from which on a line is a sentence."""
POINT = 0.01
"""Relative: what a coordinate may be off."""
_REJECTED = re.compile(
    r"\b(?:reject\w*|not|no|only|outside|extraneous|invalid|discard\w*|exclud\w*|impossible|ignor\w*|drop\w*|cannot|can't"
    r"|isn't|doesn't|negative|positive|domain|since|because|must|makes? no sense|unphysical|nicht|niet)\b"
    r"|≠|\\neq?\b|[✗×]\s*$",
    re.IGNORECASE,
)
"""Words by which a solution is left out again."""


@dataclass(frozen=True)
class AnswerLine:
    """A line (from 1) that states answers."""

    number: int
    text: str
    answers: tuple[FinalAnswer, ...]
    alternatives: tuple[FinalAnswer, ...]
    marked: bool
    has_relation: bool


@dataclass(frozen=True)
class Conclusion:
    """What a submission says to one part: the line that gives the answer, if any, and whether it is the official one.

    `is_right` is None where only words could tell and they differ: a paraphrase is no error; and where the submission
    lists answers instead of giving one, which `is_list` tells.
    """

    part: int
    official: FinalAnswer | None
    line: AnswerLine | None
    given: FinalAnswer | None
    is_right: bool | None
    is_list: bool = False


def answer_lines(submission: Submission, part: int | None) -> list[AnswerLine]:
    """The lines with results of a part (None: of the submission), in order; checks of a result are left out."""
    steps = [step for step in submission.steps if not step.is_aside and (part is None or step.part == part)]
    lines = []
    for number, group in groupby(steps, key=lambda step: step.line):
        text, _ = split_asides(submission.line(number))
        members = list(group)
        if CHECK.match(text):
            continue
        answers = tuple(answers_of_line(text, members))
        if answers:
            marked = any(step.is_marked for step in members)
            alternatives = tuple(alternatives_of_line(text, members))
            has_relation = any(relation in "=≈" for step in members for relation in step.relations)
            lines.append(AnswerLine(number, text, answers, alternatives, marked, has_relation))
    return [line for line in lines if line.marked or not REMARK.search(line.text)] or lines


def conclude(
    submission: Submission,
    everything: list[AnswerLine],
    part: int,
    official: Sequence[FinalAnswer],
    posed: frozenset[float],
    *,
    labelled: bool,
    several: int,
) -> list[Conclusion]:
    """A conclusion for each official answer of a part.

    `everything` are its lines with results, of any part; `labelled` tells that it says which lines belong to the part,
    `several` how many answers the lines looked at hold; `posed` are the numbers of the task.
    """
    lines = _solved(answer_lines(submission, part) if labelled else everything)
    text = _text(submission, part if labelled else None)
    count = max(several, len(official))
    names = frozenset(answer.name for answer in official if answer.name)
    if len(names) == len(official) > 1 and (point := _as_point(part, official, lines)):
        return point
    computed = tuple(value for line in everything for one in line.answers if one.is_computed for value in one.values)
    offers = Offers(posed, count, computed)
    return [_conclusion(part, answer, lines, text, names, offers) for answer in official]


def _solved(lines: list[AnswerLine]) -> list[AnswerLine]:
    """The lines without answers that are only sides of equations to be solved, unless there are no others."""
    kept = [replace(line, answers=tuple(one for one in line.answers if not one.is_unsolved)) for line in lines]
    return [line for line in kept if line.answers] or lines


def _as_point(part: int, official: Sequence[FinalAnswer], lines: list[AnswerLine]) -> list[Conclusion]:
    """Conclusions for variables that are given together, `(2, 1)`, on a marked line or one of the last; or none."""
    last = [line for line in lines if line.marked] or lines[-REMARKS:]
    for line in reversed(last):
        for given in line.answers:
            point = [number for row in rows_of(given) for number in row]
            if len(point) == len(official) and all(len(answer.values) == 1 for answer in official):
                right = [
                    math.isclose(answer.values[0].written, number, rel_tol=POINT, abs_tol=1e-9)
                    for answer, number in zip(official, point, strict=True)
                ]
                return [
                    Conclusion(part, answer, line, given, is_right)
                    for answer, is_right in zip(official, right, strict=True)
                ]
    return []


def _text(submission: Submission, part: int | None) -> str:
    rows = zip(submission.lines, submission.part_of_line, strict=True)
    return "\n".join(line for line, of in rows if part is None or of == part)


def _conclusion(
    part: int, official: FinalAnswer, lines: list[AnswerLine], text: str, names: frozenset[str], offers: Offers
) -> Conclusion:
    """What is concluded for one official answer; `names` are the variables of all of its part."""
    if official.is_words:
        line = lines[-1] if lines and speaks_of(text, official.text) else None
        marked = [row for row in text.splitlines() if is_marked(row)]
        return Conclusion(part, official, line, None, says(marked[-1] if marked else text, official.text))
    named = [line for line in lines if official.name in names and _names(line, official.name)]
    if len(names) > 1 and named:
        # Of several variables, each has the value that is given to it last.
        lines = [next((line for line in reversed(named) if line.marked), named[-1])]
    stated = _stated_in(lines)
    if lines and offers.is_list(official, stated):
        return Conclusion(part, official, lines[-1], None, None, is_list=True)
    for line in _candidates(official, lines, offers.count):
        if _spells_out(line, official):
            return Conclusion(part, official, line, line.answers[0], True)
        # "x = 3" does not answer for y where both are asked for.
        own = [one for one in line.answers if not (official.name and one.name in names - {official.name})]
        if offers.is_list(official, own):
            return Conclusion(part, official, line, None, None, is_list=True)
        is_choice = any(len(one.values) > 1 and one.name for one in line.alternatives)
        meant = own if is_choice else offers.meant(official, own)
        for given in meant:
            if is_same(official, given, line.text):
                is_right = not (_has_others(line, official, given) and not _REJECTED.search(text))
                return Conclusion(part, official, line, given, is_right)
        if meant and offers.count == 1:
            # One answer counts, the last. What else stands beside it is not tried: several tries would tell it.
            if not is_choice and not meant[0].is_computed and offers.is_ambiguous(official, own):
                return Conclusion(part, official, line, None, None, is_list=True)
            if _decides(official, line, meant[0]):
                break
    collected = _collected(official, lines)
    if collected is not None:
        return Conclusion(part, official, lines[-1], collected, True)
    given_names = {given.name for line in lines for given in line.answers}
    if official.name in names - given_names and given_names & names:
        return Conclusion(part, official, None, None, None)
    last = _last(official, lines)
    return Conclusion(part, official, last, last.answers[-1] if last else None, False if last else None)


def _decides(official: FinalAnswer, line: AnswerLine, given: FinalAnswer) -> bool:
    """Whether a line with another number or term leaves none of the lines before it to be the answer."""
    is_stated = line.marked or line.has_relation or given.is_computed
    return is_stated and (len(official.values) == 1 or official.term is not None)


def _stated_in(lines: list[AnswerLine]) -> list[FinalAnswer]:
    """What is stated as an answer: on marked lines, or on those behind the last computation."""
    marked = [line for line in lines if line.marked]
    behind = takewhile(lambda line: not any(one.is_computed for one in line.answers), reversed(lines))
    return [answer for line in marked or behind for answer in line.answers]


def _names(line: AnswerLine, name: str | None) -> bool:
    return any(given.name == name and given.values for given in line.answers)


def _has_others(line: AnswerLine, official: FinalAnswer, given: FinalAnswer) -> bool:
    """Whether the line gives the variable further values, of which the official answer has none."""
    return len(official.values) == 1 and any(
        len(one.values) > 1 and one.name == given.name is not None and given.values[0] in one.values
        for one in line.alternatives
    )


def _spells_out(line: AnswerLine, official: FinalAnswer) -> bool:
    """Whether the line gives each coordinate of a point by name: "a maximum at x = 1 with f(1) = 5"."""
    point = [number for row in rows_of(official) for number in row]
    given = [
        (one.name, value.written) for one in line.answers if one.name and len(one.values) == 1 for value in one.values
    ]
    return len(point) == len({name for name, _ in given}) == 2 and all(
        any(math.isclose(number, value, rel_tol=POINT, abs_tol=1e-9) for _, value in given) for number in point
    )


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


def _candidates(official: FinalAnswer, lines: list[AnswerLine], count: int) -> list[AnswerLine]:
    """Where an answer may stand, likeliest first: marked lines, the last ones, the last that names its variable."""
    if count > 1:
        return list(reversed(lines))[: LINES_EACH * count]
    marked = [line for line in lines if line.marked]
    if marked:
        return list(reversed(marked))
    if lines and _is_statement(lines[-1], official):
        return lines[-1:]
    last = lines[-1:]
    while len(last) <= REMARKS and len(last) < len(lines) and not last[0].has_relation:
        last.insert(0, lines[-len(last) - 1])
    named = [line for line in lines if official.name and any(given.name == official.name for given in line.answers)]
    return [*reversed(last), *named[-1:]]


def _is_statement(line: AnswerLine, official: FinalAnswer) -> bool:
    """Whether a line says in words what the result is: "So the train stops after 12.5 s."."""
    values = {value for given in line.answers for value in given.values}
    if line.has_relation or not official.values or len(line.text.split()) < MIN_STATEMENT_WORDS:
        return False
    dimensions = {value.dimension for value in official.values if value.has_unit}
    if dimensions:
        return any(value.has_unit and value.dimension in dimensions for value in values)
    return len(values) == 1 and all(value.is_percent == official.values[0].is_percent for value in values)


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
