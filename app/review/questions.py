"""What a course's students ask: topics of the last days, what the material did not answer, and how long they waited."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from math import log
from statistics import median
from typing import Any

import numpy as np

from app.review.askers import count_people, person_of
from app.review.deciding import WITHOUT_ANSWER, Reviewer
from app.review.item import SIMILAR_FROM
from app.review.learning import Learning
from app.review.queue import title_of
from app.review.troubles import Trouble, troubles_of
from core.concurrency import in_thread
from core.course import Course
from core.errors import EduModError
from core.review import Outcome
from core.store.decisions import OPEN
from core.store.drafts.filter import DraftFilter
from core.store.tables import DecisionRow, DraftRow, DraftState, now
from retrievers.embedding.base import Vectors

DAYS = 7
MAX_QUESTIONS = 300
"""Of the last days; of more, the newest are clustered."""
MIN_PEOPLE = 2
"""People from which on their questions are a topic: what one student asks, however often, is not shown as one."""
MAX_TOPICS = 12
NAME_WORDS = 3
MAX_UNANSWERED = 10
MAX_COMPARED = 60
"""Waiting questions, the newest, that one is compared with."""
MAX_ALIKE = 3
ALIKE_FROM = 0.8
"""Cosine similarity from which on one answer may serve two questions; whoever sends it reads both."""
MAX_KEPT = 5_000
"""Vectors of questions that are kept in memory."""
_WORD = re.compile(r"[^\W\d_][\w'+#-]{2,}")


@dataclass(frozen=True)
class QuestionTopic:
    """Questions alike; `days` are their numbers by day, the oldest first."""

    name: str
    count: int
    people: int
    waiting: int
    days: list[int]
    example: str
    drafts: list[str]


@dataclass(frozen=True)
class WaitingDay:
    """The hours until an answer of the questions of one day."""

    day: datetime
    hours: list[float]
    median: float | None


@dataclass(frozen=True)
class OpenQuestion:
    """A question without an answer, or whose draft people wrote anew."""

    draft_id: str
    title: str
    category: str
    why: str
    hours: float


@dataclass(frozen=True)
class QuestionWeek:
    """A course's questions of the last `DAYS` days."""

    course: Course
    since: datetime
    count: int
    people: int
    answered: int
    waiting: int
    median_hours: float | None
    late: int
    topics: list[QuestionTopic] | None
    """None where the questions could not be embedded."""
    single: int
    unanswered: list[OpenQuestion]
    reasons: dict[str, int]
    """Why the material did not answer, with how many questions."""
    troubles: list[Trouble]
    days: list[WaitingDay]


@dataclass(frozen=True)
class AlikeQuestion:
    """Another question that waits; `likeness` is the cosine of both."""

    draft_id: str
    title: str
    hours: float
    likeness: float


@dataclass
class CourseQuestions:
    """Reads the questions of courses. Vectors are kept, so that a question is embedded once."""

    learning: Learning
    _vectors: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    async def of_week(
        self, course: Course, me: Reviewer, until: datetime | None = None, least_people: int = MIN_PEOPLE
    ) -> QuestionWeek:
        """The questions of the last days, or of the days before `until`; topics of at least so many people."""
        store, at = self.learning.store, until or now()
        since = (at - timedelta(days=DAYS - 1)).replace(hour=0, minute=0, second=0, microsecond=0)
        since = until - timedelta(days=DAYS) if until else since
        wanted = DraftFilter(at, (course.id,), created_before=until)
        page = await store.drafts.page(wanted, None, MAX_QUESTIONS, me.reach)
        rows = await store.drafts.many([one.id for one in page.drafts if one.created_at >= since])
        drafts = [row for row in rows.values() if row.request and row.state != DraftState.REFUSED]
        decisions = await store.decisions.of_many([one.id for one in drafts])
        vectors = await self._embed(course.id, drafts)
        topics = None if vectors is None else await in_thread(topics_of, drafts, vectors, since, least_people)
        hours = [_hours(draft, decisions.get(draft.id), at) for draft in drafts]
        decided = [wait for wait, draft in zip(hours, drafts, strict=True) if draft.id in decisions]
        unanswered = _unanswered(drafts, decisions, at)
        unused = {row.draft_id for row in unanswered}
        week = QuestionWeek(
            course=course,
            since=since,
            count=len(drafts),
            people=count_people(drafts),
            waiting=sum(draft.state in OPEN for draft in drafts),
            answered=sum(one.outcome is not Outcome.DISCARDED for one in decisions.values()),
            median_hours=median(decided) if decided else None,
            late=sum(wait > course.review.due_hours for wait in hours),
            topics=topics,
            single=len(drafts) - sum(topic.count for topic in topics or ()),
            unanswered=unanswered[:MAX_UNANSWERED],
            reasons=dict(Counter(row.why for row in unanswered).most_common()),
            troubles=troubles_of(drafts, lambda draft: draft.id in unused, least_people),
            days=_days(drafts, decisions, at, since),
        )
        return await self._without_names(week, {draft.id: draft for draft in drafts})

    async def alike(self, draft: DraftRow, me: Reviewer) -> list[AlikeQuestion]:
        """The questions of the same course that wait and are most alike; none where they cannot be embedded."""
        store, at = self.learning.store, now()
        page = await store.drafts.page(DraftFilter(at, (draft.course_id,), OPEN), None, MAX_COMPARED, me.reach)
        waiting = [one for one in page.drafts if one.id != draft.id]
        new = await store.drafts.many([one.id for one in waiting if one.id not in self._vectors])
        if not waiting or await self._embed(draft.course_id, [draft, *new.values()]) is None:
            return []
        own = self._vectors[draft.id]
        likeness = {one.id: float(np.dot(own, self._vectors[one.id])) for one in waiting if one.id in self._vectors}
        best = sorted((one for one in likeness if likeness[one] >= ALIKE_FROM), key=lambda one: -likeness[one])
        rows = await store.drafts.many(best[:MAX_ALIKE])
        return [
            AlikeQuestion(one, title_of(rows[one]), _hours(rows[one], None, at), likeness[one])
            for one in best
            if one in rows and not (rows[one].response or {}).get("feedback")
        ]

    async def _embed(self, course_id: str, drafts: Sequence[DraftRow]) -> Vectors | None:
        new = [draft for draft in drafts if draft.id not in self._vectors]
        try:
            if new:
                encoder = await self.learning.encoder(course_id)
                vectors = await encoder.passages([_text(draft) for draft in new])
                self._vectors |= zip((draft.id for draft in new), vectors, strict=True)
        except EduModError:
            return None
        kept = np.array([self._vectors[draft.id] for draft in drafts])
        while len(self._vectors) > MAX_KEPT:
            del self._vectors[next(iter(self._vectors))]
        return kept

    async def _without_names(self, week: QuestionWeek, drafts: dict[str, DraftRow]) -> QuestionWeek:
        """The same with placeholders for personal data in what is quoted."""

        async def clean(draft_id: str, text: str) -> str:
            return await in_thread(await self.learning.without_personal(drafts[draft_id]), text)

        rows = [replace(row, title=await clean(row.draft_id, row.title)) for row in week.unanswered]
        topics = [
            replace(one, name=await clean(one.drafts[0], one.name), example=await clean(one.drafts[0], one.example))
            for one in week.topics or ()
        ]
        return replace(week, unanswered=rows, topics=None if week.topics is None else topics)


def topics_of(
    drafts: Sequence[DraftRow], vectors: Vectors, since: datetime, least_people: int = MIN_PEOPLE
) -> list[QuestionTopic]:
    """Groups of alike questions of several people, the largest first, named by the words that set them apart."""
    if count_people(drafts) < least_people:
        return []
    from sklearn.cluster import AgglomerativeClustering

    clustering = AgglomerativeClustering(
        n_clusters=None, distance_threshold=1 - SIMILAR_FROM, metric="cosine", linkage="average"
    )
    labels = clustering.fit_predict(vectors)
    groups = [[n for n, label in enumerate(labels) if label == wanted] for wanted in set(labels)]
    words = [frozenset(_words(_text(draft))) for draft in drafts]
    counts = Counter(word for own in words for word in own)
    askers = [person_of(draft) for draft in drafts]
    name = partial(_name, words=words, counts=counts, askers=askers, least_people=least_people)
    topics = [
        _topic([drafts[n] for n in _by_centre(group, vectors)], name(group), since)
        for group in groups
        if len({askers[n] for n in group}) >= least_people
    ]
    return sorted(topics, key=lambda topic: (-topic.count, topic.name))[:MAX_TOPICS]


def _by_centre(group: Sequence[int], vectors: Vectors) -> list[int]:
    """The questions nearest to the middle of their group first."""
    centre = np.mean([vectors[n] for n in group], axis=0)
    return sorted(group, key=lambda n: -float(np.dot(vectors[n], centre)))


def _topic(drafts: Sequence[DraftRow], name: str, since: datetime) -> QuestionTopic:
    days = [0] * DAYS
    for draft in drafts:
        days[min(DAYS - 1, max(0, (draft.created_at - since).days))] += 1
    waiting = sum(draft.state in (DraftState.PENDING, DraftState.FAILED) for draft in drafts)
    return QuestionTopic(
        name, len(drafts), count_people(drafts), waiting, days, title_of(drafts[0]), [draft.id for draft in drafts]
    )


def _name(
    group: Sequence[int],
    words: Sequence[frozenset[str]],
    counts: Counter[str],
    askers: Sequence[str | None],
    least_people: int,
) -> str:
    """The words that enough of the group's people used, and few others."""
    own = Counter(word for n in group for word in words[n])
    people = Counter(word for _, word in {(askers[n], word) for n in group for word in words[n]})
    score = {
        word: count / len(group) * log((1 + len(words)) / counts[word])
        for word, count in own.items()
        if people[word] >= least_people
    }
    best = sorted(score, key=lambda word: (-score[word], word))[:NAME_WORDS]
    # A word that sets the group apart far less than the best one is one of the language, not of the topic.
    return ", ".join(word for word in best if score[word] >= score[best[0]] / 2) or "without common words"


def _words(text: str) -> Iterable[str]:
    return (word.casefold() for word in _WORD.findall(text))


def _text(draft: DraftRow) -> str:
    asked = (draft.request or {}).get("question") or {}
    return f"{asked.get('title', '')}\n{asked.get('body', '')}".strip() or "-"


def _hours(draft: DraftRow, decision: DecisionRow | None, at: datetime) -> float:
    """Until the decision, or now."""
    end = decision.decided_at if decision else at
    return max(0.0, (end - draft.created_at).total_seconds() / 3600)


def _unanswered(drafts: Sequence[DraftRow], decisions: dict[str, DecisionRow], at: datetime) -> list[OpenQuestion]:
    rows = [
        OpenQuestion(draft.id, title_of(draft) or "(no text)", draft.category or "", why, _hours(draft, None, at))
        for draft in drafts
        if (why := _why(draft, decisions.get(draft.id)))
    ]
    return sorted(rows, key=lambda row: -row.hours)


def _why(draft: DraftRow, decision: DecisionRow | None) -> str:
    """Why the material did not answer a question; empty where it did."""
    status = (draft.response or {}).get("status")
    if draft.response is None and draft.state == DraftState.FAILED:
        return "no draft could be made"
    if status in WITHOUT_ANSWER:
        return "a person answered" if decision and decision.text else "the material does not say"
    if decision is not None and decision.outcome in (Outcome.REWRITTEN, Outcome.DISCARDED):
        return "the draft was written anew" if decision.text else "the draft was discarded"
    return ""


def _days(
    drafts: Sequence[DraftRow], decisions: dict[str, DecisionRow], at: datetime, since: datetime
) -> list[WaitingDay]:
    days = []
    for number in range(DAYS):
        day = since + timedelta(days=number)
        mine = [one for one in drafts if day <= one.created_at < day + timedelta(days=1)]
        hours = sorted(_hours(one, decisions.get(one.id), at) for one in mine)
        days.append(WaitingDay(day, hours, median(hours) if hours else None))
    return days
