"""Sends each post at most once.

That it is sent is stored before the call. Where the forum's reply does not say whether it was, the post is looked for
by its mark, twice, some time apart; only if it is not there, it is sent again, with the same mark.

A correction changes the post in the same way: its text has a mark of its own, and the earlier marks say which post it
was. What is not in the forum any more is not posted again.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.forums.desk import Desk
from app.forums.shape import Denied, Forum, ForumError, ForumRefused, ForumThread, Limited, Unsure
from app.schemas import AnswerRequest, AuthorIn, QuestionIn
from core.course import ForumRules
from core.errors import StorageUnavailable
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
NOT_THERE = "The answer is not in the forum any more."
HELD = "The forum's moderators hold the answer back."
WORDS = {
    ForumPostKind.ANSWER: "Checked by course staff.",
    ForumPostKind.CORRECTION: "Corrected by course staff.",
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
    may_show_drafts: Callable[[], Awaitable[bool]]

    async def step(self) -> bool:
        """Send what is due, one after another; True if something was."""
        posts = await self.store.take_posts(self.course_id, self.clock(), LEASE, AT_ONCE)
        for post in posts:
            try:
                await self._work_on(post)
            except StorageUnavailable:
                raise
            except Exception:
                # A fault of ours, which must not hold up other posts. It is tried again when its lease is over.
                log.exception("A post for the forum of %s could not be worked on", self.course_id)
        return bool(posts)

    async def _work_on(self, post: ForumPostRow) -> None:
        if post.state != ForumPostState.WAITING:
            await self._look_for(post)
        elif post.kind == ForumPostKind.CORRECTION:
            await self._correct(post)
        else:
            await self._send(post)

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
        send = self.forum.post if post.kind == ForumPostKind.ANSWER else self.forum.post_for_staff
        await self._call(post, send(thread, text))

    async def _correct(self, post: ForumPostRow) -> None:
        """Change the post whose text was corrected; delete it if the answer was withdrawn."""
        decided, can = await self.desk.decided(post.draft_id), self.forum.capabilities
        if decided is not None and decided.decision_id != post.decision_id:
            await self._end(post, ForumPostState.CANCELLED, "It was corrected once more.")
            return
        if not (can.delete if decided is None else can.edit):
            await self._end(post, ForumPostState.FAILED, f"{self.forum.name} cannot change or delete a post.")
            return
        sent = await self.store.sent_for(post.draft_id)
        try:
            mark, post_id = await self._newest(post.thread_id, [earlier.mark for earlier in sent])
        except ForumError as error:
            await self._wait(post, self._pause(error, post.tries), str(error))
            return
        post.post_id = post_id
        if post_id is None and any(earlier.state == ForumPostState.HELD for earlier in sent):
            await self._end(post, ForumPostState.FAILED, HELD)
        elif post_id is None and decided is not None:
            await self._end(post, ForumPostState.CANCELLED, NOT_THERE)
        elif post_id is None or mark == post.mark:  # An earlier call was carried out.
            await self._end(post, ForumPostState.POSTED)
        elif await self.store.intend(post, self.clock(), LEASE):
            text = None if decided is None else _marked(decided.text, post)
            await self._call(post, self._change(post.thread_id, post_id, text))

    async def _newest(self, thread_id: str, marks: Sequence[str]) -> tuple[str, str | None]:
        """The first of the marks that stands in a post of ours, and that post's id; None without one."""
        for mark in marks:
            if (post_id := await self.forum.find(thread_id, mark)) is not None:
                return mark, post_id
        return "", None

    async def _change(self, thread_id: str, post_id: str, text: str | None) -> str:
        if text is None:
            await self.forum.delete(thread_id, post_id)
        else:
            await self.forum.edit(thread_id, post_id, text)
        return post_id

    async def _call(self, post: ForumPostRow, call: Awaitable[str]) -> None:
        """The call itself, whose intent is stored. A cancelled one stays as it is stored, and is looked for."""
        try:
            post_id = await call
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
            if not text or not await self.may_show_drafts():
                return None
        else:
            decided = await self.desk.decided(post.draft_id)
            if decided is None or decided.decision_id != post.decision_id:
                return None
            text = decided.text
        return _marked(text, post)

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
        if post.kind == ForumPostKind.CORRECTION and (state is ForumPostState.FAILED or error == NOT_THERE):
            await self._tell(post, error or "")
        await self.store.settle(post, post.next_at)

    async def _tell(self, post: ForumPostRow, reason: str) -> None:
        """Tell staff that a correction is not in the forum, by an entry of the queue.

        It is told of no thread: with an edited question it would end as a draft does.
        """
        try:
            thread = await self.forum.thread(post.thread_id)
        except ForumError:
            thread = None
        where = thread.url if thread is not None and thread.url else f"Thread {post.thread_id}."
        text = (
            f"An answer was corrected, but the correction is not in the forum: {reason} Correct it there yourself, "
            f"then discard this. {where}"
        )
        question = QuestionIn(title="A correction is not in the forum", body=text)
        request = AnswerRequest(course=self.course_id, question=question, author=AuthorIn())
        await self.desk.hand_over(request, f"{post.thread_id}/correction/{post.decision_id}", reason)


def _marked(text: str, post: ForumPostRow) -> str:
    return f"{text}\n\n*{WORDS[post.kind]}* ({post.mark})"
