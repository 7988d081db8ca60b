"""Whether two expressions of a submission are equal as they are written: by any reading that a person would allow."""

from __future__ import annotations

import cmath
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from homework.comparison import CELSIUS_AND_KELVIN
from homework.mathematics.expressions import Expression
from homework.mathematics.latex import Number, UnreadableMathematics
from homework.mathematics.values import (
    AS_WRITTEN,
    InconsistentUnits,
    Reading,
    complex_value,
    dimension_of,
    values_of,
)

EXACT, ZERO = 1e-9, 1e-12
CARRIED = 0.002
"""Relative: a student may go on with more digits than she writes."""
ROUGH = 0.05
"""Relative: what "about" may differ by, where the digits written do not say."""
COARSE = 0.25
"""Relative: what "about" may differ by where the number is right by its last digit."""
WHOLE = 0.025
"""Relative: an integer in place of a fraction is a rounding only if it is that near."""
DECIMAL = 0.1
"""Relative: a decimal that is right by its last digit may still be that far off (0.03 for 0.028)."""
IDENTITY_POINTS = (0.37, 1.91, 2.83)

_GROUPED = Reading(grouped=True)
_WAYS = ((AS_WRITTEN, AS_WRITTEN), (_GROUPED, AS_WRITTEN), (AS_WRITTEN, _GROUPED), (_GROUPED, _GROUPED))
"""Of reading `1/2x` in two terms."""
_LEADING_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def are_equal(left: Expression, right: Expression, relation: str) -> bool | None:
    """Whether the two are equal as written; None where that cannot be said."""
    if left.names or right.names:
        return _is_identity(left, right)
    if len(left.trees) != len(right.trees) and 2 in (len(left.trees), len(right.trees)):
        return None
    if _is_plain(left) and _is_plain(right):
        return None
    if left.bare_unit and left.number is not None and not right.units:
        # "2 h = 10" is an equation for h rather than two hours.
        return None
    if is_letter_behind_number(left) and right.units and _different_dimensions(left, right):
        # In "2L = 1.30 m", L is a length.
        return None
    compared = [_is_equal(left, right, relation, *reading) for reading in _readings(left, right)]
    known = [equal for equal in compared if equal is not None]
    return any(known) or _runs_on(left, right) if known else None


def is_letter_behind_number(expression: Expression) -> bool:
    """`2L`: two litres, or twice a length."""
    return expression.bare_unit and bool(re.fullmatch(r"\d+[A-Za-z]", expression.text))


def _runs_on(left: Expression, right: Expression) -> bool:
    """`2 + 3 = 5 * 4 = 20` is bad style, not bad arithmetic: the right side goes on with the value of the left."""
    start = _LEADING_NUMBER.match(right.text)
    if start is None or right.number is not None or left.names or right.names:
        return False
    try:
        return any(math.isclose(value, float(start[0]), rel_tol=CARRIED) for value in values_of(left, scaled=False))
    except UnreadableMathematics:
        return False


def is_conversion(left: Expression, right: Expression) -> bool:
    """Whether both are a number with a unit of one dimension: `20 km/h = 5.6 m/s`."""
    if left.number is None or right.number is None or not (left.units and right.units):
        return False
    return dimension_of(left) == dimension_of(right)


def _is_plain(expression: Expression) -> bool:
    """A number without operation or unit. Two such are no computation: "0 = 3, so there is no solution"."""
    return expression.number is not None and not expression.units


def _readings(left: Expression, right: Expression) -> Iterator[tuple[bool, Reading]]:
    """The ways to read the two, likeliest first, each with units scaled or as written."""
    both = bool(left.units) and bool(right.units)
    # "1656000 J / 3600000 = 0.46 kWh": a factor of conversion may be a number without a unit.
    converts = both and left.number is None and bool(left.plain_numbers)
    scales = (True,) if both and not converts else (False, True) if left.units or right.units else (False,)
    for scaled in scales:
        yield scaled, AS_WRITTEN
        if left.otherwise or right.otherwise:
            yield scaled, _GROUPED
        if left.loose or right.loose:
            yield scaled, Reading(loose=True)
        if any(name in left.text + right.text for name in ("sin", "cos", "tan")):
            yield scaled, Reading(degrees=True)
        if "log" in left.text + right.text:
            yield scaled, Reading(natural_log=True)


def _is_equal(left: Expression, right: Expression, relation: str, scaled: bool, reading: Reading) -> bool | None:
    try:
        if scales := _offset(left, right):
            return math.isclose(
                values_of(left, scaled=False)[0] + scales, values_of(right, scaled=False)[0], abs_tol=0.51
            )
        if left.units and right.units and _different_dimensions(left, right):
            # The units are amiss, which another check says; here the numbers count, as written.
            scaled = False
        first = values_of(left, scaled=scaled, reading=reading)
        second = values_of(right, scaled=scaled, reading=reading)
    except UnreadableMathematics:
        return None
    if len(first) != len(second):
        return None
    pairs = zip(sorted(first), sorted(second), strict=True)
    factor = _factor(right) if scaled else 1.0
    return all(_is_close(a, b, left, right, relation, factor) for a, b in pairs)


def _offset(left: Expression, right: Expression) -> float:
    """What is added to a temperature in degrees to have it in kelvin, or taken off; 0 for other quantities."""
    if left.number is None or right.number is None:
        return 0.0
    return CELSIUS_AND_KELVIN.get((dimension_of(left) or (), dimension_of(right) or ()), 0.0)


def _different_dimensions(left: Expression, right: Expression) -> bool:
    try:
        return dimension_of(left) != dimension_of(right)
    except InconsistentUnits:
        return True


def _factor(expression: Expression) -> float:
    return math.prod(unit.factor for unit in expression.units.values()) if expression.number else 1.0


def _is_close(a: float, b: float, left: Expression, right: Expression, relation: str, factor: float) -> bool:
    difference = abs(a - b)
    size = max(abs(a), abs(b))
    if difference <= EXACT * size or (min(abs(a), abs(b)) == 0 and difference < ZERO):
        return True
    relative = difference / size
    if relation == "≈" and relative <= ROUGH and (right.number is None or right.number.digits <= 2):
        return True
    if (
        relation == "≈"
        and right.number is not None
        and relative <= COARSE
        and difference <= 1.01 * right.number.half_digit
    ):
        return True
    if relation == "=" and _is_whole(left, a) and _is_whole(right, b):
        return False
    if right.number is not None and _is_rounded(difference, relative, right.number, factor):
        return True
    if left.number is not None and _is_rounded(difference, relative, left.number, 1.0):
        return True
    carried = [number for number in (*left.decimals, *right.decimals) if number.digits >= 3]
    return bool(carried) and relative <= CARRIED and difference <= _uncertainty(left) + _uncertainty(right)


def _uncertainty(expression: Expression) -> float:
    """How much the value may change if each decimal was rounded when it was written, in units as written."""
    if expression.number is not None:
        return expression.number.half_digit
    halves = {number.value: number.half_digit for number in expression.decimals}
    try:
        value = values_of(expression, scaled=False)[0]
        changed = [
            values_of(
                replace(expression, numbers={**expression.numbers, symbol: number + halves[number]}), scaled=False
            )
            for symbol, number in expression.numbers.items()
            if number in halves
        ]
    except UnreadableMathematics:
        return math.inf
    return sum(abs(one[0] - value) for one in changed)


def _is_whole(expression: Expression, value: float) -> bool:
    """Whether an integer came from integers: 293 is not 300, rounded."""
    return not expression.decimals and not expression.units and abs(value - round(value)) < EXACT


def _is_rounded(difference: float, relative: float, number: Number, factor: float) -> bool:
    """Whether the number may be the other value, rounded (from three digits: or cut off) to its digits."""
    fraction = number.half_digit < 0.5 or number.half_digit < abs(number.value) * 1e-2
    places = 2.02 if number.digits >= 3 else 1.01
    limit = WHOLE if not fraction else DECIMAL
    return difference <= places * number.half_digit * factor and relative <= limit


def _is_identity(left: Expression, right: Expression) -> bool | None:
    """Whether two terms with the same variables agree at a few points; None where the variables differ."""
    names = sorted(set(left.names.values()))
    if {*names, *right.names.values()} == {"i"} and "e^" in left.text + right.text:
        return _is_complex_equality(left, right)
    if not names or set(right.names.values()) != set(names) or left.units or right.units:
        return None
    if left.name or right.name or len(left.trees) != 1 or len(right.trees) != 1:
        return None
    known = [agree for ways in _WAYS if (agree := _agree_at_points(left, right, names, *ways)) is not None]
    if names == ["i"] and known and not any(known):
        return _is_complex_equality(left, right)
    return any(known) if known else None


def _agree_at_points(
    left: Expression, right: Expression, names: Sequence[str], first: Reading, second: Reading
) -> bool | None:
    """Whether two terms, each read in one way, agree where both have a value; None where that is in too few points."""
    agreed: list[bool] = []
    for start in IDENTITY_POINTS:
        point = {name: start + 0.61 * at for at, name in enumerate(names)}
        try:
            a, b = values_of(left, point, reading=first)[0], values_of(right, point, reading=second)[0]
        except UnreadableMathematics:
            continue
        agreed.append(abs(a - b) <= 1e-3 * max(abs(a), abs(b), 1e-9))
    return all(agreed) if len(agreed) > 1 else None


def _is_complex_equality(left: Expression, right: Expression) -> bool | None:
    try:
        return cmath.isclose(complex_value(left, "i"), complex_value(right, "i"), rel_tol=CARRIED)
    except UnreadableMathematics:
        return None
