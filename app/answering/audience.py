"""Whom a run is for: it decides once what the run may hold (decision 0056)."""

from __future__ import annotations

from app.review.shadow import is_hidden
from core.course import Course
from core.review import Posting
from core.store.tables import DraftState
from core.types import Audience


def audience_of(course: Course, *, asker_is_staff: bool) -> Audience:
    """Staff where a person of the staff reads the draft before a student does; students otherwise.

    With `posting: auto` nobody reads it first, whoever asks.
    """
    if course.posting is Posting.AUTO:
        return Audience.STUDENTS
    return Audience.STAFF if asker_is_staff or hides_drafts(course) else Audience.STUDENTS


def hides_drafts(course: Course) -> bool:
    """Whether students see a draft of the course only once a person has decided."""
    return is_hidden(course, DraftState.PENDING)
