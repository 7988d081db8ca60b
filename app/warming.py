"""Loading the heavy parts before the first question needs them."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Sequence
from importlib import import_module

from core.concurrency import in_thread
from core.errors import public_reason
from core.store.store import Store
from core.types import Source
from pipelines.assistant import Assistant
from retrievers import RETRIEVERS
from retrievers.embedding.encoder import Encoder
from retrievers.index.indexes import Indexes

log = logging.getLogger("edumod")

IMPORTED_LATER = ("jsonschema", "jinja2", "markdown_it", "latex2mathml.converter", "pygments.formatters.html")
"""Libraries that are imported in the background, so that neither the start nor the first answer or page waits."""
BUSY_COURSES = 50
"""Courses that are loaded at the start, those with most questions of late first, as far as memory allows."""
TAKE_OVER_SECONDS = 60.0
"""How long a process waits to be warm while others answer."""
GC_THRESHOLDS = (5_000, 5)
"""New objects, and such rounds, after which the younger generations are searched for garbage. Under load most of them
are of answers under way: each round takes a microsecond an object, in which nobody else is served."""


class Warming:
    """Loads embeddings, libraries and the indexes of busy courses in the background."""

    def __init__(self, store: Store, encoders: Sequence[Encoder], indexes: Indexes) -> None:
        self._store = store
        self._encoders = encoders
        self._indexes = indexes
        self._task: asyncio.Task[None] | None = None

    def start(self, assistant: Assistant) -> None:
        self._task = asyncio.create_task(self._run(assistant))

    async def let_others_answer(self) -> None:
        """Wait until everything is loaded if other processes run: a proxy asks them while this one is not there.

        A process that is alone answers slowly at first, which is better than not at all.
        """
        if self._task and self._store.processes.living > 1:
            await asyncio.wait([self._task], timeout=TAKE_OVER_SECONDS)

    @property
    def state(self) -> str:
        """`ok`, `loading`, or why the embedding cannot be loaded."""
        if self._task is None:
            return "ok"
        if not self._task.done():
            return "loading"
        if error := self._task.exception():
            log.error("The embedding model cannot be loaded: %s", error)
            return public_reason(error)
        return "ok"

    async def aclose(self) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self, assistant: Assistant) -> None:
        for encoder in self._encoders:
            await encoder.warm_up()
        await in_thread(RETRIEVERS[0].load)
        for library in IMPORTED_LATER:
            await in_thread(import_module, library)
        for course_id in await self._store.drafts.busy_courses(BUSY_COURSES):
            await self._load(course_id, assistant)
            if self._indexes.is_full:
                break
        # Loaded objects are never freed; collecting garbage among them repeatedly would delay answers.
        gc.collect()
        gc.freeze()
        gc.set_threshold(*GC_THRESHOLDS)

    async def _load(self, course_id: str, assistant: Assistant) -> None:
        try:
            for source in Source:
                await self._indexes.get(course_id, source)
            await assistant.prepare(course_id)
            await self._store.rosters.get(course_id)
        except Exception:
            # A course that cannot be loaded must not affect others; questions about it report the error.
            log.exception("The indexes of course %s cannot be loaded", course_id)
