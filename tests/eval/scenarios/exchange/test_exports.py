"""Dialogues and scores are written in files that notebooks for ELMES read."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

from core.errors import InvalidInput, NotFound
from core.store.tables import ResultRow, ResultState
from eval.scenarios.dialogue import Dialogue, Turn
from eval.scenarios.drawing import mermaid
from eval.scenarios.exchange.exports import TableColumns, csv_table, read_dialogues, write_dialogues
from eval.scenarios.exchange.label_studio import template, write_label_studio
from eval.scenarios.reading import read_scenario
from tests.eval.scenarios.samples import NEW, OLD, written

DIALOGUE = Dialogue(task={"topic": 3}, turns=(Turn(agent="teacher", content="<think>hm</think> A join."),))


@pytest.fixture(autouse=True)
def _in_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def row(item: str, output: object, state: ResultState = ResultState.SCORED) -> ResultRow:
    return ResultRow(evaluation_id="e", actor="a", item=item, seed=0, state=state, output=output)


ROWS = [
    row("task_0", DIALOGUE.model_dump(mode="json")),
    row("task_1", DIALOGUE.model_dump(mode="json")),
    row("task_2", None, ResultState.FAILED),
]


def test_an_old_file_is_named_by_a_uuid_and_written_over_the_next_time(tmp_path: Path) -> None:
    scenario = read_scenario(written(tmp_path, OLD))
    first, again = write_dialogues(scenario, ROWS), write_dialogues(scenario, ROWS)
    assert first == again
    assert len(set(first)) == 2
    assert json.loads(first[0].read_text()) == {
        "task": {"topic": "3"},
        "messages": [{"role": "teacher", "content": "A join.", "reasoning": "<think>hm"}],
    }


def test_a_new_file_is_named_by_its_task(tmp_path: Path) -> None:
    scenario = read_scenario(written(tmp_path, NEW))
    path = write_dialogues(scenario, ROWS)[0]
    assert path.name == "task_0_export.json"
    assert json.loads(path.read_text()) == {
        "task_idx": 0,
        "task_variables": {"topic": 3},
        "node_trace": ["teacher"],
        "conversation": [
            {"role": "teacher", "content": [{"type": "thinking", "text": "hm"}, {"type": "text", "text": "A join."}]}
        ],
    }


@pytest.mark.parametrize("text", [OLD, NEW])
def test_exported_dialogues_are_read_again_and_other_files_passed_over(tmp_path: Path, text: str) -> None:
    scenario = read_scenario(written(tmp_path, text))
    write_dialogues(scenario, ROWS)
    assert scenario.evaluation is not None
    write_label_studio(scenario, scenario.evaluation, ROWS)
    items = read_dialogues(scenario, scenario.output)
    assert [item.dialogue.turns[0].words for item in items] == ["A join.", "A join."]


def test_exported_dialogues_are_read_in_the_order_of_their_tasks(tmp_path: Path) -> None:
    scenario = read_scenario(written(tmp_path, NEW))
    write_dialogues(scenario, [row(f"task_{n}", DIALOGUE.model_dump(mode="json")) for n in (10, 2, 0)])
    items = read_dialogues(scenario, scenario.output)
    assert [item.id for item in items] == ["task_0_export", "task_2_export", "task_10_export"]


def test_a_damaged_or_missing_file_is_named(tmp_path: Path) -> None:
    scenario = read_scenario(written(tmp_path, OLD))
    with pytest.raises(NotFound, match="edumod elmes export json"):
        read_dialogues(scenario, tmp_path)
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(InvalidInput, match=r"broken\.json"):
        read_dialogues(scenario, tmp_path)


def test_averages_leave_out_texts_and_what_was_not_judged() -> None:
    rows = [
        row("a", {"accuracy": 4, "guidance": {"score": 2.0, "reason": "so, said"}, "polite": True}),
        row("b", {"accuracy": 2, "guidance": {"score": 1.0, "reason": 'he said "so"'}, "polite": False}),
        row("c", None, ResultState.FAILED),
    ]
    assert list(csv.reader(io.StringIO(csv_table(rows)))) == [
        ["task_id", "accuracy", "guidance.score", "guidance.reason", "polite", "avg"],
        ["a", "4", "2.0", "so, said", "True", "2.33"],
        ["b", "2", "1.0", 'he said "so"', "False", "1.00"],
        ["c", "", "", "", "", ""],
        ["Avg", "3.00", "1.50", "", "0.50", "1.67"],
    ]


def test_texts_and_averages_can_be_left_out_of_the_table() -> None:
    rows = [row("a", {"accuracy": 4, "why": "so"})]
    assert csv_table(rows, TableColumns(averages=False, texts=False)) == "task_id,accuracy\na,4\n"


def test_a_table_of_failures_alone_is_no_crash() -> None:
    assert csv_table(ROWS[2:]) == "task_id,avg\ntask_2,\nAvg,\n"


def test_the_labelling_template_has_an_input_for_each_field(tmp_path: Path) -> None:
    evaluation = read_scenario(written(tmp_path, OLD)).evaluation
    assert evaluation is not None
    view = fromstring(template(evaluation.fields))
    inputs = [(one.tag, one.get("name")) for one in view.iter() if one.get("toName") == "dialogue"]
    assert inputs == [("Rating", "accuracy"), ("Number", "guidance.score"), ("TextArea", "guidance.reason")]


def test_a_diagram_shows_who_speaks_after_whom(tmp_path: Path) -> None:
    assert mermaid(read_scenario(written(tmp_path, OLD)), "LR").splitlines() == [
        "flowchart LR",
        '    n0(["START"])',
        '    n1["teacher"]',
        '    n2["student"]',
        '    n3(["END"])',
        "    n0 --> n1",
        '    n1 -->|"&lt;end&gt; or Bye"| n3',
        '    n1 -->|"otherwise"| n2',
        "    n2 --> n1",
    ]
