from __future__ import annotations

import numpy as np
import pytest

from core.store.material import StoredVector
from retrievers.index.semantic import EXACT_UP_TO, ChunkVectors, MemoryIndex


def vectors(*rows: tuple[str, list[float]]) -> ChunkVectors:
    return ChunkVectors.build([StoredVector(b, 0, 0, np.array(v, dtype="<f4").tobytes()) for b, v in rows], 2)


def search(found: ChunkVectors, query: list[float], depth: int = 10, **positions: int) -> list[tuple[int, float]]:
    ranking = MemoryIndex(found, positions).search(np.array(query, dtype=np.float32), depth)
    return [(position, round(score, 3)) for position, score in ranking]


def test_a_passage_is_as_near_as_its_nearest_chunk() -> None:
    found = vectors(("a", [0.6, 0.8]), ("b", [0.8, 0.6]), ("a", [1.0, 0.0]))
    assert search(found, [1.0, 0.0], a=0, b=1) == [(0, 1.0), (1, 0.8)]


def test_a_passage_with_very_many_chunks_does_not_hide_the_others() -> None:
    found = vectors(*[("a", [1.0, 0.0])] * 500, ("b", [0.6, 0.8]))
    assert search(found, [1.0, 0.0], depth=2, a=0, b=1) == [(0, 1.0), (1, 0.6)]


def test_chunks_of_a_joined_solution_count_for_their_statement_and_unknown_ones_for_nothing() -> None:
    found = vectors(("statement", [0.6, 0.8]), ("solution", [1.0, 0.0]), ("gone", [1.0, 0.0]))
    assert search(found, [1.0, 0.0], statement=0, solution=0) == [(0, 1.0)]


def test_what_points_elsewhere_is_left_out() -> None:
    assert search(vectors(("a", [-1.0, 0.0]), ("b", [0.0, 1.0])), [1.0, 0.0], a=0, b=1) == []


def test_an_index_without_vectors_finds_nothing() -> None:
    assert search(vectors(), [1.0, 0.0]) == []


def test_bytes_come_back_only_for_the_same_fingerprint() -> None:
    found = vectors(("a", [1.0, 0.0]))
    again = ChunkVectors.from_bytes(found.to_bytes("x"), "x")
    assert again is not None
    assert again.block_ids == ("a",)
    assert search(again, [1.0, 0.0], a=0) == [(0, 1.0)]
    assert ChunkVectors.from_bytes(found.to_bytes("x"), "y") is None


def test_a_vector_of_another_dimension_is_refused() -> None:
    with pytest.raises(ValueError, match="reshape"):
        vectors(("a", [1.0, 0.0, 0.0]))


def test_a_very_large_index_is_partitioned_and_still_finds_nearly_everything() -> None:
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((EXACT_UP_TO + 1000, 16)).astype("<f4")
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    built = ChunkVectors.build([StoredVector(str(n), 0, 0, row.tobytes()) for n, row in enumerate(rows)], 16)
    kept = ChunkVectors.from_bytes(built.to_bytes("f"), "f")
    assert kept is not None
    np.testing.assert_allclose(kept.matrix[:100], rows[:100], atol=0.02)
    index = MemoryIndex(kept, {str(n): n for n in range(len(rows))})
    exact = [set(np.argsort(-(rows @ row))[:10].tolist()) for row in rows[:20]]
    found = [{position for position, _ in index.search(row, 10)} for row in rows[:20]]
    assert sum(len(a & b) for a, b in zip(exact, found, strict=True)) >= 180


def test_a_partitioned_index_gives_all_it_has_where_its_lists_hold_too_little() -> None:
    rows = np.tile(np.array([[1.0, 0.0]], dtype="<f4"), (EXACT_UP_TO + 1, 1))
    built = ChunkVectors.build([StoredVector("same", 0, 0, row.tobytes()) for row in rows], 2)
    assert search(built, [1.0, 0.0], same=0) == [(0, 1.0)]
    assert search(built, [1.0, 0.0], depth=0, same=0) == []
