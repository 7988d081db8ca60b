"""BM25 over the passages of one index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrievers.tokens import tokenize

Ranking = list[tuple[int, float]]
"""Places in an index with scores, best first, equal scores in reading order."""


class LexicalIndex:
    """bm25s on our tokens (Lucene's formula). Building and searching block."""

    def __init__(self, texts: Sequence[str]) -> None:
        tokens = [tokenize(text) for text in texts]
        self._bm25 = _build(tokens) if any(tokens) else None

    def search(self, query: str, depth: int) -> Ranking:
        """At most `depth` texts that share a word with the query. Repeating a word in the query changes nothing."""
        if self._bm25 is None:
            return []
        known = self._bm25.get_tokens_ids(list(dict.fromkeys(tokenize(query))))
        return best(self._bm25.get_scores_from_ids(known), depth) if known else []


def best(scores: NDArray[np.float32], depth: int) -> Ranking:
    """The places with the highest scores above 0. Rounded, so that noise in the last bits never decides an order."""
    rounded = scores.round(5)
    places = np.flatnonzero(rounded > 0)
    chosen = places[np.argsort(-rounded[places], kind="stable")[:depth]]
    return [(int(place), float(rounded[place])) for place in chosen]


def _build(tokens: list[list[str]]) -> Any:
    import bm25s

    bm25 = bm25s.BM25()
    bm25.index(tokens, show_progress=False)
    return bm25
