"""A forum in memory, which every double speaks for in the language of its own forum; and the faults of its network."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from random import Random

from app.forums.http import MAX_REPLY_BYTES, ForumRequest, ForumResponse

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
HTML = b"<!DOCTYPE html><html><body><h1>502 Bad Gateway</h1></body></html>"


class Seen(StrEnum):
    """Who can see a post."""

    ALL = "all"
    STAFF = "staff"
    AUTHOR = "author"  # and staff


@dataclass
class User:
    id: int
    username: str
    name: str
    is_staff: bool = False
    is_bot: bool = False


@dataclass
class BoardPost:
    id: int
    thread: int
    number: int
    user: User
    text: str
    title: str = ""
    category: str = ""
    at: datetime = START
    edited_at: datetime = START
    version: int = 1
    is_deleted: bool = False
    seen: Seen = Seen.ALL
    is_endorsed: bool = False
    is_question: bool = True
    anonymous: bool = False
    extra: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class BoardEvent:
    """`created`, `edited`, `destroyed` or `recovered`."""

    id: int
    what: str
    post: BoardPost


class Killed(BaseException):
    """The process ends here."""


class Fault(StrEnum):
    UNAUTHORISED = "401"
    FORBIDDEN = "403"
    LIMITED = "429"
    LIMITED_TOO = "429, the other shape"
    BROKEN = "500, before or after the write"
    LATE = "time-out before the write"
    LATE_AFTER = "time-out after the write"
    PAGE = "HTML instead of JSON"
    KILLED = "killed before the write"
    KILLED_AFTER = "killed after the write"


@dataclass
class Faults:
    """Draws a fault for a share of the requests, or plays those of a script first."""

    random: Random = field(default_factory=lambda: Random(0))
    share: float = 0.0
    kinds: tuple[Fault, ...] = tuple(Fault)
    script: list[Fault | None] = field(default_factory=list)
    drawn: int = 0

    def draw(self) -> Fault | None:
        if self.script:
            return self.script.pop(0)
        if self.random.random() >= self.share:
            return None
        self.drawn += 1
        return self.random.choice(self.kinds)


class Board:
    """Posts, users, and what happened to them. Deleted posts stay, as in a forum's own database."""

    def __init__(self) -> None:
        self.now = START
        self.users: list[User] = []
        self.posts: list[BoardPost] = []
        self.events: list[BoardEvent] = []
        self.on_write: Callable[[BoardPost], None] = lambda _: None
        self._next = 100

    def user(self, username: str, name: str, *, is_staff: bool = False, is_bot: bool = False) -> User:
        user = User(len(self.users) + 10, username, name, is_staff, is_bot)
        self.users.append(user)
        return user

    def new_id(self) -> int:
        self._next += 1
        return self._next

    def ask(self, user: User, title: str, text: str, category: str = "7", **more: object) -> BoardPost:
        post = BoardPost(self.new_id(), self.new_id(), 1, user, text, title, category, self.now, self.now)
        return self._add(replace(post, **more))  # type: ignore[arg-type]

    def reply(self, thread: int, user: User, text: str, **more: object) -> BoardPost:
        number = max(post.number for post in self.posts if post.thread == thread) + 1
        post = BoardPost(self.new_id(), thread, number, user, text, at=self.now, edited_at=self.now)
        post = replace(post, category=self.question(thread).category, **more)  # type: ignore[arg-type]
        return self._add(post)

    def _add(self, post: BoardPost) -> BoardPost:
        self.posts.append(post)
        self._note("created", post)
        return post

    def edit(self, post: BoardPost, text: str, title: str | None = None) -> None:
        post.text, post.title = text, post.title if title is None else title
        post.version += 1
        post.edited_at = self.now
        self._note("edited", post)

    def delete(self, post: BoardPost) -> None:
        post.is_deleted = True
        post.edited_at = self.now
        self._note("destroyed", post)

    def _note(self, what: str, post: BoardPost) -> None:
        self.events.append(BoardEvent(len(self.events) + 1, what, post))

    def question(self, thread: int) -> BoardPost:
        return next(post for post in self.posts if post.thread == thread and post.number == 1)

    def thread(self, thread: int) -> list[BoardPost]:
        return [post for post in self.posts if post.thread == thread]

    def find(self, post_id: int) -> BoardPost | None:
        return next((post for post in self.posts if post.id == post_id), None)

    @property
    def questions(self) -> list[BoardPost]:
        return [post for post in self.posts if post.number == 1]

    def changed_at(self, thread: int) -> datetime:
        return max(post.edited_at for post in self.thread(thread))

    def seen_by_students(self, user: User) -> list[BoardPost]:
        """The posts of a user that somebody who is not of the staff can see, now or before they were deleted."""
        return [post for post in self.posts if post.user is user and post.seen is not Seen.STAFF]


class Double(ABC):
    """A transport in whose place a forum would answer. `bot` is the account of ours."""

    limits: tuple[ForumResponse, ForumResponse] = (
        ForumResponse(429, {"retry-after": "7", "content-type": "text/plain"}, b"Slow down, too many requests."),
        ForumResponse(429, {}, b'{"message": "rate limit"}'),
    )
    url = "https://forum.example.edu"
    has_private = True
    """Whether somebody can ask for staff alone."""
    questions_change = True
    """Whether questions can be edited and deleted."""
    no_categories: tuple[str | None, ...] = ()
    """What the adapter gives for the category of a forum that has none."""

    def __init__(self, board: Board | None = None) -> None:
        self.board = board or Board()
        self.bot = self.board.user("edumod", "EduMod", is_staff=True)
        self.faults = Faults()
        self.log: list[tuple[datetime, ForumRequest]] = []

    async def send(self, request: ForumRequest, max_bytes: int = MAX_REPLY_BYTES) -> ForumResponse:
        self.log.append((self.board.now, request))
        fault = self.faults.draw()
        match fault:
            case None:
                return self.handle(request)
            case Fault.UNAUTHORISED:
                return ForumResponse(401, {}, b'{"code": "bad_token"}')
            case Fault.FORBIDDEN:
                return ForumResponse(403, {}, b'{"errors": ["You are not permitted to view the requested resource."]}')
            case Fault.LIMITED:
                return self.limits[0]
            case Fault.LIMITED_TOO:
                return self.limits[1]
            case Fault.LATE:
                raise TimeoutError
            case Fault.KILLED:
                raise Killed
        if fault in (Fault.LATE_AFTER, Fault.KILLED_AFTER) or self.faults.random.random() < 0.5:
            self.handle(request)
        if fault is Fault.LATE_AFTER:
            raise TimeoutError
        if fault is Fault.KILLED_AFTER:
            raise Killed
        return ForumResponse(200 if fault is Fault.PAGE else 502, {"content-type": "text/html"}, HTML)

    @abstractmethod
    def handle(self, request: ForumRequest) -> ForumResponse:
        """What the forum answers to a request of our account."""

    def webhook(self, event: BoardEvent) -> tuple[dict[str, str], bytes] | None:
        """What the forum sends to our webhook; None if it has none, or says nothing of such an event."""
        return None

    def pass_seconds(self, seconds: int) -> None:
        self.board.now += timedelta(seconds=seconds)

    def thread_id(self, question: BoardPost) -> str:
        """The id of a question's thread in the adapter's words."""
        return str(question.thread)

    def write(self, thread: int, text: str, **more: object) -> BoardPost:
        """A post of our account, as a request made it."""
        post = self.board.reply(thread, self.bot, text, **more)
        self.board.on_write(post)
        return post


def as_json(value: object, status: int = 200, **headers: str) -> ForumResponse:
    return ForumResponse(status, {"content-type": "application/json", **headers}, json.dumps(value).encode())


def stamp(at: datetime) -> str:
    """A moment as JavaScript writes it."""
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z"
