"""The queue of drafts that wait for a decision."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from app.review.deciding import Reviewer
from app.review.judgements import visible_judgements
from app.review.shadow import is_hidden
from core.course import Course
from core.review import Posting
from core.store.decisions import OPEN
from core.store.drafts.filter import DraftFilter
from core.store.pages import Cursor
from core.store.store import Store
from core.store.tables import DecisionRow, DraftRow, DraftState, JudgementRow, now

PAGE = 30
"""Drafts on one page of the queue."""
VIEWS = ("waiting", "mine", "low", "late", "decided")
"""What a queue's address may ask for; anything else is the first."""
LEVELS: dict[str, tuple[float | None, float | None]] = {"low": (None, 0.5), "medium": (0.5, 0.8), "high": (0.8, None)}
"""Confidence, or a judge's score: from, and below."""
TITLE_CHARS = 120
MAX_WORDS_CHARS = 200


@dataclass(frozen=True)
class QueueFilter:
    """The filters of a queue's address. An empty field does not filter."""

    course: str = ""
    view: str = "waiting"
    kind: str = ""
    category: str = ""
    confidence: str = ""
    judged: str = ""
    hours: float | None = None
    by: str = ""
    q: str = ""

    def address(self, **changed: str) -> str:
        """The queue's address with these filters, some of them changed."""
        values = {name: value for name, value in vars(replace(self, **changed)).items() if value}  # type: ignore[arg-type]
        if values.get("view") == "waiting":
            del values["view"]
        return f"/review?{urlencode(values)}" if values else "/review"


@dataclass(frozen=True)
class Row:
    """A draft in the queue."""

    draft: DraftRow
    course: Course
    decision: DecisionRow | None
    at: datetime
    judgement: JudgementRow | None = None

    @property
    def title(self) -> str:
        return title_of(self.draft)

    @property
    def pseudonym(self) -> str | None:
        name: str | None = ((self.draft.request or {}).get("author") or {}).get("pseudonym")
        return name

    @property
    def flags(self) -> list[tuple[str, str]]:
        """What stands out, as class and words of a badge."""
        request, response = self.draft.request or {}, self.draft.response or {}
        badges = []
        if not response:
            badges.append(("bad", "no draft"))
        elif response["status"] != "answered":
            badges.append(("warn", str(response["status"]).replace("_", " ")))
        if response.get("warnings"):
            badges.append(("warn", "warning"))
        pictures = len((request.get("question") or {}).get("images") or ())
        badges += [("", f"{pictures} pictures" if pictures > 1 else "1 picture")] if pictures else []
        badges += [("", f"thread of {len(request['thread'])}")] if request.get("thread") else []
        return badges + ([("", "code")] if request.get("code") else [])

    @property
    def verification(self) -> str:
        citations = (self.draft.response or {}).get("citations") or []
        return f"{sum(bool(one['verified']) for one in citations)} of {len(citations)} sources verified"

    @property
    def due(self) -> timedelta:
        """Time left; negative where it is over."""
        return self.draft.created_at + timedelta(hours=self.course.review.due_hours) - self.at

    @property
    def claimed_by(self) -> str | None:
        """`Person.id` of whoever reviews it now."""
        until = self.draft.claimed_until
        return self.draft.claimed_by if until is not None and until > self.at else None


@dataclass(frozen=True)
class Queue:
    """One page of the queue with its counts."""

    rows: list[Row]
    next: str | None
    counts: dict[str, int]


def title_of(draft: DraftRow) -> str:
    """The student's title, or the first words of the question."""
    asked: dict[str, Any] = (draft.request or {}).get("question") or {}
    text = asked.get("title") or next((line for line in asked.get("body", "").splitlines() if line.strip()), "")
    return text if len(text) <= TITLE_CHARS else f"{text[:TITLE_CHARS]}…"


async def read_queue(store: Store, wanted: QueueFilter, me: Reviewer, after: str | None) -> Queue:
    """A page of the queue, oldest first, decided drafts newest first. Raises `UnknownName` and `InvalidInput`."""
    at = now()
    chosen = await store.courses.read(wanted.course) if wanted.course else Course(id="all")
    unfiltered = await _courses_without_shown_scores(store, me) if wanted.judged else ()
    views = _views(replace(_filter(wanted, at, me), not_course_ids=unfiltered), chosen, at, me)
    view = wanted.view
    counts = dict(zip(views, await store.drafts.count(views.values(), me.reach), strict=True))
    cursor = Cursor.decode(after, "after") if after else None
    page = await store.drafts.page(views[view], cursor, PAGE, me.reach, oldest_first=view != "decided")
    drafts = await store.drafts.many([one.id for one in page.drafts])
    stored = await store.courses.all(frozenset(one.course_id for one in page.drafts))
    courses = {one.id: one.course for one in stored}
    decisions = await store.decisions.of_many(list(drafts))
    judged = await visible_judgements(store, list(drafts.values()), me.person)
    rows = []
    for draft in (drafts[one.id] for one in page.drafts if one.id in drafts):
        course = courses[draft.course_id]
        judgement = None if is_hidden(course, draft.state) else judged.shown.get(draft.id)
        rows.append(Row(draft, course, decisions.get(draft.id), at, judgement))
    return Queue(rows, page.next.encode() if page.next else None, counts)


async def _courses_without_shown_scores(store: Store, me: Reviewer) -> tuple[str, ...]:
    """Courses where filtering by judges' scores would reveal hidden ones."""
    scored = await store.decisions.scored_by(me.person.id)
    courses = [one.course for one in await store.courses.all()]
    return (*scored, *(one.id for one in courses if one.posting is Posting.SHADOW and one.id not in scored))


async def next_draft(store: Store, draft: DraftRow, me: Reviewer) -> str | None:
    """The id of the draft that waits longest after this one, else before; not claimed by others."""
    at = now()
    wanted = DraftFilter(at, (draft.course_id,), OPEN)
    for after in (Cursor(draft.created_at, draft.id), None):
        page = await store.drafts.page(wanted, after, PAGE, me.reach, oldest_first=True)
        for candidate in page.drafts:
            is_others = (
                candidate.claimed_by not in (None, me.person.id)
                and candidate.claimed_until is not None
                and candidate.claimed_until > at
            )
            if candidate.id != draft.id and not is_others:
                return candidate.id
    return None


def _filter(wanted: QueueFilter, at: datetime, me: Reviewer) -> DraftFilter:
    low, high = LEVELS.get(wanted.confidence, (None, None))
    return DraftFilter(
        at,
        course_ids=(wanted.course,) if wanted.course else None,
        states=OPEN,
        kind=wanted.kind or None,
        category=wanted.category or None,
        min_confidence=low,
        below_confidence=high,
        judged=LEVELS.get(wanted.judged),
        created_before=at - timedelta(hours=wanted.hours) if wanted.hours else None,
        claimed_by=me.person.id if wanted.by == "me" else None,
        not_claimed_by=me.person.id if wanted.by == "others" else None,
        is_unclaimed=wanted.by == "nobody",
        words=wanted.q[:MAX_WORDS_CHARS] or None,
    )


def _views(selection: DraftFilter, course: Course, at: datetime, me: Reviewer) -> dict[str, DraftFilter]:
    due = at - timedelta(hours=course.review.due_hours)
    return {
        "waiting": selection,
        "mine": replace(selection, claimed_by=me.person.id, not_claimed_by=None, is_unclaimed=False),
        "low": replace(selection, min_confidence=None, below_confidence=course.review.threshold),
        "late": replace(selection, created_before=due),
        "decided": replace(selection, states=(DraftState.DECIDED,)),
    }
