"""`/ingest`: files of a course are sent by a program, and ingested by the same jobs as those sent in a browser."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any
from urllib.parse import quote as quoted

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from app.jobs.uploads import ingest_later
from app.material.sent_files import read_failures, read_sent_files
from app.problems import responses
from app.routes.parameters import Admin, CourseId
from app.routes.services import Wired
from app.schemas import Text
from core.access import Permission
from core.errors import InvalidInput
from core.store.store import Store
from core.store.tables import DocumentRow, DocumentState
from core.types import Source

router = APIRouter(tags=["courses"])

LATEST = 200
"""Documents that are listed, those ingested last: as many as files can be sent at once."""
FORM: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["course", "file"],
                    "properties": {
                        "course": {"type": "string", "description": "The course's id."},
                        "source": {
                            "type": "string",
                            "enum": list(Source),
                            "description": "The kind of material; without it the names of folders and files decide.",
                        },
                        "file": {
                            "type": "array",
                            "items": {"type": "string", "format": "binary"},
                            "description": "Files, archives or exports. One with the name of a document replaces it.",
                        },
                    },
                }
            }
        },
    }
}


class FileState(StrEnum):
    QUEUED = "queued"
    HELD = "held"
    FAILED = "failed"
    INGESTED = "ingested"


class IngestedFileOut(BaseModel):
    """A file that was sent: `queued` for a worker, `held` until somebody confirms it, `failed`, or `ingested`."""

    source: Source
    name: str
    state: FileState
    error: str | None = Field(default=None, description="Why it could not be ingested.")
    document_id: str | None = Field(default=None, description="Its document, once it is ingested.")
    sha256: str | None = Field(default=None, description="Of what the document was made of.")
    at: datetime = Field(description="When it was sent or ingested.")


class SkippedFileOut(BaseModel):
    """A file of an archive that is not read, and why."""

    name: str
    reason: str


class IngestionOut(BaseModel):
    """What became of files that were sent. `queued` is how many still wait or are being ingested."""

    course_id: str
    queued: int
    files: list[IngestedFileOut]
    skipped: list[SkippedFileOut] = Field(default=[], description="Files of archives just sent that are not read.")


@router.post("/ingest", status_code=202, openapi_extra=FORM, responses=responses(413, 422, 503))
async def ingest(http: Request, response: Response, services: Wired, access: Admin) -> IngestionOut:
    """Have files of a course ingested in the background, as a multipart form. `Location` is where to see how far it is.

    A file that waits already is replaced by one of its name.
    """
    form = await http.form()
    if not (course_id := str(form.get("course", ""))):
        raise InvalidInput("Say in the field `course` which course the files are for.")
    access.demand(Permission.COURSE_ADMIN, course_id)
    await services.store.courses.get(course_id)
    sent = await read_sent_files(services.store, course_id, form)
    for row in sent.rows:
        await ingest_later(services, row)
    response.headers["Location"] = f"/ingest/{quoted(course_id, safe='')}"
    progress = await _progress(services.store, course_id, {(row.source, row.name) for row in sent.rows})
    return progress.model_copy(update={"skipped": [SkippedFileOut(**asdict(file)) for file in sent.skipped]})


@router.get("/ingest/{course_id}", responses=responses(422, 503))
async def ingestion(
    course_id: CourseId,
    services: Wired,
    access: Admin,
    name: Annotated[list[Text] | None, Query(description="Only files of these names.", max_length=LATEST)] = None,
) -> IngestionOut:
    """How far the ingestion of a course's files is: what waits, what failed, and the documents ingested last."""
    access.demand(Permission.COURSE_ADMIN, course_id)
    await services.store.courses.get(course_id)
    progress = await _progress(services.store, course_id)
    if name is None:
        return progress
    files = [file for file in progress.files if file.name in name]
    queued = sum(file.state is FileState.QUEUED for file in files)
    return progress.model_copy(update={"files": files, "queued": queued})


async def _progress(store: Store, course_id: str, only: set[tuple[Source, str]] | None = None) -> IngestionOut:
    waiting = await store.waiting_files.of(course_id)
    held = {(file.source, file.name) for file in waiting if not file.is_accepted}
    failures = await read_failures(store, course_id, held)
    documents = sorted(await store.material.documents(course_id), key=lambda row: row.ingested_at, reverse=True)
    files = {(row.source, row.name): _of_document(row) for row in reversed(documents[:LATEST])}
    for file in waiting:
        key = (file.source, file.name)
        error = failures.get(key)
        state = FileState.QUEUED if file.is_accepted else FileState.FAILED if error else FileState.HELD
        files.pop(key, None)
        files[key] = IngestedFileOut(source=file.source, name=file.name, state=state, error=error, at=file.stored_at)
    chosen = [file for key, file in reversed(files.items()) if only is None or key in only]
    queued = sum(file.state is FileState.QUEUED for file in chosen)
    return IngestionOut(course_id=course_id, queued=queued, files=chosen)


def _of_document(row: DocumentRow) -> IngestedFileOut:
    has_failed = row.state != DocumentState.INDEXED
    return IngestedFileOut(
        source=row.source,
        name=row.name,
        state=FileState.FAILED if has_failed else FileState.INGESTED,
        error=row.error,
        document_id=row.id,
        sha256=row.sha256,
        at=row.ingested_at,
    )
