"""What holds for every pipeline, whatever the model does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields
from time import perf_counter
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from app.models.offline_backend import offline_rules
from core.edison import FUNCTION_NAMES
from core.errors import BadReply, InvalidInput, ModelDeclined, ModelError, ModelUnavailable, NoMaterial, RunTimeout
from core.llm.base import DEFAULT_SAMPLING, Reply, Sampling
from core.llm.offline import OfflineLLM
from core.llm.scripted import ScriptedLLM
from core.llm.task import Choice, Out, Task
from core.types import Answer, FunctionCall, Question, Source, Status, StepKind
from pipelines import PIPELINES, Pipeline, answer_with, pipeline_named, pipeline_with
from pipelines.run import HURRIED
from pipelines.running.answer_limits import AnswerLimits
from tasks import (
    PIPELINE_TASKS,
    ChooseFunctions,
    FillArguments,
    MendAnswer,
    ReviewDraft,
    Selection,
    WriteAnswer,
    WrittenAnswer,
)
from tests.fakes import Nearest, RareWords
from tests.pipelines.runs import FUNCTIONS, Material, call, passage, review, run_with, written

every = pytest.mark.parametrize("pipeline", PIPELINES, ids=lambda pipeline: pipeline.name)
"""The pipelines themselves: a new one is under the whole contract by standing in the tuple."""

SECRET = "There are six of thirty-six outcomes with that sum, hence the probability is exactly one sixth."
SECRET_CODE = 'totals = rides.groupby("station")["rides"].sum()\ntotals.sort_values(ascending=False).head(5)'
SOLVED = passage(
    "solved", "Two dice are rolled. How likely is a sum of seven?", source=Source.ASSIGNMENT,
    solution=f"{SECRET}\n```python\n{SECRET_CODE}\n```",
)  # fmt: skip
QUESTION = Question(body="Why is a sum of seven likely?", category="Homework 3")
QUERY = "Why is a sum of seven likely?"


def filled(task: FillArguments) -> Choice:
    return Choice(calls=(call(QUERY, task.functions[0].name),))


def model(**changed: Any) -> ScriptedLLM:
    """A model that does every task well, but for the tasks named."""
    return ScriptedLLM(script(**changed))


def mended(task: MendAnswer) -> WrittenAnswer:
    return WrittenAnswer(status="answered", statements=task.draft, confidence=task.confidence)


def script(**changed: Any) -> dict[type[Task[Any]], list[Any]]:
    lines: dict[str, Any] = {
        "ChooseFunctions": Choice(calls=(call(QUERY, "assignment_retrieval"),)),
        "SelectFunctions": Selection(functions=("assignment_retrieval", "qa_retrieval")),
        "FillArguments": filled,
        "WriteAnswer": written("Count the outcomes [1].", (1, "Two dice are rolled")),
        "MendAnswer": mended,
        "ReviewDraft": review(0.9, accepted=True),
    }
    tasks = {task.__name__: task for task in PIPELINE_TASKS}
    return {tasks[name]: [line] for name, line in {**lines, **changed}.items()}


async def outcome(pipeline: type[Pipeline], llm: Any, **changed: Any) -> tuple[Answer | ModelError, Any]:
    """The pipeline's answer or typed error, and the run."""
    run = run_with(llm, question=QUESTION, **{"found": {QUERY: [SOLVED]}, **changed})
    try:
        return await answer_with(pipeline(), run), run
    except ModelError as error:
        return error, run


@every
def test_it_says_what_it_does_and_its_parameters_can_be_documented(pipeline: type[Pipeline]) -> None:
    assert pipeline.__doc__
    assert pipeline.summary.endswith(".")
    assert pipeline.model_calls
    schema = TypeAdapter(pipeline).json_schema()
    assert all(parameter["description"] for parameter in schema.get("properties", {}).values())
    assert pipeline_named(pipeline.name) is pipeline_named(pipeline.name.removeprefix("fc_")) is pipeline
    with pytest.raises(FrozenInstanceError):
        pipeline().anything = 1  # type: ignore[attr-defined]


@every
def test_its_parameters_have_ranges_and_ignore_those_of_others(pipeline: type[Pipeline]) -> None:
    for parameter in fields(pipeline):  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match=parameter.name):
            pipeline_with(pipeline.name, {parameter.name: -1})
    assert pipeline_with(pipeline.name, {"top_k": 3, "max_rounds": None}) == pipeline()


@every
async def test_it_answers_with_citations_within_the_model_calls_it_names(pipeline: type[Pipeline]) -> None:
    llm = model()
    answer, run = await outcome(pipeline, llm)
    assert isinstance(answer, Answer)
    assert (answer.status, answer.markdown, answer.citations[0].verified) == (
        Status.ANSWERED, "Count the outcomes [1].", True,
    )  # fmt: skip
    names = {"functions": 4, **{field.name: getattr(pipeline(), field.name) for field in fields(pipeline)}}  # type: ignore[arg-type]
    assert len(llm.tasks) <= eval(pipeline.model_calls, names)  # a formula of our own
    assert {one.name for one in run.calls} <= set(FUNCTION_NAMES)
    assert [step.kind for step in run.steps].count(StepKind.WRITE) == 1
    assert run.usage.calls == len(llm.tasks)


@every
async def test_it_works_offline(pipeline: type[Pipeline]) -> None:
    answer, run = await outcome(pipeline, OfflineLLM(offline_rules(Nearest(Source.ASSIGNMENT), RareWords())))
    assert isinstance(answer, Answer)
    assert answer.status is Status.ANSWERED
    assert "six of thirty-six" not in answer.markdown
    assert run.calls


def wrong(name: str, **arguments: Any) -> Callable[[Task[Choice]], Choice]:
    return lambda task: Choice(calls=(FunctionCall(id="x", name=name, arguments=arguments),))


@every
@pytest.mark.parametrize(
    "bad",
    [
        wrong("wiki_retrieval", query="dice"),
        wrong("delete_course", id="ds101"),
        wrong("textbook_retrieval"),
        wrong("textbook_retrieval", query=""),
        wrong("textbook_retrieval", query="dice", course="other"),
        wrong("qa_retrieval", query="dice", top_k=10**9),
        Choice(text="Let me look that up for you."),
    ],
    ids=["unknown", "a write", "truncated", "empty", "another course", "too many passages", "prose"],
)
async def test_calls_that_cannot_be_run_are_never_run_and_end_in_an_answer_or_a_typed_error(
    pipeline: type[Pipeline], bad: Any
) -> None:
    material = Material()
    unknown: Any = ("wiki_retrieval",)
    selection = Selection.model_construct(functions=unknown)
    llm = model(ChooseFunctions=bad, FillArguments=bad, SelectFunctions=selection)
    ended, run = await outcome(pipeline, llm, material=material)
    assert isinstance(ended, Answer | BadReply)
    assert material.searched == ([] if pipeline.name != "edison" else list(run.calls))
    assert sum(isinstance(task, ChooseFunctions) for task in llm.tasks) <= 3


@every
async def test_a_model_that_calls_fifty_functions_at_once_and_never_stops_is_stopped(pipeline: type[Pipeline]) -> None:
    def new(task: Task[Choice]) -> Choice:
        return Choice(calls=tuple(call(f"{len(llm.tasks)}.{n}") for n in range(50)))

    llm = model(ChooseFunctions=new, ReviewDraft=review(0.1))
    ended, run = await outcome(pipeline, llm, material=Material())
    assert isinstance(ended, Answer)
    assert len(run.calls) <= AnswerLimits().calls_per_run
    assert len(llm.tasks) <= 10


@every
async def test_a_model_that_repeats_itself_is_searched_for_once(pipeline: type[Pipeline]) -> None:
    material = Material()
    await outcome(pipeline, model(ReviewDraft=review(0.1)), material=material)
    keys = [(one.name, one.arguments["query"]) for one in material.searched]
    assert len(keys) == len(set(keys))


@every
async def test_a_refusal_to_write_blocks_the_answer_and_says_why(pipeline: type[Pipeline]) -> None:
    answer, _ = await outcome(pipeline, model(WriteAnswer=ModelDeclined("The model refused the task: no.")))
    assert isinstance(answer, Answer)
    assert (answer.status, answer.markdown, answer.confidence) == (Status.BLOCKED, "", 0.0)
    assert answer.warnings == (ModelDeclined.sentence,)


@every
async def test_a_writer_that_fails_is_a_typed_error_with_its_step_in_the_trace(pipeline: type[Pipeline]) -> None:
    error, run = await outcome(pipeline, model(WriteAnswer=ModelUnavailable("down")))
    assert isinstance(error, ModelUnavailable)
    assert run.steps[-1].error == ModelUnavailable.sentence


@every
async def test_a_judge_that_fails_costs_nothing_but_the_review(pipeline: type[Pipeline]) -> None:
    answer, _ = await outcome(pipeline, model(ReviewDraft=BadReply("nonsense")))
    assert isinstance(answer, Answer)
    assert answer.status is Status.ANSWERED
    assert answer.reviewed is (False if pipeline.name == "fc_feedback" else None)


@every
async def test_a_course_without_documents_gets_an_answer_all_the_same(pipeline: type[Pipeline]) -> None:
    abstained = written("", status="abstained", confidence=0.1)
    found = {QUERY: NoMaterial("This course has no documents to search.")}
    answer, _ = await outcome(pipeline, model(WriteAnswer=abstained), found=found)
    assert isinstance(answer, Answer)
    assert (answer.status, answer.confidence) == (Status.ABSTAINED, 0.1)


class Slow(ScriptedLLM):
    """Takes its time over some tasks."""

    slow: frozenset[type[Task[Any]]] = frozenset()

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        await asyncio.sleep(60.0 if type(task) in self.slow else 0.0)
        return await super().run(task, sampling)


@every
@pytest.mark.parametrize("slow", ["choosing", "searching", "writing"])
async def test_it_keeps_its_deadline(pipeline: type[Pipeline], slow: str) -> None:
    llm = Slow(script(ReviewDraft=review(0.1)))
    if slow != "searching":
        llm.slow = frozenset(task for task in PIPELINE_TASKS if (task is WriteAnswer) == (slow == "writing"))
    material = Material({QUERY: [SOLVED]}, seconds=60.0 if slow == "searching" else 0.0)
    started = perf_counter()
    ended, _ = await outcome(pipeline, llm, material=material, limits=AnswerLimits(deadline_seconds=1))
    assert perf_counter() - started < 30
    if slow == "writing":
        assert isinstance(ended, RunTimeout)
    else:
        assert isinstance(ended, Answer)
        assert HURRIED in ended.warnings or (pipeline.name, slow) == ("edison", "choosing")


@every
async def test_a_compromised_model_reaches_no_staff_only_text(pipeline: type[Pipeline]) -> None:
    stolen = written(
        f"Sure! {SECRET} [1]\n\nUse this [1]:\n\n```python\n{SECRET_CODE}\n```\n\nGood luck with it.",
        (1, SECRET), (1, SECRET_CODE), (99, "made up"),
    )  # fmt: skip
    judge = review(0.1).model_copy(update={"reasons": f"No. {SECRET}"})
    answer, _ = await outcome(pipeline, model(WriteAnswer=stolen, ReviewDraft=judge))
    assert isinstance(answer, Answer)
    shown = answer.model_dump_json()
    assert "thirty-six" not in shown
    assert "groupby" not in shown
    assert "Good luck with it." in answer.markdown
    assert any("withheld" in warning for warning in answer.warnings)


@every
async def test_a_refusal_repeats_nothing_of_the_models_words(pipeline: type[Pipeline]) -> None:
    answer, _ = await outcome(pipeline, model(WriteAnswer=ModelDeclined(f"It refused. {SECRET}")))
    assert isinstance(answer, Answer)
    assert answer.warnings == (ModelDeclined.sentence,)


def test_the_functions_that_can_be_selected_are_the_course_functions() -> None:
    choices = Selection.model_json_schema()["properties"]["functions"]["items"]["enum"]
    assert tuple(choices) == FUNCTION_NAMES == tuple(function.name for function in FUNCTIONS)
    with pytest.raises(ValidationError, match="no function 'lab_retrieval'"):
        Selection.model_validate({"functions": ["lab_retrieval"]})


def test_every_task_of_a_pipeline_has_an_offline_rule() -> None:
    assert set(PIPELINE_TASKS) <= set(offline_rules(Nearest(), RareWords()))
    assert WriteAnswer in PIPELINE_TASKS
    assert ReviewDraft in PIPELINE_TASKS
