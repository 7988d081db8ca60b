from __future__ import annotations

import pytest

from retrievers.hybrid import Hybrid, ReciprocalRank
from retrievers.index import Indexes
from retrievers.lexical import Ranking
from tests.retrievers.shelf import Shelf


@pytest.fixture
async def hybrid(shelf: Shelf, indexes: Indexes) -> Hybrid:
    await shelf.add("ds", "book", ["text"])
    return Hybrid(await indexes.get("ds"), top_k=5)


def rounded(ranking: Ranking) -> Ranking:
    return [(place, round(score, 6)) for place, score in ranking]


async def test_scores_are_relative_to_the_best_of_each_side(hybrid: Hybrid) -> None:
    fused = hybrid.fuse([(0, 20.0), (1, 10.0)], [(1, 0.8), (2, 0.4)])
    assert rounded(fused) == [(1, 0.8), (0, 0.4), (2, 0.3)]


async def test_one_side_alone_is_enough_and_none_gives_none(hybrid: Hybrid) -> None:
    assert rounded(hybrid.fuse([], [(3, 0.5)])) == [(3, 0.6)]
    assert rounded(hybrid.fuse([(3, 7.0)], [])) == [(3, 0.4)]
    assert hybrid.fuse([], []) == []


async def test_equal_scores_are_in_reading_order(hybrid: Hybrid) -> None:
    assert [place for place, _ in hybrid.fuse([], [(5, 0.5), (2, 0.5), (9, 0.5)])] == [2, 5, 9]


async def test_reciprocal_ranks_add_up(hybrid: Hybrid) -> None:
    ranks = ReciprocalRank(hybrid.index, top_k=5)
    fused = ranks.fuse([(0, 20.0), (1, 10.0)], [(1, 0.8), (2, 0.4)])
    assert rounded(fused) == rounded([(1, 1 / 61 + 1 / 62), (0, 1 / 61), (2, 1 / 62)])
