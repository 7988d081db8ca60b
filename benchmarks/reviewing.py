"""Reviewing 10,000 drafts of 200 courses on SQLite: pages as they are served, and decisions by fifty people.

python -m benchmarks.reviewing
"""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from statistics import mean, quantiles
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import httpx
import psutil

from app.response import AnswerResponse, ConfigurationOut
from app.review.deciding import DraftReview, Reviewer
from app.review.schemas import DecisionIn
from benchmarks.harness import served, show
from benchmarks.load import cpu_seconds
from core.access import Person
from core.course import Course
from core.errors import AlreadyDecided
from core.llm.offline import OFFLINE_MODEL
from core.review import QuestionKind
from core.store.store import Store
from core.store.tables import DraftRow, DraftState, JudgementRow, now
from core.types import Answer, Status, Usage
from pipelines.configuration import resolve

COURSES, DRAFTS, JUDGED, PEOPLE, DECIDED, ROUNDS = 200, 10_000, 1_000, 50, 1_000, 40
ANSWER = "Homework 3 is due on Thursday, February 19, at 23:59 [1]. You may use two slip days on it [2]. " * 6
PAGES = (
    "/review",
    "/review?course=course-7",
    "/review?view=late",
    "/review?confidence=low",
    "/review?kind=logistics",
    "/review?judged=low",
    "/review?sort=confidence",
    "/review?view=decided",
    "/review?q=slip+days",
    "/review/draft-7",
    "/courses/course-7/questions",
    "/courses/course-7/questions/feed",
    "/courses/course-7/quality",
    "/courses/course-7/settings",
    "/courses/course-7/tree",
    "/evaluations",
)


def a_response() -> dict[str, Any]:
    """The stored response of a draft."""
    configuration = ConfigurationOut.of(resolve(Course(id="c").defaults.model_dump(), {}, OFFLINE_MODEL))
    answer = Answer(status=Status.ANSWERED, markdown=ANSWER)
    details = {"function_calls": (), "usage": Usage(), "draft_id": "", "trace_id": None, "trace": ()}
    return AnswerResponse.of(answer, configuration=configuration, **details).model_dump(mode="json")


async def fill(store: Store) -> list[str]:
    """The courses and their drafts; the ids of the drafts."""
    for n in range(COURSES):
        await store.courses.put(f"course-{n}", {"id": f"course-{n}", "review": {"undo_seconds": 0}})
    response = a_response()
    rows = [
        DraftRow(
            id=f"draft-{n}",
            course_id=f"course-{n % COURSES}",
            created_at=now() - timedelta(minutes=n),
            state=DraftState.PENDING,
            request={"course": "c", "question": {"title": f"Question {n}", "body": "When is homework 3 due? " * 20}},
            response=response | {"draft_id": f"draft-{n}"},
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


def milliseconds(client: httpx.Client, process: psutil.Process, path: str) -> tuple[float, float]:
    """Time of a page on the clock, and of the service's processor."""
    clock, processor = perf_counter(), cpu_seconds(process)
    client.get(path).raise_for_status()
    return 1000 * (perf_counter() - clock), 1000 * (cpu_seconds(process) - processor)


def measure_pages(home: Path) -> None:
    """The pages as a browser gets them, from a service on the drafts."""
    rows: list[tuple[object, ...]] = []
    with served(EDUMOD_HOME=str(home)) as (address, started), httpx.Client(base_url=address, timeout=60) as client:
        process = psutil.Process(started.pid)
        for path in PAGES:
            milliseconds(client, process, path)
            taken = [milliseconds(client, process, path) for _ in range(ROUNDS)]
            clock, processor = ([one[n] for one in taken] for n in (0, 1))
            rows.append((path, quantiles(clock, n=20)[18], mean(processor)))
    columns = ("page", "p95 on the clock", "mean of the processor")
    show(f"Pages with {DRAFTS:,} drafts of {COURSES} courses, in ms", columns, rows)


async def decide_at_once(store: Store, ids: list[str]) -> tuple[int, int, float]:
    """Fifty people decide the same drafts: decisions, conflicts, seconds."""
    review = DraftReview(store)

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


async def filled(home: Path) -> list[str]:
    """The ids of the drafts in a new database."""
    store = await Store.open(database_in(home))
    ids = await fill(store)
    await store.aclose()
    return ids


async def measure_decisions(home: Path, ids: list[str]) -> None:
    """Raises `SystemExit` where a decision is lost or doubled."""
    store = await Store.open(database_in(home))
    decided, refused, seconds = await decide_at_once(store, ids)
    note = f"{PEOPLE} people at once on {len(ids):,} drafts: {decided} decisions, {refused} conflicts."
    show("Decisions", ("", "per second"), [("decisions and conflicts", (decided + refused) / seconds)], note)
    kept = len(await store.decisions.of_many(ids))
    await store.aclose()
    if not decided == kept == len(ids):
        raise SystemExit(f"{decided} decisions were accepted, and {kept} of {len(ids)} drafts have one.")


def database_in(home: Path) -> str:
    return f"sqlite:///{home / 'edumod.db'}"


def main() -> None:
    with TemporaryDirectory() as folder:
        home = Path(folder)
        ids = asyncio.run(filled(home))
        measure_pages(home)
        asyncio.run(measure_decisions(home, ids[:DECIDED]))


if __name__ == "__main__":
    main()
