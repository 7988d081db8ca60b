"""Files that wait in the database to be ingested, on whichever machine has time."""

from __future__ import annotations

import tempfile
from pathlib import Path

from app.jobs.kind import Workplace
from core.errors import UnreadableDocument
from core.store.tables import WaitingFileRow
from core.types import Source
from ingestion.files import Discovery, SourceFile
from ingestion.run_report import FileOutcome


async def store_for_ingestion(work: Workplace, course_id: str, source: Source, files: tuple[SourceFile, ...]) -> int:
    """Store files, and add a job for each; how many jobs that were. A file that waits already is replaced."""
    added = 0
    for file in files:
        row = WaitingFileRow(
            course_id=course_id, source=source, name=file.name, sha256=file.sha256, content=file.read()
        )
        await work.store.waiting_files.put(row)
        arguments = {"course": course_id, "source": source.value, "name": file.name}
        added += await work.jobs.add("ingest", arguments, f"{course_id} {source.value} {file.name}")
    return added


async def ingest_waiting(work: Workplace, course_id: str, source: Source, name: str) -> None:
    """Ingest one file. Raises `UnreadableDocument` where it cannot be; a version indexed before is kept then."""
    row = await work.store.waiting_files.get(course_id, source, name)
    if row is None:
        return
    course = await work.store.courses.read(course_id)
    with tempfile.TemporaryDirectory(prefix="edumod-ingest-") as folder:
        path = Path(folder) / f"file{Path(name).suffix}"
        path.write_bytes(row.content)
        file = SourceFile(path, name, len(row.content), row.sha256)
        async with work.ingestion() as ingestion:
            report = await ingestion.run(course, source, Discovery((file,), (), ()), kind=f"ingest {name}")
    if failed := report.files_with(FileOutcome.FAILED):
        # The file stays, for the job to be retried.
        raise UnreadableDocument(f"{name}: {failed[0].reason}")
    await work.store.waiting_files.remove(row)
    if work.indexes.nearest is not None:
        await work.jobs.add("vectors", {"course": course_id}, course_id)
