"""Files of a course that are sent to be ingested: how they are named, what waits, and what became of them."""

from __future__ import annotations

import hashlib
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from starlette.datastructures import FormData, UploadFile

from core.concurrency import in_thread
from core.errors import InvalidInput, OversizedDocument
from core.store.store import Store
from core.store.tables import DocumentRow, WaitingFileRow
from core.types import Source
from ingestion.exports import EXPORTS, open_export, with_rules
from ingestion.exports.folder import CourseFolder
from ingestion.files import Skipped, SourceFile, discover
from ingestion.kinds import source_by_name
from ingestion.loaders import SUFFIXES

MAX_NAME_CHARS = 200


@dataclass(frozen=True)
class UnpackLimits:
    """For the files of all archives that are sent at once, which are held in memory until they are stored."""

    size: int = 256 * 2**20
    """In bytes."""
    files: int = 5_000

    def after(self, rows: Sequence[WaitingFileRow]) -> UnpackLimits:
        """What these files leave of them."""
        return UnpackLimits(self.size - sum(len(row.content) for row in rows), self.files - len(rows))


LIMITS = UnpackLimits()


@dataclass(frozen=True)
class SentFiles:
    """What a form held: files to store, and those of archives that are not read."""

    rows: list[WaitingFileRow]
    skipped: list[Skipped]


async def read_sent_files(store: Store, course_id: str, form: FormData, limits: UnpackLimits = LIMITS) -> SentFiles:
    """The files of a form's field `file`, of the kind in its field `source`, or by their names where that is empty.

    An archive, or the export of a platform or forum, is unpacked, and what it says of its files becomes rules of
    the course. Raises `InvalidInput` and `UnreadableDocument` for any of the files.
    """
    source = _source(str(form.get("source", "")))
    sent = [file for file in form.getlist("file") if isinstance(file, UploadFile) and file.filename]
    if not sent:
        raise InvalidInput("No file was chosen. Choose one or more.")
    documents = await store.material.documents(course_id)
    rows: list[WaitingFileRow] = []
    unpacked: list[WaitingFileRow] = []
    exports: list[CourseFolder] = []
    for file in sent:
        name, content = _plain_name(file.filename or ""), await file.read()
        if PurePosixPath(name).suffix.lower() in EXPORTS:
            export, files = await in_thread(_unpack, course_id, name, content, source, limits.after(unpacked))
            unpacked += files
            exports.append(export)
        else:
            kind, name = _as_document(name, source, documents)
            rows.append(await in_thread(_row, course_id, kind, name, content))
    rows += unpacked
    ((_, name), times) = Counter((row.source, row.name) for row in rows).most_common(1)[0]
    if times > 1:
        raise InvalidInput(f"Two of the files are called {name}. Rename one, or send them from their folders.")
    await _add_rules(store, course_id, exports)
    return SentFiles(
        rows, [Skipped(f"{export.stem}/{file}", why) for export in exports for file, why in export.skipped]
    )


async def read_failures(store: Store, course_id: str, held: set[tuple[Source, str]]) -> dict[tuple[Source, str], str]:
    """Those of the files that are held since they could not be ingested, with the latest reason."""
    jobs = [job for job in await store.failed_jobs.all() if job.kind == "ingest"]
    mine = [job for job in reversed(jobs) if job.arguments["course"] == course_id]
    reasons = {(Source(job.arguments["source"]), job.arguments["name"]): job.error for job in mine}
    return {file: reason for file, reason in reasons.items() if file in held}


def _unpack(
    course_id: str, name: str, content: bytes, source: Source | None, limits: UnpackLimits
) -> tuple[CourseFolder, list[WaitingFileRow]]:
    """What an export says of its files, and the files. Raises `OversizedDocument` beyond the limits."""
    with tempfile.TemporaryDirectory(prefix="edumod-sent-") as folder:
        path = Path(folder) / PurePosixPath(name).name
        path.write_bytes(content)
        with open_export(str(path), source) as export:
            discovered = [(kind, file) for kind in export.sources() for file in discover([export.folder(kind)]).files]
            _demand_within(limits, name, [file for _, file in discovered])
            return export, [_row(course_id, kind, file.name, file.read()) for kind, file in discovered]


def _demand_within(limits: UnpackLimits, name: str, files: Sequence[SourceFile]) -> None:
    size = sum(file.size for file in files)
    if size > limits.size or len(files) > limits.files:
        raise OversizedDocument(
            f"{name} has {len(files):,} documents of {size // 2**20} MiB. Archives that are sent at once may have "
            f"{LIMITS.files:,} of {LIMITS.size // 2**20} MiB in all. Use `edumod ingest` on the server, or split them."
        )


async def _add_rules(store: Store, course_id: str, exports: Sequence[CourseFolder]) -> None:
    course = changed = await store.courses.read(course_id)
    for export in exports:
        changed = with_rules(changed, export)
    if changed != course:
        await store.courses.put_documents(course_id, changed.model_dump(mode="json")["documents"])


def _row(course_id: str, source: Source, name: str, content: bytes) -> WaitingFileRow:
    digest = hashlib.sha256(content).hexdigest()
    return WaitingFileRow(course_id=course_id, source=source, name=name, sha256=digest, content=content)


def _source(kind: str) -> Source | None:
    try:
        return Source(kind) if kind else None
    except ValueError:
        raise InvalidInput(f"Say what kind of material it is, or nothing: {', '.join(Source)}.") from None


def _plain_name(sent: str) -> str:
    """A browser sends a file's own name, or with a folder the path below it."""
    parts = [part for part in PurePosixPath(sent.replace("\\", "/")).parts if part not in ("/", "..", ".")]
    name = "/".join(parts)
    if not name or not name.isprintable() or len(name) > MAX_NAME_CHARS:
        raise InvalidInput(f"A file's name has 1 to {MAX_NAME_CHARS} printable characters. Rename it: {name[:80]!r}.")
    suffix = PurePosixPath(name).suffix.lower()
    if suffix not in (*SUFFIXES, *EXPORTS):
        supported = ", ".join(sorted((*SUFFIXES, *EXPORTS)))
        raise InvalidInput(f"{name}: the format {suffix or '(none)'} is not supported. Supported: {supported}.")
    return name


def _as_document(name: str, source: Source | None, documents: Sequence[DocumentRow]) -> tuple[Source, str]:
    """What the document is and is called: as the one of that file name that the course has already, if there is one.

    Documents are called by their paths.
    """
    same = [row for row in documents if source in (None, row.source) and f"/{row.name}".endswith(f"/{name}")]
    if len(same) == 1:
        return Source(same[0].source), same[0].name
    return source or source_by_name(name), name
