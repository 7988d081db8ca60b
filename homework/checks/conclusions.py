"""Which of a submission's results answers which part: the last of a part, or the best assignment to all parts at once.

Nothing is called wrong unless a value is known to be meant for the part, is of its kind, and the official value is not
reached elsewhere in the work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile
from math import isclose

import numpy as np
from scipy.optimize import linear_sum_assignment

from homework.answers import (
    FinalAnswer,
    Quantity,
    alternatives_of_line,
    answers_of_line,
    answers_of_step,
    answers_passed,
    base_name,
    quantities_of,
    range_of,
    rows_of,
)
from homework.asides import CHECK, REMARK, split_asides
from homework.checks.spelling import MAX_WRITTEN, MIN_DIGITS, is_spelled
from homework.checks.wording import says, speaks_of, words_of
from homework.comparison import is_equal, is_implicit, is_same
from homework.mathematics.tolerances import CARRIED, ROUNDED
from homework.submission import Submission, WorkStep, is_marked

REMARKS = 2
"""How many lines behind the answer may be remarks on it."""
LINES_EACH = 6
"""How many of the last lines may give each of several answers."""
MIN_STATEMENT_WORDS = 4
"""Words from which on a line is a sentence."""
MAX_OFFERS = 2
"""Values that may be stated for one answer before they are a list; a student may correct the first."""
MAX_SETS = 4
"""Sets of solutions that may stand side by side: honest work on two solutions has other pairs of numbers, too."""
MAX_RESULTS = 8
"""Results of one kind among which the official one may be reached before another; more would be tries."""
SAME, NAMED, ALIKE, RESULT, IN_PLACE = 100.0, 8.0, 5.0, 2.0, 1.0
"""What speaks for a result to be the answer to a part: the value, the variable, the kind of quantity, being computed, \
and standing behind the answers to the parts before."""
_REJECTED = re.compile(
    r"\b(?:reject\w*|not|no|only|outside|extraneous|invalid|discard\w*|exclud\w*|impossible|ignor\w*|drop\w*|cannot|can't"
    r"|isn't|doesn't|negative|positive|domain|since|because|must|makes? no sense|unphysical|nicht|niet)\b"
    r"|≠|\\neq?\b|[✗×]\s*$",
    re.IGNORECASE,
)
"""Words by which a solution is left out again."""


@dataclass(frozen=True)
class AnswerLine:
    """A line (from 1) that states answers; `passed` are the numbers that its chains of equalities come by."""

    number: int
    text: str
    answers: tuple[FinalAnswer, ...]
    alternatives: tuple[FinalAnswer, ...]
    marked: bool
    has_relation: bool
    passed: tuple[FinalAnswer, ...] = ()


@dataclass(frozen=True)
class Conclusion:
    """What a submission says to one part: the line that gives the answer, if any, and whether it is the official one.

    `is_right` is None where that cannot be told: words that differ, a list of answers (`is_list`), or a result that may
    not be the one for this part.
    """

    part: int
    official: FinalAnswer
    line: AnswerLine | None = None
    given: FinalAnswer | None = None
    is_right: bool | None = None
    is_list: bool = False


@dataclass(frozen=True)
class Slot:
    """An official answer, the part that it belongs to, and the words that the task has for this part alone."""

    part: int
    official: FinalAnswer
    words: frozenset[str] = frozenset()


def answer_lines(submission: Submission, part: int | None) -> list[AnswerLine]:
    """The lines with results of a part (None: of the submission), in order; checks of a result are left out."""
    steps = [step for step in submission.steps if not step.is_aside and (part is None or step.part == part)]
    lines = []
    for number, group in groupby(steps, key=lambda step: step.line):
        text, _ = split_asides(submission.line(number))
        members = list(group)
        answers = tuple(answers_of_line(text, members)) if not CHECK.match(text) else ()
        if answers:
            marked = any(step.is_marked for step in members)
            has_relation = any(relation in "=≈" for step in members for relation in step.relations)
            alternatives = tuple(alternatives_of_line(text, members))
            passed = tuple(answer for step in members for answer in answers_passed(step))
            lines.append(AnswerLine(number, text, answers, alternatives, marked, has_relation, passed))
    return [line for line in lines if line.marked or not REMARK.search(line.text)] or lines


def _solved(lines: list[AnswerLine], slots: Sequence[Slot]) -> list[AnswerLine]:
    """The lines without answers that are only sides of equations to be solved, unless there are no others."""
    asked = {slot.official.equation[0].text for slot in slots if slot.official.equation}
    kept = [
        replace(line, answers=tuple(one for one in line.answers if not one.is_unsolved or _left(one) in asked))
        for line in lines
    ]
    return [line for line in kept if line.answers] or lines


def _left(answer: FinalAnswer) -> str:
    return answer.equation[0].text if answer.equation else ""


def conclude(
    submission: Submission, slots: Sequence[Slot], posed: frozenset[float], *, labelled: bool
) -> list[Conclusion]:
    """A conclusion for each official answer. `labelled` tells that the submission says which lines belong to a part.

    `posed` are the numbers of the task.
    """
    computed = _computed(answer_lines(submission, None))
    conclusions = []
    groups = groupby(slots, key=lambda slot: slot.part) if labelled else [(None, iter(slots))]
    for part, members in groups:
        group = list(members)
        lines = _solved(answer_lines(submission, part), group)
        reader = _Reader(lines, _text(submission, part), posed, computed, len(group))
        conclusions += [reader.read_words(slot) for slot in group if slot.official.is_words]
        numbers = [slot for slot in group if not slot.official.is_words]
        conclusions += [reader.read_last(slot) for slot in numbers] if len(group) == 1 else reader.assign(numbers)
    reached = [_unless_reached(conclusion, submission, posed) for conclusion in conclusions]
    return sorted(reached, key=lambda conclusion: conclusion.part)


def _unless_reached(conclusion: Conclusion, submission: Submission, posed: frozenset[float]) -> Conclusion:
    """Nothing is wrong whose official answer the work comes to somewhere, unless another one is marked as the answer.

    Where there are many results, the official one may be among them by trying.
    """
    official, line = conclusion.official, conclusion.line
    if conclusion.is_right is not False or (line is not None and line.marked):
        return conclusion
    texts = [text for number, text in enumerate(submission.lines, 1) if line is None or number != line.number]
    results = [(step, answer) for step in submission.steps for answer in _written_in(step, line)]
    values = {value for _, answer in results for value in answer.values if value.half_digit}
    tried = {value.value for value in values if value.digits >= MIN_DIGITS or value.has_unit}
    if len(tried) > MAX_WRITTEN:
        return conclusion
    is_reached = is_spelled(official, "\n".join(texts)) or any(
        (_is_telling(answer, posed) and is_same(official, answer, submission.line(step.line)))
        or _is_multiple(official, answer)
        for step, answer in results
    )
    return replace(conclusion, is_right=None) if is_reached else conclusion


def _written_in(step: WorkStep, line: AnswerLine | None) -> Iterator[FinalAnswer]:
    """The values that a chain has; in the answer's own line the last alone: behind others it may have gone wrong."""
    yield from answers_of_step(step)
    if line is None or step.line != line.number:
        yield from answers_passed(step)
        first = step.expressions[0]
        if first is not None and first.number is not None:
            yield FinalAnswer(first.text, quantities_of(first))


def _is_telling(answer: FinalAnswer, posed: frozenset[float]) -> bool:
    """Whether a value is the official one by no chance: by its digits, a point counting for one, or by its unit.

    What is only written down to be computed says nothing.
    """
    return any(
        abs(value.written) not in posed and (value.digits >= MIN_DIGITS - value.is_decimal or value.has_unit)
        for value in answer.values
        if value.half_digit
    )


def _computed(lines: Sequence[AnswerLine]) -> tuple[Quantity, ...]:
    return tuple(value for line in lines for answer in line.answers if answer.is_computed for value in answer.values)


def _text(submission: Submission, part: int | None) -> str:
    rows = zip(submission.lines, submission.part_of_line, strict=True)
    return "\n".join(line for line, of in rows if part is None or of == part)


@dataclass(frozen=True)
class _Reader:
    """Reads the answers that lines give to `count` parts.

    `posed` are the numbers of the task and `computed` those that the submission computes, which a student may repeat.
    """

    lines: list[AnswerLine]
    text: str
    posed: frozenset[float]
    computed: tuple[Quantity, ...]
    count: int

    def read_words(self, slot: Slot) -> Conclusion:
        """An answer in words: by the last marked line, or anywhere."""
        line = self.lines[-1] if self.lines and speaks_of(self.text, slot.official.text) else None
        marked = [row for row in self.text.splitlines() if is_marked(row)]
        is_right = says(marked[-1] if marked else self.text, slot.official.text)
        return Conclusion(slot.part, slot.official, line, None, is_right)

    def read_last(self, slot: Slot) -> Conclusion:
        """The answer to a part of its own: the last counts, or the last that is marked."""
        official = slot.official
        if not self.lines:
            return Conclusion(slot.part, official)
        if self._is_list(official, self._stated()):
            return Conclusion(slot.part, official, self.lines[-1], is_list=True)
        for line in _candidates(official, self.lines):
            if _spells_out(line, official):
                return Conclusion(slot.part, official, line, line.answers[0], True)
            if self._is_list(official, line.answers):
                return Conclusion(slot.part, official, line, is_list=True)
            is_choice = any(len(answer.values) > 1 and answer.name for answer in line.alternatives)
            meant = list(line.answers) if is_choice else self._meant(official, line.answers)
            for given in meant:
                if is_same(official, given, line.text):
                    is_right = not (_has_others(line, official, given) and not _REJECTED.search(self.text))
                    return Conclusion(slot.part, official, line, given, is_right)
            # One answer counts, the last. What else stands beside it is not tried: several tries would tell it.
            if meant and not is_choice and not meant[0].is_computed and len(self._tries(official, line.answers)) > 1:
                return Conclusion(slot.part, official, line, is_list=True)
            is_stated = meant and (line.marked or line.has_relation or meant[0].is_computed)
            if is_stated and (len(official.values) == 1 or official.term is not None):
                return self._judged(slot, line, meant[0])
        if collected := _collected(official, self.lines):
            return Conclusion(slot.part, official, self.lines[-1], collected, True)
        last = _last(official, self.lines)
        return self._judged(slot, last, (self._meant(official, last.answers) or last.answers)[0])

    def _judged(self, slot: Slot, line: AnswerLine, given: FinalAnswer) -> Conclusion:
        """A result that differs: wrong if it is of the kind asked for and the official one is not reached elsewhere."""
        official = slot.official
        if is_same(official, given, line.text):
            return Conclusion(slot.part, official, line, given)  # What stands behind it is another result.
        others = [(answer, other) for other in self.lines for answer in other.answers if other is not line]
        results = {value.value for answer, _ in others for value in answer.values}
        written = [(answer, other) for answer, other in others if all(value.half_digit for value in answer.values)]
        is_reached = any(is_same(official, answer, other.text) for answer, other in written)
        if is_reached and not line.marked and len(results) <= MAX_RESULTS:
            return Conclusion(slot.part, official, line, given, is_list=True)
        return Conclusion(slot.part, official, line, given, False if _is_comparable(official, given) else None)

    def assign(self, slots: Sequence[Slot]) -> list[Conclusion]:
        """The answers to several parts at once, in any order and however many on a line."""
        stated = self._stated()
        if any(self._is_list(slot.official, stated) for slot in slots) and self.lines:
            return [Conclusion(slot.part, slot.official, self.lines[-1], is_list=True) for slot in slots]
        results = list(self._results(slots))
        if not results or not slots:
            return [Conclusion(slot.part, slot.official) for slot in slots]
        right = self._matched(slots, results)
        return [right.get(at) or self._instead(slots, at, right, results) for at in range(len(slots))]

    def _results(self, slots: Sequence[Slot]) -> Iterator[tuple[AnswerLine, FinalAnswer]]:
        """What the last lines give, from the last to the first; a point as a value for each variable asked for."""
        names = [slot.official.name for slot in slots]
        marked = [line for line in self.lines if line.marked]
        is_stated = sum(answer.is_result for line in marked for answer in line.answers) >= self.count
        lines = marked if is_stated else self.lines
        valued: set[str | None] = set()
        for line in lines[::-1][: LINES_EACH * self.count]:
            answers = [answer for answer in (*line.answers, *line.passed) if answer.name not in valued]
            valued |= {answer.name for answer in answers} & ({*names} - {None})  # Each has the value that it has last.
            for answer in answers:
                point = [number for row in rows_of(answer) for number in row]
                if len(point) == len(names) and all(names):
                    for name, number in zip(names, point, strict=True):
                        quantity = Quantity(number, number, is_decimal=number % 1 != 0)
                        yield line, FinalAnswer(answer.text, (quantity,), name=name, is_result=True)
                yield line, answer

    def _matched(
        self, slots: Sequence[Slot], results: Sequence[tuple[AnswerLine, FinalAnswer]]
    ) -> dict[int, Conclusion]:
        """The parts whose official answer is given, by the best assignment."""
        names = {slot.official.name for slot in slots}
        weights = np.array([[_weight(slot, names, *result) for result in results] for slot in slots])
        right = {}
        for at, to in zip(*linear_sum_assignment(weights, maximize=True), strict=True):
            if weights[at, to] >= SAME:
                line, given = results[to]
                right[int(at)] = Conclusion(slots[at].part, slots[at].official, line, given, True)
        return right

    def _instead(
        self,
        slots: Sequence[Slot],
        at: int,
        right: dict[int, Conclusion],
        results: Sequence[tuple[AnswerLine, FinalAnswer]],
    ) -> Conclusion:
        """What stands in place of an official answer that is not given: wrong only where it is known to be meant."""
        slot, official = slots[at], slots[at].official
        officials = [other.official for other in slots]
        names = {other.name for other in officials} - {None, official.name}
        before = max((c.line.number for n, c in right.items() if n < at and c.line), default=0)
        after = min((c.line.number for n, c in right.items() if n > at and c.line), default=10**9)
        best: tuple[float, AnswerLine, FinalAnswer] | None = None
        for line, given in results:
            if given.name in names or not _is_comparable(official, given):
                continue
            is_named = _is_named(official, given) or _is_called(slot, slots, line)
            is_taken = self._is_posed(given) or any(is_same(other, given, line.text) for other in officials)
            if is_taken and not _is_named(official, given):
                continue
            weight = NAMED * is_named + ALIKE * _has_dimension(official, given)
            weight += RESULT * given.is_computed + IN_PLACE * (before <= line.number <= after)
            if before <= line.number <= after or is_named:
                best = (weight, line, given) if best is None or weight > best[0] else best
        if best is None:
            return Conclusion(slot.part, official)
        weight, line, given = best
        is_last = len(right) == len(slots) - 1 and given.is_computed
        is_known = weight >= NAMED or is_last or (not right and weight >= ALIKE)
        is_known = is_known and not (_is_named(official, given) and self._is_reached(official, line))
        return Conclusion(slot.part, official, line, given, False if is_known else None)

    def _is_reached(self, official: FinalAnswer, last: AnswerLine) -> bool:
        """Whether the variable that is asked for has the official value on a line before."""
        before = (line for line in self.lines if line.number < last.number and not last.marked)
        return any(
            _is_named(official, answer) and is_same(official, answer, line.text)
            for line in before
            for answer in line.answers
        )

    def _stated(self) -> list[FinalAnswer]:
        """What is stated as an answer: on marked lines, or on those behind the last computation."""
        marked = [line for line in self.lines if line.marked]
        behind = takewhile(lambda line: not any(one.is_computed for one in line.answers), reversed(self.lines))
        return [answer for line in marked or behind for answer in line.answers]

    def _meant(self, official: FinalAnswer, given: Sequence[FinalAnswer]) -> list[FinalAnswer]:
        """What of a line's answers, the last first, stands for the official one: of numbers and terms the last.

        It is chosen by the official value's kind, never by the value.
        """
        if official.term:
            return [answer for answer in given if answer.term or answer.equation][:1]
        if len(official.values) != 1:
            return list(given)
        single = [answer for answer in given if len(answer.values) == 1]
        new = [answer for answer in single if answer.is_result or not self._is_posed(answer)] or single
        alike = [answer for answer in new if _measures_alike(official.values[0], answer.values[0])] or new
        alike = [answer for answer in alike if answer.values[0].has_unit == official.values[0].has_unit] or alike
        return ([answer for answer in alike if official.name and answer.name == official.name] or alike)[:1]

    def _is_list(self, official: FinalAnswer, given: Sequence[FinalAnswer]) -> bool:
        """Whether so many values are stated that none of them is an answer."""
        sets = {frozenset(v.value for v in one.values) for one in given if len(one.values) == len(official.values) > 1}
        return len(sets) > MAX_SETS or len(self._tries(official, given)) > MAX_OFFERS + self.count - 1

    def _tries(self, official: FinalAnswer, given: Sequence[FinalAnswer]) -> list[Quantity]:
        """The distinct values of the official answer's kind that are no results of a computation."""
        distinct: list[Quantity] = []
        if len(official.values) != 1:
            return distinct
        for value in (value for answer in given if not answer.is_computed for value in answer.values):
            is_known = abs(value.written) in self.posed or any(is_equal(other, value) for other in self.computed)
            is_new = _measures_alike(official.values[0], value) and not is_known
            if is_new and not any(is_equal(value, other) for other in distinct):
                distinct.append(value)
        return distinct

    def _is_posed(self, answer: FinalAnswer) -> bool:
        return not answer.is_computed and any(abs(value.written) in self.posed for value in answer.values)


def _weight(slot: Slot, names: set[str | None], line: AnswerLine, given: FinalAnswer) -> float:
    """What speaks for a result to be the answer to a part."""
    official = slot.official
    if official.name and given.name in names - {None, official.name}:
        return 0.0  # "x = 3" does not answer for y where both are asked for.
    if not is_same(official, given, line.text):
        return 0.0
    pairs = zip(official.values, given.values, strict=False)
    if any(not _measures_alike(a, b) and not isclose(a.written, b.written, rel_tol=CARRIED) for a, b in pairs):
        return 0.0  # The number alone is nearly right, of what is another quantity.
    return (
        SAME + NAMED * _is_named(official, given) + ALIKE * _has_dimension(official, given) + RESULT * given.is_result
    )


def _is_called(slot: Slot, slots: Sequence[Slot], line: AnswerLine) -> bool:
    """Whether a line has words that the task has for this part, and none for another."""
    words = words_of(line.text)
    return bool(words & slot.words) and not any(words & other.words for other in slots if other.part != slot.part)


def _is_named(official: FinalAnswer, given: FinalAnswer) -> bool:
    return official.name is not None and official.name == given.name


def _has_dimension(official: FinalAnswer, given: FinalAnswer) -> bool:
    wanted = {value.dimension for value in official.values if value.has_unit}
    return any(value.has_unit and value.dimension in wanted for value in given.values)


def _measures_alike(official: Quantity, given: Quantity) -> bool:
    """Whether two values measure one kind of thing; a unit may have been left out, but not for a per cent sign."""
    if official.has_unit and given.has_unit:
        return official.dimension == given.dimension
    with_unit, other = (official, given) if official.has_unit else (given, official)
    return not (with_unit.has_unit and with_unit.dimension and other.is_percent)


def _is_comparable(official: FinalAnswer, given: FinalAnswer) -> bool:
    """Whether an answer is of the official one's kind, so that another value makes it wrong."""
    if given.name and official.name and "'" in given.name and "'" not in official.name:
        return False  # A derivative's value shows what kind of extremum it is.
    if _is_multiple(official, given):
        return False  # An eigenvector, a direction or a normal may have any length.
    if official.rows:
        return bool(rows_of(given)) or len(given.values) > 1
    if official.ranges:
        return range_of(given) is not None or bool(given.ranges)
    if is_implicit(official):
        return given.equation is not None
    if official.term:
        return bool(given.term or given.equation or any(not value.has_unit for value in given.values))
    if len(given.values) > len(official.values):
        return False  # A line with several results, of which any may be the one.
    pairs = [(ours, theirs) for ours in official.values for theirs in given.values]
    return any(_measures_alike(*pair) and not _is_unit_amiss(*pair) for pair in pairs)


def _is_multiple(official: FinalAnswer, given: FinalAnswer) -> bool:
    """Whether two vectors without a zero have one direction."""
    first = [number for row in rows_of(official) for number in row]
    second = [number for row in rows_of(given) for number in row]
    if not second and len(given.ranges) == 1:  # [0.7, 0.7] is written as an interval is.
        second = [given.ranges[0].low, given.ranges[0].high]
    if len(first) != len(second) or len(first) < 2 or not all(first) or not np.isfinite([*first, *second]).all():
        return False
    ratios = np.array(second) / np.array(first)
    return bool(ratios[0] and np.allclose(ratios, ratios[0], rtol=ROUNDED))


def _is_unit_amiss(official: Quantity, given: Quantity) -> bool:
    """Whether the number is right and only its unit is not, which is a mistake of its own."""
    both = official.has_unit and given.has_unit
    return both and is_equal(replace(official, value=official.written), replace(given, value=given.written))


def _has_others(line: AnswerLine, official: FinalAnswer, given: FinalAnswer) -> bool:
    """Whether the line gives the variable further values, of which the official answer has none."""
    return len(official.values) == 1 and any(
        len(one.values) > 1 and one.name == given.name is not None and given.values[0] in one.values
        for one in line.alternatives
    )


def _spells_out(line: AnswerLine, official: FinalAnswer) -> bool:
    """Whether the line gives each coordinate of a point by name: "a maximum at x = 1 with f(1) = 5"."""
    point = [number for row in rows_of(official) for number in row]
    given = {one.name: one.values[0] for one in line.answers if one.name and len(one.values) == 1}
    return len(point) == len(given) == 2 and all(
        any(is_equal(Quantity(number, number), value) for value in given.values()) for number in point
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


def _candidates(official: FinalAnswer, lines: list[AnswerLine]) -> list[AnswerLine]:
    """Where an answer may stand, likeliest first: marked lines, the last ones, the last that names its variable."""
    marked = [line for line in lines if line.marked]
    if marked:
        return marked[::-1]
    if _is_statement(lines[-1], official):
        return lines[-1:]
    last = lines[-1:]
    while len(last) <= REMARKS and len(last) < len(lines) and not last[0].has_relation:
        last.insert(0, lines[-len(last) - 1])
    named = [line for line in lines if any(_is_named(official, given) for given in line.answers)]
    return [*reversed(last), *named[-1:]]


def _is_statement(line: AnswerLine, official: FinalAnswer) -> bool:
    """Whether a line says in words what the result is: "So the train stops after 12.5 s."."""
    values = {value for given in line.answers for value in given.values}
    if line.has_relation or not official.values or len(line.text.split()) < MIN_STATEMENT_WORDS:
        return False
    if any(value.has_unit for value in official.values):
        return any(_has_dimension(official, given) for given in line.answers)
    return len(values) == 1 and all(value.is_percent == official.values[0].is_percent for value in values)


def _last(official: FinalAnswer, lines: list[AnswerLine]) -> AnswerLine:
    """The line that answers instead of the official answer: of its variable or kind of quantity, or the last."""
    if official.values:
        lines = [line for line in lines if any(given.values for given in line.answers)] or lines
    lines = [line for line in lines if line.marked] or lines
    named = [line for line in lines if any(_is_named(official, given) for given in line.answers)]
    alike = [line for line in lines if any(_has_dimension(official, given) for given in line.answers)]
    return (named or alike or lines)[-1]
