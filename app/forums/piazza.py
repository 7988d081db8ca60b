"""Piazza: a poll. Its interface is undocumented; this follows a public client (piazza-api) and dumps of posts.

`url` is https://piazza.com, `place` the class's network id, `account` the e-mail address of an account of an
instructor, whose password is the token; categories are folders. A question has one answer by instructors: where there
is one, we follow up. Whether a follow-up for instructors alone is hidden from students was never tried, so drafts are
not sent there.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar
from urllib.parse import urlencode

from app.forums.adapter import HttpForum
from app.forums.http import ForumRequest, ForumResponse, checked
from app.forums.replies import behind, html_of, member, moment, pictures_in
from app.forums.shape import (
    Capabilities,
    Denied,
    ForumAccount,
    ForumAuthor,
    ForumPost,
    ForumRefused,
    ForumThread,
    Gone,
    Reading,
    StaffDraft,
    Unsure,
)
from core.types import BodyFormat

PAGE = 100
MAX_PAGES = 5
ANSWER = "i_answer"
WRITES = ("content.answer", "content.create")
STUDENT = "student"
_CSRF = re.compile(r"""csrf_token\s*=\s*["']([^"']+)["']""", re.IGNORECASE)
_ID = re.compile(r"[A-Za-z0-9]{1,40}")


@dataclass
class Piazza(HttpForum):
    name: ClassVar[str] = "Piazza"
    capabilities: ClassVar[Capabilities] = Capabilities(
        StaffDraft.NONE, edit=True, delete=False, threaded=False, sees_edits=True, requests_a_minute=12
    )
    _cookies: dict[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def headers_of(cls, account: ForumAccount) -> dict[str, str]:
        return {}  # A session signs in.

    @property
    def file_hosts(self) -> tuple[str, ...]:
        return (*super().file_hosts, "cdn-uploads.piazza.com")

    async def me(self) -> ForumAuthor:
        user = await self._call("user.status")
        return ForumAuthor(str(member(user, "id", str)), name=str(user.get("name", "")), is_staff=True)

    async def read(self, cursor: str | None) -> Reading:
        """Posts by when they changed, as those of Ed."""
        last, newest = cursor or "", cursor or ""
        hints: dict[str, str] = {}
        for page in range(MAX_PAGES):
            reply = await self._call("network.get_my_feed", limit=PAGE, offset=page * PAGE, sort="updated")
            times = {str(item["id"]): str(item.get("modified") or "") for item in member(reply, "feed", list)}
            newest = max([newest, *times.values()])
            fresh = {thread: at for thread, at in times.items() if at >= last}
            hints |= fresh
            if cursor is None or len(times) < PAGE or not fresh:
                break
        return Reading(behind(newest)) if cursor is None else Reading(newest, hints)

    async def thread(self, thread_id: str) -> ForumThread | None:
        content = await self._content(thread_id)
        if content is None or content.get("status") == "deleted":
            return None
        replies = [item for top in content.get("children") or () for item in (top, *(top.get("children") or ()))]
        uids = sorted({uid for item in (content, *replies) if (uid := _uid(item))})
        users = await self._call("network.get_users", ids=uids) if uids else []
        people = {str(user["id"]): _author(user) for user in users or ()}
        folders = [str(folder) for folder in content.get("folders") or ()]
        return ForumThread(
            id=thread_id,
            question=self._post(content, people, str(_newest(content).get("subject") or "")),
            replies=tuple(self._post(item, people) for item in replies),
            category=next((item for item in folders if item in self.account.categories), folders[0] if folders else ""),
            is_question=content.get("type") == "question",
            people=tuple(people.values()),
            url=f"{self.base}/class/{self.account.place}/post/{content.get('nr', thread_id)}",
        )

    async def find(self, thread_id: str, mark: str, *, for_staff: bool = False) -> str | None:
        """Staff may have edited our answer: it is ours as long as the mark stands in it."""
        me, content = (await self.me()).id, await self._content(thread_id)
        for child in (content or {}).get("children") or ():
            authors = {_uid(child), *(str(version.get("uid")) for version in child.get("history") or ())}
            if me in authors and mark in _text(child):
                return str(child["id"])
        return None

    async def post(self, thread: ForumThread, markdown: str) -> str:
        text = html_of(markdown)
        if _answer(await self._content(thread.id)) is None:
            sent = {"cid": thread.id, "type": ANSWER, "content": text, "revision": 0, "anonymous": "no"}
            return _id(await self._call("content.answer", **sent))
        # Another answer would overwrite it.
        sent = {"cid": thread.id, "type": "followup", "subject": text, "content": "", "anonymous": "no"}
        return _id(await self._call("content.create", **sent))

    async def edit(self, thread_id: str, post_id: str, markdown: str) -> None:
        answer = _answer(await self._content(thread_id))
        if answer is None or str(answer["id"]) != post_id:
            raise self.cannot("change a follow-up")
        if _uid(answer) != (await self.me()).id:
            raise ForumRefused("Somebody else has edited the answer in the forum.")
        sent = {"cid": thread_id, "type": ANSWER, "content": html_of(markdown), "anonymous": "no"}
        await self._call("content.answer", **sent, revision=int(answer.get("history_size") or 1) + 1)

    async def _content(self, thread_id: str) -> dict[str, Any] | None:
        if not _ID.fullmatch(thread_id):
            return None
        try:
            content = await self._call("content.get", cid=thread_id, student_view=None)
        except Gone:
            return None
        if not isinstance(content, dict) or "id" not in content:
            raise Unsure("The forum's reply has no post.")
        return content

    def _post(self, item: Mapping[str, Any], people: Mapping[str, ForumAuthor], title: str = "") -> ForumPost:
        text, config = _text(item), item.get("config") or {}
        return ForumPost(
            id=str(item["id"]),
            # Whoever asks anonymously is nobody: a name of their own a post.
            author=people.get(_uid(item)) or ForumAuthor(_uid(item) or f"anonymous-{item['id']}"),
            body=text,
            body_format=BodyFormat.HTML if "<p>" in text else BodyFormat.TEXT,
            title=title,
            created_at=moment(item.get("created")),
            is_private=bool(item.get("status") == "private" or config.get("feed_groups") or config.get("ionly")),
            is_endorsed=bool(item.get("tag_endorse_arr")),
            pictures=pictures_in(text, self.account.url),
        )

    async def _call(self, method: str, **params: Any) -> Any:
        """The result of a method. Errors come with status 200, and their texts are not documented.

        Raises `ForumError`: `Unsure` for a write, and `Gone` for what is refused to a session that is signed in.
        """
        if not self._cookies:
            await self._sign_in()
        reply = await self._rpc(method, params)
        if not reply.get("error"):
            return reply.get("result")
        if method in WRITES:
            self._cookies = {}
            raise Unsure("The forum failed while it carried out a request.")
        if method != "content.get" or (await self._rpc("user.status", {})).get("error"):
            await self._sign_in()
            reply = await self._rpc(method, params)
            if not reply.get("error"):
                return reply.get("result")
        if method == "content.get":
            raise Gone("The forum has nothing there.")
        raise ForumRefused("The forum refused the request.")

    async def _rpc(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        self.http.headers = {"Cookie": _header(self._cookies), "CSRF-Token": self._cookies.get("session_id", "")}
        content = {"method": method, "params": {"nid": self.account.place, **params}}
        path = f"/logic/api?method={method}&aid={secrets.token_hex(8)}"
        reply = await self.http.json("POST", path, content=content)
        if not isinstance(reply, dict) or not ("result" in reply or reply.get("error")):
            raise Unsure("The forum's reply is no result.")
        return reply

    async def _sign_in(self) -> None:
        """Raises `Denied`. A wrong password is answered with status 200, too, and a session that is not signed in."""
        self._cookies, self.http.headers = {}, {}
        page = await self.http.call("GET", "/main/csrf_token")
        csrf = _CSRF.search(page.body.decode(errors="replace"))
        if csrf is None:
            raise Unsure("The forum's page for signing in is another one than was expected.")
        cookies = _cookies(page)
        form = {
            "from": "/signup",
            "email": self.account.account,
            "password": self.account.token,
            "remember": "on",
            "csrf_token": csrf[1],
        }
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": _header(cookies)}
        request = ForumRequest("POST", f"{self.base}/class", headers, urlencode(form).encode())
        response = await self.http.send(request)
        if not 300 <= response.status < 400:
            checked(response)
        self._cookies = cookies | _cookies(response)
        if "session_id" not in self._cookies or (await self._rpc("user.status", {})).get("error"):
            self._cookies = {}
            raise Denied("The forum refuses the account. Check its e-mail address and password.")


def _newest(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """The newest version is the first of the history."""
    return next(iter(item.get("history") or ()), {})


def _uid(item: Mapping[str, Any]) -> str:
    """Whose its newest version is; empty of an anonymous one."""
    version = _newest(item) or item
    return "" if version.get("anon", "no") != "no" else str(version.get("uid") or "")


def _text(item: Mapping[str, Any]) -> str:
    """Of follow-ups and what is said about them, the subject is the text."""
    return str(_newest(item).get("content") or item.get("content") or item.get("subject") or "")


def _answer(content: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    children = (content or {}).get("children") or ()
    return next((dict(child) for child in children if child.get("type") == ANSWER), None)


def _author(user: Mapping[str, Any]) -> ForumAuthor:
    is_staff = str(user.get("role") or STUDENT).casefold() != STUDENT
    return ForumAuthor(str(user["id"]), name=str(user.get("name") or ""), is_staff=is_staff)


def _id(created: Any) -> str:
    if not isinstance(created, dict) or "id" not in created:
        raise Unsure("The forum's reply names no post.")
    return str(created["id"])


def _cookies(response: ForumResponse) -> dict[str, str]:
    """Cookies that a reply sets, one a line."""
    pairs = (line.partition(";")[0].partition("=") for line in response.headers.get("set-cookie", "").splitlines())
    return {name.strip(): value.strip() for name, _, value in pairs if name.strip()}


def _header(cookies: Mapping[str, str]) -> str:
    return "; ".join(f"{name}={value}" for name, value in cookies.items())
