"""`edumod sensemaking`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.commands import edumod

TEXT = "The cell is the smallest unit of life. The heart consists of two atria, two ventricles, and valves."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "texts" / "book" / "cells").mkdir(parents=True)
    (tmp_path / "texts" / "book" / "cells" / "text.txt").write_text(TEXT)
    return tmp_path / "texts"


def test_a_quiz_is_made_answered_rated_and_scored(home: Path, folder: Path, tmp_path: Path) -> None:
    questions, answers, ratings = (tmp_path / f"{name}.json" for name in ("questions", "answers", "ratings"))
    taught = edumod(home, "sensemaking", "teach", str(folder), "--out", str(questions))
    assert taught.returncode == 0, taught.stderr
    assert "2 questions about 1 sections, made by rules" in taught.stdout
    (cell, right), (heart, _) = json.loads(questions.read_text())["book/cells/questions.json"]
    answers.write_text(json.dumps({"book/cells/answers.json": [[cell, right], [heart, "Twelve green bottles."]]}))
    rated = edumod(home, "sensemaking", "rate", str(folder), "--answers", str(answers), "--out", str(ratings))
    assert rated.returncode == 0, rated.stderr
    (good,), (bad,) = json.loads(ratings.read_text())["book/cells/ratings.json"]
    assert good > bad
    files = ("--questions", str(questions), "--answers", str(answers), "--ratings", str(ratings))
    shown = edumod(home, "sensemaking", "score", str(folder), *files)
    assert shown.returncode == 0, shown.stderr
    assert "all-MiniLM-L6-v2" in shown.stdout
    (one,) = json.loads(edumod(home, "sensemaking", "score", str(folder), *files, "--json").stdout)["lists"]
    assert (one["path"], one["rating"]) == ("book/cells/questions.json", (good + bad) / 2)
    assert one["answers"] == {"questions": 2, "answered": 2, "rouge_l_recall": 0.5}


def test_what_is_left_out_is_named_and_the_rest_is_written(home: Path, folder: Path, tmp_path: Path) -> None:
    (folder / "book" / "empty").mkdir()
    (folder / "book" / "empty" / "text.txt").write_text("")
    out = tmp_path / "questions.json"
    taught = edumod(home, "sensemaking", "teach", str(folder), "--out", str(out), "--json")
    assert taught.returncode == 1
    assert "the section is empty" in taught.stderr
    facts = json.loads(taught.stdout)
    assert (facts["made_by"], facts["questions"], len(facts["problems"])) == ("rules", 2, 1)
    assert list(json.loads(out.read_text())) == ["book/cells/questions.json"]


def test_wrong_files_are_refused_with_what_to_do(home: Path, folder: Path, tmp_path: Path) -> None:
    questions = tmp_path / "questions-a.json"
    questions.write_text(json.dumps({"book/cells/questions.json": [["What is a cell?"]]}))
    for arguments, words in (
        (("teach", str(folder), "--out", str(tmp_path / "mine.json")), "must be questions*.json"),
        (("teach", str(folder), "--out", str(folder / "book/cells/text.txt/questions.json")), "cannot be written"),
        (("rate", str(folder), "--answers", "answers.json", "--out", "mine.json"), "must be ratings*.json"),
        (("teach", str(tmp_path / "none")), "is not a folder"),
        (("teach", str(folder), "--seeds", "2"), "--seeds would change nothing"),
        (("teach", str(folder), "--skills", "recall", "--language", "German"), "--skills, --language would change"),
        (("sit", str(folder), "--questions", str(questions), "--seeds", "2"), "name a model with --model"),
        (("score", str(folder)), "no questions to measure"),
        (("teach", str(folder / "book")), f"such as {folder}"),
        (("score", str(folder), "--ratings", str(tmp_path / "ratings.json")), "--answers"),
        (("score", str(folder), "--questions", str(tmp_path / "questions.json")), "cannot be read"),
    ):
        refused = edumod(home, "sensemaking", *arguments)
        assert refused.returncode == 2
        assert words in refused.stderr


def test_a_student_sits_the_quiz_from_its_section_alone(folder: Path, tmp_path: Path) -> None:
    (folder / "book" / "bees").mkdir()
    (folder / "book" / "binary").mkdir()
    (folder / "book" / "binary" / "text.txt").write_text("A text\0with a null character.")
    (folder / "book" / "bees" / "text.txt").write_text("Bees dance to tell others where nectar is. Wasps do not dance.")
    asked = {
        "book/cells/questions.json": [["Why do bees dance?"]],
        "book/bees/questions.json": [["Why do bees dance?"]],
        "book/binary/questions.json": [["What is a text?"]],
    }
    questions, out = tmp_path / "questions.json", tmp_path / "answers.json"
    questions.write_text(json.dumps(asked))
    sat = edumod(tmp_path, "sensemaking", "sit", str(folder), "--questions", str(questions), "--out", str(out))
    assert sat.returncode == 1
    assert "book/binary could not be ingested" in sat.stderr
    given = json.loads(out.read_text())
    (about_bees,) = given["book/bees/answers.json"]
    assert "where nectar is" in about_bees[1]
    (about_cells,) = given["book/cells/answers.json"]
    assert "nectar" not in " ".join(about_cells[1:])
    assert "Abstained: book/cells/answers.json: row 0: Why do bees dance?" in sat.stderr
    again = edumod(
        tmp_path, "sensemaking", "sit", str(folder), "--questions", str(questions), "--out", str(out), "--json"
    )
    assert json.loads(again.stdout)["lists"] == given


def test_several_retrievers_have_a_file_each(folder: Path, tmp_path: Path) -> None:
    questions, out = tmp_path / "questions.json", tmp_path / "answers.json"
    questions.write_text(json.dumps({"book/cells/questions.json": [["What does the heart consist of?"]]}))
    arguments = (str(folder), "--questions", str(questions), "--out", str(out))
    sat = edumod(tmp_path, "sensemaking", "sit", *arguments, "--retriever", "bm25, hybrid")
    assert sat.returncode == 0, sat.stderr
    for name in ("bm25", "hybrid"):
        (row,) = json.loads((tmp_path / f"answers-{name}.json").read_text())["book/cells/answers.json"]
        assert row[0] == "What does the heart consist of?"
        assert f"answers-{name}.json" in sat.stdout.replace("\n", "")
    assert not out.exists()
    refused = edumod(tmp_path, "sensemaking", "sit", *arguments, "--retriever", "bm25,nothing")
    assert (refused.returncode, "nothing" in refused.stderr) == (2, True)
