"""Who sees a draft before a person has decided about it (decision 0058)."""

from __future__ import annotations

from core.access import Access, Permission
from core.course import Course
from core.errors import InvalidInput
from core.review import Outcome, Posting
from core.store.tables import DraftState


def is_hidden(course: Course, state: DraftState, access: Access | None = None) -> bool:
    """True if the reader may not see a draft in that state; `access` None stands for staff.

    With `posting: shadow` nobody sees a pending draft; otherwise people without permission to read drafts do not,
    while programs with a key do.
    """
    if state != DraftState.PENDING:
        return False
    return course.posting is Posting.SHADOW or is_asking_person(course, access)


def is_asking_person(course: Course, access: Access | None) -> bool:
    """True for a person, not a program, who may not read the course's drafts."""
    return access is not None and access.key is None and not access.may(Permission.DRAFTS_READ, course.id)


def demand_own_text(text: str | None, outcome: Outcome | None) -> None:
    """Raises `InvalidInput` for a decision on a hidden draft that says nothing of its own."""
    if text is None and outcome is not Outcome.DISCARDED:
        raise InvalidInput("This course compares drafts with answers by people: send your own answer as `text`.")
