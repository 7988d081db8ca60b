"""What a reviewer inserts into an answer: citations found in the material, and the course's snippets."""

from __future__ import annotations

from typing import Annotated
from uuid import uuid4

from fastapi import APIRouter, Form, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import BaseModel, Field

from app.answering.asked_question import charges_in
from app.review.stored_draft import read_draft
from app.routes.parameters import CourseId, Decider, DraftId, reading
from app.routes.services import Wired
from app.schemas import Text
from app.web.render import html_response
from core.access import Access, Permission
from core.errors import EduModError, InvalidInput
from core.store.tables import SnippetRow
from core.types import Audience, Citation, Passage

router = APIRouter(include_in_schema=False)

FOUND = 6
EXCERPT_CHARS = 160
MAX_SNIPPETS = 200
MAX_SNIPPET_CHARS = 5_000


class FoundSource(BaseModel):
    """A passage that students may read, and how an answer refers to it."""

    title: str
    where: str
    excerpt: str
    reference: str = Field(description="Markdown to insert.")


@router.get("/review/{draft_id}/material")
async def search_material(
    draft_id: DraftId, services: Wired, access: Decider, q: Annotated[Text, Query(min_length=1, max_length=500)]
) -> list[FoundSource]:
    """Passages that students may read: what the draft cites already keeps its number."""
    read = await read_draft(services.store, draft_id, reading(access).reach)
    access.demand(Permission.DRAFTS_DECIDE, read.course.id)
    await services.store.usage.take(charges_in(read.course, access.key))
    cited = {
        one["block_id"]: Citation.model_validate(one) for one in (read.draft.response or {}).get("citations") or ()
    }
    found = await services.assistant.retrieve(read.course.id, None, "hybrid", q, FOUND, Audience.STUDENTS)
    return [_source(passage, cited.get(passage.block_id)) for passage in found]


def _source(passage: Passage, cited: Citation | None) -> FoundSource:
    title = passage.heading_path[-1] if passage.heading_path else passage.title
    words = " ".join(passage.text.split())
    reference = f"[{cited.number}]" if cited else f"(see {passage.location})"
    excerpt = words if len(words) <= EXCERPT_CHARS else f"{words[:EXCERPT_CHARS]}…"
    return FoundSource(title=title, where=passage.location, excerpt=excerpt, reference=reference)


@router.get("/courses/{course_id}/snippets", response_class=HTMLResponse)
async def snippets(course_id: CourseId, services: Wired, access: Decider) -> HTMLResponse:
    """The course's pieces of text for answers."""
    return await _page(services, course_id, access)


@router.post("/courses/{course_id}/snippets", response_class=HTMLResponse)
async def change_snippets(
    course_id: CourseId,
    services: Wired,
    access: Decider,
    do: Annotated[str, Form(max_length=20)] = "add",
    name: Annotated[Text, Form()] = "",
    text: Annotated[Text, Form()] = "",
    snippet: Annotated[Text, Form(max_length=64)] = "",
) -> Response:
    """Add a snippet, or remove one."""
    access.demand(Permission.DRAFTS_DECIDE, course_id)
    try:
        if do == "remove":
            await services.store.snippets.remove(course_id, snippet)
        else:
            await services.store.snippets.add(await _new(services, course_id, access, name.strip(), text.strip()))
    except EduModError as error:
        return await _page(services, course_id, access, error.status, error=error.public, name=name, text=text)
    return RedirectResponse(f"/courses/{course_id}/snippets", 303)


async def _new(services: Wired, course_id: str, access: Access, name: str, text: str) -> SnippetRow:
    """Raises `InvalidInput`."""
    if not name or not text:
        raise InvalidInput("A snippet needs a name and a text.")
    if len(name) > 100 or len(text) > MAX_SNIPPET_CHARS:
        raise InvalidInput(f"A name has at most 100 characters, and a text {MAX_SNIPPET_CHARS:,}. Shorten it.")
    if len(await services.store.snippets.of_course(course_id)) >= MAX_SNIPPETS:
        raise InvalidInput(f"A course has at most {MAX_SNIPPETS} snippets. Remove one first.")
    return SnippetRow(id=uuid4().hex, course_id=course_id, name=name, text=text, created_by_name=access.actor.name)


async def _page(
    services: Wired,
    course_id: str,
    access: Access,
    status: int = 200,
    *,
    error: str = "",
    name: str = "",
    text: str = "",
) -> HTMLResponse:
    access.demand(Permission.DRAFTS_DECIDE, course_id)
    await services.store.courses.get(course_id)
    return await html_response(
        "snippets.html",
        status,
        course_id=course_id,
        snippets=await services.store.snippets.of_course(course_id),
        error=error,
        name=name,
        text=text,
        most=MAX_SNIPPET_CHARS,
        may_correct=access.may(Permission.COURSE_ADMIN, course_id),
    )
