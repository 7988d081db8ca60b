"""Prompts are cut to a number of characters."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.errors import ContextOverflow
from core.llm.prompt import render
from core.llm.scripted import ScriptedLLM
from core.llm.task import CallResult, Task
from core.types import Message, Question
from pipelines.running.answer_limits import AnswerLimits
from pipelines.running.budget import TAGS_CHARS, fit_history, fit_passages, fit_question, question_size
from tests.pipelines.runs import call, passage, run_with, written

lengths = st.lists(st.integers(0, 5_000), max_size=12)


def test_the_best_passages_stay_whole_and_the_last_is_cut() -> None:
    found = [passage("a", "a" * 1000), passage("b", "b" * 3000), passage("c", "c" * 100), passage("d", "d" * 9000)]
    kept = fit_passages(found, 5_000)
    assert [(one.block_id, len(one.text)) for one in kept] == [("a", 1000), ("b", 3000), ("c", 100)]
    assert [len(one.text) for one in fit_passages(found[3:], 5_000)] == [5_000 - TAGS_CHARS]


@given(lengths, lengths, st.integers(0, 20_000))
def test_passages_never_take_more_than_their_budget(texts: list[int], solutions: list[int], chars: int) -> None:
    pairs = enumerate(zip(texts, solutions, strict=False))
    kept = fit_passages([passage(str(n), "t" * text, solution="s" * solution) for n, (text, solution) in pairs], chars)
    assert sum(len(one.text) + len(one.solution) + TAGS_CHARS for one in kept) <= chars


def test_a_history_shows_each_passage_once_and_says_what_it_leaves_out() -> None:
    one, two = passage("1", "x" * 900), passage("2", "y" * 900)
    history = ((CallResult(call=call("a"), passages=(one, two)),), (CallResult(call=call("b"), passages=(two,)),))
    first, second = (round_[0] for round_ in fit_history(history, 10_000))
    assert [found.block_id for found in first.passages] == ["1"]
    assert (first.left_out, [found.block_id for found in second.passages]) == (1, ["2"])
    assert [round_[0].left_out for round_ in fit_history(history, 0)] == [2, 1]


def test_a_question_keeps_both_ends_and_the_latest_messages() -> None:
    thread = tuple(Message(body=f"{n} " + "m" * 500) for n in range(20))
    long = Question(body="Why" + "?" * 50_000 + "Thanks", code="c" * 50_000, thread=thread)
    fitted = fit_question(long, 8_000)
    assert question_size(fitted) <= 8_000 + TAGS_CHARS
    assert fitted.body.startswith("Why")
    assert fitted.body.endswith("Thanks")
    assert fitted.thread == thread[-len(fitted.thread) :]
    assert fitted.thread
    assert fit_question(long, 1_000_000) is long


async def test_a_prompt_that_is_too_long_for_the_model_is_made_again_shorter() -> None:
    def small(task: Task[object]) -> object:
        size = sum(len(str(message["content"])) for message in render(task))
        return written() if size < 3_600 else ContextOverflow("too long")

    llm = ScriptedLLM([small, small, small])
    run = run_with(
        llm, {"a": [passage(str(n), "word " * 1_000) for n in range(12)]}, limits=AnswerLimits(prompt_chars=60_000)
    )
    await run.search([call("a")])
    assert (await run.write()).markdown == "Yes [1]."
    assert len(llm.tasks) == 3
    assert "6,666 characters" in (run.steps[-1].note or "")
