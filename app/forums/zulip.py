"""Zulip: a topic of a channel is a thread, its first message the question. Official API.

`account` is the bot's e-mail address, categories are names of channels, `staff_thread` is a private channel. The bot
is subscribed to all of them. A topic has no id, so that a thread has that of its first message.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, ClassVar
from urllib.parse import urljoin

from app.forums.adapter import HttpForum, Remembered
from app.forums.replies import member
from app.forums.shape import (
    Capabilities,
    Denied,
    ForumAccount,
    ForumAuthor,
    ForumPost,
    ForumRefused,
    ForumThread,
    Limited,
    Reading,
    StaffDraft,
    Unsure,
)

PAGE = 1_000
MAX_PAGES = 5
LATEST = 100
"""Messages of a topic that are read, from its first and from its last."""
MODERATOR = 300
"""Roles up to it are owners, administrators and moderators."""
RESOLVED = "\N{HEAVY CHECK MARK} "
"""What a topic begins with that somebody marked as resolved."""
GONE = "BAD_REQUEST"
"""The code of the error for a message that is not there."""
_UPLOAD = re.compile(r"\[[^\]]*\]\((/user_uploads/[^)\s]+)\)")
_MENTION = re.compile(r"@_?\*\*([^*|]+)(?:\|\d+)?\*\*")


@dataclass
class Zulip(HttpForum):
    name: ClassVar[str] = "Zulip"
    capabilities: ClassVar[Capabilities] = Capabilities(
        StaffDraft.CHANNEL, edit=True, delete=True, threaded=False, requests_a_minute=100
    )
    _users: Remembered[dict[int, ForumAuthor]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._users = Remembered(self._read_users, self.http.throttle.clock)

    @classmethod
    def headers_of(cls, account: ForumAccount) -> dict[str, str]:
        key = base64.b64encode(f"{account.account}:{account.token}".encode()).decode()
        return {"Authorization": f"Basic {key}"}

    async def me(self) -> ForumAuthor:
        user = await self.http.get("/api/v1/users/me")
        return ForumAuthor(str(member(user, "user_id", int)), name=str(user.get("full_name", "")), is_staff=True)

    async def read(self, cursor: str | None) -> Reading:
        if cursor is None:
            latest = await self._messages("newest", before=1)
            return Reading(str(latest[-1]["id"] if latest else 0))
        last, topics = int(cursor), dict[tuple[str, str], int]()
        for _ in range(MAX_PAGES):
            messages = await self._messages(last, after=PAGE)
            topics |= {_topic(item): item["id"] for item in messages if self._is_ours(item)}
            last = max([last, *(item["id"] for item in messages)])
            if len(messages) < PAGE:
                break
        firsts = {topic: await self._messages("oldest", topic, after=1) for topic in topics}
        hints = {str(first[0]["id"]): str(topics[topic]) for topic, first in firsts.items() if first}
        return Reading(str(last), hints)

    def _is_ours(self, message: Mapping[str, Any]) -> bool:
        """False of direct messages, the channel for staff, and channels that are not the course's."""
        if message.get("type") != "stream":
            return False
        if self._is_for_staff(message):
            return False
        channels = {name.casefold() for name in self.account.categories}
        return not channels or _topic(message)[0].casefold() in channels

    def _is_for_staff(self, message: Mapping[str, Any]) -> bool:
        return _topic(message)[0].casefold() == self.account.staff_place.casefold()

    async def thread(self, thread_id: str) -> ForumThread | None:
        first = await self._message(thread_id)
        if first is None or first.get("type") != "stream" or self._is_for_staff(first):
            return None
        topic = _topic(first)
        oldest = await self._messages(int(thread_id), topic, after=LATEST)
        newest = await self._messages("newest", topic, before=LATEST) if len(oldest) == LATEST else []
        replies = {item["id"]: item for item in (*oldest, *newest) if item["id"] > int(thread_id)}
        users = await self._users.get()
        if any(item["sender_id"] not in users for item in (first, *replies.values())):
            users = await self._users.get(fresh=True)
        posts = [_post(item, users, self.base) for _, item in sorted(replies.items())]
        return ForumThread(
            id=thread_id,
            question=_post(first, users, self.base, topic[1].removeprefix(RESOLVED)),
            replies=tuple(posts),
            category=topic[0],
            people=_named([first, *replies.values()], users),
            url=f"{self.base}/#narrow/channel/{first.get('stream_id')}/near/{thread_id}",
        )

    async def is_for_all(self, thread: ForumThread) -> bool:
        channels = member(await self.http.get("/api/v1/streams"), "streams", list)
        mine = (item for item in channels if item.get("name") == thread.category)
        return any(item.get("invite_only") is False for item in mine)

    async def find(self, thread_id: str, mark: str, *, for_staff: bool = False) -> str | None:
        if for_staff:
            topic: tuple[str, str] | None = (self.account.staff_place, "")
        else:
            first = await self._message(thread_id)
            topic = _topic(first) if first is not None else None
        if topic is None:
            return None
        me, messages = await self.me(), await self._messages("newest", topic, before=PAGE)
        mine = (item for item in messages if str(item["sender_id"]) == me.id and mark in item["content"])
        return next((str(item["id"]) for item in mine), None)

    async def post(self, thread: ForumThread, markdown: str) -> str:
        first = await self._message(thread.id)
        if first is None:
            raise ForumRefused("The question is gone.")
        return await self._send(str(first["stream_id"]), _topic(first)[1], markdown)

    async def post_for_staff(self, thread: ForumThread, markdown: str) -> str:
        """In the channel for staff, if it is private now."""
        channels = member(await self.http.get("/api/v1/streams"), "streams", list)
        place = self.account.staff_place.casefold()
        channel = next((item for item in channels if str(item.get("name")).casefold() == place), None)
        if channel is None or not channel.get("invite_only") or not place:
            raise ForumRefused("forum.staff_thread names no private channel that the bot is subscribed to.")
        link = f"{thread.url}\n\n" if thread.url else ""
        return await self._send(str(channel["stream_id"]), thread.question.title[:60] or "Draft", link + markdown)

    async def edit(self, thread_id: str, post_id: str, markdown: str) -> None:
        await self.http.json("PATCH", f"/api/v1/messages/{int(post_id)}", form={"content": markdown})

    async def delete(self, thread_id: str, post_id: str) -> None:
        await self.http.json("DELETE", f"/api/v1/messages/{int(post_id)}")

    async def _send(self, channel: str, topic: str, markdown: str) -> str:
        form = {"type": "stream", "to": channel, "topic": topic, "content": markdown}
        reply = await self.http.json("POST", "/api/v1/messages", form=form)
        if not isinstance(reply, dict) or "id" not in reply:
            raise Unsure("The forum's reply names no post.")
        return str(reply["id"])

    async def _message(self, message_id: str) -> dict[str, Any] | None:
        try:
            reply = await self.http.get(f"/api/v1/messages/{int(message_id)}", {"apply_markdown": "false"})
        except ValueError:
            return None
        except (Denied, Limited):
            raise
        except ForumRefused as error:
            if error.code == GONE:
                return None
            raise
        return dict(member(reply, "message"))

    async def _messages(
        self, anchor: int | str, topic: tuple[str, str] | None = None, *, before: int = 0, after: int = 0
    ) -> list[dict[str, Any]]:
        """Messages of everything that the bot reads, of a channel, or of a topic; oldest first."""
        terms = zip(("channel", "topic"), topic or (), strict=False)
        narrow = [{"operator": operator, "operand": operand} for operator, operand in terms if operand]
        query = {
            "anchor": anchor,
            "num_before": before,
            "num_after": after,
            "include_anchor": json.dumps(isinstance(anchor, str)),
            "narrow": json.dumps(narrow),
            "apply_markdown": "false",
        }
        return list(member(await self.http.get("/api/v1/messages", query), "messages", list))

    async def _read_users(self) -> dict[int, ForumAuthor]:
        users = member(await self.http.get("/api/v1/users"), "members", list)
        return {
            user["user_id"]: ForumAuthor(
                str(user["user_id"]),
                str(user.get("email", "")),
                str(user.get("full_name", "")),
                is_staff=int(user.get("role") or 400) <= MODERATOR,
                is_bot=bool(user.get("is_bot")),
            )
            for user in users
        }


def _topic(message: Mapping[str, Any]) -> tuple[str, str]:
    """A message's channel and topic."""
    return str(message.get("display_recipient", "")), str(message.get("subject", ""))


def _post(message: Mapping[str, Any], users: Mapping[int, ForumAuthor], base: str, title: str = "") -> ForumPost:
    sender = int(message["sender_id"])
    content = str(message["content"])
    return ForumPost(
        id=str(message["id"]),
        author=users.get(sender) or ForumAuthor(str(sender), name=str(message.get("sender_full_name", ""))),
        body=content,
        title=title,
        created_at=datetime.fromtimestamp(message["timestamp"], UTC),
        pictures=tuple(urljoin(base, path) for path in _UPLOAD.findall(content)),
    )


def _named(messages: list[dict[str, Any]], users: Mapping[int, ForumAuthor]) -> tuple[ForumAuthor, ...]:
    """Who is mentioned or named in full, whether they wrote here or not: their own post may be deleted. A name of one
    word may be an ordinary word."""
    text = "\n".join(str(item["content"]) for item in messages)
    mentioned, folded = set(_MENTION.findall(text)), text.casefold()
    return tuple(
        user
        for user in users.values()
        if user.name in mentioned or (" " in user.name.strip() and user.name.strip().casefold() in folded)
    )
