"""Discourse: webhook and poll, whispers for staff. Official API (openapi of August 2026).

`place` is unused, categories are named by their ids, `account` is the user name that the key belongs to.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from app.forums.adapter import HttpForum
from app.forums.replies import member, moment, pictures_in
from app.forums.shape import (
    BadSignature,
    Capabilities,
    ForumAccount,
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

WHISPER = 4
REGULAR = 1
MAX_PAGES = 20
"""Of fifty posts each that a poll reads back."""
LATEST = 40
"""Latest posts that are read of a long topic, beside the first twenty."""
CHUNK = 50
MAX_CHUNKS = 10
log = logging.getLogger("edumod")


class Discourse(HttpForum):
    name: ClassVar[str] = "Discourse"
    capabilities: ClassVar[Capabilities] = Capabilities(
        StaffDraft.WHISPER, edit=True, delete=True, threaded=True, webhook=True, requests_a_minute=50
    )

    @classmethod
    def headers_of(cls, account: ForumAccount) -> dict[str, str]:
        return {"Api-Key": account.token, "Api-Username": account.account}

    async def me(self) -> ForumAuthor:
        user = member(await self.http.get(f"/u/{self.account.account}.json"), "user")
        return ForumAuthor(str(user["id"]), str(user.get("username", "")), is_staff=True)

    async def read(self, cursor: str | None) -> Reading:
        last, newest, before = int(cursor or 0), int(cursor or 0), None
        hints: dict[str, str] = {}
        for _ in range(MAX_PAGES):
            posts = member(await self.http.get("/posts.json", {"before": before}), "latest_posts", list)
            fresh = [post for post in posts if post["id"] > last]
            newest = max([newest, *(post["id"] for post in fresh)])
            if cursor is None:
                break
            for post in fresh:
                if self._is_ours(post):
                    topic = str(post["topic_id"])
                    hints[topic] = str(max(post["id"], int(hints.get(topic, 0))))
            if len(fresh) < len(posts) or not posts:
                break
            before = min(post["id"] for post in posts)
        return Reading(str(newest), hints)

    def _is_ours(self, post: Mapping[str, Any]) -> bool:
        return not self.account.categories or str(post.get("category_id")) in self.account.categories

    def notice(self, headers: Mapping[str, str], body: bytes) -> str | None:
        check_signature(headers, body, self.account.secret)
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            raise BadSignature("The webhook's content type is not application/json.")
        try:
            event = json.loads(body)
        except ValueError as error:
            raise BadSignature("The webhook's body is no JSON.") from error
        post, topic = event.get("post") or {}, event.get("topic") or {}
        if post.get("topic_archetype", topic.get("archetype", "regular")) != "regular":
            return None
        topic_id = post.get("topic_id") or topic.get("id")
        return str(topic_id) if topic_id and self._is_ours(post or topic) else None

    async def thread(self, thread_id: str) -> ForumThread | None:
        topic = await self._topic(thread_id)
        if topic is None:
            return None
        stream = topic["post_stream"]
        posts = {post["id"]: post for post in stream["posts"]}
        missing = [post_id for post_id in stream.get("stream", ())[-LATEST:] if post_id not in posts]
        posts |= {post["id"]: post for post in await self._posts(thread_id, missing)}
        first, *replies = sorted(posts.values(), key=lambda post: int(post["post_number"]))
        if first["post_number"] != 1:
            return None
        try:
            source = await self.http.get(f"/posts/{first['id']}.json")
        except Gone:
            return None
        first = {**first, **{name: source[name] for name in ("raw", "deleted_at", "hidden") if name in source}}
        question = self._post(first, str(topic.get("title", "")))
        is_private = topic.get("archetype") == "private_message" or bool(first.get("hidden"))
        if topic.get("deleted_at") or is_private:
            question = replace(question, is_deleted=bool(topic.get("deleted_at")), is_private=is_private)
        return ForumThread(
            id=thread_id,
            question=question,
            replies=tuple(self._post(post) for post in replies if post.get("post_type") in (REGULAR, WHISPER)),
            category=str(topic.get("category_id")),
            is_open=not topic.get("closed") and not topic.get("archived"),
            url=f"{self.base}/t/{thread_id}",
        )

    async def is_for_all(self, thread: ForumThread) -> bool:
        """Whether its category is for everybody; the key needs the scope `categories:show` for that."""
        try:
            reply = await self.http.get(f"/c/{thread.category}/show.json")
        except Limited:
            raise
        except ForumRefused:
            return False
        return member(reply, "category").get("read_restricted") is False

    async def find(self, thread_id: str, mark: str, *, for_staff: bool = False) -> str | None:
        topic = await self._topic(thread_id)
        if topic is None:
            return None
        ids = list(topic["post_stream"].get("stream", ()))[::-1]
        for start in range(0, min(len(ids), CHUNK * MAX_CHUNKS), CHUNK):
            for post in await self._posts(thread_id, ids[start : start + CHUNK]):
                is_ours = str(post.get("username")).casefold() == self.account.account.casefold()
                if is_ours and mark in post.get("cooked", ""):
                    return str(post["id"])
        return None

    async def post(self, thread: ForumThread, markdown: str) -> str:
        created = await self._create(thread, markdown)
        return "" if created.get("action") == "enqueued" else str(created["id"])

    async def post_for_staff(self, thread: ForumThread, markdown: str) -> str:
        created = await self._create(thread, markdown, whisper="true")
        if created.get("post_type") == WHISPER:
            return str(created["id"])
        # An old Discourse posts for everybody what it may not whisper.
        log.critical("A whisper became a public post in topic %s and is deleted.", thread.id)
        if "id" in created:
            await self.delete(thread.id, str(created["id"]))
        raise ForumRefused("The forum does not whisper: the account needs the right to, or the forum is too old.")

    async def edit(self, thread_id: str, post_id: str, markdown: str) -> None:
        await self.http.json("PUT", f"/posts/{post_id}.json", content={"post": {"raw": markdown}})

    async def delete(self, thread_id: str, post_id: str) -> None:
        await self.http.call("DELETE", f"/posts/{post_id}.json")

    async def _create(self, thread: ForumThread, markdown: str, **more: str) -> dict[str, Any]:
        content = {"raw": markdown, "topic_id": int(thread.id), **more}
        created = await self.http.json("POST", "/posts.json", content=content)
        if not isinstance(created, dict) or ("id" not in created and created.get("action") != "enqueued"):
            raise Unsure("The forum's reply names no post.")
        return created

    async def _topic(self, thread_id: str) -> dict[str, Any] | None:
        try:
            topic = await self.http.get(f"/t/{int(thread_id)}.json")
        except (Gone, ValueError):
            return None
        member(member(topic, "post_stream"), "posts", list)
        return dict(topic)

    async def _posts(self, thread_id: str, ids: Sequence[int]) -> list[dict[str, Any]]:
        if not ids:
            return []
        found = await self.http.get(f"/t/{thread_id}/posts.json?" + "&".join(f"post_ids[]={one}" for one in ids))
        return list(member(member(found, "post_stream"), "posts", list))

    def _post(self, post: Mapping[str, Any], title: str = "") -> ForumPost:
        is_staff = bool(post.get("staff") or post.get("moderator") or post.get("admin"))
        user_id = post.get("user_id")
        author = ForumAuthor(
            str(user_id),
            str(post.get("username", "")),
            str(post.get("name") or ""),
            is_staff,
            is_bot=(user_id or 0) < 0,
        )
        has_source = "raw" in post
        return ForumPost(
            id=str(post["id"]),
            author=author,
            body=str(post["raw"] if has_source else post.get("cooked", "")),
            body_format=BodyFormat.MARKDOWN if has_source else BodyFormat.HTML,
            title=title,
            created_at=moment(post.get("created_at")),
            is_deleted=bool(post.get("deleted_at") or post.get("user_deleted")),
            is_private=post.get("post_type") == WHISPER,
            is_endorsed=bool(post.get("accepted_answer")),
            pictures=pictures_in(str(post.get("cooked", "")), self.account.url),
        )


def check_signature(headers: Mapping[str, str], body: bytes, secret: str) -> None:
    """Raises `BadSignature`. Discourse sends no signature where its webhook has no secret: that is refused, too."""
    given = headers.get("x-discourse-event-signature", "")
    wanted = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    if not secret or not hmac.compare_digest(given.encode(), wanted.encode()):
        raise BadSignature("The webhook's signature is missing or wrong.")
