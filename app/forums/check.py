"""Tries a forum with a real account, as far as one may, as the tests try its double."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from typing import Literal

from pydantic import BaseModel

from app.forums.engine import ForumEngine
from app.forums.shape import BadSignature, Forum, ForumError, ForumPost, ForumThread, StaffDraft


class ForumCheck(BaseModel):
    """One thing that was tried."""

    name: str
    outcome: Literal["passed", "failed", "skipped"]
    detail: str = ""


class CheckedForum(BaseModel):
    forum: str
    checks: tuple[ForumCheck, ...]


async def check_forum(engine: ForumEngine, *, write: bool = False) -> CheckedForum:
    """Try reading; with `write` also posting, in the course's `staff_thread` alone."""
    forum, checks = engine.forum, []
    checks.append(await _try("The account signs in", lambda: _me(forum)))
    checks.append(await _try("A first poll tells nothing", lambda: _first_poll(forum)))
    checks.append(await _try("A thread that is not there is gone", lambda: _no_thread(forum)))
    if forum.capabilities.webhook:
        checks.append(await _try("A request without a signature is refused", lambda: _no_signature(forum)))
    if write and engine.rules.staff_thread:
        checks += await _check_writing(forum, engine.rules.staff_thread)
    else:
        why = "Needs --write and forum.staff_thread, a thread or channel that only staff read."
        checks.append(ForumCheck(name="Posts are marked, found, changed and deleted", outcome="skipped", detail=why))
    return CheckedForum(forum=forum.name, checks=tuple(checks))


async def _try(name: str, work: Callable[[], Awaitable[str]]) -> ForumCheck:
    """What the forum did is `detail`; it failed where an assertion or the forum does."""
    try:
        return ForumCheck(name=name, outcome="passed", detail=await work())
    except (ForumError, _Unexpected) as error:
        return ForumCheck(name=name, outcome="failed", detail=str(error))


class _Unexpected(Exception):
    """The forum does something else than its adapter expects."""


def _expect(condition: bool, otherwise: str) -> None:
    if not condition:
        raise _Unexpected(otherwise)


async def _me(forum: Forum) -> str:
    return f"as account {(await forum.me()).id}"


async def _first_poll(forum: Forum) -> str:
    reading = await forum.read(None)
    _expect(not reading.hints, "It named threads that are older than the connection.")
    again = await forum.read(reading.cursor)
    return f"{len(again.hints)} threads since"


async def _no_thread(forum: Forum) -> str:
    _expect(await forum.thread("999999999999") is None, "It gave a thread that cannot be there.")
    return ""


async def _no_signature(forum: Forum) -> str:
    try:
        forum.notice({"content-type": "application/json"}, b"{}")
    except BadSignature:
        return ""
    raise _Unexpected("It was taken. Set the webhook's secret in both places.")


async def _check_writing(forum: Forum, thread_id: str) -> list[ForumCheck]:
    mark = f"edm-{secrets.token_hex(8)}"
    has_channel = forum.capabilities.staff_draft is StaffDraft.CHANNEL
    send = forum.post_for_staff if has_channel else forum.post
    try:
        thread = await (_no_question(forum) if has_channel else forum.thread(thread_id))
    except ForumError as error:
        return [ForumCheck(name="The staff's thread is there", outcome="failed", detail=str(error))]
    if thread is None:
        detail = "forum.staff_thread names no thread that the account can read."
        return [ForumCheck(name="The staff's thread is there", outcome="failed", detail=detail)]
    checks, ids = [], []

    async def post() -> str:
        ids.append(await send(thread, f"A test of EduMod, **deleted** at once: `a < b` & c. ({mark})"))
        _expect(bool(ids[0]), "The forum's moderators hold the posts of this account back.")
        _expect(
            await forum.find(thread.id, mark, for_staff=has_channel) == ids[0], "The post is not found by its mark."
        )
        return f"post {ids[0]}"

    async def change() -> str:
        await forum.edit(thread.id, ids[0], f"Changed. ({mark})")
        return ""

    async def delete() -> str:
        await forum.delete(thread.id, ids[0])
        _expect(await forum.find(thread.id, mark, for_staff=has_channel) is None, "The post is still found.")
        return ""

    checks.append(await _try("A post is found by its mark", post))
    if ids and ids[0]:
        checks += [await _try("A post is changed", change)] if forum.capabilities.edit else []
        checks += [await _try("A post is deleted", delete)] if forum.capabilities.delete else []
    if forum.capabilities.staff_draft not in (StaffDraft.NONE, StaffDraft.CHANNEL):
        checks.append(await _try("Only staff read a draft", lambda: _whisper(forum, thread)))
    return checks


async def _no_question(forum: Forum) -> ForumThread:
    """What a post in the channel for staff is about, where no question is."""
    return ForumThread("0", ForumPost("0", await forum.me(), "", title="A test of EduMod"))


async def _whisper(forum: Forum, thread: ForumThread) -> str:
    post_id = await forum.post_for_staff(thread, "A test of EduMod: only staff can read this.")
    if forum.capabilities.delete:
        await forum.delete(thread.id, post_id)
    return f"post {post_id}"
