"""Similarities by the embedding model that comes with EduMod, of texts and of words."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cache, lru_cache
from math import log
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from retrievers.embedding.minilm import MiniLM
from retrievers.embedding.minilm_files import load_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Matrix = NDArray[np.float64]
UNRELATED = 0.35
"""Cosine of two words that have nothing to do with each other, as measured on the words of the development data."""
MIN_MISSPELT = 5
"""Letters from which a word may be a misspelling of another."""
SAME_LETTERS = 0.75
CACHED = 50_000
FIRST_WORD_ID, VOCABULARY = 995, 30_000
"""The model's vocabulary is in the order of frequency after its first ids, which are letters and marks."""


@cache
def _model() -> MiniLM:
    return MiniLM()


@cache
def _tokenizer() -> Tokenizer:
    return load_tokenizer()


@lru_cache(CACHED)
def vector(text: str) -> Matrix:
    """The embedding of a text, of length 1. Zeros for an empty text."""
    if not text.strip():
        return np.zeros(MiniLM.embedding.dimension)
    return np.asarray(_model().embed([text])[0], dtype=np.float64)


def vectors(texts: Sequence[str]) -> Matrix:
    """Embeddings of shape (n, d)."""
    return np.array([vector(text) for text in texts]).reshape(len(texts), MiniLM.embedding.dimension)


def cosine(one: Matrix, other: Matrix) -> float:
    """0 if one has no direction."""
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / lengths if lengths > 1e-9 else 0.0


def word_similarities(one: Sequence[str], other: Sequence[str]) -> Matrix:
    """Shape (n, m), from 0 to 1: 1 for equal words, less for misspelt and related ones."""
    found = np.clip((vectors(one) @ vectors(other).T - UNRELATED) / (1 - UNRELATED), 0, 1)
    for row, word in enumerate(one):
        for column, against in enumerate(other):
            found[row, column] = max(found[row, column], _spelling(word, against))
    return found


@lru_cache(CACHED)
def _spelling(one: str, other: str) -> float:
    if one == other:
        return 1.0
    if min(len(one), len(other)) < MIN_MISSPELT or one[0] != other[0]:
        return 0.0
    same = SequenceMatcher(None, one, other).ratio()
    return same if same >= SAME_LETTERS else 0.0


@lru_cache(CACHED)
def rarity(word: str) -> float:
    """From 0 for the most frequent words to 1 for the rarest."""
    ids = _encoded(word)
    rank = max(ids, default=0) - FIRST_WORD_ID
    return min(log(1 + max(rank, 0)) / log(VOCABULARY), 1.0)


@lru_cache(CACHED)
def pieces(word: str) -> int:
    """Parts of the model's vocabulary that the word is made of: 1 for common words, many for letters at random."""
    return len(_encoded(word))


def _encoded(text: str) -> list[int]:
    return list(_tokenizer().encode(text, add_special_tokens=False).ids)
