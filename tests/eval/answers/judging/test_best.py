"""The best available of several answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadReply
from core.llm.scripted import ScriptedLLM
from core.store.store import Store
from eval.answers.judging.best import choose_best
from eval.datasets.outputs import AnswerOutput
from judging.tasks import JudgeTeachingPoints
from tests.eval.answers.judging.judged_answers import judged, measured
from tests.eval.answers.labelled import message, output
from tests.judging.scripted import points


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    store = await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'edumod.db'}")
    await store.courses.put("ds", {})
    yield store
    await store.aclose()


def several(*answers: str) -> dict[str, Any]:
    first, *others = (AnswerOutput.model_validate(output(answer=one)) for one in answers)
    return first.model_copy(update={"alternatives": tuple(others)}).model_dump(mode="json")


def by_number(task: JudgeTeachingPoints) -> object:
    """The score is the answer; no usable reply where it is not a number."""
    return points(float(task.answer)) if task.answer.isdigit() else BadReply("no number")


async def test_the_best_scored_answer_to_each_message_counts(store: Store) -> None:
    messages = tuple(message(str(number)) for number in range(4))
    given = (several("2", "5", "3"), several("x", "1"), several("x", "y"), several("4", "4"))
    answers = measured(messages, [("people", one.id, found) for one, found in zip(messages, given, strict=True)])
    llm = ScriptedLLM({JudgeTeachingPoints: [by_number]})
    outcome, (judging,) = await judged(store, answers, "teaching_points", llm=llm)
    changed = choose_best(outcome, judging.metric)
    assert sorted(row.item for row in changed) == ["0", "1"]
    found = {row.item: AnswerOutput.model_validate(row.output) for row in outcome.rows}
    assert {item: one.answer for item, one in found.items()} == {"0": "5", "1": "1", "2": "x", "3": "4"}
    assert {one.answer for one in found["0"].alternatives} == {"2", "3"}
    assert choose_best(outcome, judging.metric) == []
