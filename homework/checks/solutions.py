"""Whether an equation or inequality in one variable has the solutions of the one that it was derived from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from homework.answers import base_name
from homework.mathematics.expressions import Expression
from homework.mathematics.latex import UnreadableMathematics
from homework.mathematics.values import Reading, values_of
from homework.submission import Step

MAX_DEGREE = 4
RELATIVE = 0.006
_HOLDS = {"<": np.less, ">": np.greater, "≤": np.less, "≥": np.greater}


@dataclass(frozen=True)
class _Equation:
    variable: str
    left: Expression
    relation: str
    right: Expression

    @property
    def is_assignment(self) -> bool:
        """`x = 3`: what an equation is solved to, rather than one to solve."""
        return self.left.name is not None and self.right.is_numeric

    @property
    def is_inequality(self) -> bool:
        return self.relation in _HOLDS

    def difference(self, value: float) -> float:
        """Left minus right at a value of the variable, in units as written. Raises `UnreadableMathematics`."""
        names = {self.variable: value}
        return values_of(self.left, names, scaled=False)[0] - values_of(self.right, names, scaled=False)[0]


def variable_of(step: Step) -> str | None:
    """The variable of a step that is an equation or inequality in one variable."""
    equation = _equation(step)
    return equation.variable if equation else None


def is_solved(step: Step) -> bool:
    """Whether the step gives a variable its value, `x = 3`."""
    equation = _equation(step)
    return equation is not None and equation.is_assignment


def keeps_solutions(before: Sequence[Step], after: Sequence[Step]) -> bool | None:
    """Whether the steps `after`, alternatives of each other, solve any of the steps `before`; None if that is unknown.

    Solutions may be lost, as for a length only the positive one counts, and gained, as by squaring; but where neither
    has those of the other, a step went wrong.
    """
    doubles = [step for step in before if _halves(step)]
    if len(after) == 1 and doubles and (halves := _halves(after[0])):
        return any(_keeps_range(_halves(step), halves) for step in doubles)
    results = [equation for step in after if (equation := _equation(step))]
    if not results:
        return None
    verdicts = [
        verdict
        for step in before
        if (equation := _equation(step)) is not None
        and equation.variable in (results[0].variable, base_name(results[0].variable))
        and not equation.is_assignment
        and (verdict := _agrees(equation, results)) is not None
    ]
    return any(verdicts) if verdicts else None


def _halves(step: Step) -> list[Step]:
    """The two inequalities of `-2 < x - 3 < 2`; none for another step."""
    if len(step.expressions) != 3 or not set(step.relations) <= _HOLDS.keys():
        return []
    return [
        replace(step, expressions=step.expressions[at : at + 2], relations=step.relations[at : at + 1]) for at in (0, 1)
    ]


def _keeps_range(before: Sequence[Step], after: Sequence[Step]) -> bool:
    """Whether both inequalities stay, or change places as by a division by -1."""
    return any(
        all(keeps_solutions([old], [new]) is not False for old, new in zip(before, order, strict=True))
        for order in (after, after[::-1])
    )


def _equation(step: Step) -> _Equation | None:
    sides = _sides(step)
    if sides is None or step.relations[-1] not in ("=", "≈", *_HOLDS):
        return None
    left, right = sides
    names = {*left.names.values(), *right.names.values()}
    if len(names) != 1 or left.otherwise or right.otherwise:
        return None
    return _Equation(names.pop(), left, step.relations[-1], right)


def _sides(step: Step) -> tuple[Expression, Expression] | None:
    """Both sides of an equation; of a chain that ends with a number, `x^2 - 4 = (x-2)(x+2) = 0`, the last two."""
    if len(step.expressions) < 2:
        return None
    left, right = step.expressions[-2:]
    first = step.expressions[0]
    says_what_is = first is not None and first.names and left is not None and not left.names
    is_joined = first is not None and not first.names and left is not None and left.names and right and right.names
    if first is not None and right is not None and (says_what_is or is_joined) and len(step.expressions) > 2:
        # "v^2 = 2 * 9.8 * 10 = 196" says what v^2 is, "58 = 3x - x = 2x" what 2x is.
        # Of "T = 5547 s = 1.54 h" the first value is in the units of the step before.
        value = next((one for one in step.expressions[1:] if one is not None and one.units and one.number), None)
        return first, value if says_what_is and value and right.units else right
    if left is None or right is None or (len(step.expressions) > 2 and (right.names or not left.names)):
        return None
    return left, right


def _agrees(before: _Equation, after: Sequence[_Equation]) -> bool | None:
    if before.is_inequality or any(equation.is_inequality for equation in after):
        return (
            _same_range(before, after[0])
            if len(after) == 1 and after[0].is_inequality and before.is_inequality
            else None
        )
    if bool(before.left.units or before.right.units) != any(e.left.units or e.right.units for e in after):
        return _solved(before, after) if after[0].is_assignment else None
    if all(equation.is_assignment for equation in after):
        return _solved(before, after)
    first, second = _roots(before), [root for equation in after for root in _roots(equation) or ()]
    if not second:
        return None
    if first is None:
        is_exact = len(after) == 1 and after[0].relation == "="
        return any(_holds_at(before, root) for root in second) if is_exact else None
    return _within(first, second) or _within(second, first)


def _holds_at(equation: _Equation, root: float) -> bool:
    """Whether both sides agree at a value, or have none there."""
    names = {equation.variable: root}
    try:
        left, right = (values_of(side, names, scaled=False)[0] for side in (equation.left, equation.right))
        size = max(abs(equation.difference(1.1 * root + 0.1)), abs(left), abs(right))
    except UnreadableMathematics:
        return True
    return abs(left - right) <= RELATIVE * size


def _solved(before: _Equation, after: Sequence[_Equation]) -> bool | None:
    """Whether each value satisfies the equation, as well as its digits allow."""
    verdicts: list[bool] = []
    for equation in after:
        try:
            values = values_of(equation.right, scaled=False)
            verdicts.extend(_satisfies(before, value, equation.right) for value in values)
        except UnreadableMathematics:
            return None
    return all(verdicts) if verdicts else None


def _satisfies(before: _Equation, value: float, written: Expression) -> bool:
    is_angle = any(name in before.left.text + before.right.text for name in ("sin", "cos", "tan"))
    return _is_near_solution(before, value, written) or (
        is_angle and not written.units and _is_near_solution(before, math.radians(value), written)
    )


def _is_near_solution(before: _Equation, value: float, written: Expression) -> bool:
    names = {before.variable: value}
    left, right = values_of(before.left, names, scaled=False), values_of(before.right, names, scaled=False)
    size = max(*map(abs, left), *map(abs, right), 1e-12)
    if any(abs(a - b) <= RELATIVE * size for a in left for b in right):
        return True
    half = written.number.half_digit * 2.02 if written.number and written.number.half_digit < 0.5 else 0.0
    step = max(half, RELATIVE * abs(value))
    low, high = before.difference(value - step), before.difference(value + step)
    return low * high <= 0


def _roots(equation: _Equation) -> list[float] | None:
    """The real solutions of a polynomial equation, up to degree 4; None for other equations, or if all numbers are."""
    if not all(_is_polynomial(tree, side) for side in (equation.left, equation.right) for tree in side.trees):
        return None
    if len(equation.left.trees) > 1 or len(equation.right.trees) > 1:
        return list(values_of(equation.right, scaled=False)) if equation.is_assignment else None
    points = np.linspace(-2.0, 2.0, 2 * MAX_DEGREE + 1)
    try:
        values = [equation.difference(float(point)) for point in points]
    except UnreadableMathematics:
        return None
    coefficients = np.polyfit(points, values, MAX_DEGREE)
    if not np.allclose(
        np.polyval(coefficients, points), values, rtol=1e-6, atol=1e-6 * max(map(abs, values), default=0)
    ):
        return None
    size = float(np.max(np.abs(coefficients)))
    coefficients[np.abs(coefficients) < 1e-9 * max(size, 1e-9)] = 0.0
    trimmed = np.trim_zeros(coefficients, "f")
    if len(trimmed) < 2:
        return None
    return [float(root.real) for root in np.roots(trimmed) if abs(root.imag) < 1e-4 * max(1.0, abs(root))]


def _is_polynomial(tree: Any, of: Expression) -> bool:
    if tree.is_Pow and _varies(tree.args[0], of):
        return bool(tree.args[1].is_Integer and 0 <= tree.args[1] <= MAX_DEGREE and _is_polynomial(tree.args[0], of))
    if tree.is_Function or tree.is_Pow:
        return not _varies(tree, of)
    return all(_is_polynomial(part, of) for part in tree.args)


def _varies(tree: Any, of: Expression) -> bool:
    """Whether a variable stands in the tree; its numbers are symbols too."""
    return any(symbol.name in of.names for symbol in tree.free_symbols)


def _within(few: list[float], many: list[float]) -> bool:
    return bool(few) and all(any(abs(a - b) <= RELATIVE * max(abs(a), abs(b), 1e-6) for b in many) for a in few)


def follows_as_line(before: Sequence[Step], after: Step) -> bool | None:
    """Whether `y = ...` of two variables follows from any of the equations before, none of which is solved for one.

    None where there is none of the same variables.
    """
    sides = _sides(after)
    if sides is None or after.relations[-1] != "=" or sides[0].name is None:
        return None
    solved, term = sides
    names = {*solved.names.values(), *term.names.values()}
    if len(names) != 2 or solved.name in term.names.values() or term.otherwise or term.units:
        return None
    verdicts = [_holds_along(one, solved.name, term) for step in before if (one := _line_of(step, names))]
    return any(verdicts) if verdicts else None


def follows_as_formula(before: Sequence[Step], after: Step) -> bool | None:
    """Whether a formula of three variables or more follows from any of those before that have the same variables.

    One of the two must be solved for a variable: at a few points where it holds, the other must hold too.
    """
    formula = _formula(after)
    if formula is None:
        return None
    verdicts = [
        verdict
        for step in before
        if (one := _formula(step)) and _names_of(one) == _names_of(formula) and one[0].text != formula[0].text
        if (verdict := _hold_together(one, formula)) is not None
    ]
    return any(verdicts) if verdicts else None


def _formula(step: Step) -> tuple[Expression, Expression] | None:
    """Both sides of an equation in three variables or more."""
    if len(step.expressions) != 2 or step.relations != ("=",):
        return None
    left, right = step.expressions
    if left is None or right is None or any(side.units or len(side.trees) > 1 for side in (left, right)):
        return None
    return (left, right) if len(_names_of((left, right))) > 2 else None


def _names_of(sides: tuple[Expression, Expression]) -> set[str]:
    return {*sides[0].names.values(), *sides[1].names.values()}


def _hold_together(first: tuple[Expression, Expression], second: tuple[Expression, Expression]) -> bool | None:
    verdicts = []
    for solved, other in ((first, second), (second, first)):
        name = solved[0].name
        if name is not None and name not in solved[1].names.values():
            verdicts += [_hold_at_points(solved[1], name, other, Reading(grouped=way)) for way in (False, True)]
            break
    return any(verdicts) if verdicts and None not in verdicts else None


def _hold_at_points(term: Expression, name: str, other: tuple[Expression, Expression], reading: Reading) -> bool | None:
    names = sorted(set(term.names.values()))
    for start in (0.7, 1.3, 2.9):
        point = {one: start + 0.37 * at for at, one in enumerate(names)}
        try:
            point[name] = values_of(term, point, reading=reading)[0]
            left, right = (values_of(side, point, reading=reading)[0] for side in other)
        except UnreadableMathematics:
            return None
        if abs(left - right) > RELATIVE * max(abs(left), abs(right), 1e-9):
            return False
    return True


def is_factoring(left: Expression, right: Expression) -> bool:
    """Whether both are polynomials of one variable with one leading term, and one of them a product.

    Such an equation rewrites a term: `x^2 - x - 6 = (x-3)(x+2)`.
    """
    names = _names_of((left, right))
    if len(names) != 1 or not any(side.trees[0].is_Mul or side.trees[0].is_Pow for side in (left, right)):
        return False
    leading = [_leading(side, next(iter(names))) for side in (left, right)]
    return leading[0] is not None and leading[0] == leading[1]


def _leading(side: Expression, name: str) -> tuple[int, float] | None:
    """Degree and leading coefficient of a polynomial of degree 2 or more."""
    if len(side.trees) > 1 or side.units or not _is_polynomial(side.trees[0], side):
        return None
    points = np.linspace(-2.0, 2.0, 2 * MAX_DEGREE + 1)
    try:
        values = [values_of(side, {name: float(point)})[0] for point in points]
    except UnreadableMathematics:
        return None
    coefficients = np.polyfit(points, values, MAX_DEGREE)
    degree = next((MAX_DEGREE - at for at, one in enumerate(coefficients) if abs(one) > 1e-7), 0)
    return (degree, round(float(coefficients[MAX_DEGREE - degree]), 6)) if degree > 1 else None


def _line_of(step: Step, names: set[str]) -> tuple[Expression, Expression] | None:
    """An equation in these variables that is not solved for one of them."""
    sides = _sides(step)
    if sides is None or step.relations[-1] != "=" or any(side.name or side.otherwise or side.units for side in sides):
        return None
    return sides if {*sides[0].names.values(), *sides[1].names.values()} == names else None


def _holds_along(sides: tuple[Expression, Expression], solved: str | None, term: Expression) -> bool:
    (other,) = set(term.names.values())
    for value in (0.7, 2.3, -1.9):
        try:
            point = {other: value, str(solved): values_of(term, {other: value}, scaled=False)[0]}
            left, right = (values_of(side, point, scaled=False)[0] for side in sides)
        except UnreadableMathematics:
            return True
        if abs(left - right) > RELATIVE * max(abs(left), abs(right), 1.0):
            return False
    return True


def _same_range(before: _Equation, after: _Equation) -> bool | None:
    """Whether two inequalities hold for the same numbers, tried between and beyond their limits."""
    first, second = _roots(before), _roots(after)
    if not first or not second:
        return None
    limits = sorted({*first, *second})
    points = [
        limits[0] - 1,
        *((a + b) / 2 for a, b in pairwise(limits) if b - a > RELATIVE * max(abs(a), abs(b))),
        limits[-1] + 1,
    ]
    return all(_holds(before, point) == _holds(after, point) for point in points)


def _holds(inequality: _Equation, value: float) -> bool:
    return bool(_HOLDS[inequality.relation](inequality.difference(value), 0.0))
