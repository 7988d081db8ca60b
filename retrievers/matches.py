"""How well passages match a query, for those whose retriever did not say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from core.errors import BadVectors, ModelError, SetupError
from core.types import Match, Passage, Source
from retrievers.index.indexes import Indexes

DEPTH = 100
"""Passages that `hybrid` compares where no more are asked for."""


class Matches:
    """Compares words and meanings of passages that were found by one of the two. Used from one event loop."""

    def __init__(self, indexes: Indexes) -> None:
        self._indexes = indexes

    async def of(self, course_id: str, query: str, passages: Sequence[Passage]) -> Mapping[str, Match]:
        """The match of each passage that has none, by block id, as `hybrid` would give it.

        Nothing where the course cannot be searched by meaning now. Raises `UnknownName` for an unknown course.
        """
        wanted = {one.block_id for one in passages if one.match is None}
        sources = dict.fromkeys(one.source for one in passages if one.match is None)
        found: dict[str, Match] = {}
        for source in sources if query.strip() else ():
            found |= await self._of_source(course_id, source, query, wanted)
        return found

    async def _of_source(self, course_id: str, source: Source, query: str, wanted: Set[str]) -> dict[str, Match]:
        index = await self._indexes.get(course_id, source)
        try:
            scores = await index.evidence(query, max(DEPTH, len(wanted)), sections=False)
        except (SetupError, BadVectors, ModelError):
            return {}
        positions = {one.block_id: at for at, one in enumerate(index.passages) if one.block_id in wanted}
        return {block_id: scores.match(at) for block_id, at in positions.items()}
