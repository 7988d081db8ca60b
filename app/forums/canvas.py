"""Canvas discussions: polls, and HTML. Official API.

`place` is the course's number. Without categories each topic is a question. With categories, which are numbers of
topics, each entry of such a topic is one, and a thread is named `TOPIC:ENTRY`. Nothing here is for staff alone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from app.forums.adapter import HttpForum, Remembered
from app.forums.http import read_json
from app.forums.replies import behind, html_of, member, moment, pictures_in
from app.forums.shape import (
    Capabilities,
    ForumAuthor,
    ForumPost,
    ForumRefused,
    ForumThread,
    Gone,
    Limited,
    Reading,
    StaffDraft,
    Unsure,
)
from core.types import BodyFormat

PAGE = 50
MAX_PAGES = 10
FOR_SOME = ("is_section_specific", "group_category_id", "only_visible_to_overrides")
_NEXT = re.compile(r'<([^>]+)>;\s*rel="next"')


@dataclass
class Canvas(HttpForum):
    name: ClassVar[str] = "Canvas"
    capabilities: ClassVar[Capabilities] = Capabilities(
        StaffDraft.NONE, edit=True, delete=True, threaded=True, requests_a_minute=60
    )
    _staff: Remembered[frozenset[str]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._staff = Remembered(self._read_staff, self.http.throttle.clock)

    @property
    def _topics(self) -> str:
        return f"/api/v1/courses/{self.account.place}/discussion_topics"

    async def me(self) -> ForumAuthor:
        user = await self.http.get("/api/v1/users/self")
        return ForumAuthor(str(member(user, "id", int)), name=str(user.get("name", "")), is_staff=True)

    async def read(self, cursor: str | None) -> Reading:
        """All threads with what changes when they do. The cursor is a moment: what is older was there before."""
        times = await (self._entry_times() if self.account.categories else self._topic_times())
        newest = max([cursor or "", *(at for at, _ in times.values())])
        if cursor is None:
            return Reading(behind(newest))
        return Reading(newest, {thread: hint for thread, (at, hint) in times.items() if at >= cursor})

    async def _topic_times(self) -> dict[str, tuple[str, str]]:
        """By topic when it was last replied to. That its text was edited shows in the hint, at no moment."""
        topics = await self._pages(self._topics, {"order_by": "recent_activity", "per_page": PAGE})
        return {
            str(item["id"]): (str(item.get("last_reply_at") or item.get("posted_at") or ""), _hint(item))
            for item in topics
        }

    async def _entry_times(self) -> dict[str, tuple[str, str]]:
        times: dict[str, tuple[str, str]] = {}
        for topic in self.account.categories:
            try:
                view = await self._view(topic)
            except Gone:
                continue  # It was deleted; others are read all the same.
            for entry in view.entries:
                changes = [
                    str(item.get("updated_at") or item.get("created_at") or "") for item in (entry, *_below(entry))
                ]
                times[f"{topic}:{entry['id']}"] = (max(changes), f"{max(changes)}/{len(changes)}")
        return times

    async def thread(self, thread_id: str) -> ForumThread | None:
        topic, _, entry = thread_id.partition(":")
        if not topic.isdecimal() or bool(entry) is not bool(self.account.categories):
            return None
        try:
            about = await self.http.get(f"{self._topics}/{topic}")
            view = await self._view(topic)
        except Gone:
            return None
        staff = await self._staff.get()
        first: Mapping[str, Any] | None
        if entry:
            first = next((item for item in view.entries if str(item["id"]) == entry), None)
            if first is None or first.get("deleted"):
                return None
            replies = _below(first)
        else:
            author = about.get("author") or {}
            first = {**about, "user_id": author.get("id"), "created_at": about.get("posted_at")}
            view.names.setdefault(str(author.get("id")), str(author.get("display_name") or ""))
            replies = [item for top in view.entries for item in (top, *_below(top))]
        posts = [self._post(item, view.names, staff) for item in replies if not item.get("deleted")]
        return ForumThread(
            id=thread_id,
            question=self._post(first, view.names, staff, str(about.get("title", ""))),
            replies=tuple(sorted(posts, key=lambda post: int(post.id))),
            category=topic if entry else None,
            is_open=not about.get("locked") and not about.get("locked_for_user"),
            is_question=not about.get("is_announcement"),
            people=tuple(ForumAuthor(number, name=name) for number, name in view.names.items()),
            url=str(about.get("html_url") or f"{self.base}/courses/{self.account.place}/discussion_topics/{topic}"),
        )

    async def is_for_all(self, thread: ForumThread) -> bool:
        """False of a topic for sections, groups, or those whom it is assigned to."""
        topic = await self.http.get(f"{self._topics}/{thread.id.partition(':')[0]}")
        return not any(topic.get(name) for name in FOR_SOME)

    async def find(self, thread_id: str, mark: str, *, for_staff: bool = False) -> str | None:
        topic, _, entry = thread_id.partition(":")
        me = await self.me()
        try:
            view = await self._view(topic)
        except Gone:
            return None
        tops = [item for item in view.entries if not entry or str(item["id"]) == entry]
        for item in [item for top in tops for item in (top, *_below(top))]:
            if str(item.get("user_id")) == me.id and not item.get("deleted") and mark in str(item.get("message", "")):
                return str(item["id"])
        return None

    async def post(self, thread: ForumThread, markdown: str) -> str:
        topic, _, entry = thread.id.partition(":")
        path = f"{self._topics}/{topic}/entries" + (f"/{int(entry)}/replies" if entry else "")
        created = await self.http.json("POST", path, form={"message": html_of(markdown)})
        if not isinstance(created, dict) or "id" not in created:
            raise Unsure("The forum's reply names no post.")
        return str(created["id"])

    async def edit(self, thread_id: str, post_id: str, markdown: str) -> None:
        await self.http.json("PUT", self._entry(thread_id, post_id), form={"message": html_of(markdown)})

    async def delete(self, thread_id: str, post_id: str) -> None:
        await self.http.call("DELETE", self._entry(thread_id, post_id))

    def _entry(self, thread_id: str, post_id: str) -> str:
        return f"{self._topics}/{thread_id.partition(':')[0]}/entries/{int(post_id)}"

    async def _view(self, topic: str) -> _View:
        """All entries of a topic: the view that Canvas keeps is late, and what is newer comes beside it."""
        view = await self.http.get(f"{self._topics}/{int(topic)}/view", {"include_new_entries": 1})
        names = {str(item["id"]): str(item.get("display_name") or "") for item in view.get("participants") or ()}
        entries = {str(item["id"]): item for item in member(view, "view", list)}
        known = {str(item["id"]): item for top in entries.values() for item in (top, *_below(top))}
        for new in view.get("new_entries") or ():
            old, parent = known.get(str(new["id"])), known.get(str(new.get("parent_id")))
            if old is not None:
                old |= {name: value for name, value in new.items() if name != "replies"}
                continue
            known[str(new["id"])] = new
            if parent is not None:
                parent.setdefault("replies", []).append(new)
            elif not new.get("parent_id"):
                entries[str(new["id"])] = new
        return _View(list(entries.values()), names)

    async def _read_staff(self) -> frozenset[str]:
        query = {"enrollment_type[]": ["teacher", "ta", "designer"], "per_page": PAGE}
        try:
            users = await self._pages(f"/api/v1/courses/{self.account.place}/users", query)
        except Limited:
            raise
        except ForumRefused:
            return frozenset()  # The account may not list people: then the course file names them.
        return frozenset(str(user["id"]) for user in users)

    async def _pages(self, path: str, query: Mapping[str, Any]) -> list[dict[str, Any]]:
        """A list over several pages, whose addresses Canvas gives."""
        response = await self.http.call("GET", path, query=query)
        collected = list(_list(read_json(response)))
        for _ in range(MAX_PAGES - 1):
            following = _NEXT.search(response.headers.get("link", ""))
            if following is None:
                break
            response = await self.http.call("GET", following[1])
            collected += _list(read_json(response))
        return collected

    def _post(
        self, item: Mapping[str, Any], names: Mapping[str, str], staff: frozenset[str], title: str = ""
    ) -> ForumPost:
        # Whoever asks anonymously is nobody: a name of their own a thread.
        number = str(item.get("user_id") or f"anonymous-{item['id']}")
        message = str(item.get("message") or "")
        return ForumPost(
            id=str(item["id"]),
            author=ForumAuthor(number, name=names.get(number, ""), is_staff=number in staff),
            body=message,
            body_format=BodyFormat.HTML,
            title=title,
            created_at=moment(item.get("created_at")),
            is_deleted=bool(item.get("deleted")),
            pictures=pictures_in(message, self.account.url),
        )


@dataclass(frozen=True)
class _View:
    entries: list[dict[str, Any]]
    names: dict[str, str]


def _below(entry: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All replies below an entry. Without recursion: threads may be nested deeply."""
    collected: list[dict[str, Any]] = []
    waiting = list(entry.get("replies") or ())
    while waiting:
        item = waiting.pop()
        collected.append(item)
        waiting += item.get("replies") or ()
    return collected


def _hint(topic: Mapping[str, Any]) -> str:
    text = hashlib.sha256(f"{topic.get('title')}\0{topic.get('message')}".encode()).hexdigest()[:12]
    return f"{topic.get('last_reply_at')}/{topic.get('discussion_subentry_count')}/{text}"


def _list(reply: Any) -> list[dict[str, Any]]:
    if not isinstance(reply, list):
        raise Unsure("The forum's reply is no list.")
    return reply
