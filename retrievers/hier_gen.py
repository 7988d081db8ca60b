"""Retrieval down the summary tree with a language model (EduMod-LLM, section 3.3)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from core.errors import ModelError
from core.llm.task import Task
from retrievers.base import Found, followed_by
from retrievers.descent import FLOOR, Branch, best, choose
from retrievers.hybrid import Hybrid
from retrievers.index.lexical import Ranking
from retrievers.index.outline import ListedEntry, OutlineNode, contents
from retrievers.tasks import PickSections, ScoredItems, ScoreParts


class HierGen(Hybrid):
    """A model picks from the table of contents, then goes down the tree with a beam.

    Each round asks about all entries of the beam at once, one call for each, so that a search takes as many times a
    model call as the tree has levels, whatever its size. The branches with the best scores go on, of equal ones those
    that `hybrid` likes best; a passage that was reached keeps its score whatever comes after. A call that fails costs
    its own branch. Where every call of a round fails and nothing was chosen before, its first error is raised.

    What the chosen passages leave room for is filled up in the order of `hybrid`: first from the entries where the
    rounds ended, then from everywhere, passages that the model gave no score among them.
    """

    async def rank(self, query: str) -> Ranking:
        return (await self.follow(query)).ranking

    async def follow(self, query: str) -> Found:
        outline, compared = await asyncio.gather(self.index.outline(), self.compare(query))
        hybrid = compared.ranking
        near = [position for position, _ in hybrid]
        found, open_ = await self._descend(query, outline, near)
        ranks = {position: rank for rank, position in enumerate(near)}
        chosen = [(position, leaf.score) for position, leaf in found.items() if leaf.is_open]
        chosen.sort(key=lambda scored: (-scored[1], ranks.get(scored[0], len(ranks)), scored[0]))
        others = [(position, 0.0) for position in found if position not in ranks]
        rest = sorted(hybrid, key=lambda scored: not any(branch.entry.holds(scored[0]) for branch in open_)) + others
        paths = {position: leaf.path for position, leaf in found.items()}
        return Found(followed_by(chosen, _descending(rest), FLOOR), paths, compared.match)

    async def _descend(
        self, query: str, outline: OutlineNode, near: Sequence[int]
    ) -> tuple[dict[int, Branch], list[Branch]]:
        """The passages reached, and the branches that were still open when the rounds ended."""
        found: dict[int, Branch] = {}
        reached = await self._start(query, outline)
        for _ in range(self.options.depth):
            _keep(found, reached)
            beam = best(reached, self.options.beam, near)
            if not beam:
                return found, []
            reached = await self._round(query, beam, found)
        _keep(found, reached)
        return found, best(reached, self.options.beam, near)

    async def _start(self, query: str, outline: OutlineNode) -> list[Branch]:
        listed = contents(outline)
        if len(listed) <= 1:
            return [Branch(one, path=(one.entry.public_title,)).straight() for one in listed]
        task = PickSections(question=query, texts=tuple(one.text for one in listed))
        reply = await self._ask(task)
        if isinstance(reply, ModelError):
            raise reply
        return choose(Branch(ListedEntry((), outline)), listed, reply.items)

    async def _round(self, query: str, beam: Sequence[Branch], found: dict[int, Branch]) -> list[Branch]:
        """All parts of the beam's entries."""
        parts = [branch.listed.parts() for branch in beam]
        replies = await asyncio.gather(
            *(self._ask(_score_parts(query, branch, ones)) for branch, ones in zip(beam, parts, strict=True))
        )
        errors = [reply for reply in replies if isinstance(reply, ModelError)]
        if len(errors) == len(replies) and not any(leaf.is_open for leaf in found.values()):
            raise errors[0]
        return [
            below
            for branch, ones, reply in zip(beam, parts, replies, strict=True)
            if not isinstance(reply, ModelError)
            for below in choose(branch, ones, reply.items)
        ]

    async def _ask(self, task: Task[ScoredItems]) -> ScoredItems | ModelError:
        try:
            return (await self.model.run(task, self.options.sampling)).value
        except ModelError as error:
            return error


def _score_parts(query: str, branch: Branch, parts: Iterable[ListedEntry]) -> ScoreParts:
    texts = tuple(f"{part.entry.title}\n{part.entry.summary}".strip() for part in parts)
    return ScoreParts(question=query, heading_path=branch.listed.label, texts=texts)


def _keep(found: dict[int, Branch], reached: Iterable[Branch]) -> None:
    """Add the passages that were reached, each with its best branch."""
    for branch in reached:
        position = branch.entry.position
        if position is not None and (position not in found or found[position].score < branch.score):
            found[position] = branch


def _descending(ranking: Ranking) -> Ranking:
    """The same order, no score above the one before it."""
    lowest, result = float("inf"), []
    for position, score in ranking:
        lowest = min(lowest, score)
        result.append((position, lowest))
    return result
