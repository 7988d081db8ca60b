"""Prompts as a factor of an experiment."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InvalidInput
from eval.answers.experiment import AnswersExperiment, read_prompts
from eval.setups.experiment import read_experiment


def combinations(folder: Path, prompts: str) -> list[dict[str, str]]:
    """Texts of the instructions by task."""
    (folder / "strict.md").write_text("Be strict.", encoding="utf-8")
    (folder / "empty.md").write_text(" ", encoding="utf-8")
    path = folder / "experiment.yaml"
    path.write_text(f"course: ds101\nvary: {{pipeline: [fc]}}\n{prompts}", encoding="utf-8")
    found = read_prompts(read_experiment(path, AnswersExperiment))
    return [{task: given.text for task, given in one.items()} for one in found]


def test_each_combination_of_prompts_is_measured_and_null_is_the_own_one(tmp_path: Path) -> None:
    strict = {"WriteAnswer": "Be strict."}
    assert combinations(tmp_path, "") == [{}]
    assert combinations(tmp_path, "prompts: {WriteAnswer: [null, strict.md]}\n") == [{}, strict]
    both = combinations(tmp_path, "prompts: {WriteAnswer: [strict.md], ReviewDraft: [null, strict.md]}\n")
    assert both == [strict, {**strict, "ReviewDraft": "Be strict."}]


@pytest.mark.parametrize(
    ("prompts", "complaint"),
    [
        ("prompts:\n  WriteAnswr: [null]\n", "line 4: .*Did you mean 'WriteAnswer'"),
        ("prompts:\n  WriteAnswer:\n    - null\n    - none.md\n", "line 6: none.md cannot be read"),
        ("prompts:\n  WriteAnswer: [empty.md]\n", "line 4: empty.md is empty"),
        ("prompts: {WriteAnswer: []}\n", "line 3: prompts.WriteAnswer"),
    ],
)
def test_a_wrong_prompt_is_refused_by_line(tmp_path: Path, prompts: str, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        combinations(tmp_path, prompts)


def test_instructions_and_left_out_fields_count_among_the_combinations(tmp_path: Path) -> None:
    seeds = ", ".join(map(str, range(34)))
    path = tmp_path / "experiment.yaml"
    varied = f"course: ds101\nvary: {{seed: [{seeds}]}}\nprompts: {{WriteAnswer: [null, strict.md]}}\n"
    path.write_text(varied, encoding="utf-8")
    assert read_experiment(path, AnswersExperiment).experiment.n_configurations == 68
    path.write_text(f"{varied}without: [thread, passages]\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="makes 204 combinations; at most 200"):
        read_experiment(path, AnswersExperiment)
