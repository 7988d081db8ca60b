"""Scenario files of both dialects are read into one form."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InvalidInput
from eval.scenarios.reading import read_scenario
from eval.scenarios.scenario import Dialect, FieldType
from tests.eval.scenarios.samples import NEW, OLD, written


@pytest.fixture(autouse=True)
def _in_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_dialect_is_told_by_its_keys(tmp_path: Path) -> None:
    assert read_scenario(written(tmp_path, OLD)).dialect == Dialect.V0_1
    assert read_scenario(written(tmp_path, NEW)).dialect == Dialect.V1_0


def test_tasks_are_combinations_or_a_list_and_equal_ones_stay_apart(tmp_path: Path) -> None:
    assert read_scenario(written(tmp_path, OLD)).tasks == tuple({"topic": one} for one in ("joins", 3, True, None))
    assert len(read_scenario(written(tmp_path, NEW)).tasks) == 2


def test_fields_of_a_judge_may_stand_in_groups(tmp_path: Path) -> None:
    evaluation = read_scenario(written(tmp_path, OLD)).evaluation
    assert evaluation is not None
    assert [(one.name, one.type) for one in evaluation.fields[1].fields] == [
        ("score", FieldType.FLOAT),
        ("reason", FieldType.STR),
    ]


def test_an_unknown_key_is_named_and_does_no_harm(tmp_path: Path) -> None:
    scenario = read_scenario(written(tmp_path, OLD.replace("globals: {", "globals: {colour: blue, ")))
    assert [remark for remark in scenario.remarks if "globals.colour" in remark and "line 1" in remark]


def test_the_last_of_several_documents_counts(tmp_path: Path) -> None:
    assert read_scenario(written(tmp_path, f"globals: {{}}\n---\n{OLD}")).concurrency == 4


def test_a_file_in_a_chinese_encoding_is_read(tmp_path: Path) -> None:
    path = tmp_path / "gbk.yaml"
    path.write_bytes(OLD.replace("Bye", "下课").encode("gbk"))
    assert "下课" in str(read_scenario(path).turns)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("model: one\n    prompt", "model: two\n    prompt", "line 6: agents.teacher.model: There is no model 'two'"),
        ("mode: union", "mode: every", "line 16: tasks.mode: mode is `union` or `iter`"),
        ("START -> teacher", "START -> tutor", "line 11: directions.0: There is no agent 'tutor'"),
        ("{path: out}", "{path: /etc/elsewhere}", "outside the current folder; name it with --output"),
        ("{path: out}", "{path: ../../elsewhere}", "outside the current folder"),
        ("name: joins_m", "name: ../../joins", "cannot name a file"),
        ("topic: [joins, 3, true, null]", "topic: [[a]]", "put it in quotes"),
        ("topic: [joins, 3, true, null]", "topic: joins", "a variable has a list of values"),
        ("api_key: k, ", "", "models.one.api_key"),
        ("concurrency: 4", "concurrency: 0", "globals.concurrency"),
        ("max: 5", "max: !!python/object/apply:os.system ['true']", "not valid YAML"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in OLD
    with pytest.raises(InvalidInput) as problem:
        read_scenario(written(tmp_path, OLD.replace(old, new, 1)))
    assert words in str(problem.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"nowhere\.yaml"):
        read_scenario(tmp_path / "nowhere.yaml")


def test_a_folder_given_on_the_command_line_may_be_anywhere(tmp_path: Path) -> None:
    path = written(tmp_path, OLD.replace("{path: out}", "{path: /etc/elsewhere}"))
    assert read_scenario(path, tmp_path / "mine").output == tmp_path / "mine"


def test_every_published_file_loads(shared_data: Path) -> None:
    counts = {path.stem: len(read_scenario(path).tasks) for path in (shared_data / "elmes").glob("*.yaml")}
    assert counts == {
        "config-0.1.13": 2,
        "config-1.0.0": 2,
        "config_guided_task": 15,
        "cross": 10,
        "knowledge": 10,
        "question": 10,
    }


def test_keys_without_an_effect_are_remarked_on(tmp_path: Path) -> None:
    text = OLD.replace("concurrency: 4", "concurrency: 4, retry: {interval: 9}")
    text = text.replace("keep_turns: 1", "keep_turns: 1, enable: false, id: 7")
    remarks = " ".join(read_scenario(written(tmp_path, text)).remarks)
    assert all(key in remarks for key in ("retry.interval", "teacher.memory.enable", "teacher.memory.id"))
