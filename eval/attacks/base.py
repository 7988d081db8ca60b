"""What an attack is made from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from judging.answers import JudgedAnswer


@dataclass(frozen=True)
class AttackMaterial:
    """A good answer, the good answers to other questions, and a random generator of its own."""

    item: JudgedAnswer
    others: tuple[JudgedAnswer, ...]
    random: Random

    def other(self) -> JudgedAnswer | None:
        """A good answer to another question; None if there is none."""
        return self.random.choice(self.others) if self.others else None


Make = Callable[[AttackMaterial], str | None]
"""The changed answer, or None if it cannot be made from that one."""


@dataclass(frozen=True)
class Attack:
    """A change of answers. `summary` completes "the judge reads ..."."""

    name: str
    summary: str
    make: Make

    def apply(self, item: JudgedAnswer, others: tuple[JudgedAnswer, ...], seed: int) -> JudgedAnswer | None:
        """The item with the changed answer; None if the attack cannot be made from it.

        Depends on nothing but its arguments: the same seed gives the same attack.
        """
        changed = self.make(AttackMaterial(item, others, Random(f"{seed} {self.name} {item.id}")))  # noqa: S311
        if changed is None or (changed == item.answer):
            return None
        return item.model_copy(update={"id": f"{self.name} {item.id}", "answer": changed, "scores": ()})
