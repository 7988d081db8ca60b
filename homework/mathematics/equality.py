"""Whether two expressions are equal as they are written: by any reading that a person would allow."""

from __future__ import annotations

import cmath
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

import numpy as np

from homework.mathematics.parser import Expression
from homework.mathematics.tolerances import ABOUT, CARRIED, EXACT, FEW_DIGITS, LAST_DIGIT, ROUNDED, SOLVED
from homework.mathematics.trees import LIST, Number, Operation, Tree, UnreadableMathematics, has_operator
from homework.mathematics.units import Dimension, Unit, unit_of_word
from homework.mathematics.values import (
    AS_WRITTEN,
    InconsistentUnits,
    Way,
    dimension_of,
    uncertainty_of,
    value_of_tree,
    values_of,
)

POINTS = (0.37, 1.91, 2.83)
"""Values of variables at which terms are compared; further variables have others."""

_KELVIN, _CELSIUS = (("[temperature]", 1.0),), (("[celsius]", 1.0),)
CELSIUS_AND_KELVIN: dict[tuple[Dimension, Dimension], float] = {
    (_CELSIUS, _KELVIN): 273.15,
    (_KELVIN, _CELSIUS): -273.15,
}
"""What is added to a temperature on the first scale to have it on the second."""
_LETTERS = re.compile(r"[A-Za-z](?:\W{1,3}[A-Za-z])*")
_LEADING_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def are_equal(left: Expression, right: Expression, relation: str = "=") -> bool | None:
    """Whether the two are equal as written; None where that cannot be said."""
    if left.names or right.names:
        return _is_identity(left, right)
    is_undecided = left.has_two_values != right.has_two_values or (_is_plain(left) and _is_plain(right))
    if is_undecided or _is_letter_for(left, right):
        return None
    if has_operator(left.tree, LIST) or has_operator(right.tree, LIST):
        is_computed = not (_is_plain_list(left.tree) and _is_plain_list(right.tree))
        return _are_equal_lists(left, right) if is_computed else None
    compared = [
        _is_equal(left, right, relation, way, reading)
        for way in _ways(left, right)
        for reading in product(range(len(left.readings)), range(len(right.readings)))
    ]
    known = [equal for equal in compared if equal is not None]
    if not known:
        return None
    if any(known) or _runs_on(left, right) or _is_in_percent(left, right, relation):
        return True
    return None if _differ_by_prefix(left, right) or _has_letters_for_units(left, right) else False


def _is_plain(expression: Expression) -> bool:
    """A number without operation or unit. Two such are no computation: "0 = 3, so there is no solution"."""
    return expression.number is not None and not expression.units


def _is_plain_list(tree: Tree) -> bool:
    """A list without operations. Two such are no computation: of "A(1; 1) = (5; 5)" the matrix may be missing."""
    if isinstance(tree, Operation):
        return tree.operator.startswith((LIST, "neg")) and all(map(_is_plain_list, tree.parts))
    return isinstance(tree, Number)


def _is_letter_for(left: Expression, right: Expression) -> bool:
    """A quantity is no number: "60 min = 4 half-lives"; in "2L = 1.30 m" the letter is none of its units."""
    if left.number is None or not left.units:
        # Neither is a number a quantity: "0 = 20.7°", where a scan has read a letter.
        return left.number is not None and right.number is not None and bool(right.units)
    if not right.units:
        return right.number is not None or left.bare_unit
    return is_letter_behind_number(left) and _different_dimensions(left, right)


def is_letter_behind_number(expression: Expression) -> bool:
    """`2L`: two litres, or twice a length."""
    return expression.bare_unit and bool(re.fullmatch(r"\d+[A-Za-z]", expression.text))


def _has_letters_for_units(left: Expression, right: Expression) -> bool:
    """Whether letters on the left are variables after all: `sqrt(2h/g) = sqrt(2*31.5/9.81)`."""
    is_open = left.number is None and bool(left.units) and not right.units
    is_glued = re.search(r"\d[A-Za-z]", left.text) is not None
    return is_open and is_glued and all(_LETTERS.fullmatch(unit.text) for unit in left.units)


def _has_prefix(unit: Unit) -> bool:
    """Whether a unit begins with a prefix of thousands: `mmol/L`, `kW`."""
    first = re.split(r"[\W_]", unit.text, maxsplit=1)[0]
    return first[:1] in tuple("pnµμumkMG") and len(first) > 1 and unit_of_word(first[1:]) is not None


def _is_in_percent(left: Expression, right: Expression, relation: str) -> bool:
    """`45/56.3 * 100 = 79.9 %` multiplies by a hundred and says so once more."""
    if right.number is None or "%" not in right.text or left.units or left.number is not None:
        return False
    if not isinstance(right.tree, Operation) or not isinstance(number := right.tree.parts[0], Number):
        return False
    plain = replace(right, readings=(number,), number=number)
    return bool(_is_equal(left, plain, relation, AS_WRITTEN, (0, 0)))


def _differ_by_prefix(left: Expression, right: Expression) -> bool:
    """Whether a value without a unit is the other one but for thousands, as in a prefix: `4e-4/2 = 0.2 mmol`."""
    if left.units or not any(map(_has_prefix, right.units)):
        return False
    try:
        (first,), (second,) = (values_of(side, None, AS_WRITTEN) for side in (left, right))
    except (UnreadableMathematics, ValueError):
        return False
    if not first or not second:
        return False
    power = math.log10(abs(first / second))
    thousands = 3 * round(power / 3)
    return thousands != 0 and first * second > 0 and abs(power - thousands) <= math.log10(1 + SOLVED)


def _runs_on(left: Expression, right: Expression) -> bool:
    """`2 + 3 = 5 * 4 = 20` is bad style, not bad arithmetic: the right side goes on with the value of the left."""
    start = _LEADING_NUMBER.match(right.text)
    if start is None or right.number is not None:
        return False
    try:
        return any(math.isclose(value, float(start[0]), rel_tol=CARRIED) for value in values_of(left, None, AS_WRITTEN))
    except UnreadableMathematics:
        return False


def is_conversion(left: Expression, right: Expression) -> bool:
    """Whether both are a number with a unit of one dimension: `20 km/h = 5.6 m/s`."""
    return are_quantities(left, right) and dimension_of(left) == dimension_of(right)


def are_quantities(left: Expression, right: Expression) -> bool:
    """Whether both are a number with a unit: between them nothing is computed."""
    return left.number is not None and right.number is not None and bool(left.units and right.units)


def _ways(left: Expression, right: Expression) -> Iterator[Way]:
    """The ways to evaluate the two, likeliest first."""
    both = bool(left.units) and bool(right.units)
    # "1656000 J / 3600000 = 0.46 kWh": a factor of conversion may be a number without a unit.
    converts = both and left.number is None and bool(left.plain_numbers)
    scales = (True,) if both and not converts else (False, True) if left.units or right.units else (False,)
    trees = (left.tree, right.tree)
    for scaled in scales:
        yield Way(scaled)
        if any(has_operator(tree, "sin", "cos", "tan", "arcsin", "arccos", "arctan") for tree in trees):
            yield Way(scaled, degrees=True)
        if any(has_operator(tree, "log") for tree in trees):
            yield Way(scaled, natural_log=True)


def _is_equal(left: Expression, right: Expression, relation: str, way: Way, reading: tuple[int, int]) -> bool | None:
    try:
        if offset := _offset(left, right):
            first, second = values_of(left, None, AS_WRITTEN)[0], values_of(right, None, AS_WRITTEN)[0]
            return math.isclose(first + offset, second, abs_tol=0.51)
        if left.units and right.units and _different_dimensions(left, right, reading):
            # The units are amiss, which another check says; here the numbers count, as written.
            way = Way(False, way.degrees, way.natural_log)
        values = values_of(left, None, way, reading[0]), values_of(right, None, way, reading[1])
    except UnreadableMathematics:
        return None
    factor = math.prod(unit.factor for unit in right.units) if way.scaled and right.number else 1.0
    pairs = zip(*map(sorted, values), strict=True)
    return all(_is_close(a, b, left, right, relation, factor) for a, b in pairs)


def _offset(left: Expression, right: Expression) -> float:
    """What is added to a temperature in degrees to have it in kelvin, or taken off; 0 for other quantities."""
    if left.number is None or right.number is None:
        return 0.0
    return CELSIUS_AND_KELVIN.get((dimension_of(left) or (), dimension_of(right) or ()), 0.0)


def _different_dimensions(left: Expression, right: Expression, reading: tuple[int, int] = (0, 0)) -> bool:
    try:
        return dimension_of(left, reading[0]) != dimension_of(right, reading[1])
    except InconsistentUnits:
        return True


def _is_close(a: float, b: float, left: Expression, right: Expression, relation: str, factor: float) -> bool:
    difference, size = abs(a - b), max(abs(a), abs(b))
    if is_exact(a, b):
        return True
    relative = difference / size
    if relation == "≈" and _is_about(difference, relative, right, factor):
        return True
    if relation == "=" and _is_whole(left, a) and _is_whole(right, b):
        return False
    if right.number is not None and is_rounded(difference, relative, right.number, factor):
        return True
    if left.number is not None and is_rounded(difference, relative, left.number):
        return True
    carried = bool(left.decimals or right.decimals)
    return carried and relative <= CARRIED and difference <= uncertainty_of(left) + uncertainty_of(right)


def _is_about(difference: float, relative: float, right: Expression, factor: float) -> bool:
    if right.number is None or right.number.digits <= 2:
        return relative <= ABOUT or (right.number is not None and difference <= right.number.half_digit * factor)
    return False


def is_exact(a: float, b: float) -> bool:
    """Whether two numbers differ by what floating-point arithmetic leaves; of a zero that is absolute."""
    return math.isclose(a, b, rel_tol=EXACT, abs_tol=0.0 if a and b else EXACT)


def _is_whole(expression: Expression, value: float) -> bool:
    """Whether an integer came from integers: 293 is not 300, rounded."""
    return not expression.decimals and not expression.units and abs(value - round(value)) < EXACT


def is_rounded(difference: float, relative: float, number: Number, factor: float = 1.0) -> bool:
    """Whether the number may be the other value, rounded (from three digits: or cut off) to its digits."""
    is_fraction = number.half_digit < 0.5 or number.half_digit < abs(number.value) * 1e-2
    places = 2 * LAST_DIGIT if number.digits >= 3 else LAST_DIGIT
    return difference <= places * number.half_digit * factor and relative <= (FEW_DIGITS if is_fraction else ROUNDED)


def _are_equal_lists(left: Expression, right: Expression) -> bool | None:
    """Whether vectors, matrices or intervals are equal entry by entry; None where they have not as many."""
    try:
        first, second = (np.asarray(value_of_tree(side.tree, None, AS_WRITTEN)) for side in (left, right))
    except UnreadableMathematics:
        return None
    if first.size != second.size or first.size < 2:
        return None
    size = float(np.max(np.abs([first, second]), initial=0.0, where=np.isfinite([first, second])))
    return bool(np.allclose(first.ravel(), second.ravel(), rtol=SOLVED, atol=EXACT * size))


def _is_identity(left: Expression, right: Expression) -> bool | None:
    """Whether two terms with the same variables agree at a few points; None where the variables differ."""
    is_term = left.name is None and right.name is None and not (left.has_two_values or right.has_two_values)
    if not is_term or left.names != right.names or left.units or right.units:
        return None
    return are_equal_terms(left, right)


def are_equal_terms(
    left: Expression, right: Expression, renamed: Mapping[str, str] | None = None, tolerance: float = CARRIED
) -> bool | None:
    """Whether two terms agree, in any reading, where both have a value; None where that is in too few points.

    `renamed` says what a name of the right one is called in the left one. The name i may be the imaginary unit.
    """
    called = {name: (renamed or {}).get(name, name) for name in right.names}
    points = _points(sorted({*left.names, *called.values()}))
    known = []
    for first, second in product(left.readings, right.readings):
        agreed = [
            _agree(first, second, point, {name: point[other] for name, other in called.items()}, tolerance)
            for point in points
        ]
        count = len(points) - agreed.count(None)
        known += [False not in agreed] if count > min(1, len(points) - 1) else []
    return any(known) if known else None


def _points(names: list[str]) -> list[dict[str, complex]]:
    if names == ["i"]:
        return [{"i": 1j}]
    return [{name: start + 0.61 * at for at, name in enumerate(names)} for start in POINTS]


def _agree(
    left: Tree, right: Tree, point: Mapping[str, complex], other: Mapping[str, complex], tolerance: float
) -> bool | None:
    try:
        a, b = value_of_tree(left, point), value_of_tree(right, other)
    except UnreadableMathematics:
        return None
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return None
    return cmath.isclose(a, b, rel_tol=tolerance, abs_tol=EXACT * tolerance)
