"""Values and dimensions of expressions, in floating-point arithmetic."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from homework.mathematics.parser import Expression
from homework.mathematics.trees import (
    LIST,
    Name,
    Number,
    Operation,
    Tree,
    UnitFactor,
    UnreadableMathematics,
    leaves_of,
)
from homework.mathematics.units import Dimension, Unit, times

MAX_COUNT = 1_000
"""Of things to choose from."""
DIMENSIONLESS: Dimension = ()

_ANGLES = ("sin", "cos", "tan")
_FUNCTIONS = (*_ANGLES, "sinh", "cosh", "tanh", "exp", "sqrt")
_INVERSE = {"arcsin": "asin", "arccos": "acos", "arctan": "atan"}


class InconsistentUnits(Exception):
    """Quantities of different dimension are added: `left` and `right` are the dimensions."""

    def __init__(self, left: Dimension, right: Dimension) -> None:
        super().__init__(left, right)
        self.left = left
        self.right = right


@dataclass(frozen=True)
class Way:
    """A way to evaluate: with units in base units, angles without a unit in degrees, log as the natural one."""

    scaled: bool = True
    degrees: bool = False
    natural_log: bool = False


SCALED = Way()
AS_WRITTEN = Way(scaled=False)


def values_of(
    expression: Expression, names: Mapping[str, complex] | None = None, way: Way = SCALED, reading: int = 0
) -> tuple[float, ...]:
    """The value of a reading of the expression, or both where it has a ±; `names` gives values to variables.

    Raises `UnreadableMathematics` where there is no finite real value.
    """
    values = [value_of_tree(expression.readings[reading], names, way, sign) for sign in _signs(expression)]
    if any(isinstance(value, np.ndarray | complex) or not math.isfinite(value) for value in values):
        raise UnreadableMathematics
    return tuple(map(float, values))


def _signs(expression: Expression) -> tuple[int, ...]:
    return (1, -1) if expression.has_two_values else (1,)


def value_of_tree(tree: Tree, names: Mapping[str, complex] | None = None, way: Way = SCALED, sign: int = 1) -> Any:
    """The value of a tree: a number, or an array for a list. Raises `UnreadableMathematics`."""
    has_units = way.degrees and any(isinstance(leaf, UnitFactor) for leaf in leaves_of(tree))
    way = Way(way.scaled, way.degrees and not has_units, way.natural_log)
    try:
        return _Evaluation(names or {}, way, sign).value(tree)
    except (ArithmeticError, ValueError, TypeError, RecursionError) as error:
        raise UnreadableMathematics from error


def changed_value(expression: Expression, changed: Mapping[Number, float]) -> float:
    """The value as written, with other values for some of its numbers. Raises `UnreadableMathematics`."""
    try:
        return float(_Evaluation({}, AS_WRITTEN, 1, changed).value(expression.tree))
    except (ArithmeticError, ValueError, TypeError) as error:
        raise UnreadableMathematics from error


def uncertainty_of(expression: Expression) -> float:
    """How much the value may change if each decimal was rounded when it was written, in units as written."""
    if expression.number is not None:
        return expression.number.half_digit
    try:
        value = _Evaluation({}, AS_WRITTEN, 1).value(expression.tree)
        changes = [
            abs(
                _Evaluation({}, AS_WRITTEN, 1, {number: number.value + number.half_digit}).value(expression.tree)
                - value
            )
            for number in dict.fromkeys(expression.decimals)
        ]
    except (ArithmeticError, ValueError, TypeError, UnreadableMathematics):
        return math.inf
    return float(sum(changes))


@dataclass(frozen=True)
class _Evaluation:
    names: Mapping[str, complex]
    way: Way
    sign: int
    changed: Mapping[Number, float] = field(default_factory=dict)

    def value(self, tree: Tree) -> Any:
        if isinstance(tree, Number):
            return self.changed.get(tree, tree.value)
        if isinstance(tree, UnitFactor):
            # An angle is always in radians: its degrees have no dimension that could tell the two apart.
            return tree.unit.factor if self.way.scaled or not tree.unit.dimension else 1.0
        if isinstance(tree, Name):
            if tree.text not in self.names:
                raise UnreadableMathematics(tree.text)
            return self.names[tree.text]
        if tree.operator == "pi":
            return math.pi
        if tree.operator == "^":
            return self._power(*tree.parts)
        return self._apply(tree.operator, [self.value(part) for part in tree.parts])

    def _apply(self, operator: str, values: list[Any]) -> Any:
        if operator in _OPERATORS:
            return _OPERATORS[operator](*values)
        if operator.startswith(LIST):
            return _list(*values)
        if operator == "±":
            return values[0] + self.sign * values[1]
        if operator in ("log", "ln"):
            return self._log(operator, *values)
        name = _INVERSE.get(operator, operator)
        if name not in _FUNCTIONS and operator not in _INVERSE:
            raise UnreadableMathematics(operator)
        (value,) = values
        if self.way.degrees and name in _ANGLES:
            value = math.radians(value)
        return getattr(cmath if isinstance(value, complex) else math, name)(value)

    def _power(self, base: Tree, exponent: Tree) -> Any:
        value, power = self.value(base), self.value(exponent)
        if isinstance(value, np.ndarray):
            raise UnreadableMathematics
        root = 1 / power if power else 0.0
        if not isinstance(value, complex) and value < 0 and power % 1 and root == round(root) and root % 2:
            return -((-value) ** power)  # The real root: (-8)^(1/3) is -2.
        return value**power

    def _log(self, operator: str, value: float, base: float | None = None) -> float:
        if operator == "ln" or (base is None and self.way.natural_log):
            return math.log(value)
        return math.log(value, base or 10)


def _add(left: Any, right: Any) -> Any:
    if np.shape(left) != np.shape(right):
        raise UnreadableMathematics
    return left + right


def _multiply(left: Any, right: Any) -> Any:
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        raise UnreadableMathematics
    return left * right


def _factorial(value: float) -> float:
    if value != int(value) or not 0 <= value <= 170:
        raise UnreadableMathematics
    return float(math.factorial(int(value)))


def _binomial(of: float, chosen: float) -> float:
    if of != int(of) or chosen != int(chosen) or not 0 <= chosen <= of <= MAX_COUNT:
        raise UnreadableMathematics
    return float(math.comb(int(of), int(chosen)))


def _list(*entries: Any) -> Any:
    if len({np.shape(entry) for entry in entries}) > 1:
        raise UnreadableMathematics
    return np.array(entries, dtype=float)


_OPERATORS: dict[str, Callable[..., Any]] = {
    "+": _add,
    "-": lambda left, right: _add(left, -right),
    "neg": lambda value: -value,
    "*": _multiply,
    "/": lambda left, right: _multiply(left, 1 / right) if isinstance(left, np.ndarray) else left / right,
    "abs": abs,
    "!": _factorial,
    "binomial": _binomial,
}


def dimension_of(expression: Expression, reading: int = 0) -> Dimension | None:
    """The dimension of a reading; None where a variable leaves it open. Raises `InconsistentUnits`."""
    return _dimension(expression.readings[reading])


def _dimension(tree: Tree) -> Dimension | None:
    if isinstance(tree, UnitFactor):
        return tree.unit.dimension
    if not isinstance(tree, Operation):
        return None if isinstance(tree, Name) else DIMENSIONLESS
    parts = [_dimension(part) for part in tree.parts]
    if tree.operator in ("*", "/"):
        left, right = parts
        is_open = left is None or right is None
        return None if is_open else _times(left or (), right or (), 1 if tree.operator == "*" else -1)
    if tree.operator in ("^", "sqrt"):
        return _raised(parts[0], tree.parts[1] if tree.operator == "^" else Number(0.5))
    if tree.operator in ("+", "-", "±") or tree.operator.startswith(LIST):
        return _common(parts)
    return parts[0] if tree.operator in ("neg", "abs") else DIMENSIONLESS


def _times(left: Dimension, right: Dimension, power: float) -> Dimension:
    return times(Unit("", 1.0, left), Unit("", 1.0, right), power).dimension


def _raised(base: Dimension | None, exponent: Tree) -> Dimension | None:
    if not base:
        return base
    try:
        return _times((), base, value_of_tree(exponent))
    except UnreadableMathematics:
        return None


def _common(parts: list[Dimension | None]) -> Dimension | None:
    """Of terms without a unit nothing is concluded: "3 + 2 = 5 m" leaves them out, which is no contradiction."""
    known = [dimension for dimension in parts if dimension]
    for other in known[1:]:
        if other != known[0]:
            raise InconsistentUnits(known[0], other)
    return known[0] if known else (None if None in parts else DIMENSIONLESS)
