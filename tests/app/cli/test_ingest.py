"""`edumod ingest` and `edumod course load`, as processes: what they say before the work, and of files over a limit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.cli.ingest import embeddings_label, rebuilt_ahead, slow_files, work_ahead
from app.cli.output import duration
from core.types import Source
from ingestion.run_report import Action, IngestionPlan, PlannedFile
from tests.app.commands import edumod

SENTENCES = "".join(f"Idea {n} follows from the idea before it, and says why. " for n in range(2_000))
INGEST = ("--course", "c", "--source", "textbook")


@pytest.fixture
def book(tmp_path: Path) -> Path:
    folder = tmp_path / "book"
    folder.mkdir()
    (folder / "one.md").write_text("# One\n\nA few words.\n", encoding="utf-8")
    (folder / "long.txt").write_text(SENTENCES, encoding="utf-8")
    (folder / "set.txt").write_text("\n".join(f"{n},{n * n}" for n in range(5_000)), encoding="utf-8")
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home that has the exported embedding model."""
    return tmp_path / "home"


def test_a_dry_run_says_what_the_work_will_take(book: Path, home: Path) -> None:
    done = edumod(home, "ingest", str(book), *INGEST, "--dry-run", COLUMNS="400")
    assert done.returncode == 0, done.stderr
    assert "To embed: 2 files, 0.1 MB, about " in done.stderr
    assert "book/set.txt: looks like data" in done.stderr


def test_without_a_source_the_names_of_folders_and_files_decide(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    for name in ("hw/1.md", "slides/1.md", "syllabus.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"# {name}\n\nA few words.\n", encoding="utf-8")
    done = edumod(home, "ingest", str(folder), "--course", "c", "--dry-run", "--json")
    plans = {plan["source"]: [file["name"] for file in plan["files"]] for plan in json.loads(done.stdout)["plans"]}
    assert plans == {
        "assignment": ["mine/hw/1.md"], "textbook": ["mine/slides/1.md"], "logistics": ["mine/syllabus.md"],
    }  # fmt: skip
    edumod(home, "ingest", str(folder / "hw"), "--course", "c", "--source", "textbook")
    again = edumod(home, "ingest", str(folder / "hw"), "--course", "c")
    assert "textbook: 1 unchanged" in again.stderr
    assert "Say with --source which" in edumod(home, "ingest", str(folder), "--course", "c", "--prune").stderr


def test_a_dry_run_in_json_gives_chunks_and_seconds(book: Path, home: Path) -> None:
    done = edumod(home, "ingest", str(book), *INGEST, "--dry-run", "--json")
    plan = json.loads(done.stdout)
    files = {file["name"]: file for file in plan["files"]}
    assert plan["embeddings"] == sum(file["embeddings"] for file in plan["files"]) > 100
    assert plan["seconds"] > 0
    assert plan["bytes"] == files["book/one.md"]["bytes"] + files["book/long.txt"]["bytes"]
    assert files["book/set.txt"]["action"] == "skipped"


@pytest.mark.parametrize(
    ("setting", "value"), [("MAX_FILE_MB", "1"), ("MAX_DOCUMENT_CHARS", "50000"), ("MAX_COURSE_CHARS", "50000")]
)
def test_a_file_over_a_limit_is_named_with_the_setting_and_the_others_are_ingested(
    book: Path, home: Path, setting: str, value: str
) -> None:
    (book / "long.txt").write_text(SENTENCES * (20 if setting == "MAX_FILE_MB" else 1), encoding="utf-8")
    variables = {f"EDUMOD_{setting}": value}
    done = edumod(home, "ingest", str(book), *INGEST, "--json", **variables)
    outcomes = {file["name"]: file for file in json.loads(done.stdout)["files"]}
    assert done.returncode == 1
    assert outcomes["book/one.md"]["outcome"] == "indexed"
    assert outcomes["book/long.txt"]["outcome"] == "failed"
    assert f"EDUMOD_{setting}" in outcomes["book/long.txt"]["reason"]


def test_loading_a_course_takes_a_rule_that_a_file_is_text(book: Path, home: Path, tmp_path: Path) -> None:
    course = tmp_path / "course.yaml"
    course.write_text("id: c\nmaterial: {textbook: book/set.txt}\n")
    skipped = edumod(home, "course", "load", str(course), COLUMNS="400")
    assert "looks like data" in skipped.stdout
    course.write_text(course.read_text() + "documents:\n  - {match: '*/set.txt', is_text: true}\n")
    done = edumod(home, "course", "load", str(course), COLUMNS="400")
    assert "textbook (1 file)" in done.stdout


def plan(seconds: float) -> IngestionPlan:
    file = PlannedFile(
        name="big.txt", action=Action.NEW, bytes=5_000_000, chars=5_000_000, embeddings=6_000, seconds=seconds
    )
    return IngestionPlan(
        course="c", source=Source.TEXTBOOK, model="m", files=(file,), bytes=5_000_000, embeddings=6_000, seconds=seconds
    )


def test_a_file_that_alone_takes_long_is_reported() -> None:
    assert slow_files(plan(59.0)) == []
    (warning,) = slow_files(plan(300.0))
    assert "big.txt" in warning
    assert "5,000,000 characters of text, about 6,000 chunks, alone about 5 min." in warning
    assert work_ahead(plan(300.0)) == "To embed: 1 file, 5.0 MB, about 6,000 chunks, about 5 min."


def test_progress_says_how_many_chunks_of_how_many_are_embedded() -> None:
    assert embeddings_label(1_200, 20_000) == "embeddings 1,200 / 20,000"


@pytest.mark.parametrize(("seconds", "words"), [(0.2, "1 s"), (45, "45 s"), (720, "12 min"), (11_100, "3 h 5 min")])
def test_lengths_of_time_are_rounded_for_people(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_files_are_left_out_by_pattern(book: Path, home: Path) -> None:
    done = edumod(home, "ingest", str(book), *INGEST, "--exclude", "long.*", "--exclude", "*.txt", "--json")
    outcomes = {file["name"]: file["outcome"] for file in json.loads(done.stdout)["files"]}
    assert outcomes == {"book/one.md": "indexed", "book/long.txt": "skipped", "book/set.txt": "skipped"}


def test_the_report_says_what_was_joined_and_what_is_for_staff(home: Path, tmp_path: Path) -> None:
    name = "a-problem-set-with-a-name-that-is-longer-than-a-terminal-is-wide-by-far-indeed.md"
    for folder, answer in (("sets", ""), ("sets-solutions", "\n\n**Solution.** It is cheap.")):
        (tmp_path / "c" / folder).mkdir(parents=True)
        text = f"# Sets\n\n## Question 1\n\nWhy sample?{answer}\n"
        (tmp_path / "c" / folder / name).write_text(text, encoding="utf-8")
    course = tmp_path / "course.yaml"
    course.write_text(
        "id: c\nmaterial: {assignment: c}\ndocuments:\n  - {match: 'sets/*', release_at: '2030-01-01T00:00:00+00:00'}\n"
    )
    done = edumod(home, "course", "load", "--verbose", str(course), COLUMNS="80")
    assert f"c/sets-solutions/{name}" in done.stdout
    assert "for staff: solutions by its name (“solutions”)." in done.stdout
    assert f"joined to c/sets/{name}: 1 question." in done.stdout
    assert "not found by any question before 2030-01-01T00:00:00+00:00." in done.stdout


def test_a_dry_run_says_for_whom_each_file_is_and_why_and_stores_nothing(home: Path, tmp_path: Path) -> None:
    (tmp_path / "hw").mkdir()
    for name in ("hw1.md", "hw1soln.md", "recursion_solution.md"):
        (tmp_path / "hw" / name).write_text("# Homework 1\n\n## Question 1\n\nWhy sample?\n", encoding="utf-8")
    course = tmp_path / "course.yaml"
    course.write_text("id: c\nmaterial: {assignment: hw}\n")
    done = edumod(home, "course", "load", str(course), "--dry-run", COLUMNS="400")
    assert "hw/hw1.md: new, for students" in done.stderr
    assert "hw/hw1soln.md: new, for staff: solutions by its name (“soln”)" in done.stderr
    assert "{match: 'hw/recursion_solution.md', visibility: student}" in done.stderr
    assert "1 new" not in edumod(home, "course", "list").stdout
    assert "hw1" not in done.stdout


def test_files_that_a_new_version_reads_in_another_way_are_announced_with_the_cost() -> None:
    assert rebuilt_ahead(plan(300.0)) == ""
    files = tuple(file.model_copy(update={"rebuilt": True}) for file in plan(300.0).files)
    message = rebuilt_ahead(plan(300.0).model_copy(update={"files": files, "model": "gpt"}))
    assert message.startswith("1 unchanged file is read anew, because this version")
    assert message.endswith("about 6,000 chunks, about 5 min, at most 0 calls of model gpt.")
