"""Steps on the way to the solution of a system of linear equations: each must hold for the solution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from homework.checks.solutions import is_solved
from homework.mathematics.expressions import Expression
from homework.mathematics.latex import UnreadableMathematics
from homework.mathematics.values import values_of
from homework.submission import Step

RELATIVE = 0.006

Equation = tuple[Expression, Expression]
Point = dict[str, float]


def solution_of(steps: Sequence[Step]) -> Point | None:
    """The one solution of the linear equations among the steps; None unless there is exactly one."""
    equations = [equation for step in steps if (equation := equation_of(step))]
    names = sorted({name for sides in equations for side in sides for name in side.names.values()})
    if not 2 <= len(names) <= 4 or len(equations) != len(names):
        return None
    try:
        rows = [_linear(equation, names) for equation in equations]
    except UnreadableMathematics:
        return None
    matrix, constants = np.array([row[:-1] for row in rows]), np.array([-row[-1] for row in rows])
    if abs(np.linalg.det(matrix)) < 1e-9:
        return None
    solved = dict(zip(names, map(float, np.linalg.solve(matrix, constants)), strict=True))
    return solved if all(holds(equation, solved) for equation in equations) else None


def first_unfulfilled(steps: Sequence[Step], solution: Point) -> Iterator[Step]:
    """The first step that is an equation in these variables and does not hold for the solution, if there is one."""
    for step in steps:
        equation = equation_of(step)
        if equation is None or step.is_aside or is_solved(step):
            continue
        if not {name for side in equation for name in side.names.values()} <= solution.keys():
            continue
        if holds(equation, solution) is False:
            yield step
            return


def equation_of(step: Step) -> Equation | None:
    """Both sides of a step that is one equation with variables, without units."""
    if len(step.expressions) != 2 or step.relations != ("=",):
        return None
    left, right = step.expressions
    if (
        left is None
        or right is None
        or any(side.units or len(side.trees) > 1 or side.otherwise for side in (left, right))
    ):
        return None
    return (left, right) if left.names or right.names else None


def holds(equation: Equation, point: Point) -> bool | None:
    """Whether both sides agree at a point; None where they have no value there."""
    try:
        left, right = (values_of(side, point)[0] for side in equation)
    except UnreadableMathematics:
        return None
    return abs(left - right) <= RELATIVE * max(abs(left), abs(right), 1.0)


def _linear(equation: Equation, names: Sequence[str]) -> list[float]:
    """Coefficients and constant of left minus right. Raises `UnreadableMathematics`."""

    def difference(point: Point) -> float:
        left, right = (values_of(side, point)[0] for side in equation)
        return left - right

    origin = dict.fromkeys(names, 0.0)
    constant = difference(origin)
    return [*(difference(origin | {name: 1.0}) - constant for name in names), constant]
