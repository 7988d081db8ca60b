"""The queue of drafts that wait for a decision."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from app.review.deciding import WITHOUT_ANSWER, Reviewer
from app.review.judgements import visible_judgements
from app.review.shadow import is_hidden
from core.access import Person
from core.course import Course
from core.review import Posting
from core.store.decisions import OPEN
from core.store.drafts.filter import DraftFilter
from core.store.pages import ORDERS, Cursor, ListedDraft, Page
from core.store.store import Store
from core.store.tables import DecisionRow, DraftRow, DraftState, JudgementRow, now

PAGE = 40
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
    sort: str = ""
    """One of `ORDERS`; by age without."""

    def address(self, **changed: str) -> str:
        values = {name: value for name, value in vars(replace(self, **changed)).items() if value}  # type: ignore[arg-type]
        if values.get("view") == "waiting":
            del values["view"]
        return f"/review?{urlencode(values)}" if values else "/review"

    @property
    def query(self) -> str:
        """For the addresses of its drafts, whose "next" stays within it."""
        return urlencode({name: value for name, value in vars(self).items() if value})

    @property
    def fields(self) -> list[tuple[str, Any]]:
        """What a form has to repeat."""
        return [(name, value) for name, value in vars(self).items() if value]

    def link(self, draft_id: str) -> str:
        return f"/review/{draft_id}?{self.query}"


@dataclass(frozen=True)
class Row:
    """A draft in the queue."""

    draft: DraftRow
    course: Course
    decision: DecisionRow | None
    at: datetime
    judgement: JudgementRow | None = None
    readers: tuple[Person, ...] = ()
    """Who has it open."""

    @property
    def title(self) -> str:
        return title_of(self.draft)

    @property
    def words(self) -> str:
        """The beginning of the question below its title."""
        asked: dict[str, Any] = (self.draft.request or {}).get("question") or {}
        text = " ".join(str(asked.get("body", "")).split())
        return text[:TITLE_CHARS] if asked.get("title") else text[len(self.title) :][:TITLE_CHARS]

    @property
    def pseudonym(self) -> str | None:
        name: str | None = ((self.draft.request or {}).get("author") or {}).get("pseudonym")
        return name

    @property
    def flags(self) -> list[tuple[str, str]]:
        """Class and words of each badge."""
        request, response = self.draft.request or {}, self.draft.response or {}
        badges = []
        if not response:
            badges.append(("bad", "no draft"))
        elif self.needs_person:
            badges.append(("warn", "a person answers"))
        elif response["status"] != "answered":
            badges.append(("warn", str(response["status"]).replace("_", " ")))
        if response.get("warnings"):
            badges.append(("warn", "warning"))
        pictures = len((request.get("question") or {}).get("images") or ())
        badges += [("", f"{pictures} pictures" if pictures > 1 else "1 picture")] if pictures else []
        badges += [("", f"thread of {len(request['thread'])}")] if request.get("thread") else []
        return badges + ([("", "code")] if request.get("code") else [])

    @property
    def needs_person(self) -> bool:
        """True of a question without a draft that could be approved."""
        return (self.draft.response or {}).get("status") in (None, *WITHOUT_ANSWER)

    @property
    def age_share(self) -> float:
        """Of the time that the course promises, at most 1."""
        waited = (self.at - self.draft.created_at).total_seconds()
        return min(1.0, max(0.0, waited / max(1.0, 3600 * self.course.review.due_hours)))

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
    page = await _page(store, wanted, views[view], cursor, PAGE, me)
    drafts = await store.drafts.many([one.id for one in page.drafts])
    stored = await store.courses.all(frozenset(one.course_id for one in page.drafts))
    courses = {one.id: one.course for one in stored}
    decisions = await store.decisions.of_many(list(drafts))
    judged = await visible_judgements(store, list(drafts.values()), me.person)
    present = await store.presence.of_many(list(drafts), at)
    rows = []
    for draft in (drafts[one.id] for one in page.drafts if one.id in drafts):
        course = courses[draft.course_id]
        judgement = None if is_hidden(course, draft.state) else judged.shown.get(draft.id)
        readers = tuple(one for one in present.get(draft.id, ()) if one.id != me.person.id)
        rows.append(Row(draft, course, decisions.get(draft.id), at, judgement, readers))
    return Queue(rows, page.next.encode() if page.next else None, counts)


async def _courses_without_shown_scores(store: Store, me: Reviewer) -> tuple[str, ...]:
    """Courses where filtering by judges' scores would reveal hidden ones."""
    scored = await store.decisions.scored_by(me.person.id)
    courses = [one.course for one in await store.courses.all()]
    return (*scored, *(one.id for one in courses if one.posting is Posting.SHADOW and one.id not in scored))


async def _page(
    store: Store, wanted: QueueFilter, view: DraftFilter, after: Cursor | None, limit: int, me: Reviewer
) -> Page:
    if wanted.sort in ORDERS:
        return await store.drafts.ordered(view, wanted.sort, after, limit, me.reach)
    return await store.drafts.page(view, after, limit, me.reach, oldest_first=wanted.view != "decided")


async def next_draft(store: Store, draft: DraftRow | None, me: Reviewer, wanted: QueueFilter) -> str | None:
    """The id of the first draft in the queue after this one, else before; not one that others review."""
    at = now()
    course_id = wanted.course or (draft.course_id if draft else "")
    course = await store.courses.read(course_id) if course_id else Course(id="all")
    selection = replace(_views(_filter(wanted, at, me), course, at, me)[wanted.view], states=OPEN)
    for cursor in (Cursor(draft.created_at, draft.id), None) if draft else (None,):
        while True:
            page = await _page(store, wanted, selection, cursor, PAGE, me)
            free = (one for one in page.drafts if (not draft or one.id != draft.id) and _is_free(one, me, at))
            if (candidate := next(free, None)) is not None:
                return candidate.id
            if (cursor := page.next) is None:
                break
    return None


def _is_free(draft: ListedDraft, me: Reviewer, at: datetime) -> bool:
    is_claimed = draft.claimed_until is not None and draft.claimed_until > at
    return not is_claimed or draft.claimed_by in (None, me.person.id)


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
