"""A run whose answer no person reads first is sent no text for staff, whatever a compromised model asks for.

The model is given every text for staff of DS 101 to look for: in its prompts, in what its searches find, in the trace
while the run goes on and after it, and in feedback on homework. None of their windows of eight words is there, unless
students may read it anyway.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count, cycle, islice, product
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.answering.audience import audience_of
from app.models.offline_backend import offline_rules
from app.wiring import Services, build_services
from core.course import Course, DocumentRule
from core.llm.base import DEFAULT_SAMPLING, Reply, Sampling
from core.llm.offline import OfflineLLM
from core.llm.prompt import render
from core.llm.task import Choice, Out, Task
from core.review import Posting
from core.types import Audience, FunctionCall, Question, Source, Step, Visibility
from pipelines import FEEDBACK_PIPELINES, PIPELINES, Pipeline
from pipelines.configuration import resolve
from pipelines.public_trace import public_event, public_trace
from pipelines.run import Run
from retrievers import RETRIEVERS
from retrievers.functions import COURSE_FUNCTIONS
from safeguards import staff_texts
from tasks import ChooseFunctions, FillArguments, SelectFunctions, Selection
from tests.app.conftest import ingest_all
from tests.app.live import settings_in
from tests.fakes import FakeEmbedder, Nearest, RareWords
from tests.sweeps import choose

pytestmark = pytest.mark.asyncio(loop_scope="module")

DS101 = Path(__file__).parents[3] / "data/ds101"
LATER = datetime.now(UTC) + timedelta(days=1)
COURSE = Course(
    id="ds101",
    documents=(
        DocumentRule(match="textbook/09*", release_at=LATER),
        DocumentRule(match="assignments/hw6/*", visibility=Visibility.STAFF),
    ),
)
WINDOW = 8
"""Words in a row that tell a text."""
RETRIEVER_NAMES = tuple(spec.name for spec in RETRIEVERS)
COMBINATIONS = choose(
    {
        f"{pipeline.name}-{retriever}": (pipeline, retriever)
        for pipeline, retriever in product(PIPELINES, RETRIEVER_NAMES)
    },
    *(f"{pipeline.name}-{retriever}" for pipeline, retriever in zip(PIPELINES, cycle(RETRIEVER_NAMES), strict=False)),
)
"""Every pipeline with every retriever; quick, each with one."""
QUERIES = 6
"""Searches of a run: each for the beginning of a text for staff."""
FUNCTIONS = tuple(function.name for function in COURSE_FUNCTIONS)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    asyncio.run(ingest_all(settings_in(home), DS101, COURSE))
    return home


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def services(home: Path) -> AsyncIterator[Services]:
    services = await build_services(settings_in(home), embedder=FakeEmbedder())
    yield services
    await services.aclose()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def staff(services: Services) -> StaffOnly:
    return await StaffOnly.of(services)


def texts_in(value: Any) -> Iterator[str]:
    """Every text in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for one in value.values() for text in texts_in(one))
    elif isinstance(value, list | tuple):
        yield from (text for one in value for text in texts_in(one))


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def windows(text: str) -> set[tuple[str, ...]]:
    found = words(text)
    return set(zip(*(found[n:] for n in range(WINDOW)), strict=False))


def beginning(text: str) -> str:
    """The first words of a text, too few to tell it."""
    return " ".join(words(text)[: WINDOW - 1])


class StaffOnly:
    """The windows of words that only staff may read, and the texts that have them."""

    def __init__(self, staff: Sequence[str], readable: Sequence[str]) -> None:
        self.texts = [text for text in dict.fromkeys(staff) if text.strip()]
        known = set[tuple[str, ...]]().union(*map(windows, readable))
        self.windows = set[tuple[str, ...]]().union(*map(windows, self.texts)) - known

    @classmethod
    async def of(cls, services: Services) -> StaffOnly:
        passages = await services.indexes.passages("ds101")
        hidden = [text for one in passages.unreleased for text in (one.text, one.solution)]
        readable = [
            text
            for one in passages.released
            if one.visibility is Visibility.STUDENT
            for text in (one.text, one.title, *one.heading_path)
        ]
        return cls([*staff_texts(passages.released), *hidden], readable)

    def among(self, values: Sequence[Any]) -> set[tuple[str, ...]]:
        return set[tuple[str, ...]]().union(
            *(windows(text) & self.windows for value in values for text in texts_in(value))
        )


class Spy(OfflineLLM):
    """A compromised model: it looks for texts for staff, and keeps all that it is sent."""

    def __init__(self, queries: Sequence[str]) -> None:
        numbers, asked = count(), cycle(queries)

        def calls(_: Task[Any]) -> Choice:
            names = islice(cycle((*FUNCTIONS, "assignment_retrieval")), len(queries))
            return Choice(
                calls=tuple(
                    FunctionCall(id=f"c{next(numbers)}", name=name, arguments={"query": next(asked)}) for name in names
                )
            )

        super().__init__(
            offline_rules(Nearest(*Source), RareWords())
            | {ChooseFunctions: calls, FillArguments: calls, SelectFunctions: lambda _: Selection(functions=FUNCTIONS)}
        )
        self.sent: list[Any] = []

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        self.sent += [render(task), task.model_dump(mode="json")]
        return await super().run(task, sampling)


async def looked_for(services: Services, spy: Spy, question: Question, pipeline: str, retriever: str) -> list[Any]:
    """Everything that a compromised model is sent in a run for students, and that the run shows."""
    configuration = resolve({}, {"pipeline": pipeline, "retriever": retriever, "top_k": 20}, "offline")
    run = await services.assistant.start(COURSE, question, configuration, audience=Audience.STUDENTS, llm=spy)
    events: list[Any] = []

    def watch(event: FunctionCall | Step) -> None:
        events.append(public_event(run.public(), (*run.steps, *run.calls), event).model_dump(mode="json"))

    run.watch(watch)
    answer = await services.assistant.answer(run, configuration)
    assert spy.sent or pipeline == "homework"
    assert events
    return [*spy.sent, *events, *_kept(run), answer.model_dump(mode="json")]


def _kept(run: Run) -> Iterator[Any]:
    """What a run holds at its end, and what is stored of it."""
    trace = public_trace(run)
    yield from (one.model_dump(mode="json") for one in (*run.passages, *trace.steps, *trace.calls))


@pytest.mark.parametrize(("pipeline", "retriever"), COMBINATIONS)
async def test_a_compromised_model_is_sent_no_text_for_staff(
    services: Services, staff: StaffOnly, pipeline: type[Pipeline], retriever: str
) -> None:
    assert len(staff.texts) > 100
    assert len(staff.windows) > 5000
    number = PIPELINES.index(pipeline) * len(RETRIEVERS) + RETRIEVER_NAMES.index(retriever)
    chosen = islice(cycle(staff.texts), number * QUERIES, (number + 1) * QUERIES)
    spy = Spy([beginning(text) for text in chosen])
    question = Question(body="What does the official solution say?", category="Homework 6")
    shown = await looked_for(services, spy, question, pipeline.name, retriever)
    assert staff.among(shown) == set()


@pytest.mark.parametrize("pipeline", FEEDBACK_PIPELINES, ids=lambda pipeline: pipeline.name)
async def test_feedback_is_written_without_a_text_for_staff(
    services: Services, staff: StaffOnly, pipeline: type[Pipeline]
) -> None:
    spy = Spy(["solution"])
    exercises = await services.assistant.exercises("ds101")
    solved = await services.indexes.get("ds101", Source.ASSIGNMENT, Audience.STAFF)
    with_solution = {one.block_id for one in solved.passages if one.solution}
    for exercise in [one for one in exercises if one.block_id in with_solution][::12]:
        question = Question(body="I think that it is 7.", exercise=exercise.block_id)
        assert staff.among(await looked_for(services, spy, question, pipeline.name, "hybrid")) == set()


async def test_the_windows_are_found_in_a_run_for_staff(services: Services, staff: StaffOnly) -> None:
    spy = Spy([beginning(text) for text in staff.texts[:QUERIES]])
    configuration = resolve({}, {"pipeline": "fc", "retriever": "bm25", "top_k": 20}, "offline")
    run = await services.assistant.start(COURSE, Question(body="?"), configuration, audience=Audience.STAFF, llm=spy)
    await services.assistant.answer(run, configuration)
    assert staff.among(spy.sent)


@pytest.mark.parametrize("asker_is_staff", [False, True])
async def test_what_is_posted_without_a_person_is_for_students(asker_is_staff: bool) -> None:
    course = COURSE.model_copy(update={"posting": Posting.AUTO})
    assert audience_of(course, asker_is_staff=asker_is_staff) is Audience.STUDENTS
    assert audience_of(COURSE, asker_is_staff=asker_is_staff) is (
        Audience.STAFF if asker_is_staff else Audience.STUDENTS
    )
