"""Files that wait in the database to be ingested, on whichever machine has time."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from app.jobs.kind import Workplace
from core.errors import UnreadableDocument
from core.store.shared_work import WaitingFile
from core.store.tables import WaitingFileRow
from core.types import Source
from ingestion.files import Discovery, SourceFile, without_excluded
from ingestion.run_report import FileOutcome, IngestionPlan


async def store_for_ingestion(work: Workplace, course_id: str, source: Source, files: tuple[SourceFile, ...]) -> int:
    """Store files, and add a job for each; how many jobs that were. A file that waits already is replaced."""
    added = 0
    for file in files:
        content = file.read()
        row = WaitingFileRow(course_id=course_id, source=source, name=file.name, sha256=file.sha256, content=content)
        added += await ingest_later(work, row)
    return added


async def ingest_later(work: Workplace, row: WaitingFileRow) -> bool:
    """Store a file, in place of one of its name that waits, and add a job for it; False where one waits already."""
    row.is_accepted = True
    await work.store.waiting_files.put(row)
    return await _add_job(work, row.course_id, row.source, row.name)


async def accept_waiting(work: Workplace, course_id: str) -> int:
    """Ingest the files of a course that wait; how many they are."""
    files = await work.store.waiting_files.accept(course_id)
    for file in files:
        await _add_job(work, course_id, file.source, file.name)
    return len(files)


async def plan_waiting(work: Workplace, course_id: str, files: Sequence[WaitingFile]) -> list[IngestionPlan]:
    """What ingesting these files would do, a plan for each kind of material. Their text is read for it."""
    course = await work.store.courses.read(course_id)
    plans = []
    for source in dict.fromkeys(file.source for file in files):
        names = [file.name for file in files if file.source is source]
        rows = [row for name in names if (row := await work.store.waiting_files.get(course_id, source, name))]
        with _on_disk(rows) as present:
            discovery = without_excluded(Discovery(present, (), ()), (), course, source)
            async with work.ingestion() as ingestion:
                plans.append(await ingestion.plan(course, source, discovery, parse=True))
    return plans


async def ingest_waiting(work: Workplace, course_id: str, source: Source, name: str) -> None:
    """Ingest one file. Raises `UnreadableDocument` where it cannot be; a version indexed before is kept then."""
    row = await work.store.waiting_files.get(course_id, source, name)
    if row is None:
        return
    course = await work.store.courses.read(course_id)
    with _on_disk([row]) as files:
        discovery = without_excluded(Discovery(files, (), ()), (), course, source)
        async with work.ingestion() as ingestion:
            report = await ingestion.run(course, source, discovery, kind=f"ingest {name}")
    if refused := report.files_with(FileOutcome.FAILED, FileOutcome.SKIPPED):
        # The file stays, for the job to be retried, or to be discarded.
        await work.store.waiting_files.hold(row)
        raise UnreadableDocument(f"{name}: {refused[0].reason}")
    await work.store.waiting_files.remove(row)
    if work.indexes.nearest is not None:
        await work.jobs.add("vectors", {"course": course_id}, course_id)


async def _add_job(work: Workplace, course_id: str, source: Source, name: str) -> bool:
    arguments = {"course": course_id, "source": source.value, "name": name}
    return await work.jobs.add("ingest", arguments, f"{course_id} {source.value} {name}")


@contextmanager
def _on_disk(rows: Sequence[WaitingFileRow]) -> Iterator[tuple[SourceFile, ...]]:
    with tempfile.TemporaryDirectory(prefix="edumod-ingest-") as folder:
        files = []
        for number, row in enumerate(rows):
            path = Path(folder) / f"{number}{Path(row.name).suffix}"
            path.write_bytes(row.content)
            files.append(SourceFile(path, row.name, len(row.content), row.sha256))
        yield tuple(files)
