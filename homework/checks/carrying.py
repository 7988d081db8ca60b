"""Carries a slip forward: whether a wrong result is the official one once the slip before it is mended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import isclose

from homework.answers import Quantity
from homework.checks.arithmetic import disagreeing
from homework.checks.conclusions import Conclusion
from homework.comparison import is_equal
from homework.mathematics.parser import Expression
from homework.mathematics.tolerances import MEASURED
from homework.mathematics.trees import Number, UnreadableMathematics, leaves_of
from homework.mathematics.values import changed_value
from homework.submission import Submission, WorkStep


@dataclass
class _Mended:
    """Numbers that a submission goes on with, by the factors with which they become what they should have been."""

    factors: dict[float, float] = field(default_factory=dict)

    def factor_of(self, number: float) -> float | None:
        """The factor of a number that is written again, perhaps rounded."""
        return next(
            (factor for known, factor in self.factors.items() if isclose(known, number, rel_tol=MEASURED)), None
        )

    def change_of(self, expression: Expression) -> float | None:
        """The factor by which the value of an expression changes with the mended numbers; None if it cannot be told."""
        numbers = {leaf for leaf in leaves_of(expression.tree) if isinstance(leaf, Number)}
        changed = {leaf: leaf.value * factor for leaf in numbers if (factor := self.factor_of(leaf.value)) is not None}
        value, mended = _value(expression), _value(expression, changed)
        return mended / value if value and mended else None

    def read(self, step: WorkStep, slips: Sequence[tuple[Expression, Expression]]) -> None:
        """Follow a chain from left to right."""
        for left, right in pairwise(step.expressions):
            if left is None or right is None or left.names or right.names:
                continue
            change, result = self.change_of(left), _value(right)
            if change is None or not result:
                continue
            if (left, right) in slips:
                change *= (_value(left) or result) / result
            if right.number is not None and not isclose(change, 1.0, rel_tol=1e-9):
                self.factors[right.number.value] = change


def _value(expression: Expression, changed: dict[Number, float] | None = None) -> float | None:
    try:
        return changed_value(expression, changed or {})
    except UnreadableMathematics:
        return None


def slip_behind(submission: Submission, conclusion: Conclusion) -> int | None:
    """The line of the slip from which a wrong result follows; None where it is wrong by itself.

    It follows if the steps between them, repeated with what the slip should have come to, come to the official value.
    """
    slips = [(step, left, right) for step, left, right in disagreeing(submission) if right.number is not None]
    given, official = conclusion.given, conclusion.official
    if not slips or given is None or len(given.values) != 1 or len(official.values) != 1:
        return None
    mended = _Mended()
    for step in submission.steps:
        mended.read(step, [(left, right) for other, left, right in slips if other is step])
    stated = given.values[0]
    factor = mended.factor_of(stated.written)
    is_official = factor is not None and is_equal(official.values[0], _scaled(stated, factor))
    return slips[0][0].line if is_official else None


def _scaled(quantity: Quantity, factor: float) -> Quantity:
    return replace(quantity, value=quantity.value * factor, written=quantity.written * factor, is_decimal=True)
