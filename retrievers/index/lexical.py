"""BM25 over the passages of one index."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ranking = list[tuple[int, float]]
"""Positions in an index with scores, best first, equal scores in reading order."""
Scores = NDArray[np.float32]

TINY = 1e-9
"""Divisor to use instead of 0."""
NOISE = 1e-5
"""Scores that differ by less are equal."""
PAIR_WEIGHT = 0.5
"""What two words that stand next to each other in text and query add, as a share of a word's own BM25 score."""


class LexicalIndex:
    """bm25s on our tokens and on pairs of neighbouring ones (Lucene's formula). Building and searching block.

    The pairs are the ordered part of the sequential dependence model (Metzler, Croft: A Markov Random Field Model for
    Term Dependencies, 2005): "confidence interval" is more than its two words. A stop word between two words does not
    part them.
    """

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        """`texts` are lists of tokens."""
        self._count = len(texts)
        self._bm25 = _build([with_pairs(tokens) for tokens in texts]) if any(texts) else None
        self._highest = None if self._bm25 is None else _highest(self._bm25)

    def search(self, query: Sequence[str], depth: int) -> Ranking:
        """At most `depth` texts that share a word with the query. Repeating a word in the query changes nothing."""
        return best(self.scores(query), depth)

    def scores(self, query: Sequence[str]) -> Scores:
        """The score of every text, 0 where it shares no word with the query, which is a list of tokens."""
        known = self._known(query)
        if self._bm25 is None or not known:
            return np.zeros(self._count, dtype=np.float32)
        scores: Scores = self._bm25.get_scores_from_ids(known)
        return scores

    def bound(self, query: Sequence[str]) -> float:
        """What a text would score that is the best one for every known word of the query; 0 where none is known.

        The sum of upper bounds of WAND (Broder et al.: Efficient Query Evaluation using a Two-Level Retrieval Process,
        2003). The query is a list of tokens.
        """
        return 0.0 if self._highest is None else float(self._highest[self._known(query)].sum())

    def unknown(self, query: Sequence[str]) -> float:
        """What a text would score by the query's words that no text has, were each as rare as the rarest known word."""
        if self._bm25 is None or self._highest is None:
            return 0.0
        missing = sum(token not in self._bm25.vocab_dict for token in set(query))
        return missing * float(self._highest.max(initial=0))

    def count(self, token: str) -> int:
        """The number of texts with the token."""
        if self._bm25 is None or (position := self._bm25.vocab_dict.get(token)) is None:
            return 0
        return int(np.diff(self._bm25.scores["indptr"][position : position + 2])[0])

    def _known(self, query: Sequence[str]) -> list[int]:
        known: list[int] = self._bm25.get_tokens_ids(list(dict.fromkeys(with_pairs(query)))) if self._bm25 else []
        return known


def with_pairs(tokens: Sequence[str]) -> list[str]:
    """The tokens, then each two neighbours as one."""
    return [*tokens, *(f"{first} {second}" for first, second in pairwise(tokens))]


def best(scores: Scores, depth: int) -> Ranking:
    """The positions with the highest scores above 0. Rounded, so that noise in the last bits never decides an order."""
    positions = np.flatnonzero(scores > NOISE / 2)
    values = scores[positions].astype(np.float64)  # With 32 bits, so little noise is lost in large scores.
    if len(positions) > depth > 0:
        # Only what may be among the best is rounded and sorted: to sort all of a large course takes much longer.
        among = values > np.partition(values, -depth)[-depth] - 2 * NOISE
        positions, values = positions[among], values[among]
    rounded = values.round(5)
    order = np.argsort(-rounded, kind="stable")[:depth]
    return list(zip(positions[order].tolist(), rounded[order].tolist(), strict=True))


def _build(tokens: list[list[str]]) -> Any:
    import bm25s

    bm25 = bm25s.BM25()
    bm25.index(tokens, show_progress=False)
    is_pair = np.zeros(len(bm25.scores["indptr"]) - 1, dtype=bool)
    is_pair[[position for token, position in bm25.vocab_dict.items() if " " in token]] = True
    bm25.scores["data"][np.repeat(is_pair, np.diff(bm25.scores["indptr"]))] *= PAIR_WEIGHT
    return bm25


def _highest(bm25: Any) -> Scores:
    """The best score that each word of the vocabulary gives to any text."""
    highest: Scores = np.maximum.reduceat(bm25.scores["data"], bm25.scores["indptr"][:-1])
    return highest
