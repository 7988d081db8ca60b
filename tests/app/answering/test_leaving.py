"""Whoever leaves, whenever: each draft that was begun ends, with its trace."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Generator
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from app.answering.asked_question import AskedQuestion, IdempotencyKey
from app.wiring import Services, build_services
from core.course import Course
from core.errors import ModelUnavailable
from core.llm.scripted import ScriptedLLM
from core.llm.task import Choice
from core.store.tables import DraftRow, DraftState
from core.types import FunctionCall, Question, Source, Step
from pipelines.run import Run
from tasks import ChooseFunctions, Statement, WriteAnswer, WrittenAnswer
from tests.app.live import settings_in
from tests.fakes import FakeEmbedder
from tests.retrievers.shelf import Block, Shelf
from tests.sweeps import choose

BODY = "When is homework 3 due?"
QUESTION = AskedQuestion("c", Question(body=BODY), {"course": "c", "question": {"body": BODY}})
FC = {"pipeline": "fc"}
CALLS = Choice(calls=(FunctionCall(id="1", name="logistics_retrieval", arguments={"query": "homework 3 due"}),))
WRITTEN = WrittenAnswer(status="answered", statements=(Statement(text="On February 19."),), confidence=0.9)
SOLUTION = "The estimate of the population mean is the sample mean, which is unbiased."
ENDED = "SELECT draft.state, count(trace.id) FROM draft LEFT JOIN trace ON draft_id = draft.id GROUP BY draft.id"


class CancelledAt:
    """Awaits something, in a task that is cancelled where that waits for the nth time, and the one after if `again`.

    `waited` counts how often it waited.
    """

    def __init__(self, work: Awaitable[Any], nth: int, *, again: bool) -> None:
        self.waited = 0
        self._work = work
        self._cancelled = (nth, nth + 1) if again else (nth,)

    def __await__(self) -> Generator[Any, Any, Any]:
        work: Any = self._work.__await__()
        raised: BaseException | None = None
        while True:
            try:
                waits_for = work.throw(raised) if raised else next(work)
            except StopIteration as end:
                return end.value
            if self.waited in self._cancelled and (task := asyncio.current_task()):
                task.cancel()
            self.waited += 1
            raised = None
            try:
                yield waits_for
            except BaseException as error:
                raised = error


@asynccontextmanager
async def serving(home: Path, written: Any = WRITTEN, *, solved: bool = False) -> AsyncIterator[Services]:
    llm = ScriptedLLM({ChooseFunctions: [CALLS], WriteAnswer: [written]})
    services = await build_services(settings_in(home), llm=llm, embedder=FakeEmbedder())
    await services.store.courses.put("c", Course(id="c").model_dump(mode="json"))
    if solved:
        shelf = Shelf(services.store, FakeEmbedder())
        await shelf.add("c", "hw3", [Block("Homework 3 is due.", solution=SOLUTION)], source=Source.LOGISTICS)
    yield services
    await services.aclose()


async def rows(services: Services, query: str) -> list[tuple[Any, ...]]:
    async with services.store.database.read() as connection:
        return [tuple(row) for row in (await connection.execute(text(query))).all()]


@pytest.mark.parametrize("keyed", choose({"without a key": False, "with a key": True}, "with a key"))
@pytest.mark.parametrize("again", choose({"cancelled once": False, "cancelled twice": True}, "cancelled twice"))
@pytest.mark.parametrize("written", [WRITTEN, ModelUnavailable("down")], ids=["answered", "failed"])
@pytest.mark.parametrize("solved", [False, True], ids=["nothing secret found", "a solution found"])
async def test_a_request_that_is_cancelled_anywhere_leaves_a_draft_that_ended_with_its_trace(
    tmp_path: Path, solved: bool, written: Any, again: bool, keyed: bool
) -> None:
    async with serving(tmp_path, written, solved=solved) as services:
        # What is read once per course is read by the first request.
        with suppress(ModelUnavailable):
            await services.answering.answer(QUESTION, FC)
        for nth in count():
            work = services.answering.answer(
                QUESTION, FC, IdempotencyKey(f"key {nth}", "fingerprint") if keyed else None
            )
            request = CancelledAt(work, nth, again=again)
            with suppress(asyncio.CancelledError, ModelUnavailable):
                await asyncio.create_task(_wait_for(request))
            if request.waited <= nth:
                break
        ended = await rows(services, ENDED)
    assert len(ended) > 5
    assert {state for state, _ in ended} <= {"failed", "pending"}
    assert {traces for _, traces in ended} == {1}


async def _wait_for(work: Awaitable[Any]) -> None:
    await work


async def test_an_answer_that_was_there_before_its_client_left_waits_for_review(tmp_path: Path) -> None:
    ended = asyncio.Event()

    def watch(run: Run, told: FunctionCall | Step) -> None:
        if isinstance(told, Step) and told.task == "WriteAnswer":
            asyncio.get_running_loop().call_later(0.05, ended.set)

    async with serving(tmp_path) as services:
        async with services.store.database.write():
            # Nothing can be stored meanwhile.
            work = asyncio.create_task(services.answering.answer(QUESTION, FC, watch=watch))
            await ended.wait()
            await asyncio.sleep(1)
            work.cancel()
            await asyncio.sleep(0.05)
        with pytest.raises(asyncio.CancelledError):
            await work
        await services.store.drafts.flush()
        assert await rows(services, "SELECT state, response IS NOT NULL FROM draft") == [("pending", 1)]


async def test_an_answer_from_solutions_is_stored_though_its_client_left_while_its_trace_was_made_public(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path, solved=True) as services:
        for _ in range(2):  # They load what the next ones need not wait for.
            await services.answering.answer(QUESTION, FC)
        undisturbed = CancelledAt(services.answering.answer(QUESTION, FC), -1, again=False)
        await asyncio.create_task(_wait_for(undisturbed))
        last = undisturbed.waited - 1
        left = CancelledAt(services.answering.answer(QUESTION, FC), last, again=False)
        with pytest.raises(asyncio.CancelledError):
            await asyncio.create_task(_wait_for(left))
        assert await rows(services, "SELECT state, response IS NOT NULL FROM draft") == [("pending", 1)] * 4


async def test_a_draft_whose_request_is_cancelled_is_written_without_waiting_for_another(tmp_path: Path) -> None:
    async with serving(tmp_path) as services:
        drafts = [DraftRow(id=str(n), course_id="c", state=DraftState.WORKING, request={}) for n in range(5)]
        async with services.store.database.write():
            writes = [services.store.drafts.begin(draft) for draft in drafts[:2]]
            await asyncio.sleep(0.05)
            # The first two are being written; these wait for their turn.
            writes += [services.store.drafts.begin(draft) for draft in drafts[2:]]
            await asyncio.sleep(0.05)
            for write in writes:
                write.cancel()
            await asyncio.gather(*writes, return_exceptions=True)
        started = time.perf_counter()
        while len(await rows(services, "SELECT id FROM draft")) < 5:
            assert time.perf_counter() - started < 30
            await asyncio.sleep(0.01)
