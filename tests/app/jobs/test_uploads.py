"""Files that wait to be ingested are kept until that has succeeded."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from types import SimpleNamespace
from typing import Any

import pytest

from app.jobs.uploads import ingest_waiting
from core.errors import UnreadableDocument
from core.store.tables import WaitingFileRow
from core.types import Source
from ingestion.run_report import FileOutcome, IngestedFile
from tests.app.jobs.workplace import process


class Ingesting:
    """An ingestion with a given outcome, which keeps what it was given."""

    def __init__(self, outcome: FileOutcome) -> None:
        self.outcome = outcome
        self.contents: list[bytes] = []

    async def run(self, course: object, source: Source, discovery: Any, *, kind: str) -> Any:
        self.contents += [file.read() for file in discovery.files]
        files = [IngestedFile(name=file.name, outcome=self.outcome, reason="damaged") for file in discovery.files]
        return SimpleNamespace(files_with=lambda *outcomes: [file for file in files if file.outcome in outcomes])


async def test_a_file_stays_until_it_is_ingested_and_is_then_found_gone(database_url: str) -> None:
    ingesting = Ingesting(FileOutcome.FAILED)

    @asynccontextmanager
    async def ingestion() -> AsyncIterator[Any]:
        yield ingesting

    async with process(database_url) as here:
        here.ingestion, here.indexes = ingestion, SimpleNamespace(nearest=None)
        await here.store.courses.put("ds", {"id": "ds"})
        content = b"# A"
        row = WaitingFileRow(
            course_id="ds", source=Source.TEXTBOOK, name="a.md", content=content, sha256=sha256(content).hexdigest()
        )
        await here.store.waiting_files.put(row)
        with pytest.raises(UnreadableDocument, match="damaged"):
            await ingest_waiting(here, "ds", Source.TEXTBOOK, "a.md")
        ingesting.outcome = FileOutcome.INDEXED
        for _ in range(2):
            await ingest_waiting(here, "ds", Source.TEXTBOOK, "a.md")
    assert ingesting.contents == [b"# A", b"# A"]
