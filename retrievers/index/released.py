"""All of a course's passages, divided by whether they are released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from core.concurrency import in_thread
from core.store.material import Material, StoredBlock
from core.types import Passage
from retrievers.index.solutions import join_solutions

END_OF_TIME = datetime.max.replace(tzinfo=UTC)
"""When everything is released."""


@dataclass(frozen=True)
class Version:
    """A state of a course's material: its `revision`, up to the moment `until` when the next document is released."""

    revision: int
    until: datetime | None

    def is_current(self, revision: int, at: datetime) -> bool:
        return self.revision == revision and (self.until is None or at < self.until)


@dataclass(frozen=True)
class CoursePassages:
    """A course's passages in one version; solutions stand in their assignment's passages, as they do in an index."""

    version: Version
    released: tuple[Passage, ...]
    unreleased: tuple[Passage, ...]


async def read_passages(material: Material, course_id: str, revision: int, at: datetime) -> CoursePassages:
    """The passages as of that moment."""
    until = await material.next_release(course_id, at)
    released = await material.blocks(course_id, None, at)
    every = released if until is None else await material.blocks(course_id, None, END_OF_TIME)
    return await in_thread(_divided, Version(revision, until), released, every)


def _divided(version: Version, released: Sequence[StoredBlock], every: Sequence[StoredBlock]) -> CoursePassages:
    known = {block.passage.block_id for block in released}
    others = [block for block in every if block.passage.block_id not in known]
    return CoursePassages(version, _passages(released), _passages(others))


def _passages(blocks: Sequence[StoredBlock]) -> tuple[Passage, ...]:
    return tuple(joined.passage for joined in join_solutions(blocks))
