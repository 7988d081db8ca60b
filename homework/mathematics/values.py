"""Values of expressions in floating-point arithmetic, with units, without letting SymPy evaluate anything."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from homework.mathematics.expressions import Expression
from homework.mathematics.latex import UnreadableMathematics
from homework.mathematics.units import Dimension, Unit, times

_FUNCTIONS: dict[str, Callable[[float], float]] = {
    **{
        name: getattr(math, name)
        for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp")
    },
    "Abs": abs,
    "factorial": lambda value: (
        float(math.factorial(int(value))) if value == int(value) and 0 <= value <= 170 else math.nan
    ),
}
_TRIGONOMETRIC = ("sin", "cos", "tan")

MAX_BINOMIAL = 1_000
MAX_COMPLEX_POWER = 100

DIMENSIONLESS: Dimension = ()


class InconsistentUnits(Exception):
    """Quantities of different dimension are added: `left` and `right` are the dimensions."""

    def __init__(self, left: Dimension, right: Dimension) -> None:
        super().__init__(left, right)
        self.left = left
        self.right = right


@dataclass(frozen=True)
class Reading:
    """A way to read what is written.

    `1/2x` as 1/(2x) (`grouped`), `5 - 3 / 2` as (5 - 3)/2 (`loose`), angles without a unit in degrees, log as the
    natural one.
    """

    grouped: bool = False
    loose: bool = False
    degrees: bool = False
    natural_log: bool = False


AS_WRITTEN = Reading()


def values_of(
    expression: Expression,
    names: Mapping[str, float] | None = None,
    *,
    scaled: bool = True,
    reading: Reading = AS_WRITTEN,
) -> tuple[float, ...]:
    """The values of the expression's trees, in base units if `scaled`, otherwise in the units as written.

    `names` gives values to variables. Raises `UnreadableMathematics` where there is no finite real value.
    """
    symbols = {symbol: unit.factor if scaled else 1.0 for symbol, unit in expression.units.items()}
    # An angle is always in radians: its degrees have no dimension that could tell the two apart.
    symbols |= {symbol: unit.factor for symbol, unit in expression.units.items() if not unit.dimension}
    symbols |= expression.numbers
    for symbol, name in expression.names.items():
        if names is None or name not in names:
            raise UnreadableMathematics(name)
        symbols[symbol] = names[name]
    degrees = reading.degrees and not expression.units
    evaluate = _Evaluation(symbols, degrees=degrees, natural_log=reading.natural_log)
    trees = expression.trees
    if reading.grouped and expression.otherwise:
        trees = expression.otherwise
    elif reading.loose and expression.loose:
        trees = expression.loose
    return tuple(evaluate.finite(tree) for tree in trees)


def complex_value(expression: Expression, unit: str) -> complex:
    """The value of an expression in which the name `unit` is the imaginary unit. Raises `UnreadableMathematics`."""
    angles = {symbol: unit.factor for symbol, unit in expression.units.items() if not unit.dimension}
    symbols: dict[str, complex] = {**expression.numbers, **angles}
    for symbol, name in expression.names.items():
        if name != unit:
            raise UnreadableMathematics(name)
        symbols[symbol] = 1j
    try:
        return _complex(expression.trees[0], symbols)
    except (OverflowError, ZeroDivisionError, ValueError, RecursionError) as error:
        raise UnreadableMathematics from error


def _complex(tree: Any, symbols: Mapping[str, complex]) -> complex:
    if tree.is_Symbol:
        if tree.name not in symbols:
            raise UnreadableMathematics(tree.name)
        return symbols[tree.name]
    if tree.is_Number or type(tree).__name__ in ("Pi", "Exp1"):
        return complex(float(tree))
    parts = [_complex(part, symbols) for part in tree.args]
    if tree.is_Add:
        return sum(parts)
    if tree.is_Mul:
        return math.prod(parts)
    if type(tree).__name__ in ("sin", "cos", "exp"):
        return complex(getattr(cmath, type(tree).__name__)(parts[0]))
    if tree.is_Pow and abs(parts[1]) <= MAX_COMPLEX_POWER:
        return parts[0] ** parts[1]
    raise UnreadableMathematics(type(tree).__name__)


class _Evaluation:
    def __init__(self, symbols: Mapping[str, float], *, degrees: bool, natural_log: bool) -> None:
        self._symbols = symbols
        self._degrees = degrees
        self._natural_log = natural_log

    def finite(self, tree: Any) -> float:
        try:
            value = self._value(tree)
        except (OverflowError, ZeroDivisionError, ValueError, TypeError, RecursionError) as error:
            raise UnreadableMathematics from error
        if isinstance(value, complex) or not math.isfinite(value):
            raise UnreadableMathematics
        return value

    def _value(self, tree: Any) -> float:
        name = type(tree).__name__
        if tree.is_Symbol:
            if tree.name not in self._symbols:
                raise UnreadableMathematics(tree.name)
            return self._symbols[tree.name]
        if tree.is_Add:
            return math.fsum(self._value(part) for part in tree.args)
        if tree.is_Mul:
            return math.prod(self._value(part) for part in tree.args)
        if tree.is_Pow:
            return self._power(*tree.args)
        if tree.is_Rational or tree.is_Float:
            return float(tree)
        if name in ("Pi", "Exp1"):
            return math.pi if name == "Pi" else math.e
        if name == "exp":
            return math.exp(self._value(tree.args[0]))
        if name == "log":
            return self._log(*tree.args)
        if name == "binomial":
            return _binomial(*(self._value(part) for part in tree.args))
        if name in _FUNCTIONS and len(tree.args) == 1:
            argument = self._value(tree.args[0])
            return _FUNCTIONS[name](math.radians(argument) if self._degrees and name in _TRIGONOMETRIC else argument)
        raise UnreadableMathematics(name)

    def _power(self, base: Any, exponent: Any) -> float:
        value, power = self._value(base), self._value(exponent)
        if value < 0 and exponent.is_Rational and not exponent.is_Integer and exponent.q % 2:
            # The real root: (-8)^(1/3) is -2.
            return math.copysign(1, (-1) ** exponent.p) * float((-value) ** power)
        result = value**power
        if isinstance(result, complex):
            raise UnreadableMathematics
        return float(result)

    def _log(self, argument: Any, base: Any = None) -> float:
        value = self._value(argument)
        if base is None or type(base).__name__ == "Exp1":
            return math.log(value)
        divisor = self._value(base)
        return math.log(value) if self._natural_log and divisor == 10 else math.log(value, divisor)


def _binomial(of: float, chosen: float) -> float:
    if of != int(of) or chosen != int(chosen) or not 0 <= chosen <= of <= MAX_BINOMIAL:
        raise UnreadableMathematics
    return float(math.comb(int(of), int(chosen)))


def dimension_of(expression: Expression) -> Dimension | None:
    """The dimension of the expression; None where a variable leaves it open. Raises `InconsistentUnits`."""
    return _Dimensions(expression).of(expression.trees[0])


class _Dimensions:
    def __init__(self, expression: Expression) -> None:
        self._units = expression.units
        self._numbers = expression.numbers

    def of(self, tree: Any) -> Dimension | None:
        if tree.is_Symbol:
            unit = self._units.get(tree.name)
            return unit.dimension if unit else DIMENSIONLESS if tree.name in self._numbers else None
        if tree.is_Mul:
            return self._product(tree.args)
        if tree.is_Pow:
            base = self.of(tree.args[0])
            exponent = tree.args[1]
            if not base:
                return base
            return times(Unit("", 1, ()), Unit("", 1, base), float(exponent)).dimension if exponent.is_number else None
        if tree.is_Add:
            return self._sum(tree.args)
        if tree.args:
            # Of a function only the argument is looked at, for a sum of different dimensions in it.
            arguments = [self.of(argument) for argument in tree.args]
            return arguments[0] if type(tree).__name__ == "Abs" else DIMENSIONLESS
        return DIMENSIONLESS

    def _product(self, parts: tuple[Any, ...]) -> Dimension | None:
        product = Unit("", 1, ())
        for part in parts:
            dimension = self.of(part)
            if dimension is None:
                return None
            product = times(product, Unit("", 1, dimension))
        return product.dimension

    def _sum(self, parts: tuple[Any, ...]) -> Dimension | None:
        """Of terms without a unit nothing is concluded: "3 + 2 = 5 m" leaves them out, which is no contradiction."""
        known = [dimension for part in parts if (dimension := self.of(part))]
        for other in known[1:]:
            if other != known[0]:
                raise InconsistentUnits(known[0], other)
        return known[0] if known else (None if any(self.of(part) is None for part in parts) else DIMENSIONLESS)
