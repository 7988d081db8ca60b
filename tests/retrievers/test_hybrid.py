from __future__ import annotations

from typing import cast

import numpy as np

from retrievers.base import CourseRetriever
from retrievers.hybrid import Hybrid, ReciprocalRank
from retrievers.index.course_index import CourseIndex, MatchScores
from retrievers.index.lexical import Ranking


class Found:
    """An index whose evidence is already there: the scores of each passage by words and by meaning."""

    def __init__(self, lexical: list[float], semantic: list[float]) -> None:
        self.found = MatchScores(np.array(lexical, np.float32), 0.0, np.array(semantic, np.float32), None)

    async def evidence(self, query: str, depth: int, *, sections: bool) -> MatchScores:
        assert not sections
        return self.found


async def ranked(lexical: list[float], semantic: list[float], kind: type[CourseRetriever] = Hybrid) -> Ranking:
    return await kind(cast(CourseIndex, Found(lexical, semantic)), top_k=5).rank("query")


async def test_scores_are_relative_to_the_best_of_each_side() -> None:
    assert await ranked([20.0, 10.0, 0.0], [0.0, 0.8, 0.4]) == [(1, 0.8), (0, 0.4), (2, 0.3)]


async def test_one_side_alone_is_enough_and_none_gives_none() -> None:
    assert await ranked([0.0, 0.0], [0.0, 0.5]) == [(1, 0.6)]
    assert await ranked([0.0, 7.0], [0.0, 0.0]) == [(1, 0.4)]
    assert await ranked([0.0, 0.0], [0.0, 0.0]) == []
    assert await ranked([], []) == []


async def test_equal_scores_are_in_reading_order() -> None:
    assert [position for position, _ in await ranked([0.0] * 4, [0.5, 0.0, 0.5, 0.5])] == [0, 2, 3]


async def test_reciprocal_ranks_add_up() -> None:
    found = await ranked([20.0, 10.0, 0.0], [0.0, 0.8, 0.4], ReciprocalRank)
    assert found == [(1, 1 / 62 + 1 / 61), (0, 1 / 61), (2, 1 / 62)]


async def test_reciprocal_ranks_that_nearly_agree_are_told_apart() -> None:
    # Third twice is a little less than second and fourth.
    found = await ranked([0.6, 0.7, 0.9, 0.5], [0.6, 0.5, 0.9, 0.7], ReciprocalRank)
    assert [position for position, _ in found] == [2, 1, 3, 0]
