"""Sends each post at most once.

That it is sent is stored before the call. Where the forum's reply does not say whether it was, the post is looked for
by its mark, twice, some time apart; only if it is not there, it is sent again, with the same mark.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.forums.desk import Desk
from app.forums.shape import Denied, Forum, ForumError, ForumRefused, ForumThread, Limited, StaffDraft, Unsure
from core.course import ForumRules
from core.store.forums import Forums
from core.store.tables import ForumPostKind, ForumPostRow, ForumPostState

AT_ONCE = 4
LEASE = timedelta(minutes=3)
"""Longer than a call may take; a post whose process died is looked for afterwards."""
LOOK_AFTER = (timedelta(seconds=30), timedelta(minutes=5))
"""After an unsure call, when it is looked for: forums show some posts late."""
BACKOFF = tuple(timedelta(seconds=seconds) for seconds in (5, 30, 120, 600, 1800, 3600))
MAX_TRIES = 24
MAX_REFUSALS = 3
WORDS = {
    ForumPostKind.ANSWER: "Checked by course staff.",
    ForumPostKind.STAFF_DRAFT: "A draft for staff, which nobody has checked. Decide it in the review queue.",
}
log = logging.getLogger("edumod")


@dataclass
class PostDelivery:
    """The posts of one course."""

    course_id: str
    rules: ForumRules
    forum: Forum
    store: Forums
    desk: Desk
    clock: Callable[[], datetime]
    why_not: Callable[[ForumThread | None, ForumPostRow], str | None]

    async def step(self) -> bool:
        """Send what is due, one after another; True if something was."""
        posts = await self.store.take_posts(self.course_id, self.clock(), LEASE, AT_ONCE)
        for post in posts:
            if post.state == ForumPostState.WAITING:
                await self._send(post)
            else:
                await self._look_for(post)
        return bool(posts)

    async def _send(self, post: ForumPostRow) -> None:
        """Send a post that has not been sent, if its thread is still as it was."""
        at = self.clock()
        midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
        if await self.store.sent_since(self.course_id, midnight) >= self.rules.posts_a_day:
            await self._wait(post, midnight + timedelta(days=1) - at, "The course's posts of this day are used up.")
            return
        try:
            thread = await self.forum.thread(post.thread_id)
        except ForumError as error:
            await self._wait(post, self._pause(error, post.tries), str(error))
            return
        text = await self._text(post)
        reason = self.why_not(thread, post) or ("Its decision was undone." if text is None else None)
        if reason is not None or thread is None or text is None:
            await self._end(post, ForumPostState.CANCELLED, reason)
            await self.store.notice(self.course_id, post.thread_id, at)
            return
        if not await self.store.intend(post, self.clock(), LEASE):
            return
        await self._call(post, thread, text)

    async def _call(self, post: ForumPostRow, thread: ForumThread, text: str) -> None:
        """The call itself, whose intent is stored. A cancelled one stays as it is stored, and is looked for."""
        send = self.forum.post if post.kind == ForumPostKind.ANSWER else self.forum.post_for_staff
        try:
            post_id = await send(thread, text)
        except (Limited, Denied) as error:
            post.state = ForumPostState.WAITING
            await self._wait(post, self._pause(error, post.tries), str(error))
        except ForumRefused as error:
            post.state = ForumPostState.WAITING
            if post.tries >= MAX_REFUSALS or post.kind == ForumPostKind.STAFF_DRAFT:
                await self._end(post, ForumPostState.FAILED, str(error))
            else:
                await self._wait(post, self._pause(error, post.tries), str(error))
        except Unsure as error:
            post.state = ForumPostState.UNSURE
            await self._wait(post, LOOK_AFTER[0], str(error))
        else:
            post.post_id = post_id or None
            await self._end(post, ForumPostState.POSTED if post_id else ForumPostState.HELD)

    async def _look_for(self, post: ForumPostRow) -> None:
        """Look for a post that may have been sent, by its mark."""
        for_staff = post.kind == ForumPostKind.STAFF_DRAFT
        try:
            found = await self.forum.find(post.thread_id, post.mark, for_staff=for_staff)
        except ForumError as error:
            post.state = ForumPostState.UNSURE
            await self._wait(post, self._pause(error, post.tries + post.looks), str(error))
            return
        if found is not None:
            post.post_id = found
            await self._end(post, ForumPostState.POSTED)
            return
        post.looks += 1
        if post.looks < len(LOOK_AFTER):
            post.state = ForumPostState.UNSURE
            await self._wait(post, LOOK_AFTER[post.looks], post.error)
        else:
            post.state, post.looks = ForumPostState.WAITING, 0
            await self._wait(post, timedelta(0), post.error)

    async def _text(self, post: ForumPostRow) -> str | None:
        """What is posted, with its mark; None where there is no decision to post, or nothing to show to staff."""
        if post.kind == ForumPostKind.STAFF_DRAFT:
            text = await self.desk.drafted(post.draft_id)
            row = await self.store.get(self.course_id)
            if not text or row is None or not row.shows_drafts or not self._shows_drafts:
                return None
        else:
            decided = await self.desk.decided(post.draft_id)
            if decided is None or decided.decision_id != post.decision_id:
                return None
            text = decided.text
        return f"{text}\n\n*{WORDS[post.kind]}* ({post.mark})"

    @property
    def _shows_drafts(self) -> bool:
        return self.rules.staff_draft and self.forum.capabilities.staff_draft is not StaffDraft.NONE

    @staticmethod
    def _pause(error: ForumError, tries: int) -> timedelta:
        if error.retry_after is not None:
            return timedelta(seconds=min(max(error.retry_after, 1.0), 3600.0))
        return BACKOFF[min(tries, len(BACKOFF) - 1)]

    async def _wait(self, post: ForumPostRow, pause: timedelta, error: str | None) -> None:
        if post.tries >= MAX_TRIES and post.state == ForumPostState.WAITING:
            await self._end(post, ForumPostState.FAILED, error)
            return
        post.error = error
        await self.store.settle(post, self.clock() + pause)

    async def _end(self, post: ForumPostRow, state: ForumPostState, error: str | None = None) -> None:
        post.state, post.error = state, error
        if state is ForumPostState.FAILED:
            log.error("An answer for the forum of %s was not posted: %s", self.course_id, error)
        await self.store.settle(post, post.next_at)
