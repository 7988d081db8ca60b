"""Sends instructors what their students asked, once a week (decision 0097)."""

from __future__ import annotations

from typing import Protocol

from app.jobs.kind import JobQueue
from app.mail import mailer_of
from app.review.questions import CourseQuestions
from app.review.weekly import last_week_end, summarise_week
from core.errors import NotFound, SetupError
from core.settings import Settings
from core.store.people.members import Member
from core.store.store import Store
from core.store.tables import JobState, now
from core.types import Role


class MailingPlace(Protocol):
    """What it takes, of the services of a process."""

    settings: Settings
    store: Store
    jobs: JobQueue
    questions: CourseQuestions


async def add_weekly_mails(work: MailingPlace) -> int:
    """Adds an e-mail for each instructor with an address of each course that wants it; how many were added.

    Without a mail server, none.
    """
    if mailer_of(work.settings) is None:
        return 0
    added = 0
    for stored in await work.store.courses.all():
        if not stored.course.review.weekly:
            continue
        week = f"{last_week_end(stored.course, now()):%Y-%m-%d}"
        sent = {job.kind for job in await work.store.jobs.all(stored.id) if job.state == JobState.DONE}
        for member in await work.store.members.all(stored.id):
            if _is_reader(member, stored.id) and _kind(week, member.id) not in sent:
                arguments = {"course": stored.id, "week": week, "person": member.id}
                added += await work.jobs.add("weekly mail", arguments, f"{stored.id} {week} {member.id}")
    return added


async def send_weekly_mail(work: MailingPlace, course_id: str, week: str, person_id: str) -> None:
    """Sends one e-mail, and records that it is sent. Who is no instructor any more gets none.

    Raises `MailUnavailable`, and `SetupError` where the settings name no server.
    """
    mailer = mailer_of(work.settings)
    if mailer is None:
        raise SetupError("No e-mail can be sent: set EDUMOD_SMTP_HOST and EDUMOD_SMTP_FROM, and retry.")
    course = await work.store.courses.read(course_id)
    try:
        member = await work.store.members.get(person_id)
    except NotFound:
        return
    if not _is_reader(member, course_id) or member.email is None or week != f"{last_week_end(course, now()):%Y-%m-%d}":
        return
    summary = await summarise_week(work.questions, course, (work.settings.address or "").rstrip("/"))
    await mailer.send(member.email, summary.title, summary.text)
    job = await work.store.jobs.start(course_id, _kind(week, person_id))
    await work.store.jobs.finish(job, JobState.DONE, {})


def _is_reader(member: Member, course_id: str) -> bool:
    return member.email is not None and member.roles.get(course_id) is Role.INSTRUCTOR


def _kind(week: str, person_id: str) -> str:
    """What is recorded as a job that ended: the e-mail of a week to a person."""
    return f"weekly mail {week} {person_id}"
