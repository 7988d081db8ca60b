"""How much a key or a course may use, and what is said when it is used up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from pydantic import Field

from core.errors import QuotaExceeded
from core.settings import TOKENS_PER_PRICE, ModelPrice
from core.types import Value

MAX_QUOTA = 1_000_000_000
"""Largest limit. Databases cannot compare with just any number."""

RESERVED_RETRY_SECONDS = 5.0
RESERVED_CALLS = 4
"""Model calls that are reserved for a question: a long one may need more, most need two."""
CHARS_PER_TOKEN = 4
REPLY_TOKENS = 1_000


class Counted(StrEnum):
    """What is counted: requests and questions by day, dollars by month, both in UTC."""

    REQUESTS = "requests"
    QUESTIONS = "questions"
    DOLLARS = "dollars"


class Quotas(Value):
    """Limits over all who ask, or of one key; none where nothing is given. Days and months are those of UTC."""

    questions_a_day: int | None = Field(
        default=None, ge=0, le=MAX_QUOTA, description="Questions that are answered on one day."
    )
    dollars_a_month: float | None = Field(
        default=None,
        ge=0,
        le=MAX_QUOTA,
        allow_inf_nan=False,
        description="What models may cost in one month, in US dollars.",
    )


class KeyQuotas(Quotas):
    """Limits of a key, whose requests of any kind can be limited, too."""

    requests_a_day: int | None = Field(default=None, ge=0, le=MAX_QUOTA, description="Requests of any kind on one day.")


@dataclass(frozen=True, slots=True)
class Subject:
    """Whose use is counted: `id` as `key:ID` or `course:ID`, `name` for people."""

    id: str
    name: str
    quotas: Quotas


@dataclass(frozen=True, slots=True)
class Charge:
    """A use to be compared with a limit. Of dollars it is known afterwards what was used.

    Their `amount` is an estimate, which is reserved until then; 0 for what is free or has an unknown price.
    """

    subject: Subject
    counted: Counted
    limit: float
    amount: float

    @property
    def period(self) -> str:
        """The day or month of today, as it is stored."""
        return period_of(self.counted, datetime.now(UTC))

    def quota_error(self) -> QuotaExceeded:
        """The error for a use over the limit: what is used up, and when it begins anew."""
        moment = datetime.now(UTC)
        reset = reset_of(self.counted, moment)
        error = QuotaExceeded(
            f"{self.subject.name} has used up {_WORDS[self.counted].format(_number(self.limit))}. "
            f"Ask again after {reset:%B %d, %H:%M} UTC."
        )
        error.retry_after = (reset - moment).total_seconds()
        return error

    def reservation_error(self) -> QuotaExceeded:
        """The error where questions under way may use up the rest."""
        error = QuotaExceeded(
            f"What is left to {self.subject.name} of {_WORDS[self.counted].format(_number(self.limit))} is reserved "
            "for questions that are being answered. Ask again in a few seconds."
        )
        error.retry_after = RESERVED_RETRY_SECONDS
        return error


def subject_of_key(key_id: str) -> str:
    """How the use of a key is stored."""
    return f"key:{key_id}"


def subject_of_course(course_id: str) -> str:
    """How the use of a course is stored."""
    return f"course:{course_id}"


_WORDS = {
    Counted.REQUESTS: "the {} requests of today",
    Counted.QUESTIONS: "the {} questions of today",
    Counted.DOLLARS: "the ${} of this month",
}


def charges_of_request(key: Subject) -> Iterator[Charge]:
    """What a request has to be compared with."""
    if isinstance(key.quotas, KeyQuotas) and key.quotas.requests_a_day is not None:
        yield Charge(key, Counted.REQUESTS, key.quotas.requests_a_day, 1)


def charges_of_question(subject: Subject, dollars: float = 0.0) -> Iterator[Charge]:
    """What a question has to be compared with before it is answered; `dollars` is what it may cost."""
    if subject.quotas.questions_a_day is not None:
        yield Charge(subject, Counted.QUESTIONS, subject.quotas.questions_a_day, 1)
    if subject.quotas.dollars_a_month is not None:
        yield Charge(subject, Counted.DOLLARS, subject.quotas.dollars_a_month, dollars)


def may_cost(price: ModelPrice | None, prompt_chars: int) -> float:
    """Dollars to reserve for a question whose prompts have up to so many characters; 0 for an unknown price."""
    if price is None:
        return 0.0
    call = prompt_chars / CHARS_PER_TOKEN * price.input + REPLY_TOKENS * price.output
    return RESERVED_CALLS * call / TOKENS_PER_PRICE


def period_of(counted: Counted, moment: datetime) -> str:
    """The month (`2026-03`) or day (`2026-03-01`) in which a use counts."""
    return f"{moment:%Y-%m}" if counted is Counted.DOLLARS else f"{moment:%Y-%m-%d}"


def reset_of(counted: Counted, moment: datetime) -> datetime:
    """When the next period begins."""
    day = moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if counted is Counted.DOLLARS:
        return (day.replace(day=1) + timedelta(days=32)).replace(day=1)
    return day + timedelta(days=1)


def _number(limit: float) -> str:
    return f"{limit:,.0f}" if limit == int(limit) else f"{limit:,.2f}"
