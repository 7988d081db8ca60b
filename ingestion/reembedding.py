"""Embeds a course again while it is searched; a killed run continues, and the course changes over at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import Field

from core.embedding import Embedding
from core.store.store import Store
from core.types import Value
from ingestion.embedding import embed_blocks
from retrievers.embedding.encoder import Encoder

BLOCKS = 32
"""Blocks embedded in one transaction: what is lost at most when a run is killed."""

Progress = Callable[[int, int], None]
"""Called with how many of how many blocks of the course are embedded."""


class ReembeddingPlan(Value):
    """What changing a course to the configured embedding takes, and how far it is."""

    course: str
    before: str | None = Field(description="Embedding that the course is searched with until then; None if unknown.")
    after: str = Field(description="The configured embedding.")
    differences: tuple[str, ...] = Field(description="In what they differ, as `max_tokens 254 → 510`.")
    blocks: int = Field(description="Blocks of the course, all of which are embedded again.")
    done: int = Field(description="Of them, embedded already by a run that was interrupted.")
    deleted: int = Field(description="Vectors of other embeddings that are deleted at the end.")


@dataclass(frozen=True)
class Reembedding:
    """Embeds courses with `encoder` that are embedded with another."""

    store: Store
    encoder: Encoder

    async def plan(self, course_id: str) -> ReembeddingPlan | None:
        """None where there is nothing to do."""
        course, target = await self.store.courses.find(course_id), await self.encoder.embedding()
        if course is None or course.embedding is None:
            return None
        counts = await self.store.vectors.counts(course_id, target.id)
        if course.embedding == target and counts.embedded == counts.blocks and not counts.other_vectors:
            return None
        return ReembeddingPlan(
            course=course_id,
            before=str(course.embedding),
            after=str(target),
            differences=course.embedding.differences(target),
            blocks=counts.blocks,
            done=counts.embedded,
            deleted=counts.other_vectors,
        )

    async def run(self, course_id: str, progress: Progress = lambda _done, _total: None) -> ReembeddingPlan | None:
        """Do what `plan` says and return it, or None. Raises as the encoder; progress is kept."""
        plan = await self.plan(course_id)
        if plan is None:
            return None
        target = await self.encoder.embedding()
        while not await self.store.vectors.change_over(course_id, target):
            await self._pass(course_id, target, progress)
        progress(plan.blocks, plan.blocks)
        return plan

    async def _pass(self, course_id: str, target: Embedding, progress: Progress) -> None:
        course = await self.store.courses.find(course_id)
        counts, last = await self.store.vectors.counts(course_id, target.id), ""
        done = counts.embedded
        while course is not None:
            progress(done, counts.blocks)
            blocks = await self.store.vectors.missing(course_id, target.id, last, BLOCKS)
            rows = await embed_blocks(self.encoder, course_id, blocks)
            if not blocks or not await self.store.vectors.add(course_id, course.revision, rows):
                return
            last, done = blocks[-1].id, done + len(blocks)
