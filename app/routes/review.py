"""`/review`: the queue of drafts and one draft, for people. Works without JavaScript."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Path, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import ValidationError

from app.answering.alternatives import offer
from app.people.reads import note_read
from app.problems import log_failure
from app.review.deciding import Reviewer, answer_of
from app.review.form import decision_in, final_text, number_in
from app.review.item import read_item
from app.review.queue import VIEWS, QueueFilter, read_queue, title_of
from app.review.shadow import is_hidden
from app.review.stored_draft import read_draft
from app.routes.reviewing import Decider, Reader, deciding, reading
from app.routes.services import Wired
from app.schemas import Text
from app.web.render import render
from core.access import Permission
from core.concurrency import in_thread
from core.errors import AlreadyDecided, EduModError, NotFound
from core.review import QuestionKind, Reason
from core.validation import problems_in
from pipelines import PIPELINES

router = APIRouter(include_in_schema=False)

DraftId = Annotated[Text, Path()]
MAX_WAITING_SHOWN = 999


def _queue_filter(
    course: Annotated[str, Query(max_length=200)] = "",
    view: Annotated[str, Query(max_length=20)] = "waiting",
    kind: Annotated[str, Query(max_length=40)] = "",
    category: Annotated[str, Query(max_length=200)] = "",
    confidence: Annotated[str, Query(max_length=20)] = "",
    judged: Annotated[str, Query(max_length=20)] = "",
    hours: Annotated[str, Query(pattern=r"^(\d{1,4})?$")] = "",
    by: Annotated[str, Query(max_length=20)] = "",
    q: Annotated[Text, Query(max_length=200)] = "",
) -> QueueFilter:
    view = view if view in VIEWS else VIEWS[0]
    age = float(hours) if hours else None
    return QueueFilter(course, view, kind, category, confidence, judged, age, by, q)


@router.get("/review", response_class=HTMLResponse)
async def queue(
    services: Wired,
    access: Reader,
    wanted: Annotated[QueueFilter, Depends(_queue_filter)],
    after: Annotated[str | None, Query()] = None,
    undo: Annotated[Text | None, Query()] = None,
) -> HTMLResponse:
    """The drafts that wait, those that wait longest first."""
    if wanted.course:
        access.demand(Permission.DRAFTS_READ, wanted.course)
    me = reading(access)
    drafts = await read_queue(services.store, wanted, me, after)
    courses = await services.store.courses.all(me.reach.courses)
    chosen = next((one for one in courses if one.id == wanted.course), None)
    page = await in_thread(
        render,
        "review.html",
        queue=drafts,
        wanted=wanted,
        reviewer=me.person,
        courses=courses,
        is_judged=any(one.config.get("judge") for one in courses),
        categories=(chosen.config.get("categories") or ()) if chosen else (),
        kinds=QuestionKind,
        undo=await _undoable(services, me, undo),
        waiting=drafts.counts["waiting"],
    )
    return HTMLResponse(page)


@router.get("/review/{draft_id}", response_class=HTMLResponse)
async def item(
    draft_id: DraftId,
    services: Wired,
    access: Reader,
    undo: Annotated[Text | None, Query()] = None,
    second: Annotated[bool, Query(description="Decided drafts as if they waited, for a second opinion.")] = False,
    undone: Annotated[bool, Query(description="With the text of one's own decision that was taken back.")] = False,
) -> HTMLResponse:
    """One draft: the question, an editor, and what the draft rests on."""
    me = reading(access)
    text = await _undone_text(services, draft_id, me) if undone else ""
    shown: dict[str, Any] = {"final": text, "yours": text} if text else {}
    toast = await _undoable(services, me, undo)
    return await _page(services, me, draft_id, undo=toast, second=second, is_undone=bool(text), **shown)


@router.post("/review/{draft_id}", response_class=HTMLResponse)
async def act(draft_id: DraftId, http: Request, services: Wired, access: Decider) -> Response:
    """Decide, undo, claim or release a draft. A conflict shows the page again, with the text that was typed."""
    me, form = deciding(access), await http.form()
    do = str(form.get("do", "approve"))
    try:
        if do in ACTIONS:
            return await ACTIONS[do](services, draft_id, me, form)
        return await _decide(services, draft_id, me, form, do)
    except ValidationError as error:
        return await _page(services, me, draft_id, 422, typed=form, error=problems_in(error))
    except NotFound:
        raise
    except EduModError as error:
        log_failure(error)
        first = error.decision if isinstance(error, AlreadyDecided) else None
        return await _page(services, me, draft_id, error.status, typed=form, error=error.public, first=first)


@router.post("/review/{draft_id}/alternative", response_class=HTMLResponse)
async def alternative(
    draft_id: DraftId,
    http: Request,
    services: Wired,
    access: Decider,
    instruction: Annotated[Text, Form(max_length=2000)] = "",
    pipeline: Annotated[str, Form(max_length=100)] = "",
    model: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Write another answer beside the draft's own."""
    me = deciding(access)
    await services.review.draft(draft_id, me)
    try:
        given = {"pipeline": pipeline, "model": model}
        await offer(services.answering, draft_id, instruction, given, access.key)
    except NotFound:
        raise
    except EduModError as error:
        log_failure(error)
        return await _page(services, me, draft_id, error.status, typed=await http.form(), error=error.public)
    return RedirectResponse(f"/review/{draft_id}#alternative", 303)


async def _decide(services: Wired, draft_id: str, me: Reviewer, form: Any, do: str) -> Response:
    draft = await services.review.draft(draft_id, me)
    course = await services.review.course(draft.course_id)
    shown = "" if is_hidden(course, draft.state) else answer_of(draft, course)
    decision = decision_in(form, shown, is_discarded=do == "discard")
    await services.review.decide(draft_id, decision, me, number_in(form.get("version")))
    if decision.promote:
        await services.learning.promote(draft_id, me)
    following = str(form.get("next", ""))
    where = f"/review/{following}" if following else QueueFilter(course=draft.course_id).address()
    return RedirectResponse(f"{where}{'&' if '?' in where else '?'}{urlencode({'undo': draft_id})}", 303)


async def _second_opinion(services: Wired, draft_id: str, me: Reviewer, form: Any) -> Response:
    draft = await services.review.draft(draft_id, me)
    course = await services.review.course(draft.course_id)
    given = decision_in(form, answer_of(draft, course), is_discarded=form.get("do") == "other-discard")
    await services.review.annotate(draft_id, given, me)
    return RedirectResponse(f"/review/{draft_id}", 303)


async def _undo(services: Wired, draft_id: str, me: Reviewer, _form: Any) -> Response:
    undone = await services.review.undo(draft_id, me)
    if undone.promoted_at:
        await services.learning.withdraw(draft_id, me)
    return RedirectResponse(f"/review/{draft_id}?undone=1", 303)


async def _promote(services: Wired, draft_id: str, me: Reviewer, _form: Any) -> Response:
    await services.learning.promote(draft_id, me)
    return RedirectResponse(f"/review/{draft_id}", 303)


async def _withdraw(services: Wired, draft_id: str, me: Reviewer, _form: Any) -> Response:
    await services.learning.withdraw(draft_id, me)
    return RedirectResponse(f"/review/{draft_id}", 303)


async def _claim(services: Wired, draft_id: str, me: Reviewer, form: Any) -> Response:
    await services.review.claim(draft_id, me, str(form.get("to", "")).strip() or None)
    return _back(form, draft_id)


async def _release(services: Wired, draft_id: str, me: Reviewer, form: Any) -> Response:
    await services.review.release(draft_id, me)
    return _back(form, draft_id)


async def _use_alternative(services: Wired, draft_id: str, me: Reviewer, form: Any) -> Response:
    await services.review.draft(draft_id, me)
    version = number_in(form.get("version"))
    await services.store.drafts.swap(draft_id, -1 if version is None else version)
    return RedirectResponse(f"/review/{draft_id}", 303)


ACTIONS = {
    "undo": _undo,
    "promote": _promote,
    "withdraw": _withdraw,
    "claim": _claim,
    "release": _release,
    "swap": _use_alternative,
    "other": _second_opinion,
    "other-discard": _second_opinion,
}


def _back(form: Any, draft_id: str) -> Response:
    """Where a small form was sent from: the queue with its filters, or the draft."""
    address = str(form.get("back", ""))
    is_queue = address == "/review" or address.startswith("/review?")
    return RedirectResponse(address if is_queue else f"/review/{draft_id}", 303)


async def _undone_text(services: Wired, draft_id: str, me: Reviewer) -> str:
    await services.review.draft(draft_id, me)
    decisions = [one for one in await services.store.decisions.history(draft_id) if not one.is_second]
    latest = decisions[-1] if decisions else None
    return latest.text if latest and latest.undone_at and latest.decided_by == me.person.id else ""


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
    services: Wired, me: Reviewer, draft_id: str, status: int = 200, *, typed: Any = None, **shown: Any
) -> HTMLResponse:
    item = await read_item(services.store, services.assistant, draft_id, me)
    note_read(services.store, me.person, "draft.read", item.course.id, draft_id)
    draft = item.markdown
    values = {
        "item": item,
        "reviewer": me.person,
        "colleagues": [one for one in await services.review.staff(item.course.id) if one.id != me.person.id],
        "final": str(typed["final"]) if typed is not None and "final" in typed else draft,
        "yours": final_text(typed, draft) if typed is not None else draft,
        "typed": typed,
        "reasons": Reason,
        "pipelines": PIPELINES,
        "models": services.models.names,
        "error": None,
        "first": None,
        "undo": None,
        "second": False,
        "is_undone": False,
        **shown,
    }
    return HTMLResponse(await in_thread(lambda: render("draft.html", **values)), status)
