"""Checks units: of the final answer, between neighbours of a chain, in sums, and conversions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product

from core.homework import Verdict
from homework.answers import FinalAnswer, Quantity, range_of
from homework.checks.arithmetic import disagreeing
from homework.checks.conclusions import AnswerLine, Conclusion
from homework.comparison import is_equal
from homework.findings import Check, HomeworkFinding
from homework.mathematics.decimals import with_decimal_points
from homework.mathematics.equality import is_conversion, is_letter_behind_number
from homework.mathematics.parser import Expression
from homework.mathematics.tolerances import ROUNDED, SOLVED
from homework.mathematics.units import Dimension, Unit, dimension_words, unit_of_text, unit_of_word
from homework.mathematics.values import InconsistentUnits, dimension_of
from homework.submission import Submission, WorkStep

_FACTORS = (1e1, 1e2, 1e3, 1e4, 1e6, 1e9, 3.6, 60.0, 3600.0, 86400.0, 24.0)
CONVERSIONS = (*_FACTORS, *(1 / factor for factor in _FACTORS), 3.6**2, 3.6**-2, 1e12, 1e-12, 1.602e-19, 1 / 1.602e-19)
"""Factors by which an answer is off when a conversion was left out."""

_DIFFERENCE = re.compile(
    r"Δ|\\\\Delta|[dr]ise|rose|chang|differ|increas|decreas|warm|cool|drop|fall|fell", re.IGNORECASE
)
_NUMBER_AND_UNIT = re.compile(
    r"(\d{1,15}(?:\.\d{1,15})?)[\])}$]*\s*\\?,?\s*(?:\\(?:text|mathrm)\{)?\s*([^\W\d_]+|[€$£°%])"
)
_UNIT_ALONE = re.compile(
    r"(?:\b(?:in|en)\s+|(?<=[^\W\d])\s*[(\[]\s*)([^\W\d_][\w·²³^-]{1,12}(?:/[\w·²³^-]{1,12})?|[€$£°])(?=[\s)\].,;:]|$)"
)
_SMALL_FACTORS = {0.5, 1.0, 2.0, 3.0, 4.0, 0.25, 8.0, 12.0}
_HINT_MISSING = "State the unit of your result."
_HINT_WRONG = "Put the units into the calculation and see which unit comes out."
_HINT_CONVERT = "Write the conversion factor down as a fraction, with its units, and see which cancel."


def check_units(submission: Submission, conclusions: Sequence[Conclusion], *, arithmetic_fails: bool) -> Check:
    """Not applicable where neither the official answer nor the submission has a unit."""
    expected = any(_has_unit(conclusion.official) for conclusion in conclusions)
    used = any(part is not None and part.units for step in submission.steps for part in step.expressions)
    if not expected and (conclusions or not used):
        return Check(Verdict.NOT_APPLICABLE, evidence="The answer has no unit.")
    text = "\n".join(submission.lines)
    final = [finding for c in conclusions if (finding := _final(c, text, arithmetic_fails))]
    findings = [*_distinct([*_conversions(submission), *_inconsistent(submission)]), *final]
    if findings:
        return Check(
            Verdict.WRONG if any(f.hint != _HINT_MISSING for f in findings) else Verdict.PARTLY, tuple(findings)
        )
    if expected and all(c.line is None for c in conclusions):
        return Check(Verdict.CANNOT_TELL, evidence="No result was found whose unit could be checked.")
    return Check(Verdict.RIGHT, evidence="The units of the results and of the sums agree.")


def _final(conclusion: Conclusion, text: str, arithmetic_fails: bool) -> HomeworkFinding | None:
    official, line = conclusion.official, conclusion.line
    wanted = [value for value in official.values if value.has_unit] if official else []
    if official and official.ranges and official.ranges[0].scale and conclusion.given and line:
        interval = range_of(conclusion.given)
        if interval is None or interval.scale or _mentions_unit(line.text) or any(_units_behind(text, interval.high)):
            return None
        return HomeworkFinding("units", line.number, "The interval has no unit.", _HINT_MISSING)
    if not wanted or line is None or conclusion.is_list:
        return None
    given = _nearest(conclusion, wanted[0])
    if given is None:
        return None
    if _is_temperature_pair(wanted[0], given) and given.dimension != wanted[0].dimension:
        return _of_other_scale(wanted[0], given, line)
    if not given.has_unit and not given.half_digit:
        return None  # Nothing is written down but what would have to be computed.
    if not given.has_unit:
        is_meant = conclusion.is_right is not None or (line.has_relation and is_equal(wanted[0], given))
        is_said = _is_stated_elsewhere(text, given, wanted[0]) or _is_said_for_all(text, wanted[0])
        if _mentions_unit(line.text) or is_said or not is_meant:
            return None
        return HomeworkFinding("units", line.number, f"The result {_shown(given)} has no unit.", _HINT_MISSING)
    if _without_period(given.dimension) != _without_period(wanted[0].dimension):
        is_named = conclusion.given is not None and conclusion.given.name == official.name is not None
        if (conclusion.is_right is None and not is_named) or (conclusion.is_right and _is_for_each(given, wanted[0])):
            return None  # Not known to be meant for the part; or an amount of what is asked for each of something.
        kind = dimension_words(given.dimension or ())
        return HomeworkFinding(
            "units", line.number, f"The unit {given.unit} ({kind}) is not one of the quantity asked for.", _HINT_WRONG
        )
    is_off = conclusion.is_right is not True and not arithmetic_fails and "3.6" not in line.text
    if is_off and _lacks_conversion(wanted[0], given):
        return HomeworkFinding("units", line.number, f"The number does not fit the unit {given.unit}.", _HINT_CONVERT)
    return None


def _has_unit(answer: FinalAnswer) -> bool:
    return any(value.has_unit for value in answer.values) or bool(answer.ranges and answer.ranges[0].scale)


def _of_other_scale(wanted: Quantity, given: Quantity, line: AnswerLine) -> HomeworkFinding | None:
    """A temperature in kelvin with the number that it has in degrees; of a difference, the two are one."""
    if not _is_alike(wanted.written, given.written) or _DIFFERENCE.search(line.text):
        return None
    return HomeworkFinding(
        "units", line.number, f"{_shown(given)} is the number of another scale than {given.unit}.", _HINT_CONVERT
    )


def _nearest(conclusion: Conclusion, wanted: Quantity) -> Quantity | None:
    """The value that is meant: with the unit's dimension, or of the official size, or the only one."""
    assert conclusion.line is not None
    answers = [conclusion.given] if conclusion.is_right is False and conclusion.given else conclusion.line.answers
    given = [value for answer in answers for value in answer.values]
    choices: tuple[Callable[[Quantity], bool], ...] = (
        lambda value: value.has_unit and value.dimension == wanted.dimension and _is_alike(value.value, wanted.value),
        lambda value: _is_alike(value.written, wanted.written) and value.has_unit,
        lambda value: _is_alike(value.written, wanted.written),
        lambda value: value.has_unit and value.dimension == wanted.dimension,
        lambda value: value.has_unit,
        lambda value: True,
    )
    # Of a wrong answer, which number comes nearest to the official one would tell that.
    fitting = choices if conclusion.is_right else choices[3:]
    return next((value for fits in fitting for value in given if fits(value)), None)


def _is_alike(a: float, b: float) -> bool:
    return abs(abs(a) - abs(b)) <= ROUNDED * max(abs(a), abs(b))


def _is_temperature_pair(wanted: Quantity, given: Quantity) -> bool:
    scales = {"[temperature]", "[celsius]", "[fahrenheit]"}
    keys = [{key for key, _ in value.dimension or ()} for value in (wanted, given)]
    return all(key <= scales and key for key in keys)


def _mentions_unit(text: str) -> bool:
    words = text.replace("$", " ").replace("}", " ").replace("{", " ").split()
    return any(
        unit_of_word(word.strip(".,;()\\").removeprefix("text")) for word in words if len(word.strip(".,;()")) > 2
    )


def _is_stated_elsewhere(text: str, given: Quantity, wanted: Quantity) -> bool:
    """Whether a number without a unit stands elsewhere with one that fits."""
    return any(
        unit.dimension == wanted.dimension
        and (not _is_alike(given.written, wanted.written) or _is_alike(unit.factor, wanted.scale))
        for unit in _units_behind(text, given.written)
    )


def _is_said_for_all(text: str, wanted: Quantity) -> bool:
    """Whether a unit of the answer's kind stands apart from any number: "amounts in €", "P [kW]"."""
    units = (unit_of_text(found[1].strip()) for found in _UNIT_ALONE.finditer(text))
    return any(unit is not None and unit.dimension == wanted.dimension for unit in units)


def _units_behind(text: str, number: float) -> Iterator[Unit]:
    """The units that stand behind a number, in an interval behind its bracket."""
    for found in _NUMBER_AND_UNIT.finditer(with_decimal_points(text)):
        if math.isclose(float(found[1]), abs(number), rel_tol=1e-9) and (unit := unit_of_text(found[2])):
            yield unit


def _is_for_each(given: Quantity, wanted: Quantity) -> bool:
    """Whether a unit is that of the answer, divided: `kcal/bar`, `kWh per year`."""
    whole, _, of = re.sub(r"\s+per\s+", "/", given.unit).partition("/")
    unit = unit_of_text(whole.strip()) if of else None
    return unit is not None and unit.dimension == wanted.dimension


def _without_period(dimension: Dimension | None) -> Dimension | None:
    """An amount of money a year is one of money: the period is what it is for."""
    keys = {key for key, _ in dimension or ()}
    if "[currency]" not in keys:
        return dimension
    return tuple(pair for pair in dimension or () if pair[0] != "[time]")


def _shown(value: Quantity) -> str:
    return f"{value.written:.6g}"


def _lacks_conversion(official: Quantity, given: Quantity) -> bool:
    if not official.value or not given.value:
        return False
    if _is_alike(official.written, given.written):
        return not math.isclose(official.value * given.written, given.value * official.written, rel_tol=1e-6)
    ratio = abs(given.value / official.value)
    return any(abs(ratio - factor) <= SOLVED * factor for factor in CONVERSIONS)


def _conversions(submission: Submission) -> Iterator[HomeworkFinding]:
    for step, left, right in disagreeing(submission):
        if is_conversion(left, right):
            yield HomeworkFinding("units", step.line, f"{left.text} is not {right.text}.", _HINT_CONVERT)


def _inconsistent(submission: Submission) -> Iterator[HomeworkFinding]:
    for step in submission.steps:
        for left, right in pairwise(step.expressions):
            difference = _difference(left, right)
            if difference:
                yield HomeworkFinding("units", step.line, difference, _HINT_WRONG)
        for part in step.expressions:
            if part is not None and _has_units_for_certain(part, step) and (sums := _sum_of_different(part)):
                yield HomeworkFinding("units", step.line, sums, _HINT_WRONG)


def _has_units_for_certain(part: Expression, step: WorkStep) -> bool:
    """Single letters behind numbers may be variables, unless what they come to has a unit as well."""
    result = step.result
    return not part.bare_unit or (result is not None and result is not part and bool(result.units))


def _difference(left: Expression | None, right: Expression | None) -> str | None:
    """Two sides with different dimensions. A side where units are left out of the calculation shows nothing."""
    if left is None or right is None or not (left.units and right.units) or left.names or right.names:
        return None
    if is_letter_behind_number(left):
        return None
    if any(
        number not in _SMALL_FACTORS for side in (left, right) for number in side.plain_numbers if side.number is None
    ):
        return None
    try:
        first, second = dimension_of(left), dimension_of(right)
        readings = product(range(len(left.readings)), range(len(right.readings)))
        if any(dimension_of(left, one) == dimension_of(right, other) for one, other in readings):
            return None
    except InconsistentUnits:
        return None
    if first is None or second is None or _has_scale((*first, *second)):
        return None
    if _without_period(first) == _without_period(second):
        return None
    return f"{left.text} is a {dimension_words(first)}, {right.text} is a {dimension_words(second)}."


def _has_scale(dimension: Dimension) -> bool:
    return any(key in ("[celsius]", "[fahrenheit]", "[temperature]") for key, _ in dimension)


def _sum_of_different(expression: Expression) -> str | None:
    try:
        dimension_of(expression)
    except InconsistentUnits as error:
        if _has_scale((*error.left, *error.right)):
            return None
        return f"{expression.text} adds a {dimension_words(error.left)} and a {dimension_words(error.right)}."
    return None


def _distinct(findings: Sequence[HomeworkFinding]) -> list[HomeworkFinding]:
    return list({(finding.line, finding.evidence): finding for finding in findings}.values())
