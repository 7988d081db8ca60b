"""Experiments: everything that a request can change, varied from a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from core.errors import InvalidInput
from eval.setups.experiment import Experiment, ExperimentFile, read_experiment
from pipelines.configuration import NAMES, Configuration, resolve

DEFAULTS = {"pipeline": "fc", "retriever": "bm25", "top_k": 5}


def written(folder: Path, text: str) -> ExperimentFile[Experiment]:
    (folder / "experiment.yaml").write_text(text, encoding="utf-8")
    return read_experiment(folder / "experiment.yaml", Experiment)


def choose(choices: Mapping[str, Any]) -> Configuration:
    return resolve(DEFAULTS, choices, "scripted")


def test_each_combination_is_named_by_what_varies_in_it(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        "course: ds101\nseeds: 5\nbase: {top_k: 3}\n"
        "vary:\n  pipeline: [edison, fc]\n  retriever.textbook: [tree, bm25]\n",
    )
    found = file.configurations(choose)
    assert list(found) == [
        "pipeline=edison retriever.textbook=tree",
        "pipeline=edison retriever.textbook=bm25",
        "pipeline=fc retriever.textbook=tree",
        "pipeline=fc retriever.textbook=bm25",
    ]
    last = found["pipeline=fc retriever.textbook=bm25"]
    assert (last.pipeline, last.retrievers["textbook"], last.top_k) == ("fc", "bm25", 3)
    assert (file.experiment.split, file.experiment.seeds) == ("test", 5)


def test_combinations_that_differ_in_a_parameter_of_other_pipelines_alone_are_measured_once(tmp_path: Path) -> None:
    file = written(tmp_path, "course: ds101\nvary:\n  pipeline: [fc, fc_iterative]\n  max_rounds: [1, 2, null]\n")
    assert list(file.configurations(choose)) == [
        "pipeline=fc",
        "pipeline=fc_iterative max_rounds=1",
        "pipeline=fc_iterative max_rounds=2",
        "pipeline=fc_iterative max_rounds=default",
    ]


def test_everything_that_a_request_can_change_can_be_varied() -> None:
    fit = {
        "pipeline": "fc", "retriever": "bm25", "model": "scripted", "temperature": 0.5, "top_k": 2, "beam": 2,
        "depth": 3, "seed": 7, "max_rounds": 2, **{name: "bm25" for name in NAMES if name.startswith("retriever.")},
    }  # fmt: skip
    assert fit.keys() == set(NAMES)
    choose(fit)


VARY = "course: ds101\nvary:\n"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("- a\n", r"line 1: .*starts with `course:`"),
        ("course: ds101\n", r"line 1: vary: Field required"),
        ("course: ds101\nvary: {}\n", r"line 2: vary"),
        (VARY + "  pipeline: fc\n", r"line 3: vary\.pipeline: .*list"),
        (VARY + "  pipeline: []\n", r"line 3: vary\.pipeline"),
        (VARY + "  pipelin: [fc]\n", r"line 3: .*pipelin.*pipeline"),
        (VARY + "  pipeline: [fc]\nbase:\n  pipeline: fc\n", r"line 3: pipeline is also set under base"),
        ("course: ds101\nbase:\n  pipe: fc\nvary:\n  top_k: [1]\n", r"line 3: .*pipe"),
        ("course: ds101\nseeds: 0\nvary:\n  top_k: [1]\n", r"line 2: seeds"),
        (VARY + f"  top_k: {list(range(1, 21))}\n  beam: {list(range(1, 12))}\n", r"line 2: that makes 220 combin"),
        (VARY + "  top_k: [1, 1, 2\n", r"line \d+: not valid YAML"),
    ],
)
def test_a_bad_file_is_refused_by_line(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        written(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (VARY + "  pipeline:\n    - fc\n    - fc_forcd\n", r"line 5: vary\.pipeline: .*fc_forced"),
        ("course: ds101\nbase:\n  retriever.qa: tre\nvary:\n  top_k: [1]\n", r"line 3: base\.retriever\.qa: .*tree"),
        (VARY + "  pipeline: [fc_iterative]\n  max_rounds: [2, 99]\n", r"line 2: vary: .*max_rounds.* 10"),
    ],
)
def test_a_value_that_no_request_could_have_is_refused_by_line(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        written(tmp_path, text).configurations(choose)


def test_the_example_in_the_documentation_is_an_experiment() -> None:
    example = Path(__file__).parents[3] / "docs" / "functions" / "experiment.yaml"
    assert len(read_experiment(example, Experiment).configurations(choose)) == 6
