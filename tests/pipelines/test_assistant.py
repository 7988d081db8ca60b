"""A run put together from a course's functions: what a model can reach with them, and what it cannot."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from core.course import Course
from core.errors import BadReply, InvalidInput
from core.llm.models import Models
from core.llm.scripted import ScriptedLLM
from core.llm.task import Choice
from core.store.store import Store
from core.types import FunctionCall, Question, Source, Status
from pipelines import PIPELINES, Pipeline
from pipelines.assistant import Assistant
from pipelines.configuration import Configuration, resolve
from retrievers.index.indexes import Indexes
from tasks import (
    ChooseFunctions,
    FillArguments,
    MendAnswer,
    ReviewDraft,
    SelectFunctions,
    Selection,
    WriteAnswer,
)
from tests.fakes import FakeEmbedder, fake_embeddings
from tests.pipelines.runs import call, review, written
from tests.retrievers.shelf import Block, Shelf

SECRET = "There are six of thirty-six outcomes with that sum, hence the probability is exactly one sixth."


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """Two courses; only the first is asked about."""
    store = await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'edumod.db'}")
    shelf = Shelf(store, FakeEmbedder())
    await shelf.add("mine", "hw3", [Block("Two dice with sum seven.", solution=SECRET)], source=Source.ASSIGNMENT)
    await shelf.add("mine", "book", ["Means and medians."])
    await shelf.add("other", "exam", ["The exam of the other course: dice, sum, seven."], source=Source.ASSIGNMENT)
    yield store
    await store.aclose()


def assistant(store: Store, llm: ScriptedLLM, tmp_path: Path) -> Assistant:
    return Assistant(Models.of(llm), Indexes(store, fake_embeddings(), tmp_path / "index"))


def configuration(pipeline: str = "fc", **changed: Any) -> Configuration:
    return resolve({"retriever": "bm25", "top_k": 5}, {"pipeline": pipeline, **changed}, "scripted")


def hostile(query: str) -> tuple[FunctionCall, ...]:
    """Calls of a model that wants more than it was given."""
    return (
        call(query, "assignment_retrieval"),
        call(query, "assignment_retrieval", course="other"),
        call(query, "assignment_retrieval", course_id="other"),
        FunctionCall(id="w", name="delete_course", arguments={"course": "other"}),
        call("other'; DROP TABLE course; --", "textbook_retrieval"),
    )


@pytest.mark.parametrize("pipeline", PIPELINES, ids=lambda pipeline: pipeline.name)
async def test_a_compromised_model_reaches_no_other_course_no_write_and_no_solution(
    store: Store, tmp_path: Path, pipeline: type[Pipeline]
) -> None:
    stolen = written(f"{SECRET} [1] [2] [3]", (1, SECRET), (2, "The exam of the other course"))
    llm = ScriptedLLM(
        {ChooseFunctions: [Choice(calls=hostile("dice sum seven"))], WriteAnswer: [stolen], MendAnswer: [stolen],
         SelectFunctions: [Selection(functions=("assignment_retrieval", "textbook_retrieval"))],
         FillArguments: [Choice(calls=hostile("dice sum seven"))], ReviewDraft: [review(1.0, accepted=True)]}
    )  # fmt: skip
    working = assistant(store, llm, tmp_path)
    chosen = configuration(pipeline.name)
    run = await working.start(Course(id="mine"), Question(body="dice sum seven"), chosen)
    answer = await working.answer(run, chosen)
    assert {passage.document for passage in run.passages} <= {"hw3", "book"}
    assert "other course" not in answer.model_dump_json()
    assert "thirty-six" not in answer.model_dump_json()
    assert answer.status is Status.ABSTAINED
    assert {row.id for row in await store.courses.all()} == {"mine", "other"}


async def test_a_function_without_documents_tells_the_model_and_fails_nothing(store: Store, tmp_path: Path) -> None:
    nothing = Choice(calls=(call("dice", "logistics_retrieval"),))
    llm = ScriptedLLM({ChooseFunctions: [nothing, Choice()], WriteAnswer: [written("", status="abstained")]})
    working = assistant(store, llm, tmp_path)
    chosen = configuration("fc_iterative", max_rounds=1)
    run = await working.start(Course(id="mine"), Question(body="dice"), chosen)
    assert (await working.answer(run, chosen)).status is Status.ABSTAINED
    task = llm.tasks[1]
    assert isinstance(task, ChooseFunctions)
    assert task.history[0][0].error == "This course has no logistics documents to search."
    assert [one.name for one in run.calls] == ["logistics_retrieval"]


async def test_parameters_reach_the_pipeline_and_change_the_hash(store: Store, tmp_path: Path) -> None:
    llm = ScriptedLLM(
        {ChooseFunctions: [Choice(calls=(call(str(n)),)) for n in range(9)], WriteAnswer: [written("Yes.")]}
    )
    working = assistant(store, llm, tmp_path)
    chosen = configuration("iterative", max_rounds=2)
    run = await working.start(Course(id="mine"), Question(body="dice"), chosen)
    await working.answer(run, chosen)
    assert (chosen.pipeline, len(llm.tasks)) == ("fc_iterative", 4)
    assert chosen.hash != configuration("fc_iterative").hash == configuration("iterative").hash
    with pytest.raises(InvalidInput, match="max_rounds"):
        configuration("iterative", max_rounds=99)


async def test_a_failed_choice_counts_no_search(store: Store, tmp_path: Path) -> None:
    working = assistant(store, ScriptedLLM([BadReply("cut short")]), tmp_path)
    run = await working.start(Course(id="mine"), Question(body="dice"), configuration("fc_forced"))
    with pytest.raises(BadReply):
        await working.answer(run, configuration("fc_forced"))
    assert run.calls == ()
    assert run.steps[0].error == BadReply.sentence
