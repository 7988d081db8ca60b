"""The scenarios that come with the project can be run as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval.scenarios.dialects.v0_1 import judged_template
from eval.scenarios.dialogue import Dialogue
from eval.scenarios.evaluation import scored_fields
from eval.scenarios.reading import read_scenario

FOLDER = Path(__file__).parents[2] / "data" / "scenarios"
FILES = sorted(FOLDER.glob("*.yaml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_file_is_read_without_remarks_and_its_judge_is_shown_every_variable(path: Path) -> None:
    scenario = read_scenario(path)
    assert scenario.remarks == ()
    assert scenario.evaluation is not None
    for task in scenario.tasks:
        shown = "".join(judged_template(one.content, Dialogue(task=task)) for one in scenario.evaluation.prompt)
        assert all(str(value) in shown for value in task.values())


@pytest.mark.parametrize("name", ["guided", "knowledge", "lesson_plan", "question"])
def test_a_scenario_has_the_same_criteria_and_tasks_in_both_languages(name: str) -> None:
    english, chinese = (read_scenario(FOLDER / f"{name}.{language}.yaml") for language in ("en", "zh"))
    assert len(english.tasks) == len(chinese.tasks)
    assert english.turns == chinese.turns
    fields = [list(scored_fields(one.evaluation.fields)) for one in (english, chinese) if one.evaluation]
    assert len(fields[0]) == len(fields[1])


def test_a_student_asks_the_product_about_the_sample_course() -> None:
    scenario = read_scenario(FOLDER / "course_help.en.yaml")
    choices = scenario.agents["assistant"].choices
    assert choices is not None
    assert choices.course == "ds101"
    assert scenario.speaking_models == ("student",)
