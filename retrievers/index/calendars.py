"""A course's calendar, from the database."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from core.concurrency import in_thread
from core.store.courses import StoredCourse
from core.store.store import Store
from core.types import Audience
from retrievers.calendar.calendar import build_calendar
from retrievers.calendar.model import Calendar
from retrievers.index.solutions import readable_by_students


def zone_of(course: StoredCourse) -> ZoneInfo:
    """Where a course is."""
    return ZoneInfo(course.config.get("time_zone", "UTC"))


async def read_calendar(
    store: Store, course: StoredCourse, audience: Audience, at: datetime, *, is_corrected: bool = True
) -> Calendar:
    """What the material that is released by `at` says, corrected by the course's staff; for students, only what blocks
    say that they may read."""
    facts = await store.facts.of_course(course.id)
    entries = course.calendar if is_corrected else {}
    if not (facts.works or facts.events or facts.staff or entries):
        return Calendar()
    blocks = await store.material.blocks(course.id, None, at)
    readable = readable_by_students(blocks) if audience is Audience.STUDENTS else blocks
    title = f"{course.config.get('title', '')} {course.id}"
    today = at.astimezone(zone_of(course)).date()
    return await in_thread(build_calendar, facts, [block.passage for block in readable], title, today, entries)
