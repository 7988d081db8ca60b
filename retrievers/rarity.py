"""How rare words are in a course's material."""

from __future__ import annotations

from collections.abc import Iterable
from math import log

from core.types import Source
from retrievers.index.indexes import Indexes


class Rarities:
    """The rarity of words in courses, over all kinds of their material. Used from one event loop."""

    def __init__(self, indexes: Indexes) -> None:
        self._indexes = indexes

    async def of(self, course_id: str, tokens: Iterable[str]) -> dict[str, float]:
        """Of each token, from 0 (in every passage) to 1 (in none). Raises `UnknownName` for an unknown course."""
        indexes = [await self._indexes.get(course_id, source) for source in Source]
        passages = sum(len(index.passages) for index in indexes)
        return {token: rarity(sum(index.count(token) for index in indexes), passages) for token in tokens}


def rarity(count: int, passages: int) -> float:
    """Inverse document frequency as in BM25, as a share of that of a word that no passage has."""
    return _inverse(count, passages) / _inverse(0, passages)


def _inverse(count: int, passages: int) -> float:
    return log(1 + (passages - count + 0.5) / (count + 0.5))
