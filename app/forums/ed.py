"""Ed: a poll. Its interface is undocumented; this is what three independent clients agree on.

`url` is https://edstem.org or that of a region, `place` the course's number, categories are named as in Ed. A private
answer is visible to whoever asked, so drafts are never sent there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar
from xml.sax.saxutils import escape

from app.forums.adapter import HttpForum
from app.forums.replies import behind, member, moment
from app.forums.shape import (
    Capabilities,
    ForumAuthor,
    ForumPost,
    ForumThread,
    Gone,
    Reading,
    StaffDraft,
    Unsure,
)
from core.types import BodyFormat

PAGE = 100
MAX_PAGES = 5
STAFF = ("staff", "admin", "tutor", "instructor", "mentor")
_PICTURE = re.compile(r'<image\b[^>]*?\bsrc="([^"]+)"')


class Ed(HttpForum):
    name: ClassVar[str] = "Ed"
    capabilities: ClassVar[Capabilities] = Capabilities(
        StaffDraft.NONE, edit=False, delete=False, threaded=True, sees_edits=True, requests_a_minute=30
    )

    @property
    def file_hosts(self) -> tuple[str, ...]:
        return ("static.edusercontent.com", "static.us.edusercontent.com")

    async def me(self) -> ForumAuthor:
        user = member(await self.http.get("/api/user"), "user")
        return ForumAuthor(str(user["id"]), name=str(user.get("name", "")), is_staff=True)

    async def read(self, cursor: str | None) -> Reading:
        """Threads by when they changed. While they are read new ones come, so that pages overlap and leave gaps."""
        last, newest = cursor or "", cursor or ""
        hints: dict[str, str] = {}
        for page in range(MAX_PAGES):
            query = {"limit": PAGE, "offset": page * PAGE, "sort": "date"}
            threads = member(await self.http.get(f"/api/courses/{self.account.place}/threads", query), "threads", list)
            times = {str(one["id"]): _changed(one) for one in threads}
            newest = max([newest, *times.values()])
            # A thread may change in the same moment as the last that was read: equal hints are no news.
            fresh = {thread: at for thread, at in times.items() if at >= last}
            hints |= fresh
            if cursor is None or len(threads) < PAGE or not fresh:
                break
        return Reading(behind(newest)) if cursor is None else Reading(newest, hints)

    async def thread(self, thread_id: str) -> ForumThread | None:
        found = await self._read(thread_id)
        if found is None:
            return None
        thread, users = found
        replies = [*thread.get("answers", ()), *thread.get("comments", ())]
        flat = [reply for top in replies for reply in (top, *top.get("comments", ()))]
        return ForumThread(
            id=thread_id,
            question=self._post(thread, users, str(thread.get("title", ""))),
            replies=tuple(self._post(reply, users) for reply in sorted(flat, key=lambda one: str(one["created_at"]))),
            category=str(thread.get("category", "")),
            is_open=not thread.get("is_locked"),
            is_question=thread.get("type") == "question",
            people=tuple(users.values()),
            url=f"{self.base}/courses/{self.account.place}/discussion/{thread_id}",
        )

    async def find(self, thread_id: str, mark: str, *, for_staff: bool = False) -> str | None:
        me, thread = await self.me(), await self.thread(thread_id)
        replies = thread.replies if thread else ()
        return next((post.id for post in replies if post.author.id == me.id and mark in post.body), None)

    async def post(self, thread: ForumThread, markdown: str) -> str:
        comment = {"type": "answer", "content": document_of(markdown), "is_private": False, "is_anonymous": False}
        reply = await self.http.json("POST", f"/api/threads/{thread.id}/comments", content={"comment": comment})
        created = member(reply, "comment")
        if "id" not in created:
            raise Unsure("The forum's reply names no post.")
        return str(created["id"])

    async def _read(self, thread_id: str) -> tuple[dict[str, Any], dict[int, ForumAuthor]] | None:
        try:
            reply = await self.http.get(f"/api/threads/{int(thread_id)}")
        except (Gone, ValueError):
            return None
        users = {one["id"]: _author(one) for one in reply.get("users", ())}
        return dict(member(reply, "thread")), users

    def _post(self, one: Mapping[str, Any], users: Mapping[int, ForumAuthor], title: str = "") -> ForumPost:
        user_id = one.get("user_id") or 0
        content = str(one.get("content") or one.get("document") or "")
        return ForumPost(
            id=str(one["id"]),
            # Whoever asks anonymously is nobody: a name of their own a thread.
            author=users.get(user_id) or ForumAuthor(f"anonymous-{one['id']}"),
            body=text_of(content),
            body_format=BodyFormat.TEXT,
            title=title,
            created_at=moment(one.get("created_at")),
            is_deleted=bool(one.get("deleted_at")),
            is_private=bool(one.get("is_private")),
            is_endorsed=bool(one.get("is_endorsed")),
            pictures=tuple(_PICTURE.findall(content)),
        )


def _author(user: Mapping[str, Any]) -> ForumAuthor:
    """`role` is that of the account on Ed, not in the course."""
    is_staff = str(user.get("course_role", "")).casefold() in STAFF
    return ForumAuthor(str(user["id"]), name=str(user.get("name", "")), is_staff=is_staff)


def _changed(thread: Mapping[str, Any]) -> str:
    return str(thread.get("deleted_at") or thread.get("updated_at") or thread.get("created_at") or "")


def document_of(markdown: str) -> str:
    """Markdown as Ed's XML: paragraphs of plain text and blocks of code, in which nothing is markup."""
    pieces = re.split(r"^```.*?\n(.*?)^```[ \t]*$", markdown, flags=re.MULTILINE | re.DOTALL)
    blocks: list[str] = []
    for number, piece in enumerate(pieces):
        if number % 2:
            blocks.append(f"<pre>{escape(piece.rstrip())}</pre>")
        else:
            paragraphs = [part.strip() for part in re.split(r"\n\s*\n", piece) if part.strip()]
            blocks += [f"<paragraph>{escape(part)}</paragraph>" for part in paragraphs]
    return f'<document version="2.0">{"".join(blocks)}</document>'


def text_of(content: str) -> str:
    """The text of Ed's XML; XML that is none is taken as text."""
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(content, "html.parser")
    for block in soup.find_all(["paragraph", "pre", "heading", "list-item"]):
        block.append("\n\n")
    return soup.get_text().strip()
