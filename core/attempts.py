"""How often a person may have work on one exercise checked: often enough to learn, too seldom to find out by trying."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import Field

from core.errors import QuotaExceeded
from core.quotas import MAX_QUOTA, Charge, Counted, Quotas, Subject, reset_of
from core.types import Value


class HomeworkRules(Value):
    """How homework is checked."""

    attempts_a_day: int | None = Field(
        default=5,
        ge=1,
        le=MAX_QUOTA,
        description="How often one person is told on one day (UTC) whether the final answer to one exercise is right; "
        "null for as often as they like. Staff is not limited.",
    )
    tell_from: float = Field(
        default=0.9,
        ge=0,
        le=1,
        description="Confidence from which it may be told without a person that something is amiss. Feedback with a "
        "finding below it waits for the staff, also with `posting: auto`; the review page marks it.",
    )


@dataclass(frozen=True, slots=True)
class Attempt(Charge):
    """One checked attempt of a person at an exercise, counted like a question."""

    def quota_error(self) -> QuotaExceeded:
        """The error for an attempt too many: when the next one is possible."""
        moment = datetime.now(UTC)
        reset = reset_of(self.counted, moment)
        error = QuotaExceeded(
            f"This exercise was checked {self.limit:.0f} times for you today. Work on it with the feedback that you "
            f"have, and hand in again after {reset:%B %d, %H:%M} UTC."
        )
        error.retry_after = (reset - moment).total_seconds()
        return error


def attempt_of(rules: HomeworkRules, course_id: str, person: str | None, exercise: str | None) -> list[Attempt]:
    """What an attempt has to be compared with; nothing for whoever is not limited.

    Neither person nor exercise can be read in what is stored.
    """
    if rules.attempts_a_day is None or person is None:
        return []
    digest = hashlib.sha256(f"{course_id}\0{person}\0{exercise}".encode()).hexdigest()
    subject = Subject(f"attempt:{digest[:32]}", "", Quotas())
    return [Attempt(subject, Counted.QUESTIONS, rules.attempts_a_day, 1)]
