"""Turns texts into vectors: the embedding model, and the door through which concurrent queries share it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from retrievers.embedding.chunks import query_windows
from retrievers.embedding.minilm_files import load_session, load_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MAX_TOKENS = 256
"""What the model was trained to read, its two border tokens included; the rest of a longer text is not seen."""

TEXTS_PER_SECOND = 40
"""That one thread embeds on a common machine, for estimates; `python -m benchmarks embedding` measures it."""

Vectors = NDArray[np.float32]
T = TypeVar("T")


class Embedder(Protocol):
    """An embedding model. Its methods block and may be called from several threads at once."""

    @property
    def model(self) -> str:
        """Name stored with every vector; vectors of different models are never compared."""
        ...

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector of length 1 per text, float32 of shape (n, d)."""
        ...

    def count_tokens(self, text: str) -> int:
        """Word pieces in the text, border tokens left out."""
        ...


class MiniLM:
    """all-MiniLM-L6-v2 in onnxruntime, with 8-bit weights, loaded on first use from files that come with EduMod.

    Every text is a run of the model by itself: on a CPU a batch gains nothing, and a vector does not depend on what
    was embedded along with it. `threads` texts run at once. The first use on a machine exports the weights to
    `cache_folder` (about 15 seconds); later ones take half a second.
    Raises `SetupError` from any method where the weights are missing or not the official ones.
    """

    model = "all-MiniLM-L6-v2-int8"
    dimension = 384

    def __init__(self, cache_folder: Path, threads: int = 1, model_folder: Path | None = None) -> None:
        self._cache_folder = cache_folder
        self._model_folder = model_folder
        self._threads = threads
        self._lock = Lock()
        self._session: Any = None
        self._tokenizer: Tokenizer | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        session, tokens = self._loaded_session(), [self._tokens(text) for text in texts]
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)

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
                self._session = load_session(self._cache_folder, self._model_folder)
            return self._session

    def _loaded_tokenizer(self) -> Tokenizer:
        with self._lock:
            if self._tokenizer is None:
                self._tokenizer = load_tokenizer(self._model_folder)
            return self._tokenizer


class QueryEmbedder:
    """Embeds queries that arrive one by one, from any number of event loops, with one thread.

    They take turns in the order in which they came; equal ones that are under way together, as when several sources are
    searched for one question, share a vector. The thread is its own, so that queries do not queue behind long work such
    as ingestion.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._lock = Lock()
        self._wanted: Counter[str] = Counter()
        """How many wait for each query, the one that is being embedded included."""
        self._vectors: dict[str, Vectors] = {}
        """Of queries that are still wanted."""
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="query-embedder")

    async def embed(self, query: str) -> Vectors:
        """The query's vector, float32 of shape (d,), length 1. Raises what the embedder raised."""
        return await self.search(query, lambda vector: vector)

    async def search(self, query: str, then: Callable[[Vectors], T]) -> T:
        """What `then` makes of the query's vector, in the same thread: each change of threads takes a tenth of a
        millisecond. Raises what the embedder or `then` raised."""
        with self._lock:
            self._wanted[query] += 1
        future = self._thread.submit(lambda: then(self._vector(query)))
        future.add_done_callback(lambda _: self._leave(query))
        return await asyncio.wrap_future(future)

    def _vector(self, query: str) -> Vectors:
        if query not in self._vectors:
            self._vectors[query] = self._embedded(query)
        return self._vectors[query]

    def _leave(self, query: str) -> None:
        """One caller less waits for the query: it has its result, or was cancelled."""
        with self._lock:
            self._wanted[query] -= 1
            if not self._wanted[query]:
                del self._wanted[query]
                self._vectors.pop(query, None)

    def _embedded(self, query: str) -> Vectors:
        """A query longer than the model reads is the mean of its windows."""
        windows = self._embedder.embed(query_windows(query, self._embedder))
        mean: Vectors = windows.mean(axis=0)
        return mean if len(windows) == 1 else mean / max(float(np.linalg.norm(mean)), 1e-12)


def _encodable(text: str) -> str:
    """Half surrogate pairs, which broken files contain, have no UTF-8 form and would raise."""
    return text.encode("utf-8", "replace").decode()
