"""A storm of events and faults around one forum, and the properties that hold in it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any
from uuid import uuid4

from app.forums.border import Border
from app.forums.desk import AskedDraft, DecidedText
from app.forums.engine import ForumEngine
from app.forums.http import Throttle
from app.forums.registry import adapter_of
from app.forums.shape import BadSignature, Forum, ForumAccount
from app.schemas import AnswerRequest
from core.access import Person
from core.course import Course, ForumCategory, ForumRules
from core.errors import DraftChanged, EduModError, ModelUnavailable, NotDecidable, NotFound
from core.review import Outcome
from core.store.forums import mark_of
from core.store.store import Store
from core.store.tables import DecisionRow, DraftRow, DraftState, ForumPostRow, ForumPostState
from core.types import BodyFormat
from tests.doubles.board import BoardPost, Double, Killed, Seen, User

COURSE = "storm"
TA = Person("ta", "A TA")
NAMES = ("Ada Byronson", "Bo Fitzwilliam", "Cy Oppenheimer", "Dee Hawthorneley", "Eve Quartermain")
DAY = timedelta(days=1)


@dataclass
class StormDesk:
    """Drafts and decisions in a real store, without a model."""

    store: Store
    clock: Any
    random: Random
    share: float = 0.0
    asked: dict[str, AnswerRequest] = field(default_factory=dict)
    by_key: dict[str, str] = field(default_factory=dict)
    handed_over: list[AnswerRequest] = field(default_factory=list)
    learned: dict[str, tuple[AnswerRequest, str]] = field(default_factory=dict)
    killed: bool = False

    async def ask(self, request: AnswerRequest, parameters: dict[str, Any], key: str) -> AskedDraft:
        if self.random.random() < self.share:
            raise ModelUnavailable("The model is away.")
        if key not in self.by_key:
            self.by_key[key] = draft_id = await self._store(request, DraftState.PENDING)
            self.asked[draft_id] = request
        if self.random.random() < self.share:
            raise Killed
        return AskedDraft(self.by_key[key])

    async def hand_over(self, request: AnswerRequest, key: str, reason: str) -> str:
        self.handed_over.append(request)
        return await self._store(request, DraftState.FAILED)

    async def _store(self, request: AnswerRequest, state: DraftState) -> str:
        draft = DraftRow(id=uuid4().hex, course_id=COURSE, state=state, request=request.model_dump(mode="json"))
        draft.thread_id = request.thread_id
        draft.response = {"status": "answered", "answer": "It is in the syllabus."}
        await self.store.drafts.begin(draft)
        return draft.id

    async def retire(self, course_id: str, thread: str, reason: str, keep: str = "") -> None:
        for draft_id in await self.store.forums.make_stale(course_id, thread, reason, keep):
            try:
                await self.decide(draft_id, Outcome.DISCARDED, timedelta(0))
            except (NotDecidable, NotFound):
                continue

    async def decide(self, draft_id: str, outcome: Outcome, undo: timedelta = timedelta(seconds=10)) -> None:
        at = self.clock()
        text = "" if outcome is Outcome.DISCARDED else "It is due on **Friday** & `x < 3`."
        row = DecisionRow(
            id=uuid4().hex, draft_id=draft_id, course_id=COURSE, outcome=outcome, text=text, decided_by=TA.id,
            decided_by_name=TA.name, decided_at=at, final_at=at + undo,
        )  # fmt: skip
        await self.store.decisions.decide(row, None)

    async def correct(self, draft_id: str, text: str) -> None:
        """Put another text in place of a final one; an empty one withdraws it. Raises `NotDecidable`."""
        before = await self.store.decisions.of(draft_id)
        if before is None or before.final_at > self.clock():
            raise NotDecidable("It is not final.")
        at = self.clock()
        outcome = Outcome.EDITED if text else Outcome.DISCARDED
        changed = {"id": uuid4().hex, "text": text, "outcome": outcome, "corrects": before.id}
        row = DecisionRow(**{**before.model_dump(), **changed, "decided_at": at, "final_at": at})
        await self.store.decisions.correct(row)

    async def is_decided(self, draft_id: str) -> bool:
        decision = await self.store.decisions.of(draft_id)
        return decision is not None and decision.outcome is not Outcome.DISCARDED

    async def decided(self, draft_id: str) -> DecidedText | None:
        decision = await self.store.decisions.of(draft_id)
        if decision is None or decision.outcome is Outcome.DISCARDED or decision.final_at > self.clock():
            return None
        return DecidedText(decision.id, decision.text)

    async def drafted(self, draft_id: str) -> str:
        return "It may be due on Friday."

    async def learn(self, key: str, request: AnswerRequest, answer: str, body_format: BodyFormat) -> None:
        self.learned[key] = (request, answer)


def rules_of(double: Double, kind: str, **more: Any) -> ForumRules:
    """Rules of a course on a double: its category `7` is answered, `8` is for staff."""
    values = {
        "kind": kind,
        "url": double.url,
        "account": double.bot.username,
        "categories": (ForumCategory(name="7"), ForumCategory(name="8", for_staff=True)),
        "bots": ("helper_bot",),
        "learn": True,
        "posts_a_day": 100_000,
    }
    return ForumRules.model_validate(values | more)


def forum_of(double: Double, rules: ForumRules, secret: str = "") -> Forum:
    """The adapter on a double, whose throttle follows the double's clock."""

    async def sleep(seconds: float) -> None:
        double.board.now += timedelta(seconds=seconds)

    adapter = adapter_of(rules.kind)
    throttle = Throttle(adapter.capabilities.requests_a_minute, lambda: double.board.now.timestamp(), sleep)
    account = ForumAccount(
        rules.url, rules.place, rules.account, "token", secret, tuple(rule.name for rule in rules.categories),
        rules.outgoing, rules.staff_thread,
    )  # fmt: skip
    forum: Forum = adapter.of(account, double, throttle)
    return forum


def engine_of(double: Double, rules: ForumRules, store: Store, desk: Any, secret: str = "") -> ForumEngine:
    border = Border(COURSE, rules, b"secret", 20_000)
    return ForumEngine(
        Course(id=COURSE, forum=rules), rules, forum_of(double, rules, secret), store.forums, desk, border, double,
        clock=lambda: double.board.now,
    )  # fmt: skip


async def open_store(folder: Any) -> Store:
    store = await Store.open(f"sqlite:///{folder}/storm.db")
    await store.courses.put(COURSE, Course(id=COURSE).model_dump(mode="json"))
    return store


@dataclass
class Storm:
    """Plays events. Its checks raise `AssertionError`."""

    double: Double
    rules: ForumRules
    store: Store
    seed: int = 0
    secret: str = ""

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        self.desk = StormDesk(self.store, lambda: self.board.now, self.random)
        self.students = [self.board.user(f"student_{n}{name[:2].lower()}", name) for n, name in enumerate(NAMES)]
        self.ta = self.board.user("ta_one", "Grace Teachington", is_staff=True)
        self.other_bot = self.board.user("helper_bot", "Helper")
        self.board.on_write = self.check_write
        self.double.faults.random = self.random
        self.engine = self.new_engine()
        self.approved: dict[str, tuple[str, datetime]] = {}
        self.sent: dict[str, int] = {}
        self.deliveries: list[tuple[dict[str, str], bytes]] = []
        self.told = 0
        self.kills = 0
        self.counts: dict[str, int] = {}

    @property
    def board(self) -> Any:
        return self.double.board

    def new_engine(self) -> ForumEngine:
        return engine_of(self.double, self.rules, self.store, self.desk, self.secret)

    def check_write(self, post: BoardPost) -> None:
        """What holds at the moment when a post of ours appears in the forum."""
        if post.seen is Seen.STAFF:
            return
        mark = next((mark for mark in self.approved if mark in post.text), None)
        assert mark is not None, f"Nobody approved this post: {post.text!r}"
        draft_id, final_at = self.approved[mark]
        assert final_at <= self.board.now, "The decision was not final."
        self.sent[mark] = self.sent.get(mark, 0) + 1
        assert self.sent[mark] == 1, "One approval was posted twice."
        question = self.board.question(post.thread)
        assert not question.is_deleted, "A deleted question was answered."
        asked = self.desk.asked[draft_id].question
        assert words(question.text) <= words(asked.body) | words(asked.title), "An edited question was answered."

    async def play(self, events: int, share: float = 0.15) -> None:
        """That many events, with faults at a share of the requests; then calm."""
        await self.step()  # The first poll begins now: what is older is not answered.
        self.double.faults.share = self.desk.share = share
        self.desk.share = share / 3
        for _ in range(events):
            await self.event()
        self.double.faults.share = self.desk.share = 0.0
        for _ in range(6):
            await self.calm()

    async def calm(self) -> None:
        """Time passes without events until nothing is due."""
        for pause in (1, 40, 400, 700, 1000, 4000):
            self.board.now += timedelta(seconds=pause)
            for _ in range(400):
                if not await self.step():
                    break

    async def event(self) -> None:
        moves = {
            self.ask: 10, self.edit: 6, self.delete: 2, self.reply: 5, self.staff_reply: 3, self.rename: 1,
            self.decide: 14, self.undo: 2, self.deliver: 14, self.forge: 3, self.pass_time: 18, self.step: 30,
            self.bot_asks: 1, self.ask_privately: 1, self.kill: 2, self.correct: 3,
        }  # fmt: skip
        move = self.random.choices(list(moves), list(moves.values()))[0]
        self.counts[move.__name__] = self.counts.get(move.__name__, 0) + 1
        await move()

    async def step(self) -> bool:
        try:
            return await self.engine.step()
        except Killed:
            await self.kill()
            return True

    async def kill(self) -> None:
        """The process ends; what else it had begun ends somewhere, too. Another one goes on."""
        self.kills += 1
        others = asyncio.all_tasks() - {asyncio.current_task()}
        mine = [task for task in others if "forums" in str(task.get_coro())]
        for task in mine:
            task.cancel()
        await asyncio.gather(*mine, return_exceptions=True)
        await asyncio.sleep(0.02)  # A write that was begun ends in the database's thread.
        self.engine = self.new_engine()

    async def ask(self) -> None:
        user = self.random.choice(self.students)
        category = self.random.choices(["7", "8", "9"], [8, 1, 1])[0]
        number = self.board.new_id()
        text = f"When is homework{number} due? I am {user.name} (@{user.username}). Thanks, {user.name}"
        self.board.ask(user, f"Homework{number}", text, category)

    async def bot_asks(self) -> None:
        self.board.ask(self.other_bot, "A digest", "Who can say when botword1 is due?")
        self.board.ask(self.double.bot, "Ours", "When is ourword1 due?")

    async def ask_privately(self) -> None:
        user = self.random.choice(self.students)
        self.board.ask(user, "Private", "When is privateword1 due?", seen=Seen.AUTHOR)

    def some_question(self) -> BoardPost | None:
        mine = [post for post in self.board.questions[-30:] if not post.is_deleted and post.user in self.students]
        return self.random.choice(mine) if mine else None

    async def edit(self) -> None:
        if self.double.questions_change and (post := self.some_question()) is not None:
            self.board.edit(post, f"{post.text} Edit: part{self.board.new_id()} too.")

    async def delete(self) -> None:
        if self.double.questions_change and (post := self.some_question()) is not None:
            self.board.delete(post)

    async def reply(self) -> None:
        if (post := self.some_question()) is not None:
            user = self.random.choice([*self.students, self.other_bot])
            self.board.reply(post.thread, user, "I would like to know this, too, and so would all of my friends.")

    async def staff_reply(self) -> None:
        if (post := self.some_question()) is not None:
            text = self.random.choice(
                ["Let me look.", f"Dear {post.user.name}, it is due on Friday at noon, see the page."]
            )
            self.board.reply(post.thread, self.ta, text)

    async def rename(self) -> None:
        user: User = self.random.choice(self.students)
        user.username = f"renamed_{self.board.new_id()}"

    async def decide(self) -> None:
        drafts = [draft for draft in self.desk.asked if draft not in {one for one, _ in self.approved.values()}]
        if not drafts:
            return
        draft_id = self.random.choice(drafts[-20:])
        outcome = Outcome.DISCARDED if self.random.random() < 0.15 else Outcome.APPROVED
        try:
            await self.desk.decide(draft_id, outcome)
        except (NotDecidable, DraftChanged):
            return
        decision = await self.store.decisions.of(draft_id)
        if decision is not None and outcome is Outcome.APPROVED:
            self.approved[mark_of(decision.id)] = (draft_id, decision.final_at)

    async def undo(self) -> None:
        if not self.approved:
            return
        mark = self.random.choice(list(self.approved)[-5:])
        draft_id, _ = self.approved[mark]
        try:
            await self.store.decisions.undo(draft_id, TA, self.board.now)
        except EduModError:
            return
        del self.approved[mark]

    async def correct(self) -> None:
        """A person puts another text in place of one that is final, posted or not."""
        if self.approved:
            draft_id, _ = self.random.choice(list(self.approved.values())[-8:])
            try:
                await self.desk.correct(draft_id, f"It is due on day {self.board.new_id()}.")
            except NotDecidable:
                return
            decision = await self.store.decisions.of(draft_id)
            if decision is not None:  # Where nothing was posted yet, the correction is.
                self.approved[mark_of(decision.id)] = (draft_id, decision.final_at)

    async def deliver(self) -> None:
        """Webhooks arrive: late, twice, in another order."""
        fresh = [self.double.webhook(event) for event in self.board.events[self.told :]]
        self.told = len(self.board.events)
        self.deliveries += [delivery for delivery in fresh if delivery is not None]
        self.random.shuffle(self.deliveries)
        for headers, body in self.deliveries[: self.random.randrange(6)]:
            if (thread := self.engine.forum.notice(headers, body)) is not None:
                await self.engine.notice(thread)
        if self.random.random() < 0.5:
            self.deliveries = self.deliveries[self.random.randrange(6) :][-50:]

    async def forge(self) -> None:
        """A webhook that the forum did not sign changes nothing."""
        if not self.deliveries:
            return
        headers, body = self.random.choice(self.deliveries)
        for name in [name for name in headers if "signature" in name]:
            headers = {**headers, name: self.random.choice(["", "sha256=0", headers[name][:-1] + "x"])}
        try:
            thread = self.engine.forum.notice(headers, body.replace(b"7", b"6") + b" ")
        except BadSignature:
            thread = None
        assert thread is None

    async def pass_time(self) -> None:
        self.board.now += timedelta(seconds=self.random.choice([1, 5, 20, 61, 200, 700]))

    async def check(self) -> None:
        """What holds in the end, after a calm."""
        threads = {self.double.thread_id(post): post for post in self.board.questions}
        # Where a topic is its messages and no more, the next one becomes its first when the question is deleted.
        beginnings = {self.double.thread_id(post): post for post in self.board.posts} | threads
        for draft_id, request in self.desk.asked.items():
            text = request.model_dump_json()
            foreign = [word for word in ("botword1", "ourword1", "privateword1") if word in text]
            assert foreign == [], "A post was drafted that is a program's or private."
            personal = (*NAMES, *(name.split()[1] for name in NAMES), "student_", "renamed_")
            assert [name for name in personal if name in text] == [], "A name came in."
            await self.check_stale(beginnings, draft_id, request)
        for thread_id, post in threads.items():
            await self.check_thread(thread_id, post)
        posts = await self.store.forums.posts(COURSE, limit=1_000_000)
        open_posts = [post for post in posts if post.state in ("waiting", "sending", "unsure")]
        assert open_posts == [], open_posts
        lost = [p for p in posts if p.state == ForumPostState.POSTED and p.kind == "answer" and p.mark not in self.sent]
        assert lost == []
        if self.engine.forum.capabilities.edit:
            await self.check_corrections([post for post in posts if post.kind != "staff_draft"])
        assert not [request for request, answer in self.desk.learned.values() if any(n in answer for n in NAMES)]

    async def check_corrections(self, posts: list[ForumPostRow]) -> None:
        """What stands in the forum is the text that counts, once."""
        ours = [post.text for post in self.board.posts if post.user is self.double.bot and not post.is_deleted]
        for draft_id in {post.draft_id for post in posts if post.state == ForumPostState.POSTED}:
            decision = await self.store.decisions.of(draft_id)
            assert decision is not None
            is_told = any(p.state in ("failed", "cancelled") and p.decision_id == decision.id for p in posts)
            assert is_told or sum(mark_of(decision.id) in text for text in ours) == 1, "A correction was lost."

    async def check_stale(self, beginnings: dict[str, BoardPost], draft_id: str, request: AnswerRequest) -> None:
        post = beginnings[str(request.thread_id).partition(":")[2]]
        draft = await self.store.drafts.get(draft_id)
        is_edited = not words(post.text) <= words(request.question.body) | words(request.question.title)
        if draft.state == DraftState.PENDING:
            assert not is_edited, "The draft of an edited question can be approved."
            assert not post.is_deleted, "The draft of a deleted question can be approved."

    async def check_thread(self, thread_id: str, post: BoardPost) -> None:
        row = await self.store.forums.thread(COURSE, thread_id)
        is_listed = post.category == "7" or not self.rules.categories
        is_answerable = post.user in self.students and post.seen is Seen.ALL and is_listed
        if not is_answerable:
            assert row is None or row.draft_id is None
            return
        if post.is_deleted:
            return
        assert row is not None, f"A question was never looked at: {thread_id}"
        assert row.state in ("asked", "posted", "for_staff"), row
        if row.state == "asked":
            waits = row.draft_id not in {drafted for drafted, _ in self.approved.values()}
            assert waits, "An approved answer was not posted."
        if row.state == "posted":
            draft = row.draft_id
            mine = [mark for mark, (drafted, _) in self.approved.items() if drafted == draft]
            assert sum(self.sent.get(mark, 0) for mark in mine) == 1


def words(text: str) -> set[str]:
    """The words by which questions and their versions differ."""
    return {word for word in text.replace("?", " ").replace(".", " ").split() if word[-1:].isdigit() and word.isalnum()}
