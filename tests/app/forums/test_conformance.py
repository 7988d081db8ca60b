"""What every adapter does, on the double of its forum."""

from __future__ import annotations

import pytest

from app.forums.border import Border
from app.forums.registry import FORUMS
from app.forums.shape import BadSignature, Forum, ForumRefused, ForumThread, StaffDraft
from core.course import ForumKind
from core.review import Outcome
from core.store.store import Store
from tests.app.forums.cases import CASES, Case, desk_of, settle
from tests.doubles.board import BoardPost, Double, Seen
from tests.doubles.storm import engine_of, forum_of, rules_of

MARK = "edm-0123456789abcdef"
each_forum = pytest.mark.parametrize("case", CASES, ids=lambda case: case.kind)


class Table:
    """A forum with a double, a student and a member of staff."""

    def __init__(self, case: Case) -> None:
        self.double: Double = case.double()
        self.rules = rules_of(self.double, case.kind, **case.rules)
        self.forum: Forum = forum_of(self.double, self.rules, case.secret)
        self.board = self.double.board
        self.ada = self.board.user("ada_b", "Ada Byronson")
        self.ta = self.board.user("ta_one", "Grace Teachington", is_staff=True)

    def ask(self, **more: object) -> BoardPost:
        return self.board.ask(self.ada, "Homework3", "When is **homework3** due? 1 < 2", **more)  # type: ignore[arg-type]

    async def thread(self, question: BoardPost) -> ForumThread:
        thread = await self.forum.thread(self.double.thread_id(question))
        assert thread is not None
        return thread

    def ours(self) -> list[BoardPost]:
        return [post for post in self.board.posts if post.user is self.double.bot and not post.is_deleted]


@pytest.fixture
def table(request: pytest.FixtureRequest) -> Table:
    return Table(request.param)


each_table = pytest.mark.parametrize("table", CASES, ids=lambda case: case.kind, indirect=True)


def test_each_forum_has_a_double() -> None:
    assert {case.kind for case in CASES} == {str(kind) for kind in ForumKind} == {str(kind) for kind in FORUMS}


@each_table
async def test_it_says_who_we_are(table: Table) -> None:
    table.double.write(table.ask().thread, "Hello.")
    thread = await table.thread(table.board.questions[0])
    assert thread.replies[0].author.id == (await table.forum.me()).id


@each_table
async def test_a_first_poll_names_nothing_and_later_ones_what_is_new(table: Table) -> None:
    old = table.ask()
    first = await table.forum.read(None)
    assert first.hints == {}
    table.double.pass_seconds(60)
    new = table.ask()
    second = await table.forum.read(first.cursor)
    assert table.double.thread_id(new) in second.hints
    assert second.hints.get(table.double.thread_id(old)) is None
    third = await table.forum.read(second.cursor)
    assert {thread: third.hints[thread] for thread in third.hints} == {
        thread: second.hints[thread] for thread in third.hints
    }


@each_table
async def test_a_forum_that_was_empty_is_read_on(table: Table) -> None:
    first = await table.forum.read(None)
    table.double.pass_seconds(60)
    question = table.ask()
    assert table.double.thread_id(question) in (await table.forum.read(first.cursor)).hints


@each_table
async def test_a_thread_has_its_text_authors_and_category(table: Table) -> None:
    question = table.ask()
    table.double.pass_seconds(1)
    table.board.reply(question.thread, table.ta, "It is due on Friday at noon, as the page says.")
    thread = await table.thread(question)
    assert "homework3" in thread.question.body
    assert "1 < 2" in thread.question.body or "1 &lt; 2" in thread.question.body
    assert "Homework3" in thread.question.title
    assert (thread.category or "").partition("@")[0] == (
        "" if None in table.double.no_categories else question.category
    )
    assert not thread.question.author.is_staff
    (reply,) = thread.replies
    assert "Friday" in reply.body
    assert Border("storm", table.rules, b"secret", 1_000).is_staff(reply.author)
    assert "Ada Byronson" in {person.name for person in (thread.question.author, *thread.people)}


@each_table
async def test_what_only_its_author_may_read_is_private_or_not_there(table: Table) -> None:
    if not table.double.has_private:
        return
    thread = await table.forum.thread(table.double.thread_id(table.ask(seen=Seen.AUTHOR)))
    assert thread is None or thread.question.is_private


@each_table
async def test_a_thread_that_is_not_there_or_was_deleted_is_gone(table: Table) -> None:
    assert await table.forum.thread("999999999") is None
    assert await table.forum.thread("no-id") is None
    if not table.double.questions_change:
        return
    question = table.ask()
    table.board.delete(question)
    thread = await table.forum.thread(table.double.thread_id(question))
    assert thread is None or thread.question.is_deleted


@each_table
async def test_a_post_is_read_by_all_and_found_by_its_mark(table: Table) -> None:
    question = table.ask()
    thread = await table.thread(question)
    assert await table.forum.find(thread.id, MARK) is None
    table.double.pass_seconds(1)
    post_id = await table.forum.post(thread, f"On **Friday** & `1 < 2`. ({MARK})")
    (post,) = table.ours()
    assert (post.thread, post.seen) == (question.thread, Seen.ALL)
    assert await table.forum.find(thread.id, MARK) == post_id
    # A quotation of it is none of ours.
    assert await table.forum.find(thread.id, "edm-ffffffffffffffff") is None


@each_table
async def test_our_posts_are_changed_and_deleted_or_that_is_refused(table: Table) -> None:
    thread = await table.thread(table.ask())
    post_id = await table.forum.post(thread, f"On Friday. ({MARK})")
    can = table.forum.capabilities
    if can.edit:
        await table.forum.edit(thread.id, post_id, f"On Monday. ({MARK})")
        assert "Monday" in table.ours()[0].text
    else:
        with pytest.raises(ForumRefused):
            await table.forum.edit(thread.id, post_id, "On Monday.")
    if can.delete:
        await table.forum.delete(thread.id, post_id)
        assert table.ours() == []
        assert await table.forum.find(thread.id, MARK) is None
    else:
        with pytest.raises(ForumRefused):
            await table.forum.delete(thread.id, post_id)
        assert len(table.ours()) == 1


@each_forum
async def test_a_correction_changes_our_post_or_staff_are_told(case: Case, store: Store) -> None:
    double = case.double()
    desk = desk_of(store, double)
    engine = engine_of(double, rules_of(double, case.kind, **case.rules), store, desk, case.secret)
    await settle(engine, double)
    question = double.board.ask(double.board.user("ada_b", "Ada Byronson"), "Homework3", "When is homework3 due?")
    await settle(engine, double)
    (draft_id,) = desk.asked
    await desk.decide(draft_id, Outcome.APPROVED)
    await settle(engine, double)
    await desk.correct(draft_id, "It is due on Monday.")
    for _ in range(3):
        await settle(engine, double, 400)
    (post,) = [one for one in double.board.thread(question.thread) if one.user is double.bot and not one.is_deleted]
    can = engine.forum.capabilities.edit
    assert ("Monday" in post.text, "Friday" in post.text, len(desk.handed_over)) == (can, not can, 0 if can else 1)


@each_table
async def test_a_draft_is_seen_by_staff_alone_or_refused(table: Table) -> None:
    thread = await table.thread(table.ask())
    if table.forum.capabilities.staff_draft is StaffDraft.NONE:
        with pytest.raises(ForumRefused):
            await table.forum.post_for_staff(thread, f"A draft. ({MARK})")
        assert table.ours() == []
        return
    post_id = await table.forum.post_for_staff(thread, f"A draft. ({MARK})")
    assert [post.seen for post in table.ours()] == [Seen.STAFF]
    assert await table.forum.find(thread.id, MARK, for_staff=True) == post_id


@each_table
async def test_what_the_forum_did_not_sign_is_refused(table: Table) -> None:
    with pytest.raises(BadSignature):
        table.forum.notice({"content-type": "application/json"}, b"{}")


@each_table
async def test_a_token_stands_in_no_text_of_the_adapter(table: Table) -> None:
    await table.forum.me()
    assert "token" not in repr(table.forum).replace("token=''", "")
    assert all("token" not in repr(request).replace("csrf_token", "") for _, request in table.double.log)
