"""How a course is connected to its forum. Its secrets are in variables of the environment, never here."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from core.edison import OneOrMore
from core.types import Value

STAFF_MATTERS = (
    "accommodation", "accommodations", "disability", "medical", "illness", "bereavement", "harassment", "harassed",
    "discrimination", "plagiarism", "cheating", "academic integrity", "misconduct", "suicide", "self-harm", "assault",
    "mental health", "regrade", "my grade",
)  # fmt: skip
"""Words of posts that people answer: conduct, accommodations, distress, marks."""


class ForumKind(StrEnum):
    """The forums that there are adapters for."""

    DISCOURSE = "discourse"
    ED = "ed"
    ZULIP = "zulip"
    MOODLE = "moodle"
    CANVAS = "canvas"
    EMAIL = "email"
    PIAZZA = "piazza"


class ForumCategory(Value):
    """What is done with the posts of one category of the forum."""

    name: str = Field(description="The category, channel, folder or topic as the forum's API names it.")
    category: str | None = Field(default=None, description="The course's own category for its questions.")
    for_staff: bool = Field(default=False, description="Whether its posts are handed to staff, and never answered.")
    parameters: dict[str, Any] = Field(
        default_factory=dict, description="Query parameters of `POST /answer` for its questions."
    )


class ForumRules(Value):
    """The forum of a course. Its token is in the variable `EDUMOD_FORUM_COURSE_TOKEN`, and the secret of its webhook in
    `EDUMOD_FORUM_COURSE_SECRET`, with the course's id in capitals and `_` for `-`; each may name a file instead
    (`..._TOKEN_FILE`)."""

    kind: ForumKind = Field(description="Which forum it is.")
    url: str = Field(
        description="Address of the forum, such as https://forum.example.edu; its host is in EDUMOD_FORUM_HOSTS."
    )
    outgoing: str = Field(default="", description="Of e-mail, the server that sends: smtps://HOST or smtp://HOST.")
    place: str = Field(
        default="", description="The forum's own id of the course: a course number, network, channel or mailbox."
    )
    account: str = Field(default="", description="User name or id of the account that posts.")
    categories: tuple[ForumCategory, ...] = Field(
        default=(), description="Categories whose questions are answered; without any, all of them are."
    )
    staff: Annotated[tuple[str, ...], OneOrMore] = Field(
        default=(), description="User names or ids that count as staff, beside those whom the forum itself names."
    )
    bots: Annotated[tuple[str, ...], OneOrMore] = Field(
        default=(), description="User names or ids of other programs, to whose posts no draft is written."
    )
    staff_words: Annotated[tuple[str, ...], OneOrMore] = Field(
        default=STAFF_MATTERS, description="Words of posts that are handed to staff, and never answered."
    )
    staff_draft: bool = Field(
        default=False, description="Whether a draft is also shown to staff in the forum, where the forum can do so."
    )
    staff_thread: str = Field(
        default="", description="A thread, channel or topic that only staff read: for drafts, or to test the forum."
    )
    learn: bool = Field(
        default=False, description="Whether a question that staff answered in the forum becomes a past question."
    )
    consent: bool | None = Field(
        default=None, description="Whether authors of posts in this forum have agreed to automatic answers."
    )
    poll_seconds: float = Field(default=60.0, ge=1, le=3600, description="Time between two looks at the forum.")
    settle_seconds: float = Field(
        default=0.0, ge=0, le=3600, description="Time that a post must be unchanged before a draft is written."
    )
    drafts_a_thread: int = Field(default=5, ge=1, le=50, description="Drafts for one thread, edits included.")
    posts_a_day: int = Field(default=200, ge=1, description="Answers that are posted on one day, in UTC.")

    def category_of(self, name: str | None) -> ForumCategory | None:
        """The rule of a category; None for one that is not listed."""
        return next((rule for rule in self.categories if rule.name.casefold() == (name or "").casefold()), None)
