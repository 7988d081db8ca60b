"""A course of this repository as it is ingested, and the blocks that a labelled location names."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from app.wiring import build_services
from core.course import read_course
from core.store.material import StoredBlock
from core.store.tables import now
from ingestion.files import discover
from tests.app.live import settings_in
from tests.fakes import FakeEmbedder

DATA = Path(__file__).parents[2] / "data"
"""One folder per course."""


async def ingested(folder: Path, home: Path) -> list[StoredBlock]:
    """All blocks of the course in the folder, solutions included."""
    course = read_course(folder / "course.yaml")
    services = await build_services(settings_in(home), embedder=FakeEmbedder())
    await services.store.courses.put(course.id, course.model_dump(mode="json"))
    async with services.ingestion() as ingestion:
        for source, folders in course.material.items():
            await ingestion.run(course, source, discover([folder / name for name in folders]))
    blocks = await services.store.material.blocks(course.id, None, now())
    await services.aclose()
    return blocks


def at(location: str, blocks: Iterable[StoredBlock]) -> list[StoredBlock]:
    """The blocks that a location names."""
    document, *headings = location.split(" > ")
    return [
        block
        for block in blocks
        if block.passage.document == document and list(block.passage.heading_path[: len(headings)]) == headings
    ]
