"""Parameters that several routes share, and who may use a route."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query

from app.people.rules import needs
from app.review.deciding import Reviewer
from app.review.queue import VIEWS, QueueFilter
from app.schemas import Text
from core.access import Access, Permission

Asker = Annotated[Access, needs(Permission.ANSWER)]
Reader = Annotated[Access, needs(Permission.DRAFTS_READ)]
Decider = Annotated[Access, needs(Permission.DRAFTS_DECIDE)]
Admin = Annotated[Access, needs(Permission.COURSE_ADMIN)]
Evaluator = Annotated[Access, needs(Permission.EVAL)]
CourseId = Annotated[Text, Path(max_length=200)]
DocumentId = Annotated[Text, Path(max_length=64)]
BlockId = Annotated[Text, Path(max_length=64)]
QuizId = Annotated[Text, Path(max_length=64)]
DraftId = Annotated[Text, Path(description="The `draft_id` of an answer or problem.")]


def as_page(what: str) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route that answers browsers with a page."""
    return {200: {"description": f"{what}; with `Accept: text/html`, as a page.", "content": {"text/html": {}}}}


def reading(access: Access) -> Reviewer:
    """The reader of drafts, within reach."""
    return Reviewer(access.actor, access.reach(Permission.DRAFTS_READ))


def deciding(access: Access) -> Reviewer:
    """The reviewer of drafts, within reach."""
    return Reviewer(access.actor, access.reach(Permission.DRAFTS_DECIDE))


def queue_filter(
    course: Annotated[str, Query(max_length=200)] = "",
    view: Annotated[str, Query(max_length=20)] = "waiting",
    kind: Annotated[str, Query(max_length=40)] = "",
    category: Annotated[str, Query(max_length=200)] = "",
    confidence: Annotated[str, Query(max_length=20)] = "",
    judged: Annotated[str, Query(max_length=20)] = "",
    hours: Annotated[str, Query(pattern=r"^(\d{1,4})?$")] = "",
    by: Annotated[str, Query(max_length=20)] = "",
    q: Annotated[Text, Query(max_length=200)] = "",
    sort: Annotated[str, Query(max_length=20)] = "",
) -> QueueFilter:
    """The filters of a queue's address."""
    view = view if view in VIEWS else VIEWS[0]
    age = float(hours) if hours else None
    return QueueFilter(course, view, kind, category, confidence, judged, age, by, q, sort)
