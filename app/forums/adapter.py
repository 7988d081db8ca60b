"""What the adapters share: an account, requests with its token, and refusals of what a forum cannot do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Generic, Self, TypeVar
from urllib.parse import urlsplit

from app.forums.http import ForumHttp, ForumTransport, Throttle
from app.forums.shape import BadSignature, Capabilities, ForumAccount, ForumRefused, ForumThread

T = TypeVar("T")
REMEMBERED_SECONDS = 600.0
"""How long the list of a forum's people counts."""


@dataclass
class HttpForum:
    """An adapter that speaks HTTP. What is not overridden the forum cannot do, and it is refused."""

    account: ForumAccount
    http: ForumHttp

    name: ClassVar[str]
    capabilities: ClassVar[Capabilities]
    schemes: ClassVar[tuple[str, ...]] = ("https",)
    """How the forum's address may begin: what the token is sent to is encrypted."""

    @classmethod
    def of(cls, account: ForumAccount, transport: ForumTransport, throttle: Throttle) -> Self:
        headers = {"Accept": "application/json", **cls.headers_of(account)}
        return cls(account, ForumHttp(transport, account.url, throttle, headers))

    @classmethod
    def headers_of(cls, account: ForumAccount) -> dict[str, str]:
        """The headers that sign requests in."""
        return {"Authorization": f"Bearer {account.token}"}

    @property
    def file_hosts(self) -> tuple[str, ...]:
        return (urlsplit(self.account.url).hostname or "",)

    @property
    def base(self) -> str:
        return self.account.url.rstrip("/")

    def notice(self, headers: Mapping[str, str], body: bytes) -> str | None:
        raise BadSignature(f"{self.name} has no webhook.")

    async def is_for_all(self, thread: ForumThread) -> bool:
        return True

    async def post_for_staff(self, thread: ForumThread, markdown: str) -> str:
        raise self.cannot("show a post to staff alone")

    async def edit(self, thread_id: str, post_id: str, markdown: str) -> None:
        raise self.cannot("change a post")

    async def delete(self, thread_id: str, post_id: str) -> None:
        raise self.cannot("delete a post")

    def cannot(self, what: str) -> ForumRefused:
        """The error for what a forum lacks: nothing else is done instead."""
        return ForumRefused(f"{self.name} cannot {what}.")


@dataclass
class Remembered(Generic[T]):
    """A value that is read again after some minutes."""

    read: Callable[[], Awaitable[T]]
    clock: Callable[[], float]
    _value: T | None = field(default=None, repr=False)
    _at: float = float("-inf")

    async def get(self, *, fresh: bool = False) -> T:
        """`fresh` reads it again in any case."""
        if self._value is None or fresh or self.clock() - self._at > REMEMBERED_SECONDS:
            self._value = await self.read()
            self._at = self.clock()
        return self._value
