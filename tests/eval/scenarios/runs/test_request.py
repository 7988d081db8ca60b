"""What a run does is known, and refused if it cannot be done, before anything is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InvalidInput, UnknownName
from eval.scenarios.cast import Cast
from eval.scenarios.reading import read_scenario
from eval.scenarios.runs.request import RunRequest
from tests.eval.scenarios.samples import COURSE, OLD, written

TWO = OLD.replace("agents:\n", '  two: {api_key: k, api_base: "URL", model: m2}\nagents:\n')


@pytest.fixture(autouse=True)
def _in_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_without_options_the_file_decides(tmp_path: Path) -> None:
    request = RunRequest.made(read_scenario(written(tmp_path, TWO)), "", (), (), 1, 1)
    assert (request.agent, request.models, request.judges) == ("teacher", ("one",), ("one",))
    assert (request.size.dialogues, request.size.judgements) == (4, 4)


def test_only_models_that_are_asked_are_needed(tmp_path: Path) -> None:
    scenario = read_scenario(written(tmp_path, TWO))
    assert RunRequest.made(scenario, "", (), ("two",), 1, 1).asked_models == ("one", "two")
    assert RunRequest.made(scenario, "", (), (), 1, 1).asked_models == ("one",)


def test_dialogues_of_another_model_are_other_dialogues(tmp_path: Path) -> None:
    request = RunRequest.made(read_scenario(written(tmp_path, TWO)), "student", ("one", "two"), (), 2, 3)
    plan = request.dialogues_plan(Cast())
    assert [actor.name for actor in plan.actors] == ["one", "two"]
    assert len({actor.identity for actor in plan.actors}) == 2
    assert (plan.size, request.size.judgements) == (16, 48)


def test_what_the_file_lacks_is_refused(tmp_path: Path) -> None:
    scenario = read_scenario(written(tmp_path, TWO))
    with pytest.raises(UnknownName, match="agent 'pupil'"):
        RunRequest.made(scenario, "pupil", (), (), 1, 1)
    with pytest.raises(UnknownName, match="model 'three'"):
        RunRequest.made(scenario, "", ("three",), (), 1, 1)
    course = read_scenario(written(tmp_path, "models: {m: {api_key: k, api_base: null, model: m}}\n" + COURSE))
    with pytest.raises(InvalidInput, match="which no model can play"):
        RunRequest.made(course, "", ("m",), (), 1, 1)
    without = read_scenario(written(tmp_path, TWO[: TWO.index("evaluation:")]))
    with pytest.raises(InvalidInput, match="no `evaluation`"):
        RunRequest.made(without, "", (), ("one",), 1, 1)
