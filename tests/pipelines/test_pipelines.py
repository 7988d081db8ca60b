"""What sets each pipeline apart."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from core.course import Course
from core.edison import FUNCTION_NAMES
from core.errors import BadReply, ModelTimeout, ModelUnavailable, UnknownName
from core.llm.base import DEFAULT_SAMPLING, Reply, Sampling
from core.llm.scripted import ScriptedLLM
from core.llm.task import Choice, Out, Task
from core.types import Question, StepKind
from pipelines import answer_with, pipeline_named
from pipelines.edison import Edison
from pipelines.fc_categorize import FcCategorize
from pipelines.fc_feedback import FcFeedback
from pipelines.fc_forced import UNCHOSEN, FcForced
from pipelines.fc_iterative import FcIterative
from pipelines.fc_multihop import FcMultihop
from pipelines.run import Run
from pipelines.running.answer_limits import AnswerLimits
from tasks import ChooseFunctions, FillArguments, ReviewDraft, SelectFunctions, Selection, WriteAnswer
from tests.pipelines.runs import Material, call, passage, review, run_with, written


class Thinking(ScriptedLLM):
    """Takes its time over choosing."""

    seconds = 0.0

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        await asyncio.sleep(self.seconds if isinstance(task, ChooseFunctions) else 0.0)
        return await super().run(task, sampling)


def chosen(*queries: str) -> Choice:
    return Choice(calls=tuple(call(query) for query in queries))


def asked(llm: ScriptedLLM, kind: type[Task[Any]]) -> list[Any]:
    return [task for task in llm.tasks if isinstance(task, kind)]


@pytest.mark.parametrize(
    ("alias", "name"),
    [("categorize", "fc_categorize"), ("forced", "fc_forced"), ("iterative", "fc_iterative"), ("edison", "edison"),
     ("feedback", "fc_feedback"), ("multihop", "fc_multihop"), ("fc", "fc")],
)  # fmt: skip
def test_a_pipeline_goes_by_a_short_name_too(alias: str, name: str) -> None:
    assert pipeline_named(alias).name == name
    with pytest.raises(UnknownName, match="fc_multihop"):
        pipeline_named("multihops")


async def test_edison_calls_what_the_rules_say_with_the_questions_own_words() -> None:
    rules = [{"when": {"any": ["due"]}, "call": ["logistics_retrieval", "qa_retrieval"]}]
    course = Course.model_validate({"id": "c", "edison": {"rules": rules, "default": ["textbook_retrieval"]}})
    llm = ScriptedLLM({WriteAnswer: [written("Yes.")]})
    run = run_with(llm, course=course, question=Question(body="When is it due?\n```\nx = 1\n```"))
    await Edison().answer(run)
    assert [(one.name, one.arguments) for one in run.calls] == [
        ("logistics_retrieval", {"query": "When is it due?"}), ("qa_retrieval", {"query": "When is it due?"}),
    ]  # fmt: skip
    assert len(llm.tasks) == 1


async def test_categorize_shows_the_category_to_the_chooser() -> None:
    llm = ScriptedLLM({ChooseFunctions: [chosen("a")], WriteAnswer: [written("Yes.")]})
    await FcCategorize().answer(run_with(llm, question=Question(body="Why?", category="Project 2")))
    assert asked(llm, ChooseFunctions)[0].category == "Project 2"


@pytest.mark.parametrize("late", ["the call", "the run"])
async def test_forced_searches_everything_with_the_questions_own_words_where_choosing_takes_too_long(late: str) -> None:
    llm = Thinking({ChooseFunctions: [ModelTimeout("late")], WriteAnswer: [written()]})
    llm.seconds = 60.0 if late == "the run" else 0.0
    material = Material({"Why is it?": [passage("1")]})
    run = run_with(
        llm,
        material=material,
        question=Question(body="Why is it?\n```\nx = 1\n```"),
        limits=AnswerLimits(deadline_seconds=3),
    )
    answer = await answer_with(FcForced(), run)
    assert {(one.name, one.arguments["query"]) for one in material.searched} == {
        (name, "Why is it?") for name in FUNCTION_NAMES
    }
    assert answer.markdown == "Yes [1]."
    assert UNCHOSEN in answer.warnings


async def test_iterative_stops_when_the_model_asks_for_nothing_more() -> None:
    llm = ScriptedLLM({ChooseFunctions: [chosen("a"), chosen("b"), Choice()], WriteAnswer: [written()]})
    run = run_with(llm, {"a": [passage("1")], "b": [passage("2")]})
    await FcIterative().answer(run)
    choices = asked(llm, ChooseFunctions)
    assert [task.required for task in choices] == [True, False, False]
    assert [len(task.history) for task in choices] == [0, 1, 2]
    assert [one.block_id for one in asked(llm, WriteAnswer)[0].passages] == ["1", "2"]


@pytest.mark.parametrize("rounds", [1, 4])
async def test_iterative_stops_at_its_limit(rounds: int) -> None:
    llm = ScriptedLLM({ChooseFunctions: [chosen(str(n)) for n in range(9)], WriteAnswer: [written("Yes.")]})
    await FcIterative(max_rounds=rounds).answer(run_with(llm))
    assert len(asked(llm, ChooseFunctions)) == 1 + rounds


async def test_iterative_ends_with_a_model_that_repeats_all_calls_each_turn() -> None:
    llm = ScriptedLLM({ChooseFunctions: [chosen(*map(str, range(50)))], WriteAnswer: [written("Yes.")]})
    material = Material()
    await FcIterative(max_rounds=9).answer(run_with(llm, material=material))
    assert [one.arguments["query"] for one in material.searched] == [str(n) for n in range(24)]
    assert len(asked(llm, ChooseFunctions)) == 3


async def test_feedback_leads_to_further_calls_and_a_better_draft() -> None:
    llm = ScriptedLLM(
        {ChooseFunctions: [chosen("a"), chosen("b")], WriteAnswer: [written("First [1]."), written("Second [2].")],
         ReviewDraft: [review(0.3, missing=("the date",)), review(0.8, accepted=True)]}
    )  # fmt: skip
    answer = await FcFeedback().answer(run_with(llm, {"a": [passage("1")], "b": [passage("2")]}))
    assert (answer.markdown, answer.reviewed, answer.warnings) == ("Second [1].", True, ())
    again, revised = asked(llm, ChooseFunctions)[1], asked(llm, WriteAnswer)[1]
    assert "the date" in again.feedback
    assert (again.required, len(again.history)) == (False, 1)
    assert revised.draft == "(answered)\nFirst [1]."
    assert "the date" in revised.feedback
    assert {one.block_id for one in revised.passages} == {"1", "2"}


@pytest.mark.parametrize(("scores", "kept"), [((0.4, 0.2, 0.3), "1"), ((0.2, 0.5, 0.3), "2"), ((0.1, 0.2, 0.3), "3")])
async def test_feedback_keeps_the_draft_with_the_best_score(scores: tuple[float, ...], kept: str) -> None:
    llm = ScriptedLLM(
        {ChooseFunctions: [chosen("a")], WriteAnswer: [written(n) for n in ("1", "2", "3")],
         ReviewDraft: [review(score) for score in scores]}
    )  # fmt: skip
    answer = await FcFeedback().answer(run_with(llm, {"a": [passage("1")]}))
    assert answer.markdown == kept
    assert "did not accept" in answer.warnings[-1]
    assert len(llm.tasks) == 9


async def test_the_draft_that_was_accepted_is_kept_whatever_the_scores() -> None:
    llm = ScriptedLLM(
        {ChooseFunctions: [chosen("a")], WriteAnswer: [written("1"), written("2")],
         ReviewDraft: [review(0.7), review(0.6, accepted=True)]}
    )  # fmt: skip
    answer = await FcFeedback().answer(run_with(llm, {"a": [passage("1")]}))
    assert (answer.markdown, answer.warnings) == ("2", ())


async def test_a_draft_that_says_the_same_again_ends_the_feedback() -> None:
    llm = ScriptedLLM({ChooseFunctions: [chosen("a")], WriteAnswer: [written("1")], ReviewDraft: [review(0.3)]})
    run = run_with(llm, {"a": [passage("1")]})
    await FcFeedback(max_rounds=5).answer(run)
    assert [type(task) for task in llm.tasks].count(ReviewDraft) == 1
    assert len(run.calls) == 1


async def test_a_draft_that_was_judged_is_kept_before_one_that_was_not() -> None:
    llm = ScriptedLLM(
        {ChooseFunctions: [chosen("a")], WriteAnswer: [written("1"), written("2")],
         ReviewDraft: [review(0.3), BadReply("nonsense")]}
    )  # fmt: skip
    answer = await answer_with(FcFeedback(), run_with(llm))
    assert (answer.markdown, answer.reviewed) == ("1", True)
    assert any(f"was not reviewed: {BadReply.sentence}" in warning for warning in answer.warnings)


async def test_a_first_draft_outlives_the_failure_to_write_a_second() -> None:
    llm = ScriptedLLM(
        {ChooseFunctions: [chosen("a")], WriteAnswer: [written("1"), ModelUnavailable("down")],
         ReviewDraft: [review(0.3)]}
    )  # fmt: skip
    answer = await answer_with(FcFeedback(), run_with(llm))
    assert answer.markdown == "1"
    assert any(str(ModelUnavailable.sentence) in warning for warning in answer.warnings)


def multihop(fill: Any, seconds: float = 0.0) -> tuple[ScriptedLLM, Run, Material]:
    selection = Selection(functions=("qa_retrieval", "textbook_retrieval", "logistics_retrieval"))
    llm = ScriptedLLM(
        {SelectFunctions: [selection], FillArguments: [fill], WriteAnswer: [written("Yes.")]}, seconds=seconds
    )
    material = Material()
    return llm, run_with(llm, material=material), material


async def test_multihop_writes_the_arguments_of_all_functions_at_once() -> None:
    llm, run, _ = multihop(lambda task: Choice(calls=(call("q", task.functions[0].name),)), seconds=0.1)
    await FcMultihop().answer(run)
    fills = [step for step in run.steps if step.task == "FillArguments"]
    assert len(fills) == 3
    assert max(step.started_ms for step in fills) < min(step.started_ms + step.ms for step in fills)
    assert all(len(task.functions) == 1 and task.required for task in asked(llm, FillArguments))
    assert len({one.id for one in run.calls}) == 3


async def test_multihop_does_without_a_function_whose_arguments_fail() -> None:
    def fill(task: FillArguments) -> Any:
        if task.functions[0].name == "qa_retrieval":
            return BadReply("cut short")
        return Choice(calls=(call("q", task.functions[0].name),))

    _, run, material = multihop(fill)
    answer = await answer_with(FcMultihop(), run)
    assert [one.name for one in material.searched] == ["textbook_retrieval", "logistics_retrieval"]
    assert answer.warnings[0] == f"A function was not called: {BadReply.sentence}"


async def test_multihop_fails_where_no_arguments_can_be_written() -> None:
    _, run, _ = multihop(Choice(text="prose"))
    with pytest.raises(BadReply):
        await FcMultihop().answer(run)


async def test_multihop_may_select_nothing() -> None:
    llm = ScriptedLLM({SelectFunctions: [Selection(functions=())], WriteAnswer: [written("Welcome.")]})
    run = run_with(llm)
    await FcMultihop().answer(run)
    assert [step.kind for step in run.steps] == [StepKind.CHOOSE, StepKind.WRITE]
