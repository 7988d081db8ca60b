"""Configurations that do not get to see a part of the question, or no passages, or that are given other prompts."""

from __future__ import annotations

from pathlib import Path

from core.code import CodeTest, LintMessage
from core.course import Course
from core.dataset import Dataset
from core.llm.models import Models
from core.llm.scripted import ScriptedLLM
from core.llm.task import Choice, Instructions
from core.store.store import Store
from core.types import FunctionCall, Message, Question
from eval.actors.answers import LEFT_OUT, AnsweringActor, left_out
from eval.datasets.answers import LabelledAnswer
from eval.datasets.questions import FUNCTIONS
from eval.setups.product import ProductSetup
from pipelines.assistant import Assistant
from pipelines.configuration import resolve
from retrievers.index.indexes import Indexes
from tasks import ChooseFunctions, WriteAnswer, WrittenAnswer
from tests.eval.answers.labelled import message
from tests.fakes import FakeEmbedder, fake_embeddings
from tests.retrievers.shelf import Shelf

ASKED = Question(
    title="Mean",
    body="Why?",
    category="HW",
    code="x.mean()",
    line=1,
    tests=(CodeTest(name="mean", accepted=False),),
    linting=(LintMessage(line=1, message="x is not defined"),),
    programming_language="python",
    thread=(Message(body="Before."),),
    images=("An error.",),
    language="en",
    exercise="block",
)


def test_each_optional_field_can_be_left_out_and_nothing_else_changes() -> None:
    assert set(LEFT_OUT) == {*Question.model_fields, "passages"} - {"body"}
    for field in LEFT_OUT[:-1]:
        shown = left_out(ASKED, field)
        assert not getattr(shown, field)
        assert shown.model_copy(update={field: getattr(ASKED, field)}) == ASKED
    assert left_out(ASKED, "passages") == left_out(ASKED, None) == ASKED


async def asked_of(
    folder: Path, without: str | None = None, given: Instructions | None = None
) -> tuple[WriteAnswer, AnsweringActor]:
    """What the model was asked to write."""
    store = await Store.open(f"sqlite+aiosqlite:///{folder / f'{without}.db'}")
    await Shelf(store, FakeEmbedder()).add("ds", "book", ["Means and medians."])
    call = Choice(calls=(FunctionCall(id="1", name=FUNCTIONS[1], arguments={"query": "means"}),))
    written = WrittenAnswer(status="abstained", statements=(), confidence=0.0)
    llm = ScriptedLLM({ChooseFunctions: [call], WriteAnswer: [written]})
    assistant = Assistant(Models.of(llm), Indexes(store, fake_embeddings(), folder / "index"))
    configuration = resolve({}, {"pipeline": "fc_forced", "retriever": "bm25", "top_k": 3}, "scripted")
    item = message("1", question=ASKED)
    setup: ProductSetup[LabelledAnswer] = ProductSetup(
        Dataset("ds", (item,)), assistant, Course(id="ds"), lambda _choices: configuration, {}, "test"
    )
    actor = AnsweringActor("fc_forced/bm25", configuration, setup)
    actor = actor.leaving_out(without) if without else actor
    actor = actor.reworded({"WriteAnswer": given}) if given else actor
    await actor.act(item, 0, llm)
    await store.aclose()
    (task,) = [task for task in llm.tasks if isinstance(task, WriteAnswer)]
    return task, actor


async def test_an_actor_without_the_thread_is_asked_without_it(tmp_path: Path) -> None:
    task, actor = await asked_of(tmp_path, "thread")
    assert (actor.name, actor.remarks) == ("fc_forced/bm25 without thread", ())
    assert task.question.thread == ()
    assert task.question.code == "x.mean()"
    assert task.passages


async def test_an_actor_without_passages_finds_nothing(tmp_path: Path) -> None:
    task, actor = await asked_of(tmp_path, "passages")
    assert task.passages == ()
    assert task.question.thread == ASKED.thread
    assert actor.identity != (await asked_of(tmp_path))[1].identity


async def test_an_actor_with_other_instructions_is_given_them_and_is_another_actor(tmp_path: Path) -> None:
    strict = Instructions(name="strict.md", text="Write one sentence.")
    task, actor = await asked_of(tmp_path, given=strict)
    assert actor.name == "fc_forced/bm25 prompts.WriteAnswer=strict.md"
    assert (task.prompt, task.prompt_version) == ("Write one sentence.", strict.version)
    whole, same = await asked_of(tmp_path, "title")
    assert whole.prompt.startswith(WriteAnswer.instructions.strip())
    assert same.reworded({"WriteAnswer": strict}).identity != same.identity


def test_a_field_that_no_message_has_is_remarked(tmp_path: Path) -> None:
    setup = ProductSetup(Dataset("ds", (message("1"),)), None, None, None, {}, "test")  # type: ignore[arg-type]
    configuration = resolve({}, {"pipeline": "fc", "retriever": "bm25", "top_k": 3}, "scripted")
    (remark,) = AnsweringActor("fc", configuration, setup).leaving_out("code").remarks
    assert "No message has a field code" in remark
