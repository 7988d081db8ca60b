"""The judge of a file fills in its fields, and what does not fit is never a score."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadReply, InvalidInput
from core.llm.scripted import ScriptedLLM
from core.llm.task import Chat, Choice
from core.types import FunctionCall
from eval.scenarios.dialects.v0_1 import judged_template
from eval.scenarios.dialogue import Dialogue, Turn
from eval.scenarios.judging import BEGIN, END, FUNCTION, DialogueItem, FileJudge, json_in, numbers_in
from eval.scenarios.reading import read_scenario
from tests.eval.scenarios.samples import NEW, OLD, written

DIALOGUE = Dialogue(
    task={"topic": "{task.topic} joins"},
    turns=(Turn(agent="teacher", content="<think>hm</think>A join."), Turn(agent="student", content="Ah.")),
)
GOOD = {"accuracy": 4, "guidance": {"score": 0.5, "reason": "It asks."}}


@pytest.fixture(autouse=True)
def _in_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def judge(folder: Path, text: str, *replies: Choice) -> tuple[Any, list[Chat]]:
    """What the judge gives for the dialogue, and what it was sent."""
    scenario = read_scenario(written(folder, text))
    assert scenario.evaluation is not None
    llm = ScriptedLLM(list(replies))
    fields = asyncio.run(FileJudge(scenario, scenario.evaluation).act(DialogueItem("a", DIALOGUE), 0, llm))
    return fields, [task for task in llm.tasks if isinstance(task, Chat)]


def called(fields: dict[str, Any]) -> Choice:
    return Choice(calls=(FunctionCall(id="call_1", name=FUNCTION, arguments=fields),))


def said(fields: dict[str, Any]) -> Choice:
    return Choice(text=f"Well:\n{BEGIN}\n```json\n{json.dumps(fields)}\n```\n{END}")


IN_WORDS = OLD.replace("format_mode: tool", "format_mode: prompt")


def test_a_judge_hands_in_its_fields_by_a_function(tmp_path: Path) -> None:
    fields, (chat,) = judge(tmp_path, OLD, called(GOOD))
    assert fields == GOOD
    assert (chat.required, chat.functions[0].name) == (True, FUNCTION)
    assert chat.messages[-1].content == '{task.topic} joins: teacher: A join.\nstudent: Ah. as {"json": 1}'


def test_a_judge_writes_its_fields_between_marks(tmp_path: Path) -> None:
    fields, (chat,) = judge(tmp_path, IN_WORDS, said(GOOD))
    assert fields == GOOD
    assert '"accuracy"' in chat.messages[0].content


def test_a_reply_that_does_not_fit_is_asked_for_once_more(tmp_path: Path) -> None:
    fields, sent = judge(tmp_path, IN_WORDS, said({"accuracy": 9}), said(GOOD))
    assert fields == GOOD
    assert "accuracy" in sent[1].messages[-1].content


@pytest.mark.parametrize("reply", [said({"accuracy": 9}), Choice(text="No."), Choice()])
def test_a_reply_that_never_fits_is_no_score(tmp_path: Path, reply: Choice) -> None:
    with pytest.raises(BadReply, match="do not fit"):
        judge(tmp_path, IN_WORDS, reply, reply)


def test_a_new_file_has_its_rubrics_in_the_schema_and_its_dialogue_as_data(tmp_path: Path) -> None:
    given = {"accuracy": {"value": 0.5, "reason": "It is."}, "pace": {"value": 1.0}}
    fields, (chat,) = judge(tmp_path, NEW, called(given))
    assert fields == given
    assert "Is it right?" in str(chat.functions[0].parameters)
    assert "A join." not in chat.messages[0].content
    assert "A join." in chat.messages[-1].content


def test_a_variable_that_the_task_lacks_is_named() -> None:
    with pytest.raises(InvalidInput, match=r"\{task\.colour\}"):
        judged_template("{task.colour}", DIALOGUE)


def test_texts_are_no_numbers() -> None:
    assert dict(numbers_in(GOOD)) == {"accuracy": 4.0, "guidance.score": 0.5}


@pytest.mark.parametrize(
    "text", ['{"a": 1}', 'so: {"a": 1}.', rf'\{BEGIN[:-1]}\>{{"a": 0}}{END} then {BEGIN}{{"a": 1}}{END}']
)
def test_the_object_is_found_in_a_talkative_reply(text: str) -> None:
    assert json.loads(json_in(text)) == {"a": 1}
