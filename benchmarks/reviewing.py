"""Reviewing 10,000 drafts of 200 courses on SQLite: server time of the queue, and decisions by fifty people.

python -m benchmarks.reviewing
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from app.edge.headers import Nonce, _nonce
from app.review.deciding import Review, Reviewer
from app.review.queue import QueueFilter, read_queue
from app.review.schemas import DecisionIn
from app.web.render import render
from benchmarks.harness import show
from core.access import EVERYTHING, Person
from core.errors import AlreadyDecided
from core.review import QuestionKind
from core.store.store import Store
from core.store.tables import DraftRow, DraftState, JudgementRow, now

COURSES, DRAFTS, JUDGED, PEOPLE, DECIDED, ROUNDS = 200, 10_000, 1_000, 50, 1_000, 40
ANSWER = "Homework 3 is due on Thursday, February 19, at 23:59 [1]. You may use two slip days on it [2]. " * 6
VIEWS = (
    QueueFilter(),
    QueueFilter(course="course-7"),
    QueueFilter(view="late"),
    QueueFilter(confidence="low"),
    QueueFilter(kind="logistics"),
    QueueFilter(judged="low"),
)


async def fill(store: Store) -> list[str]:
    """The courses and their drafts; the ids of the drafts."""
    for n in range(COURSES):
        await store.courses.put(f"course-{n}", {"id": f"course-{n}", "review": {"undo_seconds": 0}})
    rows = [
        DraftRow(
            id=f"draft-{n}",
            course_id=f"course-{n % COURSES}",
            created_at=now() - timedelta(minutes=n),
            state=DraftState.PENDING,
            request={"course": "c", "question": {"title": f"Question {n}", "body": "When is homework 3 due? " * 20}},
            response={"status": "answered", "answer": ANSWER, "citations": [], "configuration": {"pipeline": "fc"}},
            kind=list(QuestionKind)[n % 4],
            confidence=n % 100 / 100,
        )
        for n in range(DRAFTS)
    ]
    for start in range(0, DRAFTS, 500):
        await asyncio.gather(*(store.drafts.begin(row) for row in rows[start : start + 500]))
    await judge(store, rows)
    return [row.id for row in rows]


async def judge(store: Store, rows: list[DraftRow]) -> None:
    """A judge's scores of the newest drafts."""
    courses = {row.course_id for row in rows}
    for one in await store.judgements.take("grounded", courses, now(), timedelta(hours=1), JUDGED):
        row = JudgementRow(draft_id=one.draft.id, judge="grounded", course_id=one.draft.course_id)
        row.score, row.judged_at = one.draft.confidence, now()
        await store.judgements.record(row)


async def queue_page(store: Store, wanted: QueueFilter) -> None:
    """What `/review` does for one request."""
    me = Reviewer(Person("me", "me"), EVERYTHING)
    found = await read_queue(store, wanted, me, None)
    values = {
        "queue": found,
        "wanted": wanted,
        "reviewer": me.person,
        "kinds": QuestionKind,
        "categories": (),
        "undo": None,
        "is_judged": True,
    }
    render("review.html", courses=await store.courses.all(), waiting=found.counts["waiting"], **values)


async def milliseconds(work: Callable[[], Awaitable[None]]) -> tuple[float, float]:
    """Time on the clock and of the processor."""
    clock, processor = perf_counter(), process_time()
    await work()
    return 1000 * (perf_counter() - clock), 1000 * (process_time() - processor)


async def decide_at_once(store: Store, ids: list[str]) -> tuple[int, int, float]:
    """Fifty people decide the same drafts: decisions, conflicts, seconds."""
    review = Review(store)

    async def person(n: int) -> tuple[int, int]:
        counts = [0, 0]
        me = Reviewer(Person(f"p{n}", f"Person {n}"))
        for draft_id in ids[n::5]:
            try:
                await review.decide(draft_id, DecisionIn(), me)
                counts[0] += 1
            except AlreadyDecided:
                counts[1] += 1
        return counts[0], counts[1]

    started = perf_counter()
    counted = await asyncio.gather(*(person(n % 5) for n in range(PEOPLE)))
    return sum(one for one, _ in counted), sum(two for _, two in counted), perf_counter() - started


async def measure(folder: Path) -> None:
    store = await Store.open(f"sqlite:///{folder / 'edumod.db'}")
    ids = await fill(store)
    _nonce.set(Nonce())
    rows: list[tuple[object, ...]] = []
    for wanted in VIEWS:
        work = partial(queue_page, store, wanted)
        await work()
        taken = [await milliseconds(work) for _ in range(ROUNDS)]
        clock, processor = ([one[n] for one in taken] for n in (0, 1))
        rows.append((wanted.address(), quantiles(clock, n=20)[18], quantiles(processor, n=20)[18]))
    show(f"/review with {DRAFTS:,} drafts of {COURSES} courses, p95 in ms", ("page", "clock", "processor"), rows)
    decided, refused, seconds = await decide_at_once(store, ids[:DECIDED])
    note = f"{PEOPLE} people at once on {DECIDED:,} drafts: {decided} decisions, {refused} conflicts."
    show("Decisions", ("", "per second"), [("decisions and conflicts", (decided + refused) / seconds)], note)
    kept = len(await store.decisions.of_many(ids[:DECIDED]))
    await store.aclose()
    if not decided == kept == DECIDED:
        raise SystemExit(f"{decided} decisions were accepted, and {kept} of {DECIDED} drafts have one.")


def main() -> None:
    with TemporaryDirectory() as folder:
        asyncio.run(measure(Path(folder)))


if __name__ == "__main__":
    main()
