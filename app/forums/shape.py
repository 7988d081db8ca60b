"""What all forums have in common: threads of posts, and an adapter with declared capabilities.

An adapter translates; it decides nothing. What may be answered and posted, and when, is in `app.forums.engine`.

ForumError          the call failed
├── Refused         it was certainly not carried out: wrong input, or something is gone
│   ├── Denied      the token is wrong, was revoked, or lacks a right
│   ├── Gone        there is nothing under that address
│   └── Limited     too many requests; `retry_after` in seconds
└── Unsure          it may have been carried out: a time-out, a lost connection, 5xx, or a reply that is no reply
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import ClassVar, Protocol

from core.types import BodyFormat


class ForumError(Exception):
    """The message is for operators, and repeats nothing that the forum sent."""

    retry_after: float | None = None


class ForumRefused(ForumError):
    """`code` is the forum's own word for the error."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class Denied(ForumRefused):
    pass


class Gone(ForumRefused):
    pass


class Limited(ForumRefused):
    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Unsure(ForumError):
    pass


class BadSignature(Exception):
    """A request to our webhook that the forum did not sign."""


class StaffDraft(StrEnum):
    """Where a draft can stand in a forum so that only staff read it."""

    NONE = "none"
    WHISPER = "whisper"
    IONLY = "ionly"
    CHANNEL = "channel"


@dataclass(frozen=True)
class Capabilities:
    """What a forum can do, as verified in its sources."""

    staff_draft: StaffDraft
    edit: bool
    """Our posts can be changed."""
    delete: bool
    threaded: bool
    """A reply may name the post that it replies to."""
    webhook: bool = False
    sees_edits: bool = False
    """A poll shows that a question was edited or deleted; otherwise open threads are looked at again."""
    requests_a_minute: int = 60


@dataclass(frozen=True)
class ForumAuthor:
    """Who wrote a post, as the forum knows them. It does not leave `app.forums`, see `app.forums.border`."""

    id: str
    username: str = ""
    name: str = ""
    is_staff: bool = False
    is_bot: bool = False
    is_verified: bool = True
    """Whether it is certain who wrote; if not, nobody counts as staff by their name."""

    def is_in(self, names: Sequence[str]) -> bool:
        """True if one of the names is their id or user name."""
        mine = {self.id.casefold(), self.username.casefold()} - {""}
        return any(name.casefold() in mine for name in names)


@dataclass(frozen=True)
class ForumPost:
    """A post. Of the first one of a thread, `title` is the thread's."""

    id: str
    author: ForumAuthor
    body: str
    body_format: BodyFormat = BodyFormat.MARKDOWN
    title: str = ""
    created_at: datetime | None = None
    is_deleted: bool = False
    is_private: bool = False
    is_endorsed: bool = False
    pictures: tuple[str, ...] = ()
    """Addresses of pictures in the post."""


@dataclass(frozen=True)
class ForumThread:
    """A question with the replies to it."""

    id: str
    question: ForumPost
    replies: tuple[ForumPost, ...] = ()
    category: str | None = None
    is_open: bool = True
    """Whether it can be replied to."""
    is_question: bool = True
    """False of an announcement, a poll, a note."""
    people: tuple[ForumAuthor, ...] = ()
    """Others whom the forum names, beside the authors."""
    url: str = ""


@dataclass(frozen=True)
class Reading:
    """What a poll found: threads with a text that changes when they do, and where the next poll begins."""

    cursor: str
    hints: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ForumAccount:
    """Where a course's forum is, and as whom we act there."""

    url: str
    place: str = ""
    account: str = ""
    token: str = field(default="", repr=False)
    secret: str = field(default="", repr=False)
    categories: tuple[str, ...] = ()
    outgoing: str = ""
    """Where answers are sent to, if not to `url`."""
    staff_place: str = ""
    """Where only staff read."""


class Forum(Protocol):
    """An adapter to one forum and account. Every method may raise `ForumError`."""

    name: ClassVar[str]
    capabilities: ClassVar[Capabilities]

    @property
    def file_hosts(self) -> tuple[str, ...]:
        """Hosts that pictures may come from."""

    async def me(self) -> ForumAuthor:
        """The account that we act as. Raises `Denied`."""

    async def read(self, cursor: str | None) -> Reading:
        """What changed since `cursor`; None begins now, with nothing."""

    def notice(self, headers: Mapping[str, str], body: bytes) -> str | None:
        """The thread that a webhook's request is about, None for one about nothing of ours.

        Raises `BadSignature`.
        """

    async def thread(self, thread_id: str) -> ForumThread | None:
        """The thread as it is now, of a long one the first and latest posts; None if it is gone, or not for us."""

    async def is_for_all(self, thread: ForumThread) -> bool:
        """Whether everybody in the course can read the thread; False where that is not known."""

    async def find(self, thread_id: str, mark: str, *, for_staff: bool = False) -> str | None:
        """The id of a post of ours with that mark, however many others there are."""

    async def post(self, thread: ForumThread, markdown: str) -> str:
        """Post a reply that everybody in the thread reads, and return its id; empty if moderators hold it back."""

    async def post_for_staff(self, thread: ForumThread, markdown: str) -> str:
        """Post a text that only staff read, and return its id. Raises `ForumRefused` where the forum cannot."""

    async def edit(self, thread_id: str, post_id: str, markdown: str) -> None:
        """Change a post of ours. Raises `ForumRefused` where the forum cannot."""

    async def delete(self, thread_id: str, post_id: str) -> None:
        """Delete a post of ours. Raises `ForumRefused` where the forum cannot."""
