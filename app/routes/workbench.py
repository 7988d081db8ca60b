"""What a draft's page says and asks while somebody works on it: its text as it is typed, and who is there."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response
from pydantic import BaseModel

from app.review.checks import SendingWarnings
from app.review.edits import EditIn, EditOut, are_too_many, form_of, summary
from app.review.evidence import CitedBlock, evidence_for, pdf_of
from app.review.item import notes_of, original_text
from app.review.stored_draft import ReadDraft, claim_of, read_draft
from app.review.working_text import WorkingText
from app.routes.parameters import Decider, DraftId, Reader, deciding, reading
from app.routes.services import Wired
from app.web.sentences import block_html
from core.access import Access, Permission, Person
from core.concurrency import in_thread
from core.errors import EditChanged, NotFound, TooLarge
from core.review import EditPurpose
from core.store.tables import DraftState, EditRow, now
from core.types import Citation

router = APIRouter(include_in_schema=False)

CACHED = {"Cache-Control": "private, max-age=600"}
Number = Annotated[int, Path(ge=1, le=9999)]
Purpose = Annotated[EditPurpose, Query()]


class Whereabouts(BaseModel):
    """Who has a draft, and what became of it since a page was loaded."""

    person: str
    csrf: str | None
    version: int
    revision: int
    is_open: bool
    decided_by: str | None
    held_by: str | None
    is_mine: bool
    until: datetime | None
    readers: list[str]


@router.put("/review/{draft_id}/edit")
async def save(
    draft_id: DraftId, edit: EditIn, services: Wired, access: Decider, purpose: Purpose = EditPurpose.DECISION
) -> EditOut:
    """Store what was typed, and show it. Raises `EditChanged` if another window has saved since."""
    me = deciding(access)
    read = await read_draft(services.store, draft_id, me.reach, me.person)
    if are_too_many(edit.fields):
        raise TooLarge("This text is too long to be saved. Shorten it.")
    if read.decision is not None and read.decision.decided_by == me.person.id and purpose is EditPurpose.DECISION:
        raise EditChanged("You have decided this draft in another window. Load the page.")
    row = EditRow(
        draft_id=draft_id,
        person=me.person.id,
        purpose=purpose,
        course_id=read.draft.course_id,
        base=edit.base,
        fields=edit.fields,
    )
    stored = await services.store.edits.save(row, edit.revision)
    citations = (read.draft.response or {}).get("citations") or () if edit.block and not read.is_hidden else ()
    cited = [Citation.model_validate(one) for one in citations]
    evidence = await evidence_for(services.store, read.course.id, cited)
    noticed = await services.checks.of(read, WorkingText.of_fields(form_of(stored)).final)
    return await in_thread(_shown, read, stored, edit.block, evidence, noticed)


def _shown(
    read: ReadDraft,
    stored: EditRow,
    number: int | None,
    evidence: Sequence[CitedBlock],
    noticed: SendingWarnings,
) -> EditOut:
    working = WorkingText.of_fields(form_of(stored))
    saved = {"revision": stored.revision, "saved_at": f"{stored.saved_at:%H:%M:%S}", "noticed": noticed.sentences}
    shown = summary(original_text(read, stored.purpose), working.final)
    if number is None or number > len(working.blocks):
        return EditOut(**saved, **shown)
    block = working.blocks[number - 1]
    html = str(block_html(block.text, number, notes_of(read, evidence, block.struck)))
    return EditOut(**saved, **shown, was=block.markdown, html=html)


@router.post("/review/{draft_id}/here")
async def here(
    draft_id: DraftId, services: Wired, access: Reader, purpose: Purpose = EditPurpose.DECISION
) -> Whereabouts:
    """The heartbeat of a page: reserves the draft if nobody else has it."""
    me = reading(access)
    draft = await services.review.draft(draft_id, me)
    if access.may(Permission.DRAFTS_DECIDE, draft.course_id):
        await services.review.open(draft_id, me)
    return await _whereabouts(services, draft_id, access, purpose)


@router.get("/review/{draft_id}/here")
async def whereabouts(
    draft_id: DraftId, services: Wired, access: Reader, purpose: Purpose = EditPurpose.DECISION
) -> Whereabouts:
    """The same without a reservation; who signed in again gets what forms must repeat."""
    return await _whereabouts(services, draft_id, access, purpose)


async def _whereabouts(services: Wired, draft_id: str, access: Access, purpose: EditPurpose) -> Whereabouts:
    me, at = reading(access), now()
    read = await read_draft(services.store, draft_id, me.reach)
    edit = await services.store.edits.of(draft_id, me.person.id, purpose)
    claim = claim_of(read.draft, at)
    present: list[Person] = (await services.store.presence.of_many([draft_id], at)).get(draft_id, [])
    return Whereabouts(
        person=me.person.id,
        csrf=access.csrf,
        version=read.draft.version,
        revision=edit.revision if edit else 0,
        is_open=read.draft.state in (DraftState.PENDING, DraftState.FAILED),
        decided_by=read.decision.decided_by_name if read.decision else None,
        held_by=claim.by if claim else None,
        is_mine=bool(claim) and read.draft.claimed_by == me.person.id,
        until=claim.until if claim else None,
        readers=[one.name for one in present if one.id != me.person.id],
    )


@router.get("/review/{draft_id}/pictures/{number}")
async def picture(draft_id: DraftId, number: Number, services: Wired, access: Reader) -> Response:
    """A picture of the question, as it was sent."""
    await services.review.draft(draft_id, reading(access))
    stored = await services.store.pictures.get(draft_id, number)
    return Response(stored.data, media_type=stored.media_type, headers=CACHED)


@router.get("/review/{draft_id}/evidence/{number}")
async def crop(draft_id: DraftId, number: Number, services: Wired, access: Reader) -> Response:
    """The part of a PDF's page that a citation stands on, with its box and quotation. Raises `NotFound`."""
    read = await read_draft(services.store, draft_id, reading(access).reach)
    citations = (read.draft.response or {}).get("citations") or () if not read.is_hidden else ()
    cited = [Citation.model_validate(one) for one in citations if one["number"] == number]
    evidence = await evidence_for(services.store, read.course.id, cited)
    file = await pdf_of(services.store, services.settings.home, read.course.id, evidence[0]) if evidence else None
    if file is None or (page := evidence[0].page) is None:
        raise NotFound(f"There is no page to show for citation {number}.")
    boxes = [(box.x0, box.y0, box.x1, box.y1) for box in evidence[0].boxes if box.page == page]
    if (image := await services.pages.crop(file, page, boxes, cited[0].quote)) is None:
        raise NotFound(f"There is no page {page}.")
    return Response(image, media_type="image/png", headers=CACHED)
