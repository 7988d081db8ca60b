"""Reads a course from the store."""

from __future__ import annotations

from core.course import Course
from core.store.store import Store


async def load_course(store: Store, course_id: str) -> Course:
    """The course's file as stored. Raises `UnknownName`."""
    return Course.model_validate((await store.courses.get(course_id)).config)
