"""Compares final answers so that two ways of writing one answer are equal."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from homework.answers import FinalAnswer, Quantity, Range, range_of, rows_of
from homework.mathematics.equality import CELSIUS_AND_KELVIN, POINTS, are_equal_terms, is_exact
from homework.mathematics.parser import Expression
from homework.mathematics.tolerances import CARRIED, EXACT, LAST_DIGIT, MEASURED, ROUNDED
from homework.mathematics.trees import UnreadableMathematics, has_operator
from homework.mathematics.values import values_of

MIN_MEASURED_DIGITS = 3
"""Digits of a quantity with a unit from which on it is a rounded one."""
_DEGREES = {"°", "deg", "degree", "degrees"}
_CONSTANTS_OF_INTEGRATION = {"C", "c", "K"}
_DIRECTION = re.compile(
    r"\b(down(?:ward)?s?|left|west|south|below|opposite|backwards?|loss|los[et]s?|lost|decreas\w*|drop\w*|fall\w*|slow\w*"
    r"|decelerat\w*|deceleration|inwards?|toward|clockwise|converging|virtual|inverted|friction\w*|absorb\w*|releas\w*)\b",
    re.IGNORECASE,
)


def is_same(official: FinalAnswer, given: FinalAnswer, line: str = "") -> bool:
    """Whether a given answer says what the official one says. `line` is where it stands: it may tell a direction."""
    if official.rows or given.rows:
        return _same_rows(official, given)
    if len(official.ranges) > 1 or len(given.ranges) > 1:
        pairs = zip(official.ranges, given.ranges, strict=False)
        return len(official.ranges) == len(given.ranges) and all(_same_range(*pair) for pair in pairs)
    if official.ranges or given.ranges:
        first, second = range_of(official), range_of(given)
        return bool(first and second and _same_range(first, second))
    if is_implicit(official):
        return bool(official.equation and given.equation and _same_line(official.equation, given.equation))
    if official.term:
        return _same_term(official, given)
    left = list(given.values)
    for value in official.values:
        match = next((other for other in left if is_equal(value, other, line)), None)
        if match is None:
            return False
        left.remove(match)
    return bool(official.values) and not left


def is_implicit(answer: FinalAnswer) -> bool:
    """Whether an answer is an equation in several variables, `2x + 4y = 3`, whose right side alone says nothing."""
    sides = answer.equation
    if sides is None or answer.term is not None or len(sides[0].names | sides[1].names) < 2:
        return False
    # The value of a product that has no name of its own, `2pq = 0.04`, is an answer.
    return has_operator(sides[0].tree, "+", "-") or bool(sides[1].names)


def is_equal(official: Quantity, given: Quantity, line: str = "") -> bool:
    """Whether a number is the official one: converted if both have units, as written if one lacks it, rounded if so."""
    pairs = list(_pairs(official, given))
    turned = [(-a, b, scale) for a, b, scale in pairs] if _DIRECTION.search(line) else []
    return any(_is_near(official, given, *pair) for pair in (*pairs, *turned))


def _pairs(official: Quantity, given: Quantity) -> Iterator[tuple[float, float, float]]:
    """The values that may be compared, with the scale of the given one's last digit."""
    both = official.has_unit and given.has_unit
    if both:
        # 126000 W for 126 kJ: the number is right, and the unit a mistake of its own.
        yield official.value, given.value, given.scale
    if not both or official.dimension != given.dimension:
        yield official.written, given.written, 1.0
    if official.has_unit and not given.has_unit and official.dimension:
        # 4204 for 4.20 kW: only the unit is missing.
        yield official.value, given.written, 1.0
    if given.is_percent and not (official.is_percent or official.has_unit):
        # "20 %" where the task asks for percent and the official answer is 20.
        yield official.written, given.written * 100, 100.0
    if official.is_percent and not given.is_percent:
        # "25 %", 0.25 and 25 are one answer where a percentage is expected.
        yield official.written * 100, given.written, 1.0
    if official.unit in _DEGREES and not given.has_unit:
        # An angle in degrees without the sign.
        yield official.value, math.radians(given.written), math.radians(1)
    if offset := CELSIUS_AND_KELVIN.get((given.dimension or (), official.dimension or ())):
        yield official.written, given.written + offset, 1.0


def _is_near(official: Quantity, given: Quantity, a: float, b: float, scale: float) -> bool:
    difference, size = abs(a - b), max(abs(a), abs(b))
    if is_exact(a, b):
        return True
    relative = difference / size
    is_measured = official.has_unit and MIN_MEASURED_DIGITS <= official.digits < given.digits
    if is_measured and difference <= LAST_DIGIT * official.half_digit * official.scale and relative <= ROUNDED:
        return True
    if not (official.is_decimal or given.is_decimal):
        return False
    if relative <= (MEASURED if official.is_decimal else MEASURED / 2):
        return True
    half = given.half_digit * scale if given.is_decimal or given.digits >= 2 else 0.0
    return relative <= ROUNDED and difference <= LAST_DIGIT * half


def _same_rows(official: FinalAnswer, given: FinalAnswer) -> bool:
    rows = [rows_of(answer) for answer in (official, given)]
    flat = [[number for row in matrix for number in row] for matrix in rows]
    shapes = [[len(row) for row in matrix] for matrix in rows]
    # A vector may be written as a row or as a column.
    same_shape = shapes[0] == shapes[1] or all(len(shape) == 1 or set(shape) == {1} for shape in shapes)
    same_shape = same_shape and len(flat[0]) == len(flat[1]) > 0
    return same_shape and all(math.isclose(a, b, rel_tol=MEASURED, abs_tol=EXACT) for a, b in zip(*flat, strict=True))


def _same_range(official: Range, given: Range) -> bool:
    """Whether the ends agree to a share of the width, or of themselves where the range has no end."""
    if official.scale and given.scale and official.scale != given.scale:
        factor = given.scale / official.scale
        given = replace(given, low=given.low * factor, high=given.high * factor)
    width = abs(official.high - official.low)
    same = all(
        a == b
        or (
            math.isfinite(a - b)
            and abs(a - b) <= (ROUNDED * width if math.isfinite(width) else MEASURED * max(abs(a), abs(b)))
        )
        for a, b in ((official.low, given.low), (official.high, given.high))
    )
    return same and (official.closed == given.closed or official.is_decimal or given.is_decimal)


def _same_term(official: FinalAnswer, given: FinalAnswer) -> bool:
    if official.term and given.term and official.term.text == given.term.text:
        return True  # Θ(n^2) is a product or a name by what stands around it.
    if official.term and given.term and _equal_terms(official.term, given.term):
        return True
    return bool(official.equation and given.equation and _same_line(official.equation, given.equation))


def _equal_terms(official: Expression, given: Expression) -> bool:
    """Whether two terms are equal, where a constant of integration or the only variable may have another name."""
    only_ours, only_theirs = sorted(official.names - given.names), sorted(given.names - official.names)
    is_one = len(official.names) == len(given.names) == 1
    if not is_one and ({*only_ours, *only_theirs} - _CONSTANTS_OF_INTEGRATION or len(only_ours) > len(only_theirs)):
        return False
    renamed = dict(zip(only_theirs, only_ours, strict=False))
    return are_equal_terms(official, given, renamed) is True or _differ_by_constant(official, given)


def _differ_by_constant(official: Expression, given: Expression) -> bool:
    """Whether both are antiderivatives of one function: each has a constant of integration, which takes up the rest."""
    constants = official.names & given.names & _CONSTANTS_OF_INTEGRATION
    variables = official.names - constants
    if len(constants) != 1 or len(variables) != 1 or given.names != official.names:
        return False
    (constant,), (variable,) = constants, variables
    try:
        points = [{variable: point, constant: 0.0} for point in POINTS]
        gaps = [values_of(official, point)[0] - values_of(given, point)[0] for point in points]
    except UnreadableMathematics:
        return False
    return all(math.isclose(gap, gaps[0], rel_tol=CARRIED, abs_tol=CARRIED) for gap in gaps)


def _same_line(official: tuple[Expression, Expression], given: tuple[Expression, Expression]) -> bool:
    """Whether two equations are multiples of each other: `y = 2x + 1` and `2x - y + 1 = 0`."""
    names = sorted({name for side in official for name in side.names})
    if names != sorted({name for side in given for name in side.names}):
        return False
    ratios = [_ratio(official, given, names, start) for start in POINTS]
    known = [ratio for ratio in ratios if ratio]
    return len(known) == len(POINTS) and all(math.isclose(ratio, known[0], rel_tol=CARRIED) for ratio in known)


def _ratio(
    official: tuple[Expression, Expression], given: tuple[Expression, Expression], names: Sequence[str], start: float
) -> float | None:
    point = {name: start * (at + 1) ** 2 for at, name in enumerate(names)}
    try:
        a, b = (values_of(left, point)[0] - values_of(right, point)[0] for left, right in (official, given))
    except UnreadableMathematics:
        return None
    return b / a if a else None
