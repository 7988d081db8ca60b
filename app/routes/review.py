"""`/review`: the queue of drafts and one draft, for people. Works without JavaScript."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import ValidationError

from app.answering.alternatives import offer
from app.people.reads import note_read
from app.problems import log_failure
from app.review.bulk import BulkResult, approve_sure
from app.review.correcting import correct_draft
from app.review.deciding import Reviewer, answer_of
from app.review.edits import demand_latest, digest_of, form_of, keep_decision, keep_form, put, summary
from app.review.form import decision_in, number_in
from app.review.item import alternative_parts, original_text, read_item, shown_text
from app.review.merging import merged_text
from app.review.queue import QueueFilter, read_queue, title_of
from app.review.reserving import leave_for_next
from app.review.schemas import DecisionIn
from app.review.shadow import is_hidden
from app.review.stored_draft import read_draft
from app.review.working_text import WorkingText, fields_of
from app.routes.parameters import Decider, DraftId, Reader, deciding, queue_filter, reading
from app.routes.services import Wired
from app.schemas import Text
from app.web.render import html_response
from core.access import Access, Permission
from core.concurrency import in_thread
from core.errors import EditChanged, EduModError, NotFound, Unconfirmed
from core.review import EditPurpose, Outcome, QuestionKind, Reason
from core.validation import problems_in
from pipelines import PIPELINES

router = APIRouter(include_in_schema=False)

Wanted = Annotated[QueueFilter, Depends(queue_filter)]


@router.get("/review", response_class=HTMLResponse)
async def queue(
    services: Wired,
    access: Reader,
    wanted: Wanted,
    after: Annotated[str | None, Query()] = None,
    undo: Annotated[Text | None, Query()] = None,
    approved: Annotated[int | None, Query(ge=0)] = None,
    sample: Annotated[int, Query(ge=0)] = 0,
    unsure: Annotated[int, Query(ge=0)] = 0,
    gone: Annotated[int, Query(ge=0)] = 0,
) -> HTMLResponse:
    """The drafts that wait, those that wait longest first."""
    if wanted.course:
        access.demand(Permission.DRAFTS_READ, wanted.course)
    me = reading(access)
    drafts = await read_queue(services.store, wanted, me, after)
    courses = await services.store.courses.all(me.reach.courses)
    chosen = next((one for one in courses if one.id == wanted.course), None)
    return await html_response(
        "review.html",
        queue=drafts,
        wanted=wanted,
        reviewer=me.person,
        courses=courses,
        is_judged=any(one.config.get("judge") for one in courses),
        categories=(chosen.config.get("categories") or ()) if chosen else (),
        kinds=QuestionKind,
        undo=await _undoable(services, me, undo),
        saved=await services.store.saved_filters.of(me.person.id),
        bulk=None if approved is None else BulkResult(approved, sample, unsure, gone),
        waiting=drafts.counts["waiting"],
    )


@router.post("/review/bulk", response_class=HTMLResponse)
async def bulk(http: Request, services: Wired, access: Decider, wanted: Wanted) -> Response:
    """Approve the chosen drafts that are sure enough."""
    form = await http.form()
    chosen = [str(one) for one in form.getlist("pick")]
    result = await approve_sure(services.review, services.learning, chosen, deciding(access))
    where = wanted.address()
    return RedirectResponse(f"{where}{'&' if '?' in where else '?'}{urlencode(asdict(result))}", 303)


@router.get("/review/{draft_id}", response_class=HTMLResponse)
async def item(
    draft_id: DraftId,
    services: Wired,
    access: Reader,
    wanted: Wanted,
    undo: Annotated[Text | None, Query()] = None,
    second: Annotated[bool, Query(description="Decided drafts as if they waited, for a second opinion.")] = False,
    correct: Annotated[bool, Query(description="A final text, to be corrected.")] = False,
    undone: Annotated[bool, Query(description="After one's own decision was taken back.")] = False,
    whole: Annotated[bool, Query(description="The text in one piece.")] = False,
) -> HTMLResponse:
    """One draft: the question, its text, and what it rests on. Its page reserves it once somebody looks at it."""
    me = reading(access)
    toast = await _undoable(services, me, undo)
    purpose = EditPurpose.OPINION if second else EditPurpose.CORRECTION if correct else EditPurpose.DECISION
    is_undone = undone and purpose is EditPurpose.DECISION
    return await _page(services, me, draft_id, wanted, purpose=purpose, undo=toast, is_undone=is_undone, whole=whole)


@router.post("/review/next", response_class=HTMLResponse)
async def following(
    services: Wired, access: Reader, wanted: Wanted, after: Annotated[Text, Query(max_length=64)] = ""
) -> Response:
    """Lead to the next draft of the queue that nobody else reviews, and reserve it."""
    return await _to_next(services, after, reading(access), access, wanted)


@router.post("/review/{draft_id}", response_class=HTMLResponse)
async def act(
    draft_id: DraftId,
    http: Request,
    services: Wired,
    access: Decider,
    wanted: Wanted,
) -> Response:
    """Decide, undo, claim or release a draft. What is refused shows the page again, with the text that was typed."""
    me, form = deciding(access), await http.form()
    try:
        return await _act(services, draft_id, access, form, wanted)
    except EditChanged:
        return await _compare(services, draft_id, me, form, wanted)


async def _act(services: Wired, draft_id: str, access: Access, form: Any, wanted: QueueFilter) -> Response:
    me = deciding(access)
    do = str(form.get("do", "approve"))
    try:
        if do in ACTIONS:
            return await ACTIONS[do](services, draft_id, me, form, wanted)
        return await _decide(services, draft_id, access, form, wanted)
    except (NotFound, EditChanged):
        raise
    except (ValidationError, EduModError) as error:
        status, message = 422, ""
        if isinstance(error, EduModError):
            log_failure(error)
            status, message = error.status, error.public
        else:
            message = problems_in(error)
        asks = isinstance(error, Unconfirmed)
        draft = await services.review.draft(draft_id, me)
        await keep_form(services.store, draft, me.person.id, _purpose_of(form), form)
        return await _page(services, me, draft_id, wanted, status, error=message, purpose=_purpose_of(form), asks=asks)


@router.post("/review/{draft_id}/alternative", response_class=HTMLResponse)
async def alternative(
    draft_id: DraftId,
    http: Request,
    services: Wired,
    access: Decider,
    wanted: Wanted,
    instruction: Annotated[Text, Form(max_length=2000)] = "",
    pipeline: Annotated[str, Form(max_length=100)] = "",
    model: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Write another answer beside the draft's own."""
    me = deciding(access)
    draft = await services.review.draft(draft_id, me)
    await keep_form(services.store, draft, me.person.id, EditPurpose.DECISION, await http.form())
    try:
        choices = {"pipeline": pipeline, "model": model}
        await offer(services.answering, draft_id, instruction, choices, access.key)
    except NotFound:
        raise
    except EduModError as error:
        log_failure(error)
        return await _page(services, me, draft_id, wanted, error.status, error=error.public)
    return RedirectResponse(f"{wanted.link(draft_id)}#alternative", 303)


async def _to_next(
    services: Wired, draft_id: str, me: Reviewer, access: Access, wanted: QueueFilter, **more: str
) -> Response:
    """The next draft's page, or else the queue's."""
    next_id = await leave_for_next(services.review, draft_id, me, access, wanted)
    where = wanted.link(next_id) if next_id else wanted.address()
    return RedirectResponse(f"{where}{'&' if '?' in where else '?'}{urlencode(more)}" if more else where, 303)


async def _decide(services: Wired, draft_id: str, access: Access, form: Any, wanted: QueueFilter) -> Response:
    me = deciding(access)
    draft = await services.review.draft(draft_id, me)
    course = await services.store.courses.read(draft.course_id)
    await demand_latest(services.store, draft_id, me.person.id, EditPurpose.DECISION, form)
    text = "" if is_hidden(course, draft.state) else answer_of(draft, course)
    decision = decision_in(form, text, is_discarded=form.get("do") == "discard")
    await _demand_confirmed(services, draft_id, me, decision, form)
    also = form.getlist("also")
    alike = {one.draft_id for one in await services.questions.alike(draft, me)} if also else set[str]()
    row = await services.review.decide(draft_id, decision, me, number_in(form.get("version")), if_unclaimed=True)
    if row.text and (others := alike.intersection(map(str, also))):
        # The others have not asked together with this student, whose name the text may have.
        text = await in_thread(await services.learning.without_personal(draft), row.text)
        for other in others:
            await services.review.answer_too(other, text, decision.reasons, me)
    if decision.promote:
        try:
            await services.learning.promote(draft_id, me)
        except EduModError as error:  # The decision counts all the same.
            log_failure(error)
            return await _page(services, me, draft_id, wanted, error.status, error=error.public)
    return await _to_next(services, draft_id, me, access, wanted, undo=draft_id)


async def _demand_confirmed(services: Wired, draft_id: str, me: Reviewer, decision: DecisionIn, form: Any) -> None:
    """Raises `Unconfirmed` for a text about which something was noticed that nobody has confirmed."""
    if decision.outcome is Outcome.DISCARDED or decision.text is None:
        return
    noticed = await services.checks.of(await read_draft(services.store, draft_id, me.reach), decision.text)
    if noticed.digest != str(form.get("confirmed", "")) and noticed.sentences:
        raise Unconfirmed("Look at what was noticed, beside the text. Send it again if it is meant so.")


async def _correct(services: Wired, draft_id: str, me: Reviewer, form: Any, wanted: QueueFilter) -> Response:
    await demand_latest(services.store, draft_id, me.person.id, EditPurpose.CORRECTION, form)
    before = await services.store.decisions.of(draft_id)
    decision = decision_in(form, before.text if before else "", is_discarded=form.get("do") == "correct-discard")
    await _demand_confirmed(services, draft_id, me, decision, form)
    await correct_draft(services.review, services.learning, draft_id, decision, me)
    return RedirectResponse(wanted.link(draft_id), 303)


async def _second_opinion(services: Wired, draft_id: str, me: Reviewer, form: Any, wanted: QueueFilter) -> Response:
    draft = await services.review.draft(draft_id, me)
    course = await services.store.courses.read(draft.course_id)
    await demand_latest(services.store, draft_id, me.person.id, EditPurpose.OPINION, form)
    opinion = decision_in(form, answer_of(draft, course), is_discarded=form.get("do") == "other-discard")
    await services.review.annotate(draft_id, opinion, me)
    return RedirectResponse(wanted.link(draft_id), 303)


async def _undo(services: Wired, draft_id: str, me: Reviewer, _form: Any, wanted: QueueFilter) -> Response:
    undone = await services.review.undo(draft_id, me)
    await keep_decision(services.store, await services.review.draft(draft_id, me), undone)
    if undone.promoted_at:
        await services.learning.withdraw(draft_id, me)
    is_mine = undone.decided_by == me.person.id and undone.text
    return RedirectResponse(f"{wanted.link(draft_id)}{'&undone=1' if is_mine else ''}", 303)


async def _promote(services: Wired, draft_id: str, me: Reviewer, _form: Any, wanted: QueueFilter) -> Response:
    await services.learning.promote(draft_id, me)
    return RedirectResponse(wanted.link(draft_id), 303)


async def _withdraw(services: Wired, draft_id: str, me: Reviewer, _form: Any, wanted: QueueFilter) -> Response:
    await services.learning.withdraw(draft_id, me)
    return RedirectResponse(wanted.link(draft_id), 303)


async def _claim(services: Wired, draft_id: str, me: Reviewer, form: Any, wanted: QueueFilter) -> Response:
    await services.review.claim(draft_id, me, str(form.get("to", "")).strip() or None)
    return _back(form, draft_id, wanted)


async def _release(services: Wired, draft_id: str, me: Reviewer, form: Any, wanted: QueueFilter) -> Response:
    await services.review.release(draft_id, me)
    return RedirectResponse(wanted.address(), 303) if not form.get("back") else _back(form, draft_id, wanted)


async def _use_alternative(services: Wired, draft_id: str, me: Reviewer, form: Any, wanted: QueueFilter) -> Response:
    await services.review.draft(draft_id, me)
    version = number_in(form.get("version"))
    await services.store.drafts.swap(draft_id, -1 if version is None else version)
    return RedirectResponse(wanted.link(draft_id), 303)


async def _save(services: Wired, draft_id: str, me: Reviewer, form: Any, wanted: QueueFilter) -> Response:
    """Without scripts, the text is stored by a button."""
    draft = await services.review.draft(draft_id, me)
    await keep_form(services.store, draft, me.person.id, EditPurpose.DECISION, form)
    return RedirectResponse(wanted.link(draft_id), 303)


async def _forget(services: Wired, draft_id: str, me: Reviewer, form: Any, wanted: QueueFilter) -> Response:
    """Leave the draft, or what somebody else made of it, as it is."""
    await services.review.draft(draft_id, me)
    await services.store.edits.discard(draft_id, me.person.id, _purpose_of(form))
    return _to_page(draft_id, form, wanted)


async def _merge(services: Wired, draft_id: str, me: Reviewer, form: Any, wanted: QueueFilter) -> Response:
    """Go on with what was chosen of two texts; a decision that is in the way is taken back."""
    draft = await services.review.draft(draft_id, me)
    purpose = _purpose_of(form)
    stored = await services.store.edits.of(draft_id, me.person.id, purpose)
    if form.get("undo"):
        undone = await services.review.undo(draft_id, me)
        draft = await services.review.draft(draft_id, me)
        await keep_decision(services.store, draft, undone)
    text = {"mine": form.get("all-mine"), "theirs": form.get("all-theirs")}.get(str(form.get("use")))
    chosen = merged_text(form) if text is None else str(text).replace("\r\n", "\n")
    fields = {**(stored.fields if stored else {}), **fields_of(WorkingText.of(chosen))}
    base = digest_of(original_text(await read_draft(services.store, draft_id, me.reach), purpose))
    await put(services.store, draft, me.person.id, purpose, fields, base)
    return _to_page(draft_id, form, wanted)


async def _compare(services: Wired, draft_id: str, me: Reviewer, form: Any, wanted: QueueFilter) -> Response:
    """Show the text of this window beside the one that another window has saved."""
    window = WorkingText.of_fields(form).final if "block" in form else str(form.get("final", ""))
    return await _page(services, me, draft_id, wanted, 409, window=window, purpose=_purpose_of(form))


ACTIONS = {
    "undo": _undo,
    "promote": _promote,
    "withdraw": _withdraw,
    "claim": _claim,
    "release": _release,
    "swap": _use_alternative,
    "save": _save,
    "forget": _forget,
    "merge": _merge,
    "compare": _compare,
    "other": _second_opinion,
    "other-discard": _second_opinion,
    "correct": _correct,
    "correct-discard": _correct,
}


_QUERIES = {EditPurpose.DECISION: "", EditPurpose.OPINION: "&second=1", EditPurpose.CORRECTION: "&correct=1"}
"""What the address of a draft's page has for what is typed there."""


def _purpose_of(form: Any) -> EditPurpose:
    """What a form's text is for: its action says so, or a field beside an action that all purposes share."""
    do = str(form.get("do", ""))
    if do.startswith("other") or form.get("purpose") == EditPurpose.OPINION:
        return EditPurpose.OPINION
    if do.startswith("correct") or form.get("purpose") == EditPurpose.CORRECTION:
        return EditPurpose.CORRECTION
    return EditPurpose.DECISION


def _to_page(draft_id: str, form: Any, wanted: QueueFilter) -> Response:
    return RedirectResponse(f"{wanted.link(draft_id)}{_QUERIES[_purpose_of(form)]}", 303)


def _back(form: Any, draft_id: str, wanted: QueueFilter) -> Response:
    """Where a small form was sent from: the queue with its filters, or the draft."""
    address = str(form.get("back", ""))
    is_queue = address == "/review" or address.startswith("/review?")
    return RedirectResponse(address if is_queue else wanted.link(draft_id), 303)


async def _undoable(services: Wired, me: Reviewer, draft_id: str | None) -> dict[str, Any] | None:
    if draft_id is None:
        return None
    try:
        read = await read_draft(services.store, draft_id, me.reach)
    except NotFound:
        return None
    if read.decision is None or read.is_final:
        return None
    seconds = (read.decision.final_at - read.at).total_seconds()
    return {"id": draft_id, "title": title_of(read.draft), "outcome": read.decision.outcome.value, "seconds": seconds}


async def _page(
    services: Wired,
    me: Reviewer,
    draft_id: str,
    wanted: QueueFilter,
    status: int = 200,
    *,
    purpose: EditPurpose = EditPurpose.DECISION,
    whole: bool = False,
    window: str | None = None,
    **more: Any,
) -> HTMLResponse:
    item = await read_item(services.store, services.assistant, draft_id, me, wanted)
    note_read(services.store, me.person, "draft.read", item.course.id, draft_id)
    may_correct = item.read.is_final and await services.review.is_correctable(item.course, draft_id)
    if purpose is EditPurpose.CORRECTION and not may_correct:
        purpose = EditPurpose.DECISION
    edit = await services.store.edits.of(draft_id, me.person.id, purpose)
    working, conflict = await in_thread(shown_text, item.read, edit, purpose, window=window)
    original = original_text(item.read, purpose)
    is_written = item.is_open or purpose is not EditPurpose.DECISION
    values = {
        "item": item,
        "wanted": wanted,
        "reviewer": me.person,
        "colleagues": [one for one in await services.review.staff(item.course.id) if one.id != me.person.id],
        "working": working.whole if whole else working,
        "changed": summary(original, working.final),
        "noticed": await services.checks.of(item.read, working.final) if is_written and not conflict else None,
        "may_correct": may_correct,
        "snippets": await services.store.snippets.of_course(item.course.id),
        "conflict": conflict,
        "edit": edit,
        "base": digest_of(original),
        "typed": form_of(edit),
        "alike": await services.questions.alike(item.read.draft, me) if item.takes_alike else [],
        "alternative": alternative_parts(item, working) if item.alternative else [],
        "reasons": Reason,
        "pipelines": PIPELINES,
        "models": services.models.names,
        "error": None,
        "asks": False,
        "undo": None,
        "purpose": purpose,
        "whole": whole,
        "is_undone": False,
        **more,
    }
    return await html_response("draft.html", status, **values)
