"""Going down a summary tree: branches, their scores, and what a model's reply makes of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import exp, isfinite, log

from retrievers.index.outline import ListedEntry, OutlineNode
from retrievers.tasks import ScoredItem

FLOOR = 0.01
"""The lowest score, also that of parts to which a model gave none. Such a branch is not followed further; such a
passage is ranked after all that were chosen."""


@dataclass(frozen=True, slots=True)
class Branch:
    """An entry that was reached, the scores on the way, and the path as students see it: titles with those scores."""

    listed: ListedEntry
    scores: tuple[float, ...] = ()
    path: tuple[str, ...] = ()

    @property
    def entry(self) -> OutlineNode:
        return self.listed.entry

    @property
    def score(self) -> float:
        """The geometric mean of the scores on the way, 1 where nothing had to be chosen.

        A product of probabilities, as a sum of logarithms, tells how likely a whole path is, so that it can be
        compared across branches. But it shrinks with every step: a passage four levels down would lose against a
        worse one at two. Divided by the number of steps (the length normalisation of beam search in translation), the
        logarithm is that of an average step, and depth no longer counts.
        """
        return round(exp(sum(map(log, self.scores)) / len(self.scores)), 6) if self.scores else 1.0

    @property
    def is_open(self) -> bool:
        """False if the model gave it the lowest score."""
        return not self.scores or self.scores[-1] > FLOOR

    def scored(self, listed: ListedEntry, score: float) -> Branch:
        """The branch to one of its parts."""
        title = listed.entry.public_title if self.path else listed.public_label
        return Branch(listed, (*self.scores, score), (*self.path, f"{title} ({score:.2f})")).straight()

    def straight(self) -> Branch:
        """The branch extended down to the first entry with several parts: up to there no model need be asked."""
        branch = self
        while len(parts := branch.listed.parts()) == 1:
            title, (only,) = branch.entry.public_title, parts
            # A document and the one section that holds all of it often share their title.
            path = branch.path if only.entry.public_title == title else (*branch.path, only.entry.public_title)
            branch = replace(branch, listed=only, path=path)
        return branch


def choose(above: Branch, parts: Sequence[ListedEntry], items: Iterable[ScoredItem]) -> list[Branch]:
    """The branches to all parts by the model's scores.

    Of an item that is named twice the first score counts, numbers that no part has are passed over, and scores beyond
    0 and 1 are clamped. Where nothing is left of the reply, the branch ends, and its passages are kept at the floor.
    """
    scores: dict[int, float] = {}
    for item in items:
        if 1 <= item.n <= len(parts) and isfinite(item.score):
            scores.setdefault(item.n, min(max(item.score, FLOOR), 1.0))
    return [above.scored(part, scores.get(n, FLOOR)) for n, part in enumerate(parts, 1)]


def best(branches: Iterable[Branch], count: int, near: Sequence[int]) -> list[Branch]:
    """The branches worth following, best first.

    Models prefer round numbers, so many branches have the same score. Among equal scores, the one whose entry holds the
    earliest of the positions `near` goes first, else the one first in reading order.
    """
    following = [branch for branch in branches if branch.is_open and branch.entry.children]
    return sorted(following, key=lambda branch: (-branch.score, _first(branch.entry, near)))[:count]


def _first(entry: OutlineNode, near: Sequence[int]) -> int:
    return next((rank for rank, position in enumerate(near) if entry.holds(position)), len(near))
