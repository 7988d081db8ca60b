"""Forums: how far each was read, their threads, and our posts, of which each is sent at most once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, exists, func, or_, select

from core.review import Outcome
from core.store.engine.topic import Topic, transaction
from core.store.engine.upsert import insert, upsert
from core.store.tables import (
    DecisionRow,
    DraftRow,
    DraftState,
    ForumPostKind,
    ForumPostRow,
    ForumPostState,
    ForumRow,
    ForumThreadRow,
    ThreadState,
    table_of,
)

_forums = table_of(ForumRow)
_threads = table_of(ForumThreadRow)
_posts = table_of(ForumPostRow)
_drafts = table_of(DraftRow)
_decisions = table_of(DecisionRow)

OPEN_POSTS = (ForumPostState.WAITING, ForumPostState.SENDING, ForumPostState.UNSURE)
"""States of posts that are not settled."""
SETTLED: Mapping[str, dict[str, Any]] = {
    ForumPostState.POSTED: {"state": ThreadState.POSTED, "reason": None},
    ForumPostState.HELD: {"state": ThreadState.POSTED, "reason": "The forum's moderators hold the answer back."},
    ForumPostState.FAILED: {"state": ThreadState.FOR_STAFF, "reason": "The forum did not take the answer."},
}
"""What a thread becomes when its answer is settled."""
FOR_STUDENTS = (ForumPostKind.ANSWER, ForumPostKind.CORRECTION)


class Forums(Topic):
    async def get(self, course_id: str) -> ForumRow | None:
        return await self._find(ForumRow, select(_forums).where(_forums.c.course_id == course_id))

    @transaction
    def take(self, connection: Connection, course_id: str, at: datetime, lease: timedelta) -> ForumRow | None:
        """The course's forum if it is to be read now, held back from other processes for `lease`."""
        new = insert(connection.dialect, _forums).values(ForumRow(course_id=course_id, next_at=at).model_dump())
        connection.execute(new.on_conflict_do_nothing(index_elements=["course_id"]))
        due = and_(_forums.c.course_id == course_id, _forums.c.next_at <= at)
        if not connection.execute(_forums.update().where(due).values(next_at=at + lease)).rowcount:
            return None
        row = connection.execute(select(_forums).where(_forums.c.course_id == course_id)).one()
        return ForumRow(**row._mapping)

    @transaction
    def note_read(
        self, connection: Connection, forum: ForumRow, hints: Mapping[str, str], at: datetime, settle: timedelta
    ) -> None:
        """Store how far the forum was read, with the threads that changed since: `hints` by thread."""
        known = _hints(connection, forum.course_id, list(hints))
        for thread_id, hint in hints.items():
            if known.get(thread_id) != hint:
                _make_due(connection, forum.course_id, thread_id, at + settle, hint)
        values = {name: getattr(forum, name) for name in ("cursor", "next_at", "failures", "error", "shows_drafts")}
        connection.execute(_forums.update().where(_forums.c.course_id == forum.course_id).values(values))

    async def note_failure(self, forum: ForumRow) -> None:
        """Store that the forum could not be read; the cursor stays."""
        values = {name: getattr(forum, name) for name in ("next_at", "failures", "error", "shows_drafts")}
        await self._change(_forums.update().where(_forums.c.course_id == forum.course_id).values(values))

    @transaction
    def notice(self, connection: Connection, course_id: str, thread_id: str, at: datetime) -> None:
        """Something happened in a thread: it is looked at."""
        _make_due(connection, course_id, thread_id, at, None)

    async def thread(self, course_id: str, thread_id: str) -> ForumThreadRow | None:
        mine = and_(_threads.c.course_id == course_id, _threads.c.thread_id == thread_id)
        return next((_thread(row) for row in await self._rows(select(_threads).where(mine))), None)

    async def has_work(self, course_id: str, at: datetime) -> bool:
        """Whether a thread or post is due, or a decision is to be posted. A read, which locks nothing."""
        thread = select(_threads.c.thread_id).where(_threads.c.course_id == course_id, _threads.c.due_at <= at)
        post = select(_posts.c.mark).where(_is_due(course_id, at))
        for query in (thread, post, _unposted(course_id, at)):
            if await self._scalar(query.limit(1)) is not None:
                return True
        return False

    async def due(self, courses: Collection[str], at: datetime) -> set[str]:
        """Those of the courses for which a poll, a thread, a post or a decision is due. Four reads for all of them."""
        later = {row.course_id for row in await self._rows(select(_forums.c.course_id).where(_forums.c.next_at > at))}
        due = set(courses) - later
        is_open = and_(_posts.c.state.in_(OPEN_POSTS), _posts.c.next_at <= at)
        for query in (
            select(_threads.c.course_id).where(_threads.c.due_at <= at),
            select(_posts.c.course_id).where(is_open),
            _unposted(None, at).with_only_columns(_threads.c.course_id, maintain_column_froms=True),
        ):
            due |= {row.course_id for row in await self._rows(query.distinct())}
        return due & set(courses)

    @transaction
    def take_threads(
        self, connection: Connection, course_id: str, at: datetime, lease: timedelta, limit: int
    ) -> list[ForumThreadRow]:
        """Threads that are due, held back for `lease`; one whose process dies is due again then."""
        due = and_(_threads.c.course_id == course_id, _threads.c.due_at <= at)
        query = select(_threads).where(due).order_by(_threads.c.due_at).limit(limit)
        rows = connection.execute(query.with_for_update(skip_locked=True)).all()
        ids = [row.thread_id for row in rows]
        if ids:
            mine = and_(_threads.c.course_id == course_id, _threads.c.thread_id.in_(ids))
            connection.execute(_threads.update().where(mine).values(due_at=at + lease))
        return [_thread(row, due_at=at + lease) for row in rows]

    @transaction
    def put_thread(self, connection: Connection, row: ForumThreadRow, due_at: datetime | None) -> None:
        """Store what became of a thread that was taken. One that changed meanwhile stays due."""
        mine = and_(_threads.c.course_id == row.course_id, _threads.c.thread_id == row.thread_id)
        kept = {"course_id", "thread_id", "hint", "due_at"}
        connection.execute(_threads.update().where(mine).values(row.model_dump(exclude=kept)))
        held = and_(mine, _threads.c.due_at == row.due_at)
        connection.execute(_threads.update().where(held).values(due_at=due_at))

    @transaction
    def queue_decided(self, connection: Connection, course_id: str, at: datetime) -> int:
        """Queue a post for each final decision on the latest draft of a thread; how many decisions that were."""
        rows = connection.execute(_unposted(course_id, at)).all()
        for row in rows:
            mine = and_(_threads.c.course_id == course_id, _threads.c.thread_id == row.thread_id)
            if row.outcome == Outcome.DISCARDED:
                values = {"state": ThreadState.FOR_STAFF, "reason": "The draft was discarded."}
                connection.execute(_threads.update().where(mine).values(values))
                continue
            post = ForumPostRow(
                mark=mark_of(row.decision_id),
                course_id=course_id,
                thread_id=row.thread_id,
                draft_id=row.draft_id,
                decision_id=row.decision_id,
                kind=ForumPostKind.ANSWER,
                digest=row.digest or "",
                next_at=at,
            )
            _queue(connection, post)
        return len(rows)

    @transaction
    def queue(self, connection: Connection, post: ForumPostRow) -> None:
        """Queue a post, unless it is queued already."""
        _queue(connection, post)

    @transaction
    def take_posts(
        self, connection: Connection, course_id: str, at: datetime, lease: timedelta, limit: int
    ) -> list[ForumPostRow]:
        """Posts that are due, held back for `lease`, oldest first."""
        query = select(_posts).where(_is_due(course_id, at)).order_by(_posts.c.next_at, _posts.c.created_at)
        rows = connection.execute(query.limit(limit).with_for_update(skip_locked=True)).all()
        if rows:
            taken = _posts.c.mark.in_([row.mark for row in rows])
            connection.execute(_posts.update().where(taken).values(next_at=at + lease))
        return [_post(row, next_at=at + lease) for row in rows]

    async def intend(self, post: ForumPostRow, at: datetime, lease: timedelta) -> bool:
        """Store that the post is sent now. False if another process has it or settled it: then it is not sent."""
        mine = and_(_posts.c.mark == post.mark, _posts.c.state == post.state, _posts.c.next_at == post.next_at)
        values = {
            "state": ForumPostState.SENDING,
            "sent_at": at,
            "next_at": at + lease,
            "tries": post.tries + 1,
            "looks": 0,
        }
        if not await self._change(_posts.update().where(mine).values(values)):
            return False
        for name, value in values.items():
            setattr(post, name, value)
        return True

    @transaction
    def settle(self, connection: Connection, post: ForumPostRow, next_at: datetime) -> None:
        """Store what became of a post that this process has taken, and when it is due again.

        A process that was held up longer than its lease can only say that it was posted.
        """
        if post.kind in FOR_STUDENTS:  # A correction that is stored at the same moment is not overlooked.
            connection.execute(select(_drafts.c.id).where(_drafts.c.id == post.draft_id).with_for_update())
        values = {name: getattr(post, name) for name in ("state", "post_id", "tries", "looks", "error")}
        mine = and_(_posts.c.mark == post.mark, _posts.c.state.in_(OPEN_POSTS))
        if post.state != ForumPostState.POSTED:
            mine = and_(mine, _posts.c.next_at == post.next_at)
        connection.execute(_posts.update().where(mine).values(**values, next_at=next_at))
        if post.kind == ForumPostKind.ANSWER and post.state in SETTLED:
            asked = and_(_threads.c.draft_id == post.draft_id, _threads.c.state == ThreadState.ASKED)
            connection.execute(_threads.update().where(asked).values(SETTLED[post.state]))
        if post.kind in FOR_STUDENTS:
            queue_correction(connection, post.draft_id)

    async def sent_for(self, draft_id: str) -> list[ForumPostRow]:
        """What was sent for everybody of a draft, newest first; a call that was not carried out is among it."""
        mine = and_(_posts.c.draft_id == draft_id, _posts.c.kind.in_(FOR_STUDENTS), _posts.c.sent_at.is_not(None))
        rows = await self._rows(select(_posts).where(mine).order_by(_posts.c.sent_at.desc(), _posts.c.mark))
        return [_post(row) for row in rows]

    async def posts(self, course_id: str, thread_id: str | None = None, limit: int = 100) -> list[ForumPostRow]:
        """Our posts in a course or thread, newest first."""
        query = select(_posts).where(_posts.c.course_id == course_id)
        if thread_id is not None:
            query = query.where(_posts.c.thread_id == thread_id)
        rows = await self._rows(query.order_by(_posts.c.created_at.desc()).limit(limit))
        return [_post(row) for row in rows]

    async def sent_since(self, course_id: str, moment: datetime) -> int:
        """How many answers were sent since then."""
        sent = and_(_posts.c.course_id == course_id, _posts.c.sent_at >= moment)
        return int(await self._scalar(select(func.count()).select_from(_posts).where(sent)) or 0)

    async def counts(self, course_id: str) -> dict[str, int]:
        """Threads by state."""
        query = select(_threads.c.state, func.count()).where(_threads.c.course_id == course_id)
        return {str(state): int(count) for state, count in await self._rows(query.group_by(_threads.c.state))}

    @transaction
    def make_stale(self, connection: Connection, course_id: str, thread: str, reason: str, keep: str = "") -> list[str]:
        """Note that the question of a thread's drafts has changed: none but `keep` can be approved any more.

        Returns their ids. A draft of a process that died before it noted the draft is among them.
        """
        mine = and_(_drafts.c.course_id == course_id, _drafts.c.thread_id == thread, _drafts.c.id != keep)
        is_open = _drafts.c.state.in_((DraftState.WORKING, DraftState.PENDING, DraftState.FAILED))
        ids = [row.id for row in connection.execute(select(_drafts.c.id).where(mine, is_open))]
        fresh = and_(mine, is_open, _drafts.c.stale.is_(None))
        connection.execute(_drafts.update().where(fresh).values(stale=reason, version=_drafts.c.version + 1))
        # The decision on a draft may be undone, which must not make it one that can be approved.
        decided = and_(mine, _drafts.c.state == DraftState.DECIDED, _drafts.c.stale.is_(None))
        connection.execute(_drafts.update().where(decided).values(stale=reason))
        return ids


def mark_of(decision_id: str) -> str:
    """What marks the post of a decision in the forum: a word that no person writes, and that says nothing."""
    return f"edm-{decision_id[:16]}"


def queue_correction(connection: Connection, draft_id: str) -> None:
    """Queue a change of a draft's posted answer if another text counts by now.

    While a post of the draft is open it is not known what there is to change: then this is done when it is settled.
    """
    mine = and_(_posts.c.draft_id == draft_id, _posts.c.kind.in_(FOR_STUDENTS))
    posts = connection.execute(select(_posts).where(mine)).all()
    there = (ForumPostState.POSTED, ForumPostState.HELD)
    answer = next((post for post in posts if post.kind == ForumPostKind.ANSWER and post.state in there), None)
    if answer is None or any(post.state in OPEN_POSTS for post in posts):
        return
    counts = (_decisions.c.undone_at.is_(None), _decisions.c.replaced_at.is_(None), _decisions.c.is_second.is_(False))
    decisions = select(_decisions.c.id, _decisions.c.final_at).where(_decisions.c.draft_id == draft_id, *counts)
    decision = connection.execute(decisions).one_or_none()
    if decision is None or decision.id in {post.decision_id for post in posts}:
        return
    correction = ForumPostRow(
        mark=mark_of(decision.id),
        course_id=answer.course_id,
        thread_id=answer.thread_id,
        draft_id=draft_id,
        decision_id=decision.id,
        kind=ForumPostKind.CORRECTION,
        digest=answer.digest,
        next_at=decision.final_at,
    )
    _queue(connection, correction)


def _thread(stored: Any, **more: Any) -> ForumThreadRow:
    return ForumThreadRow(**{**stored._mapping, "state": ThreadState(stored.state), **more})


def _post(stored: Any, **more: Any) -> ForumPostRow:
    states = {"state": ForumPostState(stored.state), "kind": ForumPostKind(stored.kind)}
    return ForumPostRow(**{**stored._mapping, **states, **more})


def _make_due(connection: Connection, course_id: str, thread_id: str, due_at: datetime, hint: str | None) -> None:
    row = ForumThreadRow(course_id=course_id, thread_id=thread_id, due_at=due_at, hint=hint).model_dump()
    changed: dict[str, Any] = {"due_at": due_at} if hint is None else {"due_at": due_at, "hint": hint}
    connection.execute(upsert(connection.dialect, _threads, row, changed))


def _hints(connection: Connection, course_id: str, thread_ids: Sequence[str]) -> dict[str, str | None]:
    query = select(_threads.c.thread_id, _threads.c.hint).where(
        _threads.c.course_id == course_id, _threads.c.thread_id.in_(thread_ids)
    )
    return {row.thread_id: row.hint for row in connection.execute(query)}


def _queue(connection: Connection, post: ForumPostRow) -> None:
    new = insert(connection.dialect, _posts).values(post.model_dump())
    connection.execute(new.on_conflict_do_nothing())


def _is_due(course_id: str, at: datetime) -> ColumnElement[bool]:
    return and_(_posts.c.course_id == course_id, _posts.c.state.in_(OPEN_POSTS), _posts.c.next_at <= at)


def _unposted(course_id: str | None, at: datetime) -> Any:
    """Final decisions on the latest drafts of threads, of which there is no post; without a course, of all of them."""
    columns = (_decisions.c.id.label("decision_id"), _decisions.c.draft_id, _decisions.c.outcome)
    # While an answer to the draft may have been posted, a correction of it would be a second one.
    is_answer = and_(_posts.c.draft_id == _decisions.c.draft_id, _posts.c.kind == ForumPostKind.ANSWER)
    may_be_there = and_(is_answer, _posts.c.state.not_in((ForumPostState.CANCELLED, ForumPostState.FAILED)))
    is_posted = exists().where(or_(_posts.c.decision_id == _decisions.c.id, may_be_there))
    counts = and_(_decisions.c.undone_at.is_(None), _decisions.c.is_second.is_(False))
    asked = _threads.c.state == ThreadState.ASKED
    if course_id is not None:
        asked = and_(_threads.c.course_id == course_id, asked)
    return (
        select(*columns, _threads.c.thread_id, _threads.c.digest)
        .join(_threads, _threads.c.draft_id == _decisions.c.draft_id)
        .where(asked, counts, _decisions.c.final_at <= at, ~is_posted)
    )
