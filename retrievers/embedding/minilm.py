"""The embedding model that comes with EduMod."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from core.embedding import Embedding
from retrievers.embedding.base import BUILTIN, Vectors
from retrievers.embedding.minilm_files import DATA, load_session, load_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MAX_TOKENS = 256
"""What the model was trained to read, its two border tokens included; the rest of a longer text is not seen."""

TEXTS_PER_SECOND = 40
"""That one thread embeds on a common machine, for estimates; `python -m benchmarks embedding` measures it."""


class MiniLM:
    """all-MiniLM-L6-v2 in onnxruntime, with 8-bit weights, loaded on first use from files that come with EduMod.

    Every text is a run of the model by itself: on a CPU a batch gains nothing, and a vector does not depend on what
    was embedded along with it. `threads` texts run at once.
    Raises `SetupError` from any method where the files are missing or not the shipped ones.
    """

    embedding = Embedding(source=BUILTIN, name="all-MiniLM-L6-v2-int8", dimension=384, max_tokens=MAX_TOKENS - 2)

    def __init__(self, threads: int = 1, folder: Path = DATA) -> None:
        self._threads = threads
        self._folder = folder
        self._lock = Lock()
        self._session: Any = None
        self._tokenizer: Tokenizer | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        session, tokens = self._loaded_session(), [self._tokens(text) for text in texts]
        vectors = np.empty((len(texts), self.embedding.dimension), dtype=np.float32)

        def run(row: int) -> None:
            vectors[row] = session.run(None, {"ids": np.array([tokens[row]], dtype=np.int64)})[0][0]

        if self._threads == 1 or len(texts) < 2:
            for row in range(len(texts)):
                run(row)
        else:
            with ThreadPoolExecutor(self._threads) as pool:
                list(pool.map(run, range(len(texts))))
        return vectors

    def count_tokens(self, text: str) -> int:
        # One by one: encoding a list starts a thread pool that is not safe to fork.
        return len(self._loaded_tokenizer().encode(_encodable(text), add_special_tokens=False))

    def _tokens(self, text: str) -> list[int]:
        ids = self._loaded_tokenizer().encode(_encodable(text)).ids
        return ids if len(ids) <= MAX_TOKENS else [*ids[: MAX_TOKENS - 1], ids[-1]]

    def _loaded_session(self) -> Any:
        with self._lock:
            if self._session is None:
                self._session = load_session(self._folder)
            return self._session

    def _loaded_tokenizer(self) -> Tokenizer:
        with self._lock:
            if self._tokenizer is None:
                self._tokenizer = load_tokenizer(self._folder)
            return self._tokenizer


def _encodable(text: str) -> str:
    """Half surrogate pairs, which broken files contain, have no UTF-8 form and would raise."""
    return text.encode("utf-8", "replace").decode()
