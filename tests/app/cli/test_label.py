"""`edumod label` as a process, and its prompts."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from app.cli.label_prompts import LabelParts, Prompts
from eval.datasets.answers import Expectation, MessageKind, read_answer_labels
from tests.app.commands import edumod
from tests.app.eval.test_answers import DUE, write_course

NOBODY = LabelParts(None, (), None, None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The labels of a course that is loaded into the home beside it."""
    loaded = edumod(tmp_path / "home", "course", "load", str(write_course(tmp_path)))
    assert loaded.returncode == 0, loaded.stderr
    return tmp_path / "labels" / "answers"


def test_labels_are_added_with_suggestions_and_checked(folder: Path) -> None:
    home = folder.parents[1] / "home"
    add = ("label", "add", "small", "--question", "until when can I hand in homework 1")
    without = edumod(home, *add)
    assert (without.returncode, DUE in without.stderr, "--passage" in without.stderr) == (2, True, True)
    wrong = edumod(home, *add, "--passage", f"{DUE}s", "--reference", "March 10.", COLUMNS="200")
    assert (wrong.returncode, f"The nearest is {DUE}." in wrong.stderr) == (2, True)
    added = edumod(home, *add, "--passage", DUE, "--reference", "Until March 10.", "--split", "test", "--json")
    assert added.returncode == 0, added.stderr
    assert json.loads(added.stdout)["id"] == "a005"
    new = read_answer_labels(folder)[-1]
    assert (new.id, new.kind, new.expects, new.split, new.passages) == ("a005", "logistics", "answer", "test", (DUE,))
    assert edumod(home, "label", "check", "small").stdout == "small: 7 labels, no problems.\n"
    listed = edumod(home, "label", "locations", "small", "--query", "homework", "--json")
    assert json.loads(listed.stdout)["locations"][0] == DUE


def test_problems_of_stored_labels_are_all_named(folder: Path) -> None:
    home, labels = folder.parents[1] / "home", folder / "labels.jsonl"
    broken = labels.read_text().replace("> Joins", "> Join").replace("Monday at noon.", "A. Yes. It is. On Monday.")
    labels.write_text(broken)
    ended = edumod(home, "label", "check", "small", COLUMNS="200")
    assert (ended.returncode, "2 problems" in ended.stdout) == (1, True)
    assert "f2: there is no location textbook/book.md > Tables > Join in the material. The nearest is" in ended.stderr
    assert "a1: the reference has 4 sentences" in ended.stderr


def test_a_course_that_was_not_loaded_here_is_named(tmp_path: Path) -> None:
    ended = edumod(tmp_path, "label", "check", "nope")
    assert (ended.returncode, "edumod course load FILE" in ended.stderr) == (2, True)


def prompts(*lines: str) -> tuple[Prompts, Console]:
    console = Console(file=io.StringIO(), width=200)
    known = ["a.md > A", "a.md > B", "a.md > C"]
    return Prompts(
        console, known, ["a.md > C", "a.md > A"], io.StringIO("".join(f"{line}\n" for line in lines))
    ), console


def test_passages_are_chosen_by_number_or_name_and_wrong_ones_asked_again() -> None:
    asking, console = prompts("answer", "", "1", "a.md > D", "a.md > B", "", "So.")
    complete = asking.complete(NOBODY)
    assert complete == LabelParts(Expectation.ANSWER, ("a.md > C", "a.md > B"), "So.", None)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "  1 a.md > C" in shown
    assert "There is no location 'a.md > D'" in shown


def test_only_what_is_missing_is_asked_for() -> None:
    given = LabelParts(Expectation.ANSWER, ("a.md > A",), None, MessageKind.CONCEPT)
    assert prompts("", "So.")[0].complete(given).reference == "So."
    declined = LabelParts(Expectation.ABSTAIN, (), None, None)
    assert prompts()[0].complete(declined) == declined
