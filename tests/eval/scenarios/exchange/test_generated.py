"""Generated files of dialect 1.0 hold what each agent was sent, and are dialogues to judge and export."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.store.tables import ResultRow, ResultState
from core.types import FunctionCall
from eval.scenarios.dialects import rules_of
from eval.scenarios.dialogue import Dialogue, ToolUse, Turn
from eval.scenarios.exchange.exports import read_dialogues, rows_in, write_dialogues
from eval.scenarios.exchange.generated import generated, write_generated
from eval.scenarios.reading import read_scenario
from tests.eval.scenarios.samples import NEW, written

SAID = (("teacher", "<think>hm</think> A join."), ("student", "And then?"), ("teacher", "bye"))
DIALOGUE = Dialogue(task={"topic": "joins"}, turns=tuple(Turn(agent=agent, content=text) for agent, text in SAID))
ROWS = [
    ResultRow(
        evaluation_id="e",
        actor="a",
        item="task_0",
        seed=0,
        state=ResultState.SCORED,
        output=DIALOGUE.model_dump(mode="json"),
    )
]


@pytest.fixture(autouse=True)
def _in_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_every_agent_has_its_requests_and_responses(tmp_path: Path) -> None:
    content = generated(read_scenario(written(tmp_path, NEW)), "task_0", DIALOGUE)
    kinds = [[part["part_kind"] for part in one["parts"]] for one in content["messages"]["teacher"]]
    assert kinds == [["system-prompt", "user-prompt"], ["thinking", "text"], ["user-prompt"], ["text"]]
    assert content["messages"]["student"][0]["parts"][1]["content"].strip() == "A join."
    assert content["messages"]["teacher"][2]["parts"][0]["content"] == "And then?"
    assert content["node_trace"] == ["teacher", "student", "teacher"]


def test_generated_files_are_judged_and_exported_without_a_stored_run(tmp_path: Path) -> None:
    scenario = read_scenario(written(tmp_path, NEW))
    write_generated(scenario, ROWS)
    (item,) = read_dialogues(scenario, scenario.output)
    assert [turn.content for turn in item.dialogue.turns] == ["A join.", "And then?", "bye"]
    (path,) = write_dialogues(scenario, rows_in(scenario, scenario.output))
    assert path.name == "task_0_export.json"
    assert [one.id for one in read_dialogues(scenario, scenario.output)] == ["task_0_export"]


CALL = FunctionCall(id="c1", name="add", arguments={"a": 2})
USED = Turn(agent="teacher", content="It is 5.", uses=(ToolUse(call=CALL, result="5"),))


def test_calls_of_tools_stand_before_what_was_said_then(tmp_path: Path) -> None:
    scenario = read_scenario(written(tmp_path, NEW))
    dialogue = Dialogue(task={"topic": "joins"}, turns=(USED, Turn(agent="student", content="Ah."), USED))
    messages = generated(scenario, "task_0", dialogue)["messages"]["teacher"]
    assert [one["kind"] for one in messages] == ["request", "response"] * 4
    assert messages[1]["parts"] == [
        {"part_kind": "tool-call", "tool_name": "add", "tool_call_id": "c1", "args": {"a": 2}}
    ]
    assert messages[2]["parts"][0]["content"] == "5"
    exported_parts = rules_of(scenario).dialogue_content("task_0", dialogue)["conversation"][0]["content"]
    assert [part["type"] for part in exported_parts] == ["tool-call", "tool-return", "text"]


@pytest.mark.parametrize("write", [write_generated, write_dialogues])
def test_files_with_calls_of_tools_are_the_same_dialogue_when_they_are_read(
    tmp_path: Path, write: Callable[..., list[Path]]
) -> None:
    scenario = read_scenario(written(tmp_path, NEW))
    dialogue = Dialogue(task={"topic": "joins"}, turns=(USED, Turn(agent="student", content="Ah."), USED))
    (stored,) = ROWS
    write(scenario, [stored.model_copy(update={"output": dialogue.model_dump(mode="json")})])
    (item,) = read_dialogues(scenario, scenario.output)
    assert item.dialogue == dialogue


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    scenario = read_scenario(written(tmp_path, NEW))
    (path,) = write_generated(scenario, ROWS)
    path.write_text(path.read_text().replace('"response"', '"reply"'))
    with pytest.raises(InvalidInput, match=r"task_0\.json is damaged"):
        read_dialogues(scenario, scenario.output)
