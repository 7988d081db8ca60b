"""What forums cost: from a webhook to its draft, a poll of many courses, and requests a minute against the limits.

    python -m benchmarks.forums

Every forum is a double in memory, and every draft takes no time, so that the figures are the service's own.
"""

from __future__ import annotations

import asyncio
import logging
import statistics
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from app.forums.adapter import HttpForum
from app.forums.engine import ForumEngine
from app.forums.http import Throttle
from app.forums.registry import FORUMS, adapter_of
from core.course import Course
from core.store.store import Store
from tests.app.forums.cases import CASES
from tests.doubles.board import Double
from tests.doubles.discourse import SECRET, DiscourseDouble
from tests.doubles.storm import COURSE, StormDesk, engine_of, forum_of, open_store, rules_of

QUESTIONS = 50
COURSES = 50
POLLS = 10
POLL_SECONDS = 60.0
"""Between two polls of a course, as courses have it by default."""
TARGET_MS = 200.0
REQUESTS = 600


def engine_on(double: Double, store: Store, course: Course | None = None) -> ForumEngine:
    desk = StormDesk(store, lambda: double.board.now, Random(0))
    engine = engine_of(double, rules_of(double, "discourse"), store, desk, SECRET)
    return engine if course is None else replace(engine, course=course)


async def webhook_to_draft(folder: Path) -> tuple[list[float], float]:
    """Milliseconds from a signed webhook to the stored draft, without the model's time; and those of the processor."""
    store = await open_store(folder)
    double = DiscourseDouble()
    engine = engine_on(double, store)
    await engine.step()
    ada = double.board.user("ada_b", "Ada Byronson")
    times, began = [], time.process_time()
    for number in range(QUESTIONS):
        question = double.board.ask(ada, f"Homework {number}", f"When is homework{number} due?")
        message = double.webhook(double.board.events[-1])
        assert message is not None
        double.board.now = double.board.now.replace(microsecond=number)
        started = time.perf_counter()
        thread = engine.notice_of(*message)
        assert thread is not None
        await engine.notice(thread)
        while await engine.step():
            pass
        row = await store.forums.thread(COURSE, str(question.thread))
        assert row is not None
        assert row.draft_id is not None
        times.append(1000 * (time.perf_counter() - started))
    await store.aclose()
    return sorted(times), 1000 * (time.process_time() - began) / QUESTIONS


async def polls(folder: Path) -> tuple[float, float]:
    """Processor seconds of a poll of all courses in which nothing happened, and of a round in which none is due."""
    store = await Store.open(f"sqlite:///{folder}/polls.db")
    engines, doubles = [], []
    for number in range(COURSES):
        course = Course(id=f"course-{number}")
        await store.courses.put(course.id, course.model_dump(mode="json"))
        double = DiscourseDouble()
        engine = engine_on(double, store, course)
        for n in range(50):
            double.board.ask(double.board.user(f"s_{n}", f"Student {n}"), f"Homework {n}", "When is it due?")
        engines.append(engine)
        doubles.append(double)
    await asyncio.gather(*(engine.step() for engine in engines))
    started = time.process_time()
    for _ in range(POLLS):
        for double in doubles:
            double.pass_seconds(int(POLL_SECONDS) + 1)
        await asyncio.gather(*(engine.step() for engine in engines))
    a_poll = (time.process_time() - started) / POLLS
    started = time.process_time()
    for _ in range(POLLS):
        assert not await store.forums.due([engine.course.id for engine in engines], doubles[0].board.now)
    idle = (time.process_time() - started) / POLLS
    await store.aclose()
    return a_poll, idle


@dataclass
class Clock:
    """Time that passes only while somebody sleeps."""

    now: float = 0.0
    sent: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


async def busiest_minute(kind: str) -> tuple[int, int]:
    """The most requests in any minute while an adapter has as many as it likes, and its limit."""
    case = next(case for case in CASES if case.kind == kind)
    double, clock = case.double(), Clock()
    adapter: type[HttpForum] = adapter_of(rules_of(double, kind).kind)
    limit = adapter.capabilities.requests_a_minute
    forum = forum_of(double, rules_of(double, kind, **case.rules), case.secret)
    assert isinstance(forum, HttpForum)
    forum.http.throttle = Throttle(limit, lambda: clock.now, clock.sleep)
    while len(double.log) < REQUESTS:
        await forum.me()
        clock.sent += [clock.now] * (len(double.log) - len(clock.sent))
    most = max(sum(at <= other < at + 60.0 for other in clock.sent) for at in clock.sent)
    return most, limit


async def main() -> None:
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        times, processor = await webhook_to_draft(Path(folder))
        a_poll, idle = await polls(Path(folder))
    p95 = times[int(0.95 * len(times))]
    print(f"webhook to draft, without the model: median {statistics.median(times):.0f} ms, p95 {p95:.0f} ms, "
          f"processor {processor:.0f} ms, target {TARGET_MS:.0f} ms")  # fmt: skip
    share = a_poll / POLL_SECONDS + idle  # A round a second asks the database of each course whether something is due.
    print(f"a poll of {COURSES} courses: {1000 * a_poll:.0f} ms of a core, {1000 * idle:.0f} ms a round without one; "
          f"{100 * share:.1f} % of a core")  # fmt: skip
    for kind in FORUMS:
        most, limit = await busiest_minute(str(kind))
        print(f"{kind}: at most {most} requests in a minute, limit {limit}")


if __name__ == "__main__":
    asyncio.run(main())
