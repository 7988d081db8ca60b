"""Past questions from decisions, `/courses/{course_id}/quality`, and pairs for tuning."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote as quoted

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from app.problems import responses
from app.review.feed import MEDIA_TYPE, FeedEntry, feed
from app.review.quality import FEW, agreement_of, opinions_of, quality_of
from app.review.weekly import summarise_week
from app.routes.parameters import CourseId, Decider, DraftId, Evaluator, Reader, deciding, reading
from app.routes.services import Wired
from app.web.render import html_response
from core.access import Permission
from core.concurrency import in_thread

router = APIRouter(tags=["drafts"])

LINES = "application/jsonl"
PAIRS: dict[int | str, dict[str, Any]] = {200: {"description": "One pair per line.", "content": {LINES: {}}}}


@router.post("/drafts/{draft_id}/promotion", status_code=204, responses=responses(404, 409, 503))
async def promote(draft_id: DraftId, services: Wired, access: Decider) -> None:
    """Make a decided question a past question of its course, endorsed and without its author."""
    await services.learning.promote(draft_id, deciding(access))


@router.delete("/drafts/{draft_id}/promotion", status_code=204, responses=responses(404, 503))
async def withdraw(draft_id: DraftId, services: Wired, access: Decider) -> None:
    """Take a past question back: no later question finds it."""
    await services.learning.withdraw(draft_id, deciding(access))


@router.get("/courses/{course_id}/pairs", responses={**PAIRS, **responses(404, 503)}, response_class=Response)
async def pairs(course_id: CourseId, services: Wired, access: Evaluator) -> Response:
    """Every decided draft as JSON Lines: question, passages, draft, final text, outcome and reasons."""
    access.demand(Permission.EVAL, course_id)
    await services.store.courses.get(course_id)
    lessons = await services.learning.lessons(course_id)
    lines = await in_thread(lambda: "".join(f"{json.dumps(one.pair, ensure_ascii=False)}\n" for one in lessons))
    return Response(lines, media_type=LINES)


@router.get("/courses/{course_id}/quality", response_class=HTMLResponse, include_in_schema=False)
async def quality(course_id: CourseId, services: Wired, access: Reader) -> HTMLResponse:
    """How the course's drafts were decided."""
    access.demand(Permission.DRAFTS_READ, course_id)
    course = await services.store.courses.read(course_id)
    lessons = await services.learning.lessons(course_id)
    votes = await services.store.votes.of_course(course_id)
    decisions = services.store.decisions
    agreement = agreement_of(await decisions.of_course(course_id), await decisions.second_of_course(course_id))
    return await html_response(
        "quality.html",
        course=course,
        quality=await in_thread(quality_of, lessons),
        opinions=opinions_of(votes),
        agreement=agreement,
        few=FEW,
        may_correct=access.may(Permission.COURSE_ADMIN, course_id),
    )


@router.get("/courses/{course_id}/questions", response_class=HTMLResponse, include_in_schema=False)
async def questions(course_id: CourseId, services: Wired, access: Reader) -> HTMLResponse:
    """What the course's students asked in the last days."""
    access.demand(Permission.DRAFTS_READ, course_id)
    course = await services.store.courses.read(course_id)
    return await html_response(
        "course_questions.html",
        week=await services.questions.of_week(course, reading(access)),
        may_correct=access.may(Permission.COURSE_ADMIN, course_id),
    )


@router.get("/courses/{course_id}/questions/feed", response_class=Response, include_in_schema=False)
async def weekly_feed(course_id: CourseId, services: Wired, http: Request, access: Reader) -> Response:
    """The summary of the last whole week, as an Atom feed."""
    access.demand(Permission.DRAFTS_READ, course_id)
    course = await services.store.courses.read(course_id)
    base = str(http.base_url).rstrip("/")
    summary = await summarise_week(services.questions, course, base)
    page = f"{base}/courses/{quoted(course_id)}/questions"
    entry = FeedEntry(f"{page}#{summary.name}", summary.title, summary.until, summary.text)
    return Response(feed(page, f"{course.title or course.id}: what students ask", [entry]), media_type=MEDIA_TYPE)
