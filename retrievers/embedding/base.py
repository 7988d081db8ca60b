"""What every embedding model on this machine offers, and the check that its vectors pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.embedding import Embedding
from core.errors import BadVectors

Vectors = NDArray[np.float32]

BUILTIN = "minilm"
"""How `EDUMOD_EMBEDDING` names the model that comes with EduMod."""


class Embedder(Protocol):
    """An embedding model. Its methods block and may be called from several threads at once."""

    @property
    def embedding(self) -> Embedding:
        """What it is, with the prefixes that its own files name. Loads it where that is not known before.

        Raises `SetupError` where it cannot be loaded.
        """
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector of length 1 per text, float32 of shape (n, d). Adds no prefix; cuts texts that are too long."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of the text, border tokens left out."""
        ...


def checked(vectors: Vectors, count: int, embedding: Embedding) -> Vectors:
    """The vectors, as they are. Raises `BadVectors` unless there are `count`, each finite, not zero, and of the
    embedding's dimension."""
    if vectors.shape != (count, embedding.dimension):
        raise BadVectors(
            f"The embedding {embedding} gave vectors of shape {vectors.shape} for {count} texts. Nothing of that was "
            "stored. If its model was replaced, embed the course again: edumod course embed."
        )
    lengths = np.linalg.norm(vectors, axis=1)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise BadVectors(
            f"The embedding {embedding} gave a vector that is zero or holds numbers that are not finite (NaN). Nothing "
            "of that was stored. Use another model, or another version of it."
        )
    return vectors
