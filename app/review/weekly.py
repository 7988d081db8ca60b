"""A week of a course in words: what students asked, what gave trouble, how long they waited. It names no student.

What fewer than `LEAST_PEOPLE` asked about is counted only, and no question is quoted: the text leaves the service.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from app.review.deciding import Reviewer
from app.review.questions import MAX_QUESTIONS, CourseQuestions, QuestionWeek
from core.access import EVERYTHING, Person
from core.course import Course
from core.store.tables import now

LEAST_PEOPLE = 3
SENDER = Person("edumod", "EduMod")
MAX_LINES = 6
"""Of each part."""


@dataclass(frozen=True)
class WeeklySummary:
    """The text of a week. `name` is its ISO week, `until` its end."""

    name: str
    title: str
    until: datetime
    text: str


def last_week_end(course: Course, at: datetime) -> datetime:
    """The beginning of this week where the course is: the end of the last whole one."""
    local = at.astimezone(ZoneInfo(course.time_zone))
    return (local - timedelta(days=local.weekday())).replace(hour=0, minute=0, second=0, microsecond=0)


async def summarise_week(
    questions: CourseQuestions, course: Course, address: str = "", at: datetime | None = None
) -> WeeklySummary:
    """The last whole week. `address` is that of the service; without one, the text has no link."""
    until = last_week_end(course, at or now())
    week = await questions.of_week(course, Reviewer(SENDER, EVERYTHING), until, LEAST_PEOPLE)
    first, last = until - timedelta(days=7), until - timedelta(days=1)
    title = f"{course.title or course.id}: what students asked from {_day(first)} to {_day(last)}"
    lines = [*_lines(week), *([f"All of it: {address}/courses/{course.id}/questions"] if address else [])]
    return WeeklySummary(f"{first:%G-W%V}", title, until, "\n".join(lines) + "\n")


def _lines(week: QuestionWeek) -> Iterator[str]:
    if not week.count:
        yield "Nobody asked anything."
        return
    count = f"The newest {MAX_QUESTIONS}" if week.count >= MAX_QUESTIONS else f"{week.count}"
    asked = "question" if week.count == 1 else "questions"
    people = f" of {week.people} people" if week.people >= LEAST_PEOPLE else ""
    yield f"{count} {asked}{people}; {week.answered} answered by people, {week.waiting} still waiting."
    if week.median_hours is not None:
        yield f"Half of the decided ones waited at most {_span(week.median_hours)}."
    due = _span(week.course.review.due_hours)
    yield f"{week.late} waited longer than the promised {due}."
    yield from _part("Topics", list(_topics(week)))
    yield from _part("Assignments asked about most", list(_troubles(week)))
    yield from _part("What the material did not answer", [f"{n} x {why}" for why, n in week.reasons.items()])
    yield ""
    yield f"Left out is what fewer than {LEAST_PEOPLE} people asked about."


def _topics(week: QuestionWeek) -> Iterator[str]:
    for topic in week.topics or ():
        waiting = f", {topic.waiting} waiting" if topic.waiting else ""
        yield f"{topic.name}: {topic.count} questions of {topic.people} people{waiting}"


def _troubles(week: QuestionWeek) -> Iterator[str]:
    for trouble in week.troubles:
        unused = f", {trouble.unused} drafts did not help" if trouble.unused else ""
        yield f"{trouble.place}: {trouble.count} questions of {trouble.people} people{unused}"


def _part(title: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield from ("", title, *(f"- {line}" for line in lines[:MAX_LINES]))


def _day(moment: datetime) -> str:
    return f"{moment.day} {moment:%B}"


def _span(hours: float) -> str:
    return f"{60 * hours:.0f} min" if hours < 1 else f"{hours:.0f} h"
