"""`/courses/{course_id}`: a course's documents and their pages."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated
from urllib.parse import quote as quoted

from fastapi import APIRouter, Form, Path, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from app.answering.asked_question import charges_in
from app.answers import read_answer
from app.material.documents import document_of, read_course, read_document
from app.routes.parameters import Admin, Asker, BlockId, CourseId, DocumentId
from app.routes.services import Wired
from app.schemas import Text
from app.web.render import html_response
from core.access import Access, Permission
from core.errors import EduModError, NotFound
from core.store.corrections import Correction
from core.store.store import Store
from core.store.tables import DocumentRow, QuizQuestionRow
from core.types import Audience, Citation, Passage, Visibility

router = APIRouter(include_in_schema=False)

FOUND = 10
MAX_QUERY_CHARS = 500
CACHED = {"Cache-Control": "private, max-age=600"}


def _is_staff(access: Access, course_id: str) -> bool:
    access.demand(Permission.ANSWER, course_id)
    return access.may(Permission.DRAFTS_READ, course_id)


@router.get("/courses/{course_id}", response_class=HTMLResponse)
async def course(
    course_id: CourseId,
    services: Wired,
    access: Asker,
    q: Annotated[Text, Query(max_length=MAX_QUERY_CHARS)] = "",
    as_: Annotated[str, Query(alias="as", max_length=10)] = "student",
) -> HTMLResponse:
    """The documents of a course, what ingestion warned of, and a search as a student or as staff would see it."""
    is_staff = _is_staff(access, course_id)
    material = await read_course(services.store, course_id, is_staff=is_staff)
    passages: list[Passage] = []
    error = None
    audience = Audience.STAFF if is_staff and as_ == Audience.STAFF else Audience.STUDENTS
    if q.strip():
        # A search works as hard as a question, and tells as much.
        await services.store.usage.take(charges_in(await services.answering.course(course_id), access.key))
        try:
            passages = await services.assistant.retrieve(course_id, None, "hybrid", q, FOUND, audience)
        except EduModError as problem:
            error = problem.public
    return await html_response(
        "course.html",
        material=material,
        is_staff=is_staff,
        may_correct=access.may(Permission.COURSE_ADMIN, course_id),
        q=q,
        seen_as=as_ if is_staff else "student",
        passages=passages,
        error=error,
    )


@router.get("/courses/{course_id}/blocks/{block_id}")
async def block(
    course_id: CourseId,
    block_id: BlockId,
    services: Wired,
    access: Asker,
    answer: Annotated[Text, Query(max_length=64)] = "",
    citation: Annotated[int, Query(ge=0, le=9999)] = 0,
    quiz: Annotated[Text, Query(max_length=64)] = "",
    question: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Response:
    """Leads to the block in its document."""
    is_staff = _is_staff(access, course_id)
    document = await document_of(services.store, course_id, block_id, is_staff=is_staff)
    where = f"/courses/{quoted(course_id)}/documents/{document}?block={quoted(block_id)}"
    where += f"&answer={quoted(answer)}&citation={citation}" if answer else ""
    where += f"&quiz={quoted(quiz)}&question={question}" if quiz else ""
    return RedirectResponse(where, 302)


@router.get("/courses/{course_id}/documents/{document_id}", response_class=HTMLResponse)
async def document(
    course_id: CourseId,
    document_id: DocumentId,
    services: Wired,
    access: Asker,
    block: Annotated[Text, Query(max_length=64)] = "",
    answer: Annotated[Text, Query(max_length=64)] = "",
    citation: Annotated[int, Query(ge=0, le=9999)] = 0,
    page: Annotated[int, Query(ge=0, le=100_000)] = 0,
    quiz: Annotated[Text, Query(max_length=64)] = "",
    question: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> HTMLResponse:
    """The blocks of a document; what was cited, or answers a question of a quiz, is marked, with its page beside it
    where there are pages."""
    is_staff = _is_staff(access, course_id)
    read = await read_document(services.store, course_id, document_id, is_staff=is_staff)
    cited = await _citation(services.store, access, course_id, answer, citation)
    asked = await _quiz_question(services.store, course_id, quiz, question) if is_staff and quiz else None
    mark = cited.quote if cited else asked.quote if asked else ""
    here = next((one.passage for one in read.blocks if one.passage.block_id == block), None)
    number = page or (here.position.first_page if here else None) or 1
    file = _file(services.settings.home, read.document)
    marks, problem = None, ""
    if read.has_page_images and file is not None:
        try:
            marks = await services.pages.marks(file, number, mark)
        except EduModError as error:
            problem = error.public
    return await html_response(
        "document.html",
        found=read,
        is_staff=is_staff,
        may_correct=access.may(Permission.COURSE_ADMIN, course_id),
        here=here,
        cited=cited,
        asked=asked,
        mark=mark,
        answer=answer if cited else "",
        number=number,
        marks=marks,
        problem=problem,
    )


@router.get("/courses/{course_id}/documents/{document_id}/pages/{number}")
async def page(
    course_id: CourseId,
    document_id: DocumentId,
    number: Annotated[int, Path(ge=1, le=100_000)],
    services: Wired,
    access: Asker,
) -> Response:
    """A page of a PDF document as an image. Raises `NotFound` also where it may show what is for staff, and as
    `PdfPages.image`."""
    read = await read_document(services.store, course_id, document_id, is_staff=_is_staff(access, course_id))
    file = _file(services.settings.home, read.document)
    image = await services.pages.image(file, number) if file is not None and read.has_page_images else None
    if image is None:
        raise NotFound(f"There is no image of page {number}.")
    return Response(image, media_type="image/png", headers=CACHED)


@router.post("/courses/{course_id}/blocks/{block_id}")
async def correct(
    course_id: CourseId,
    block_id: BlockId,
    services: Wired,
    access: Admin,
    visibility: Annotated[str, Form(pattern="^(student|staff|)$")] = "",
    is_question: Annotated[bool, Form()] = True,
) -> Response:
    """Correct who may see a block, and whether it is a question. It holds again after the next ingestion."""
    access.demand(Permission.COURSE_ADMIN, course_id)
    correction = Correction(Visibility(visibility) if visibility else None, is_question)
    await services.store.corrections.correct(course_id, block_id, correction, access.actor)
    return RedirectResponse(f"/courses/{quoted(course_id)}/blocks/{quoted(block_id)}#quote", 303)


async def _citation(store: Store, access: Access, course_id: str, answer: str, number: int) -> Citation | None:
    if not answer:
        return None
    try:
        stored = await read_answer(store, answer, access)
    except NotFound:
        return None
    if stored.course_id != course_id:
        return None
    return next((one for one in stored.citations if one.number == number), None)


async def _quiz_question(store: Store, course_id: str, quiz_id: str, number: int) -> QuizQuestionRow | None:
    try:
        return await store.quizzes.question(await store.quizzes.get(course_id, quiz_id), number)
    except NotFound:
        return None


def _file(home: FilePath, document: DocumentRow) -> FilePath | None:
    file = home / "files" / f"{document.sha256}.pdf"
    return file if document.pages and document.name.lower().endswith(".pdf") and file.is_file() else None
