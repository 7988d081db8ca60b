"""Which of a submission's values is its answer to a part: one, however many it states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from homework.answers import FinalAnswer, Quantity
from homework.comparison import is_equal

MAX_OFFERS = 2
"""Quantitys that may be stated for one answer before they are a list; a student may correct the first."""

MAX_SETS = 4
"""Sets of solutions that may stand side by side: honest work on two solutions has other pairs of numbers, too."""


@dataclass(frozen=True)
class Offers:
    """Reads a submission's answers without looking at the official value, only at its kind.

    `posed` are the numbers of the task and `computed` those that the submission computes, which a student may repeat;
    `count` is how many answers the lines hold.
    """

    posed: frozenset[float] = field(default_factory=frozenset)
    count: int = 1
    computed: tuple[Quantity, ...] = ()

    def meant(self, official: FinalAnswer, given: Sequence[FinalAnswer]) -> list[FinalAnswer]:
        """What of a line's answers, the last first, stands for the official one: of numbers and terms the last."""
        if official.values and len(official.values) == 1:
            single = [one for one in given if len(one.values) == 1]
            new = [one for one in single if one.is_result or not self._is_posed(one.values[0])] or single
            alike = [one for one in new if _is_alike(official.values[0], one.values[0])] or new
            alike = [one for one in alike if one.values[0].has_unit == official.values[0].has_unit] or alike
            named = [one for one in alike if official.name and one.name == official.name] or alike
            return named[:1]
        if official.term:
            return [one for one in given if one.term or one.equation][:1]
        return list(given)

    def is_ambiguous(self, official: FinalAnswer, given: Iterable[FinalAnswer]) -> bool:
        """Whether a line states further values of the official answer's kind."""
        return len(self._stated(official, given)) > 1

    def is_list(self, official: FinalAnswer, given: Iterable[FinalAnswer]) -> bool:
        """Whether so many values are stated that none of them is an answer."""
        given = list(given)
        sets = {frozenset(v.value for v in one.values) for one in given if len(one.values) == len(official.values) > 1}
        return len(sets) > MAX_SETS or len(self._stated(official, given)) > MAX_OFFERS + self.count - 1

    def _stated(self, official: FinalAnswer, given: Iterable[FinalAnswer]) -> list[Quantity]:
        """The distinct values of the official answer's kind that are no results of a computation."""
        distinct: list[Quantity] = []
        if len(official.values) != 1:
            return distinct
        for answer in given:
            for value in answer.values if not answer.is_computed else ():
                is_known = self._is_posed(value) or any(is_equal(other, value) for other in self.computed)
                is_new = _is_alike(official.values[0], value) and not is_known
                if is_new and not any(is_equal(value, other) for other in distinct):
                    distinct.append(value)
        return distinct

    def _is_posed(self, value: Quantity) -> bool:
        return abs(value.written) in self.posed


def _is_alike(official: Quantity, given: Quantity) -> bool:
    """Whether two values measure one kind of thing; a unit may have been left out."""
    return not (official.has_unit and given.has_unit) or official.dimension == given.dimension
