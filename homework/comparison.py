"""Compares final answers so that two ways of writing one answer are equal."""

from __future__ import annotations

import cmath
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from homework.answers import FinalAnswer, Range, Value
from homework.mathematics.expressions import Expression
from homework.mathematics.latex import UnreadableMathematics
from homework.mathematics.units import Dimension
from homework.mathematics.values import Reading, complex_value, values_of

EXACT = 1e-6
ZERO = 1e-9
"""What a computed zero may differ from 0."""
MEASURED = 0.01
"""Relative: what an answer given as a decimal may be off, as by other values of constants or by rounding."""
NARROW = 0.015
"""How far the ends of a range may be off, as a share of its width."""
ROUNDED = 0.02
"""Relative: how far from the answer a number of few digits may be that is right by its last digit."""

_DEGREES = {"°", "deg", "degree", "degrees"}
_KELVIN, _CELSIUS = (("[temperature]", 1.0),), (("[celsius]", 1.0),)
CELSIUS_AND_KELVIN: dict[tuple[Dimension, Dimension], float] = {
    (_CELSIUS, _KELVIN): 273.15,
    (_KELVIN, _CELSIUS): -273.15,
}
"""What is added to a temperature on the first scale to have it on the second."""
_POINTS = (0.37, 1.91, 2.83)
_CONSTANTS_OF_INTEGRATION = {"C", "c", "K"}

_DIRECTION = re.compile(
    r"\b(down(?:ward)?s?|left|west|south|below|opposite|backwards?|loss|lost|decreas\w*|drop\w*|fall\w*|slow\w*|decelerat\w*"
    r"|deceleration|inwards?|toward|clockwise|converging|virtual|inverted|friction\w*|absorb\w*|releas\w*)\b",
    re.IGNORECASE,
)


def is_same(official: FinalAnswer, given: FinalAnswer, line: str = "") -> bool:
    """Whether a given answer says what the official one says. `line` is where it stands: it may tell a direction."""
    if official.rows or given.rows:
        return _same_rows(official, given)
    if official.union or given.union:
        pairs = zip(official.union, given.union, strict=False)
        return len(official.union) == len(given.union) and all(_same_range(*pair) for pair in pairs)
    if official.range or given.range:
        first, second = range_of(official), range_of(given)
        return bool(first and second and _same_range(first, second))
    if official.term:
        return _same_term(official, given)
    if not official.values or len(official.values) != len(given.values):
        return False
    left = list(given.values)
    for value in official.values:
        match = next((other for other in left if is_equal(value, other, line)), None)
        if match is None:
            return False
        left.remove(match)
    return True


def is_equal(official: Value, given: Value, line: str = "") -> bool:
    """Whether a number is the official one: converted if both have units, as written if one lacks it, rounded if so."""
    if official.has_unit and given.has_unit and official.dimension == given.dimension:
        pairs = [(official.value, given.value, given.value / given.written if given.written else 1.0)]
    else:
        pairs = [(official.written, given.written, 1.0)]
        if official.is_percent != given.is_percent:
            # "25 %", 0.25 and 25 are one answer where a percentage is expected.
            pairs += [(official.written * 100, given.written, 1.0), (official.written, given.written * 100, 1.0)]
            pairs = pairs if official.is_percent else pairs[:1]
        if official.has_unit and given.has_unit:
            # 126000 W for 126 kJ: the number is right, and the unit a mistake of its own.
            pairs.append((official.value, given.value, given.value / given.written if given.written else 1.0))
    if official.unit in _DEGREES and not given.has_unit:
        # An angle in degrees without the sign.
        pairs.append((official.value, math.radians(given.written), math.radians(1)))
    if offset := CELSIUS_AND_KELVIN.get((given.dimension or (), official.dimension or ())):
        pairs.append((official.written, given.written + offset, 1.0))
    if any(_is_near(official, given, *pair) for pair in pairs):
        return True
    turned = bool(_DIRECTION.search(line))
    return turned and any(_is_near(official, given, -a, b, scale) for a, b, scale in pairs)


def _is_near(official: Value, given: Value, a: float, b: float, scale: float) -> bool:
    difference, size = abs(a - b), max(abs(a), abs(b))
    if difference <= EXACT * size or (min(abs(a), abs(b)) == 0 and difference <= ZERO):
        return True
    relative = difference / size
    if not (official.is_decimal or given.is_decimal):
        return False
    if relative <= (MEASURED if official.is_decimal else MEASURED / 2):
        return True
    half = max(given.half_digit * scale if given.is_decimal or given.digits >= 2 else 0.0, 0.0)
    return relative <= ROUNDED and difference <= 1.01 * half


def range_of(answer: FinalAnswer) -> Range | None:
    """The range of an answer; of two values, as of `50 ± 2`, the one between them."""
    if answer.range or len(answer.values) != 2:
        return answer.range
    low, high = sorted(value.written for value in answer.values)
    scale = next((one.value / one.written for one in answer.values if one.has_unit and one.written), None)
    return Range(low, high, (True, True), any(value.is_decimal for value in answer.values), scale)


def rows_of(answer: FinalAnswer) -> tuple[tuple[float, ...], ...]:
    """The rows of an answer; `(1, 2)` may be a vector as well as a range."""
    pair = answer.range if answer.range and answer.range.closed == (False, False) else None
    return answer.rows or (((pair.low, pair.high),) if pair else ())


def _same_rows(official: FinalAnswer, given: FinalAnswer) -> bool:
    rows = [rows_of(answer) for answer in (official, given)]
    flat = [[number for row in one for number in row] for one in rows]
    shapes = [[len(row) for row in one] for one in rows]
    # A vector may be written as a row or as a column.
    same_shape = shapes[0] == shapes[1] or all(len(shape) == 1 or set(shape) == {1} for shape in shapes)
    same_shape = same_shape and len(flat[0]) == len(flat[1]) > 0
    return same_shape and all(math.isclose(a, b, rel_tol=MEASURED, abs_tol=1e-6) for a, b in zip(*flat, strict=True))


def _same_range(official: Range, given: Range) -> bool:
    """Whether the ends agree to a share of the width, or of themselves where the range has no end."""
    if official.scale and given.scale and official.scale != given.scale:
        factor = given.scale / official.scale
        given = replace(given, low=given.low * factor, high=given.high * factor)
    width = abs(official.high - official.low)
    same = all(
        a == b or (math.isfinite(a - b) and abs(a - b) <= _allowance(a, b, width))
        for a, b in ((official.low, given.low), (official.high, given.high))
    )
    return same and (official.closed == given.closed or official.is_decimal or given.is_decimal)


def _allowance(a: float, b: float, width: float) -> float:
    return NARROW * width if math.isfinite(width) else MEASURED * max(abs(a), abs(b))


def _same_term(official: FinalAnswer, given: FinalAnswer) -> bool:
    if official.term and given.term and _equal_terms(official.term, given.term):
        return True
    return bool(official.equation and given.equation and _same_line(official.equation, given.equation))


def _equal_terms(official: Expression, given: Expression) -> bool:
    ours, theirs = set(official.names.values()), set(given.names.values())
    if ours == theirs == {"i"}:
        return _are_equal_numbers(official, given)
    renamed: dict[str, str] = {}
    if ours != theirs:
        if len(official.names) == len(given.names) == 1:
            return _agree(official, given, next(iter(ours)), next(iter(theirs)))
        only_ours, only_theirs = ours - theirs, theirs - ours
        if (only_ours | only_theirs) - _CONSTANTS_OF_INTEGRATION or len(only_ours) > len(only_theirs):
            return False
        renamed = dict(zip(only_theirs, only_ours, strict=False))
    names = sorted(ours | theirs - renamed.keys())
    return any(_agree_at(official, given, names, renamed, trees) for trees in (False, True))


def _are_equal_numbers(official: Expression, given: Expression) -> bool:
    """Whether two complex numbers are equal."""
    try:
        return cmath.isclose(complex_value(official, "i"), complex_value(given, "i"), rel_tol=MEASURED)
    except UnreadableMathematics:
        return False


def _agree(official: Expression, given: Expression, name: str, other: str) -> bool:
    try:
        return all(_near(values_of(official, {name: x})[0], values_of(given, {other: x})[0]) for x in _POINTS)
    except UnreadableMathematics:
        return False


def _agree_at(
    official: Expression, given: Expression, names: Sequence[str], renamed: Mapping[str, str], otherwise: bool
) -> bool:
    """`renamed` says what a name of the given expression is called in the official one."""
    if otherwise and not given.otherwise:
        return False
    agreed = 0
    for start in _POINTS:
        point = {name: start + 0.61 * at for at, name in enumerate(names)}
        point |= {other: point[name] for other, name in renamed.items()}
        try:
            a, b = values_of(official, point)[0], values_of(given, point, reading=Reading(grouped=otherwise))[0]
        except UnreadableMathematics:
            continue
        if not _near(a, b):
            return False
        agreed += 1
    return agreed > 1


def _same_line(official: tuple[Expression, Expression], given: tuple[Expression, Expression]) -> bool:
    """Whether two equations are multiples of each other: `y = 2x + 1` and `2x - y + 1 = 0`."""
    names = sorted({name for side in official for name in side.names.values()})
    if names != sorted({name for side in given for name in side.names.values()}):
        return False
    ratios = []
    for start in _POINTS:
        point = {name: start * (at + 1) ** 2 for at, name in enumerate(names)}
        try:
            a, b = (values_of(left, point)[0] - values_of(right, point)[0] for left, right in (official, given))
        except UnreadableMathematics:
            return False
        if abs(a) < 1e-9:
            return abs(b) < 1e-9
        ratios.append(b / a)
    return all(_near(ratio, ratios[0]) for ratio in ratios) and abs(ratios[0]) > 1e-9


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= 2e-3 * max(abs(a), abs(b), 1e-9)
