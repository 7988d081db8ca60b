"""Embeds queries that arrive one by one, from many places at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import TypeVar

import numpy as np

from retrievers.embedding.base import Embedder, Vectors, checked
from retrievers.embedding.chunks import query_windows

T = TypeVar("T")

Known = dict[tuple[int, str], Vectors]
"""The vectors of queries, by embedder."""
NOTHING_KNOWN: Known = {}
_VECTORS: ContextVar[Known] = ContextVar("vectors of queries", default=NOTHING_KNOWN)


@contextmanager
def one_answer() -> Iterator[None]:
    """Within it equal queries are embedded once: a question is routed and searched with the same words.

    Nothing is kept beyond it, so that what is measured does not depend on what was asked before.
    """
    token = _VECTORS.set({})
    try:
        yield
    finally:
        _VECTORS.reset(token)


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
        known = _VECTORS.get()
        future = self._thread.submit(lambda: then(self._vector(query, known)))
        future.add_done_callback(lambda _: self._leave(query))
        return await asyncio.wrap_future(future)

    def _vector(self, query: str, known: Known) -> Vectors:
        if query not in self._vectors:
            found = known.get((id(self), query))
            self._vectors[query] = self._embedded(query) if found is None else found
        if known is not NOTHING_KNOWN:
            known[id(self), query] = self._vectors[query]
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
        embedding = self._embedder.embedding
        windows = query_windows(query, self._embedder, embedding.max_tokens)
        vectors = self._embedder.embed([embedding.query_prefix + window for window in windows])
        mean: Vectors = checked(vectors, len(windows), embedding).mean(axis=0)
        return mean if len(windows) == 1 else mean / max(float(np.linalg.norm(mean)), 1e-12)
