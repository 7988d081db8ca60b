"""Drafts in the shadow: whoever asks or answers sees none before a person has answered, so both can be compared."""

from __future__ import annotations

from core.course import Course
from core.errors import InvalidInput
from core.review import Outcome, Posting
from core.store.tables import DraftState


def is_hidden(course: Course, state: DraftState) -> bool:
    """True of a draft in that state that waits for a person's own answer."""
    return course.posting is Posting.SHADOW and state == DraftState.PENDING


def demand_own_text(text: str | None, outcome: Outcome | None) -> None:
    """Raises `InvalidInput` for a decision on a hidden draft that says nothing of its own."""
    if text is None and outcome is not Outcome.DISCARDED:
        raise InvalidInput("This course compares drafts with answers by people: send your own answer as `text`.")
