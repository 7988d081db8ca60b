"""Equations and inequalities: their solutions, and whether they hold at a point."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product

import numpy as np

from homework.mathematics.parser import Expression
from homework.mathematics.tolerances import EXACT, LAST_DIGIT, SOLVED
from homework.mathematics.trees import UnreadableMathematics, has_operator
from homework.mathematics.values import AS_WRITTEN, values_of

MAX_DEGREE = 4
SAMPLES = np.linspace(-2.0, 2.0, 2 * MAX_DEGREE + 1)
_BELOW = {"<": True, "≤": True, ">": False, "≥": False}

Point = dict[str, float]


@dataclass(frozen=True)
class Equation:
    """Two sides with a relation; an inequality if that is one of `<>≤≥`."""

    left: Expression
    right: Expression
    relation: str = "="

    @cached_property
    def names(self) -> frozenset[str]:
        """The variables of both sides."""
        return self.left.names | self.right.names

    @property
    def is_inequality(self) -> bool:
        return self.relation in _BELOW

    @property
    def has_units(self) -> bool:
        return bool(self.left.units or self.right.units)

    @property
    def is_ambiguous(self) -> bool:
        """Whether a side has several readings or values."""
        return any(len(side.readings) > 1 or side.has_two_values for side in (self.left, self.right))

    @property
    def solved_for(self) -> str | None:
        """The variable that is one side alone and not on the other."""
        return self.left.name if self.left.name not in self.right.names else None

    @property
    def is_assignment(self) -> bool:
        """`x = 3`: what an equation is solved to, rather than one to solve."""
        return self.left.name is not None and not self.right.names

    def difference(self, point: Mapping[str, float]) -> float:
        """Left minus right at a point, in units as written. Raises `UnreadableMathematics`."""
        return values_of(self.left, point, AS_WRITTEN)[0] - values_of(self.right, point, AS_WRITTEN)[0]

    def holds_at(self, point: Mapping[str, float], floor: float = 1.0) -> bool | None:
        """Whether any reading of the sides agrees at a point, relative to them or `floor`; None without values."""
        readings = product(range(len(self.left.readings)), range(len(self.right.readings)))
        try:
            pairs = [
                (values_of(self.left, point, AS_WRITTEN, first)[0], values_of(self.right, point, AS_WRITTEN, second)[0])
                for first, second in readings
            ]
        except UnreadableMathematics:
            return None
        return any(abs(a - b) <= SOLVED * max(abs(a), abs(b), floor) for a, b in pairs)

    def roots(self) -> list[float] | None:
        """The real solutions of an equation in one variable, a polynomial up to degree 4; None for others."""
        if self.left.has_two_values or self.right.has_two_values:
            return list(values_of(self.right, None, AS_WRITTEN)) if self.is_assignment else None
        if any(has_operator(side.tree, "abs") for side in (self.left, self.right)):
            return None
        (name,) = self.names
        coefficients = _coefficients([self._difference_or_nan({name: float(x)}) for x in SAMPLES])
        if coefficients is None or len(coefficients) < 2:
            return None
        return [float(r.real) for r in np.roots(coefficients) if abs(r.imag) < 1e-4 * max(1.0, abs(r))]

    def _difference_or_nan(self, point: Point) -> float:
        try:
            return self.difference(point)
        except UnreadableMathematics:
            return math.nan


def _coefficients(values: Sequence[float]) -> np.ndarray | None:
    """The coefficients, highest first, of the polynomial that has the values at `SAMPLES`; None where there is none."""
    if not np.all(np.isfinite(values)):
        return None
    coefficients = np.polyfit(SAMPLES, values, MAX_DEGREE)
    size = max(map(abs, values), default=0.0)
    if not np.allclose(np.polyval(coefficients, SAMPLES), values, rtol=1e-6, atol=1e-6 * size):
        return None
    coefficients[np.abs(coefficients) < EXACT * max(float(np.max(np.abs(coefficients))), EXACT)] = 0.0
    return np.trim_zeros(coefficients, "f")


def has_solutions(before: Equation, after: Sequence[Equation]) -> bool | None:
    """Whether equations `after`, alternatives of each other, solve the one before; None if that is unknown.

    Solutions may be lost, as for a length only the positive one counts, and gained, as by squaring; but where neither
    has those of the other, a step went wrong.
    """
    if before.is_inequality or any(equation.is_inequality for equation in after):
        return _same_range(before, after[0]) if before.is_inequality and len(after) == 1 else None
    if all(equation.is_assignment for equation in after):
        return _solved(before, after)
    if before.has_units != any(equation.has_units for equation in after):
        return _solved(before, after[:1]) if after[0].is_assignment else None
    first, second = before.roots(), [root for equation in after for root in equation.roots() or ()]
    if not second:
        return None
    if first is None:
        (name,) = before.names
        is_exact = len(after) == 1 and after[0].relation == "="
        return any(_holds_near(before, {name: root}) for root in second) if is_exact else None
    return _within(first, second) or _within(second, first)


def _holds_near(equation: Equation, point: Point) -> bool:
    """Whether both sides agree, to a share of what they change nearby, or have no value."""
    nearby = {name: 1.1 * value + 0.1 for name, value in point.items()}
    return equation.holds_at(point, abs(equation._difference_or_nan(nearby))) is not False


def _solved(before: Equation, after: Sequence[Equation]) -> bool | None:
    """Whether each value satisfies the equation, as well as its digits allow."""
    try:
        verdicts = [
            _satisfies(before, value, equation.right)
            for equation in after
            for value in values_of(equation.right, None, AS_WRITTEN)
        ]
    except UnreadableMathematics:
        return None
    return all(verdicts) if verdicts else None


def _satisfies(before: Equation, value: float, written: Expression) -> bool:
    is_angle = any(has_operator(side.tree, "sin", "cos", "tan") for side in (before.left, before.right))
    values = (value, math.radians(value)) if is_angle and not written.units else (value,)
    return any(_is_near_solution(before, one, written) for one in values)


def _is_near_solution(before: Equation, value: float, written: Expression) -> bool:
    (name,) = before.names
    sides = [values_of(side, {name: value}, AS_WRITTEN) for side in (before.left, before.right)]
    size = max(*(abs(one) for side in sides for one in side), EXACT * EXACT)
    if any(abs(a - b) <= SOLVED * size for a in sides[0] for b in sides[1]):
        return True
    half = written.number.half_digit * 2 * LAST_DIGIT if written.number and written.number.half_digit < 0.5 else 0.0
    step = max(half, SOLVED * abs(value))
    return before.difference({name: value - step}) * before.difference({name: value + step}) <= 0


def _within(few: Iterable[float], many: Sequence[float]) -> bool:
    few = list(few)
    return bool(few) and all(any(abs(a - b) <= SOLVED * max(abs(a), abs(b), 1e-6) for b in many) for a in few)


def _same_range(before: Equation, after: Equation) -> bool | None:
    """Whether two inequalities hold for the same numbers, tried between and beyond their limits."""
    first, second = before.roots(), after.roots()
    if not first or not second or not after.is_inequality:
        return None
    limits = sorted({*first, *second})
    middles = [(a + b) / 2 for a, b in pairwise(limits) if b - a > SOLVED * max(abs(a), abs(b))]
    points = [limits[0] - 1, *middles, limits[-1] + 1]
    return all(_is_fulfilled(before, point) == _is_fulfilled(after, point) for point in points)


def _is_fulfilled(inequality: Equation, value: float) -> bool:
    (name,) = inequality.names
    return (inequality.difference({name: value}) < 0) == _BELOW[inequality.relation]


def hold_together(solved: Equation, other: Equation) -> bool | None:
    """Whether an equation holds wherever another one does, which is solved for a variable; None where that is open."""
    name = str(solved.solved_for)
    verdicts = [
        _holds_where(solved, name, reading, other, start)
        for reading in range(len(solved.right.readings))
        for start in (0.7, 1.3, 2.9)
    ]
    if None in verdicts:
        return None
    count = len(verdicts) // len(solved.right.readings)
    return any(all(verdicts[at : at + count]) for at in range(0, len(verdicts), count))


def _holds_where(solved: Equation, name: str, reading: int, other: Equation, start: float) -> bool | None:
    point = {one: start + 0.37 * at for at, one in enumerate(sorted(solved.right.names))}
    try:
        point[name] = values_of(solved.right, point, AS_WRITTEN, reading)[0]
    except UnreadableMathematics:
        return None
    return other.holds_at(point, EXACT)


def solution_of(equations: Sequence[Equation]) -> Point | None:
    """The one solution of a system of linear equations; None unless there is exactly one."""
    names = sorted({name for equation in equations for name in equation.names})
    if not 2 <= len(names) <= 4 or len(equations) != len(names):
        return None
    origin = dict.fromkeys(names, 0.0)
    try:
        constants = np.array([equation.difference(origin) for equation in equations])
        rows = [[equation.difference(origin | {name: 1.0}) for name in names] for equation in equations]
    except UnreadableMathematics:
        return None
    matrix = np.array(rows) - constants[:, None]
    if abs(np.linalg.det(matrix)) < EXACT:
        return None
    solved = dict(zip(names, map(float, np.linalg.solve(matrix, -constants)), strict=True))
    return solved if all(equation.holds_at(solved) for equation in equations) else None
