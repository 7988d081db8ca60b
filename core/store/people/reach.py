"""The rows within reach of a request, as a condition in SQL."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, or_

from core.access import Reach


def within(reach: Reach, table: Any) -> list[ColumnElement[bool]]:
    """The conditions that keep a query to rows within reach; none where everything is. The table has `course_id` and,
    where rows of one's own count, `asked_by`."""
    if reach.courses is None:
        return []
    in_courses = table.c.course_id.in_(reach.courses)
    return [in_courses if reach.asker is None else or_(in_courses, table.c.asked_by == reach.asker)]
