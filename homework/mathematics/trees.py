"""Trees of expressions: numbers, names and units, and operations on them. Nothing is evaluated when a tree is built."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from homework.mathematics.tokens import MathToken
from homework.mathematics.units import Unit

MAX_DIGITS = 40
LIST = "list"


class UnreadableMathematics(Exception):
    """An expression that is not understood. It is never shown: the check that wanted it says "cannot tell"."""


@dataclass(frozen=True)
class Number:
    """A number as written: its value and half a unit of its last digit, both before the unit's factor."""

    value: float
    half_digit: float = 0.0
    digits: int = 9
    is_decimal: bool = False


@dataclass(frozen=True)
class Name:
    """A variable."""

    text: str


@dataclass(frozen=True)
class UnitFactor:
    """A unit, which multiplies what stands before it."""

    unit: Unit


@dataclass(frozen=True)
class Operation:
    """An operator or a function with its operands; `list()` for `(1, 2)`, whose entries may be lists themselves."""

    operator: str
    parts: tuple[Tree, ...]


Tree = Number | Name | UnitFactor | Operation


def leaves_of(tree: Tree) -> Iterator[Number | Name | UnitFactor]:
    """The numbers, names and units of a tree, from left to right."""
    if not isinstance(tree, Operation):
        yield tree
        return
    for part in tree.parts:
        yield from leaves_of(part)


def has_operator(tree: Tree, *operators: str) -> bool:
    """Whether any operator that begins so stands anywhere in the tree."""
    return isinstance(tree, Operation) and (
        tree.operator.startswith(operators) or any(has_operator(part, *operators) for part in tree.parts)
    )


def brackets_of(tree: Tree) -> str:
    """The brackets of a list, `(]`; nothing for another tree."""
    return tree.operator.removeprefix(LIST) if isinstance(tree, Operation) and tree.operator.startswith(LIST) else ""


def as_number(token: MathToken) -> Number:
    """The number of a token. Raises `UnreadableMathematics` for one of too many digits."""
    mantissa, _, exponent = token.text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    if len(mantissa) > MAX_DIGITS:
        raise UnreadableMathematics
    significant = len((whole + fraction).lstrip("0")) or 1
    trailing = 0 if fraction else len(whole) - len(whole.rstrip("0"))
    scale = 10.0 ** max(-300, min(300, int(exponent or 0)))
    half = 0.5 * 10.0 ** (trailing - len(fraction)) * scale
    return Number(float(mantissa) * scale, half, significant - trailing, "." in mantissa)
