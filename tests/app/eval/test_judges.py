"""`edumod eval judges` and `edumod eval attacks` as processes, offline."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.attacks.limits import SHIPPED
from tests.app.commands import edumod
from tests.judging.judged import ROW, folder

OURS = Path(__file__).parents[3] / "data/ds101/labels/judges"
MEASURES = ("pearson", "spearman", "kendall", "mae", "exact", "within_one", "kappa_linear", "kappa_quadratic")


def few(path: Path, n: int) -> Path:
    """The first answers of our data set."""
    lines = OURS.joinpath("answers.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return folder(path, *rows[:n], *rows[-n:])


def test_a_judge_is_calibrated_as_json_with_intervals_and_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    shown = edumod(
        tmp_path / "home", "eval", "judges", "--dataset", str(few(tmp_path, 6)), "--judge", "teaching_points",
        "--page", str(page), "--json",
    )  # fmt: skip
    assert shown.returncode == 0, shown.stderr
    report = json.loads(shown.stdout)
    assert (report["judge"], report["form"], report["n"]) == ("teaching_points", "computed", 12)
    assert report["unscored"] == sum(report["unscored_reasons"].values()) < 12
    for name in MEASURES:
        assert set(report[name]) == set(report["humans"][name]) == {"mean", "low", "high"}
    assert set(report["baselines"]) == {"cosine", "rouge_l", "length"}
    assert report["with_estimates"]["pearson"]["mean"] > 0.5
    assert "Judge teaching_points (computed)" in page.read_text(encoding="utf-8")


def test_a_judge_is_attacked_by_limits_of_a_file(tmp_path: Path) -> None:
    limits = tmp_path / "limits.yaml"
    text = SHIPPED.read_text(encoding="utf-8").replace("max_items: 100", "max_items: 2")
    text = text.replace("min_items: 20", "min_items: 2").replace("max_unscored: 0.75", "max_unscored: 1")
    limits.write_text(text, encoding="utf-8")
    shown = edumod(
        tmp_path / "home", "eval", "attacks", "--dataset", str(few(tmp_path, 4)), "--judge", "edumod", "--limits",
        str(limits), "--json",
    )  # fmt: skip
    report = json.loads(shown.stdout)
    failed = [name for part in ("attacks", "harmless") for name, one in report[part].items() if not one["passed"]]
    assert (shown.returncode, report["n"]) == (3 if failed else 0, 2), shown.stderr
    assert all(f"Failed: {name}" in shown.stderr for name in failed)
    assert {"auc", "mean_drop", "accepted", "passed"} <= set(report["attacks"]["empty"])
    assert "passage_pasted" in report["not_applicable"]


@pytest.mark.parametrize("command", ["judges", "attacks"])
def test_wrong_input_is_named_before_anything_is_judged(tmp_path: Path, command: str) -> None:
    arguments = ("eval", command, "--dataset", str(folder(tmp_path, ROW, {**ROW, "id": "b", "score_1": 9})))
    wrong = edumod(tmp_path / "home", *arguments, "--judge", "edumod")
    assert (wrong.returncode, "line 2: score_1 of 'b' is 9" in wrong.stderr) == (2, True)
    unknown = edumod(tmp_path / "home", *arguments, "--judge", "edumot")
    assert (unknown.returncode, "Did you mean 'edumod'" in unknown.stderr) == (2, True)


def test_an_unknown_model_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    arguments = ("eval", "judges", "--dataset", str(folder(tmp_path, ROW)), "--judge", "edumod", "--model", "gpt-9")
    wrong = edumod(tmp_path / "home", *arguments)
    assert (wrong.returncode, "gpt-9" in wrong.stderr, "Traceback" in wrong.stderr) == (2, True, False)


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--expected",), 4, "The offline backend gives no token probabilities"),
        (("--expected", "--samples", "3"), 2, "Leave out --samples"),
        (("--panel", "offline,offline"), 2, "write two or more different aliases"),
        (("--panel", "offline,gpt-9"), 2, "gpt-9"),
    ],
)
def test_options_that_cannot_be_followed_are_named_before_anything_is_judged(
    tmp_path: Path, options: tuple[str, ...], code: int, words: str
) -> None:
    dataset = str(folder(tmp_path, ROW))
    wrong = edumod(tmp_path / "home", "eval", "judges", "--dataset", dataset, "--judge", "teaching_points", *options)
    assert (wrong.returncode, words in " ".join(wrong.stderr.split())) == (code, True), wrong.stderr
    assert "Traceback" not in wrong.stderr
