"""A pipeline as an actor, with several models."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.course import Course
from core.dataset import Dataset
from core.llm.catalogue import ModelEntry
from core.llm.models import Models, NamedModel
from core.llm.scripted import ScriptedLLM
from core.llm.task import Choice
from core.settings import ModelPrice
from core.store.store import Store
from core.types import FunctionCall, Question
from eval.actors.pipeline import PipelineActor
from eval.datasets.questions import FUNCTIONS, LabelledQuestion
from eval.plan import Plan
from eval.runner import Runner
from eval.setups.product import ProductSetup
from pipelines.assistant import Assistant
from pipelines.configuration import resolve
from retrievers.index.indexes import Indexes
from tasks import ChooseFunctions, WriteAnswer, WrittenAnswer
from tests.fakes import FakeEmbedder, fake_embeddings
from tests.retrievers.shelf import Shelf

QUESTION = LabelledQuestion(id="1", split="test", question=Question(body="Mean?"), raters={}, functions=())


def scripted(name: str, *, function: str) -> ScriptedLLM:
    calls = Choice(calls=(FunctionCall(id="1", name=function, arguments={"query": "mean"}),))
    answer = WrittenAnswer(status="abstained", statements=(), confidence=0.0)
    return ScriptedLLM({ChooseFunctions: [calls], WriteAnswer: [answer]}, model=name)


def actor(assistant: Assistant, model: str) -> PipelineActor:
    chosen = {"pipeline": "fc_forced", "retriever": "bm25", "top_k": 3, "model": model}
    configuration = resolve({}, chosen, assistant.models.model)
    setup = ProductSetup(
        Dataset("ds", (QUESTION,)), assistant, Course(id="ds"), lambda _choices: configuration, {}, "test"
    )
    return PipelineActor(f"model={model}", configuration, setup)


async def test_each_alias_of_an_experiment_is_asked_and_counted_at_its_price(tmp_path: Path) -> None:
    store = await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'edumod.db'}")
    await Shelf(store, FakeEmbedder()).add("ds", "book", ["Means and medians."])
    prices = {"a": ModelPrice(input=1.0, output=0.0), "b": ModelPrice(input=10.0, output=0.0)}
    models = Models.of(scripted("a", function=FUNCTIONS[0]), scripted("b", function=FUNCTIONS[1]), prices=prices)
    assistant = Assistant(models, Indexes(store, fake_embeddings(), tmp_path / "index"))
    plan = Plan("functions", Dataset("ds", (QUESTION,)), (actor(assistant, "a"), actor(assistant, "b")), ())
    rows = (await Runner(store.evaluations, models, models.prices).run(plan)).rows
    await store.aclose()
    assert {row.actor: row.output for row in rows} == {"model=a": [FUNCTIONS[0]], "model=b": [FUNCTIONS[1]]}
    # Two calls of 100 tokens each.
    costs = {row.actor: row.usage["cost_usd"] for row in rows}
    assert costs == {"model=a": pytest.approx(200e-6), "model=b": pytest.approx(2000e-6)}


@pytest.mark.parametrize(
    ("changed", "is_same"),
    [({}, True), ({"concurrency": 3}, True), ({"model": "n"}, False), ({"base_url": "http://i/v1"}, False)],
)
def test_another_model_behind_an_alias_is_another_actor(changed: dict[str, object], is_same: bool) -> None:
    def identity(**entry: object) -> str:
        llm = ScriptedLLM([])
        valid = ModelEntry.model_validate({"base_url": "http://h/v1", "model": "m", **entry})
        named = NamedModel("a", llm, "m", valid)
        return actor(Assistant(Models([named], "a"), None), "a").identity  # type: ignore[arg-type]

    assert (identity() == identity(**changed)) is is_same
