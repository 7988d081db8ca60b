"""What the settings page shows: keys and quotas of the courses that somebody administers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from app.people.keys import KeyOut, describe_keys, may_revoke
from core.access import Access, Permission
from core.course import Course
from core.quotas import (
    Charge,
    Counted,
    Subject,
    charges_of_question,
    charges_of_request,
    reset_of,
    subject_of_course,
    subject_of_key,
)
from core.store.courses import StoredCourse
from core.store.store import Store

WORDS = {
    Counted.REQUESTS: "Requests today",
    Counted.QUESTIONS: "Questions today",
    Counted.DOLLARS: "Model spending this month",
}


@dataclass(frozen=True)
class Quota:
    """A limit and how much of it is used."""

    name: str
    is_dollars: bool
    used: float
    limit: float
    opens_at: datetime
    """When counting begins anew."""

    @property
    def share(self) -> float:
        return min(1.0, self.used / self.limit) if self.limit else 1.0


@dataclass(frozen=True)
class ShownKey:
    """A key with what is used of its limits."""

    key: KeyOut
    quotas: Sequence[Quota]
    may_revoke: bool


@dataclass(frozen=True)
class ShownSettings:
    """`chosen` is one of `courses`, those that the reader administers; None where there is none."""

    courses: Sequence[StoredCourse]
    chosen: Course | None
    keys: Sequence[ShownKey]
    quotas: Sequence[Quota]


async def read_settings_page(store: Store, access: Access, course_id: str) -> ShownSettings:
    """The settings of a course, or with "" of the first one.

    Raises `Forbidden` for a course that the reader does not administer, and `UnknownName`.
    """
    if course_id:
        access.demand(Permission.COURSE_ADMIN, course_id)
        await store.courses.get(course_id)
    within = access.courses(Permission.COURSE_ADMIN)
    courses = await store.courses.all(within)
    stored = next((course for course in courses if course.id == course_id), courses[0] if courses else None)
    chosen = stored.course if stored else None
    rows = await store.keys.all(None if access.is_operator else [course.id for course in courses])
    keys = []
    for row, key in zip(rows, await describe_keys(rows, store), strict=True):
        subject = Subject(subject_of_key(row.id), row.name, key.limits)
        keys.append(ShownKey(key, await _quotas(store, subject), may_revoke(access, row)))
    quotas: Sequence[Quota] = []
    if chosen is not None:
        quotas = await _quotas(store, Subject(subject_of_course(chosen.id), chosen.id, chosen.quotas))
    return ShownSettings(courses, chosen, keys, quotas)


async def _quotas(store: Store, subject: Subject) -> list[Quota]:
    charges = [*charges_of_request(subject), *charges_of_question(subject)]
    used = await store.usage.of(subject.id) if charges else {}
    return [_quota(charge, used[charge.counted]) for charge in charges]


def _quota(charge: Charge, used: float) -> Quota:
    is_dollars = charge.counted is Counted.DOLLARS
    resets_at = reset_of(charge.counted, datetime.now(UTC))
    return Quota(WORDS[charge.counted], is_dollars, used, charge.limit, resets_at)
