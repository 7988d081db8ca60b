"""From a student's post to a draft, and from a decision to a post: one course's forum.

Whatever a forum tells, by a webhook or a poll, is only a reason to look at a thread. A look compares the thread as it
is with what is stored and does what is missing, so that events may come twice, late, in any order, or not at all.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from app.forums.border import Border, pictures_of
from app.forums.desk import Desk
from app.forums.http import ForumTransport
from app.forums.posting import PostDelivery
from app.forums.shape import (
    BadSignature,
    Denied,
    Forum,
    ForumAuthor,
    ForumError,
    ForumPost,
    ForumRefused,
    ForumThread,
    StaffDraft,
)
from app.schemas import AnswerRequest, AuthorIn, QuestionIn
from core.course import Course, ForumRules
from core.errors import EduModError, InvalidInput, QuotaExceeded, StorageUnavailable
from core.store.forums import Forums
from core.store.tables import ForumPostKind, ForumPostRow, ForumRow, ForumThreadRow, ThreadState, now
from core.text.html import html_text
from core.types import BodyFormat

AT_ONCE = 4
POLL_LEASE = timedelta(minutes=2)
THREAD_LEASE = timedelta(minutes=10)
"""Longer than an answer may take."""
RECHECK = timedelta(minutes=15)
"""How often a thread with a draft is looked at, where a poll does not show edits."""
MAX_WAIT = timedelta(minutes=15)
"""Between tries while a forum is down."""
MIN_ANSWER_WORDS = 8
"""A shorter reply by staff, such as "let me look into this", is no answer, unless it is endorsed."""
EDITED = "The question was edited in the forum after this draft was written."
DELETED = "The question was deleted in the forum."
OTHER_CATEGORY = "Its category is not answered."
ANSWERED = "Staff answered the question in the forum."
log = logging.getLogger("edumod")


@dataclass
class ForumEngine:
    """Works on one course's forum. Several processes may: what one works on, it takes first."""

    course: Course
    rules: ForumRules
    forum: Forum
    store: Forums
    desk: Desk
    border: Border
    transport: ForumTransport
    max_picture_bytes: int = 5 * 2**20
    clock: Callable[[], datetime] = now
    _me: ForumAuthor | None = field(default=None, repr=False)
    _is_tested: bool = False

    def __post_init__(self) -> None:
        self.posting = PostDelivery(
            self.course.id,
            self.rules,
            self.forum,
            self.store,
            self.desk,
            self.clock,
            self.why_not,
            self._may_show_drafts,
        )

    async def step(self) -> bool:
        """Do what is due; True if something was. Raises `StorageUnavailable`."""
        read = await self.poll()
        if not await self.store.has_work(self.course.id, self.clock()):
            return read
        await self.store.queue_decided(self.course.id, self.clock())
        rows = await self.store.take_threads(self.course.id, self.clock(), THREAD_LEASE, AT_ONCE)
        await asyncio.gather(*(self._look(row) for row in rows))
        sent = await self.posting.step()
        return bool(rows) or sent or read

    async def me(self) -> ForumAuthor | None:
        """The account that we act as; None while the forum does not say."""
        if self._me is None:
            try:
                self._me = await self.forum.me()
            except ForumError as error:
                log.warning("The forum of %s does not name our account: %s", self.course.id, error)
        return self._me

    def notice_of(self, headers: Mapping[str, str], body: bytes) -> str | None:
        """The thread that a webhook's request is about; None where it is about nothing of ours.

        Raises `BadSignature`, also where the forum has no webhook.
        """
        if not self.forum.capabilities.webhook:
            raise BadSignature("This forum has no webhook.")
        return self.forum.notice(headers, body)

    async def notice(self, thread_id: str) -> None:
        """Look at a thread, once it has been unchanged for the course's time."""
        await self.store.notice(self.course.id, thread_id, self.clock() + self._settle)

    @property
    def _settle(self) -> timedelta:
        return timedelta(seconds=self.rules.settle_seconds)

    async def poll(self) -> bool:
        """Read what changed since the last time, if it is time."""
        at = self.clock()
        row = await self.store.get(self.course.id)
        if row is not None and row.next_at > at:
            return False
        row = await self.store.take(self.course.id, at, POLL_LEASE)
        if row is None:
            return False
        if self._cursor(row) is None:
            row.shows_drafts = False  # That was tested in another forum.
        try:
            if self.rules.staff_draft and not row.shows_drafts and not self._is_tested:
                await self._test_staff_posts(row)
            reading = await self.forum.read(self._cursor(row))
        except ForumError as error:
            row.failures, row.error = row.failures + 1, str(error)
            row.next_at = at + self._wait(error, row.failures)
            log.warning("The forum of %s could not be read: %s", self.course.id, error)
            await self.store.note_failure(row)
            return False
        row.cursor, row.failures, row.error = f"{self._origin}\n{reading.cursor}", 0, None
        row.next_at = at + timedelta(seconds=self.rules.poll_seconds)
        await self.store.note_read(row, reading.hints, at, self._settle)
        return bool(reading.hints)

    @property
    def _origin(self) -> str:
        return f"{self.rules.kind} {self.rules.url} {self.rules.place}"

    def _cursor(self, row: ForumRow) -> str | None:
        """Where to read on; None for another forum than the one that was read."""
        origin, _, cursor = (row.cursor or "").partition("\n")
        return cursor if origin == self._origin else None

    async def _may_show_drafts(self) -> bool:
        """Whether staff-only posts were tested in this very forum."""
        row = await self.store.get(self.course.id)
        has_place = self.rules.staff_draft and self.forum.capabilities.staff_draft is not StaffDraft.NONE
        return has_place and row is not None and row.shows_drafts and self._cursor(row) is not None

    async def _test_staff_posts(self, row: ForumRow) -> None:
        """Post for staff where only staff read, before any draft is shown: an old forum may post it for everybody.

        It is tried once in a process. Without its success no draft is shown in the forum.
        """
        self._is_tested = True
        if self.forum.capabilities.staff_draft is StaffDraft.CHANNEL:
            row.shows_drafts = True  # It is posted where only staff read in any case.
            return
        try:
            thread = await self.forum.thread(self.rules.staff_thread)
            if thread is None:
                raise ForumRefused("forum.staff_thread names no thread.")
            post_id = await self.forum.post_for_staff(thread, "A test: only staff can read this post.")
            await self.forum.delete(thread.id, post_id)
        except ForumError as error:
            log.error("No draft is shown in the forum of %s: %s", self.course.id, error)
            return
        row.shows_drafts = True

    def _wait(self, error: ForumError, failures: int) -> timedelta:
        if error.retry_after is not None:
            return min(timedelta(seconds=max(error.retry_after, 1.0)), 4 * MAX_WAIT)
        if isinstance(error, Denied):
            return MAX_WAIT
        pause: timedelta = timedelta(seconds=self.rules.poll_seconds) * 2 ** min(failures, 10)
        return min(pause, MAX_WAIT)

    async def _look(self, row: ForumThreadRow) -> None:
        """Look at a thread, and store what became of it."""
        due = None
        try:
            due = await self._compare(row)
            row.tries = 0
        except ForumError as error:
            row.tries += 1
            due = self.clock() + self._wait(error, row.tries)
        except StorageUnavailable:
            raise
        except QuotaExceeded as error:
            due = self.clock() + min(timedelta(seconds=error.retry_after or 600), 4 * MAX_WAIT)
        except EduModError as error:
            row.tries += 1
            log.warning("A question of the forum of %s was not asked: %s", self.course.id, error.code)
            due = self.clock() + min(timedelta(seconds=error.retry_after or 5.0 * 2 ** min(row.tries, 8)), MAX_WAIT)
        except Exception:
            # A fault of ours, which must not hold up other threads.
            row.tries += 1
            log.exception("A thread of the forum of %s could not be looked at", self.course.id)
            due = self.clock() + MAX_WAIT
        await self.store.put_thread(row, due)

    async def _compare(self, row: ForumThreadRow) -> datetime | None:
        """Do what is missing; when to look again."""
        me = await self.me()
        if me is None:
            return self.clock() + self._wait(ForumError(), row.tries)
        thread = await self.forum.thread(row.thread_id)
        if thread is None or thread.question.is_deleted:
            await self._end(row, ThreadState.GONE, DELETED)
            return None
        if reason := self.not_a_question(thread, me):
            await self._end(row, ThreadState.IGNORED, reason)
            return None
        if reason := self.for_staff(thread):
            await self._hand_over(row, thread, reason)
            return None
        if (reply := self._staff_answer(thread, me)) and not await self._is_decided(row):
            await self._end(row, ThreadState.FOR_STAFF, ANSWERED)
            await self._learn(row, thread, reply, me)
            return None
        if row.digest != (digest := digest_of(thread.question)) or row.state in (ThreadState.NEW, ThreadState.GONE):
            await self._ask(row, thread, me, digest)
        is_open = row.state is ThreadState.ASKED and not self.forum.capabilities.sees_edits
        return self.clock() + RECHECK if is_open else None

    def not_a_question(self, thread: ForumThread, me: ForumAuthor) -> str | None:
        """Why nobody waits for an answer: an announcement, a post of ours, of staff or of another program."""
        author = thread.question.author
        if author.id == me.id:
            return "It is a post of ours."
        if author.is_bot or author.is_in(self.rules.bots):
            return "A program wrote it."
        if self.border.is_staff(author):
            return "Staff wrote it."
        if not thread.is_question:
            return "It is no question."
        return None if self._is_answered_here(thread) else OTHER_CATEGORY

    def _is_answered_here(self, thread: ForumThread) -> bool:
        """Whether its category is one of the course's; it may have been moved to that of another course."""
        return not self.rules.categories or self.rules.category_of(thread.category) is not None

    def for_staff(self, thread: ForumThread) -> str | None:
        """Why only people answer it, if so."""
        if thread.question.is_private:
            return "It is private."
        rule = self.rules.category_of(thread.category)
        if rule is not None and rule.for_staff:
            return "Its category is for staff."
        question = thread.question
        body = html_text(question.body) if question.body_format is BodyFormat.HTML else question.body
        text = f"{question.title}\n{body}"
        if any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) for word in self.rules.staff_words):
            return "It may be about a person's circumstances or conduct."
        return None

    def why_not(self, thread: ForumThread | None, post: ForumPostRow) -> str | None:
        """Why a post is not sent to a thread as it is now, if so."""
        if thread is None or thread.question.is_deleted:
            return DELETED
        if digest_of(thread.question) != post.digest:
            return EDITED
        if self.for_staff(thread):
            return "The question became one for staff."
        if not self._is_answered_here(thread):
            return OTHER_CATEGORY
        return None if thread.is_open else "The thread was closed."

    def _staff_answer(self, thread: ForumThread, me: ForumAuthor) -> ForumPost | None:
        """The first reply by staff that answers the question."""
        for reply in thread.replies:
            if (
                reply.author.id == me.id
                or reply.is_deleted
                or reply.is_private
                or not self.border.is_staff(reply.author)
            ):
                continue
            text = html_text(reply.body) if reply.body_format is BodyFormat.HTML else reply.body
            if reply.is_endorsed or (len(text.split()) >= MIN_ANSWER_WORDS and not text.rstrip().endswith("?")):
                return reply
        return None

    async def _is_decided(self, row: ForumThreadRow) -> bool:
        return row.draft_id is not None and await self.desk.is_decided(row.draft_id)

    async def _end(self, row: ForumThreadRow, state: ThreadState, reason: str) -> None:
        await self.desk.retire(self.course.id, self.border.thread_ref(row.thread_id), reason)
        row.state, row.reason = state, reason

    async def _hand_over(self, row: ForumThreadRow, thread: ForumThread, reason: str) -> None:
        """Show staff that there is a post for them, without its text, which is theirs to read in the forum."""
        if row.state is ThreadState.FOR_STAFF:
            return  # Staff have it already.
        await self._end(row, ThreadState.FOR_STAFF, reason)
        where = f" {thread.url}" if thread.url else ""
        text = f"A post is for staff: {reason} No draft was written. Answer it in the forum, then discard this.{where}"
        question = QuestionIn(title="For staff", body=text, asked_at=thread.question.created_at)
        author = AuthorIn(pseudonym=self.border.pseudonym(thread.question.author))
        thread_id = self.border.thread_ref(thread.id)
        request = AnswerRequest(course=self.course.id, question=question, thread_id=thread_id, author=author)
        await self.desk.hand_over(request, f"{thread.id}/for-staff/{row.drafts}", reason)

    async def _ask(self, row: ForumThreadRow, thread: ForumThread, me: ForumAuthor, digest: str) -> None:
        """A draft for the question as it is now."""
        if row.drafts >= self.rules.drafts_a_thread:
            await self._hand_over(row, thread, "It was edited too often.")
            row.digest = digest
            return
        pictures, left_out = await pictures_of(
            thread.question, self.transport, self.forum.file_hosts, self.max_picture_bytes
        )
        request = self.border.request(thread, me, pictures)
        rule = self.rules.category_of(thread.category)
        key = f"{thread.id}/{digest[:16]}/{row.drafts}"
        try:
            asked = await self.desk.ask(request, dict(rule.parameters) if rule else {}, key)
        except InvalidInput as error:
            if error.retry_after is not None:
                raise
            await self._hand_over(row, thread, f"It could not be asked ({error.code}).")
            row.digest = digest
            return
        await self.desk.retire(self.course.id, self.border.thread_ref(thread.id), EDITED, keep=asked.id)
        row.digest, row.draft_id, row.drafts = digest, asked.id, row.drafts + 1
        row.state, row.reason = ThreadState.ASKED, f"{left_out} pictures were left out." if left_out else None
        if asked.is_refused:
            row.state, row.reason = ThreadState.FOR_STAFF, "Its author has not agreed to automatic answers."
        elif self.rules.staff_draft:
            await self._queue_staff_draft(row, digest, asked.id)

    async def _queue_staff_draft(self, row: ForumThreadRow, digest: str, draft_id: str) -> None:
        post = ForumPostRow(
            mark=f"edm-s{draft_id[:15]}",
            course_id=self.course.id,
            thread_id=row.thread_id,
            draft_id=draft_id,
            decision_id=draft_id,
            kind=ForumPostKind.STAFF_DRAFT,
            digest=digest,
            next_at=self.clock(),
        )
        await self.store.queue(post)

    async def _learn(self, row: ForumThreadRow, thread: ForumThread, reply: ForumPost, me: ForumAuthor) -> None:
        """The question with staff's answer becomes a past question, if the course says so."""
        version = f"{reply.id}/{digest_of(reply)[:16]}"
        if not self.rules.learn or row.learned_from == version:
            return
        # A category that the course file lists is the course's. Of others, some are for a part of it, or for others.
        if self.rules.category_of(thread.category) is None and not await self.forum.is_for_all(thread):
            return
        request = self.border.request(thread, me)
        answer = self.border.hider(thread)(reply.body, reply.body_format)
        await self.desk.learn(thread.id, request, answer, reply.body_format)
        row.learned_from = version


def digest_of(post: ForumPost) -> str:
    """Equal for equal texts of a post."""
    return hashlib.sha256(f"{post.title.strip()}\0{post.body.strip()}\0{post.is_private}".encode()).hexdigest()
