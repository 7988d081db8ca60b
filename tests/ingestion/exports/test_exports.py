"""Exports of learning platforms and forums: what becomes of their parts, and for whom."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from core.course import Course
from core.types import Source, Visibility
from ingestion.audience.decision import audience_of
from ingestion.exports import open_export, with_kept_rules, with_rules
from ingestion.exports.folder import CourseFolder
from ingestion.files import discover
from tests.ingestion.exports.exported import (
    CARTRIDGE,
    DISCOURSE,
    ED,
    MOODLE,
    PIAZZA,
    cartridge_of,
    write_json,
    write_tar,
    write_zip,
)

DS101 = Path(__file__).parents[3] / "data" / "ds101"


def names(export: CourseFolder, source: Source) -> list[str]:
    return sorted(path.relative_to(export.folder(source)).as_posix() for path in export.folder(source).rglob("*.*"))


def visibility(export: CourseFolder, source: Source, name: str) -> Visibility:
    return audience_of(f"{export.stem}/{name}", source, with_rules(Course(id="c"), export)).visibility


def test_a_cartridge_becomes_documents_in_the_order_of_its_modules(tmp_path: Path) -> None:
    with open_export(str(write_zip(tmp_path / "data.imscc", CARTRIDGE)), None) as export:
        assert export.title == "Data 1"
        assert names(export, Source.TEXTBOOK) == ["01 Week 1/01 Sampling.html", "01 Week 1/02 Next term.html"]
        assert names(export, Source.ASSIGNMENT) == ["Homework 1.html", "quizzes/r_quiz.html"]
        assert names(export, Source.LOGISTICS) == ["announcements/Room change.html", "dates.md"]


def test_quizzes_and_unpublished_pages_of_a_cartridge_are_for_staff(tmp_path: Path) -> None:
    with open_export(str(write_zip(tmp_path / "data.imscc", CARTRIDGE)), None) as export:
        assert visibility(export, Source.ASSIGNMENT, "quizzes/r_quiz.html") is Visibility.STAFF
        assert visibility(export, Source.TEXTBOOK, "01 Week 1/02 Next term.html") is Visibility.STAFF
        assert visibility(export, Source.TEXTBOOK, "01 Week 1/01 Sampling.html") is Visibility.STUDENT
        quiz = (export.folder(Source.ASSIGNMENT) / "quizzes" / "r_quiz.html").read_text()
    assert "What is a median?" in quiz
    assert "Answer: The middle value" in quiz


def test_dates_of_a_cartridge_are_in_the_time_zone_of_its_course(tmp_path: Path) -> None:
    with open_export(str(write_zip(tmp_path / "data.imscc", CARTRIDGE)), None) as export:
        dates = (export.folder(Source.LOGISTICS) / "dates.md").read_text()
        rules = {rule.match: rule.release_at for rule in export.rules if rule.release_at}
    assert "| Homework 1 | 2026-02-10 00:00 | 2026-02-19 23:59 | 10 |" in dates
    assert str(rules["data/Homework 1.html"]) == "2026-02-10 00:00:00-08:00"


@pytest.mark.parametrize("write", [write_zip, write_tar])
def test_a_moodle_backup_keeps_what_is_hidden_and_leaves_what_students_handed_in(tmp_path: Path, write: object) -> None:
    with open_export(str(write(tmp_path / "data.mbz", MOODLE)), None) as export:  # type: ignore[operator]
        assert names(export, Source.TEXTBOOK) == ["00 Week 1/01 Sampling.html"]
        assert visibility(export, Source.TEXTBOOK, "00 Week 1/01 Sampling.html") is Visibility.STAFF
        assert names(export, Source.ASSIGNMENT) == ["Homework 1.html", "hw1.md", "question bank/Bank.html"]
        assert visibility(export, Source.ASSIGNMENT, "question bank/Bank.html") is Visibility.STAFF
        dates = (export.folder(Source.LOGISTICS) / "dates.md").read_text()
        released = {rule.match: rule.release_at for rule in export.rules}["data/hw1.md"]
    assert "| Homework 1 |  | 2026-02-20 07:59 | 10 |" in dates
    assert str(released) == "2026-02-10 08:00:00+00:00"


@pytest.mark.parametrize(
    ("forum", "title", "reply"),
    [(ED, "Due date?", "On Friday."), (PIAZZA, "Median?", "Sort first."), (DISCOURSE, "HW3 q2", "Use a loop.")],
)
def test_public_threads_of_a_forum_become_past_questions_without_names(
    tmp_path: Path, forum: object, title: str, reply: str
) -> None:
    with open_export(str(write_json(tmp_path / "forum.json", forum)), None) as export:
        text = (export.folder(Source.QA) / "forum.jsonl").read_text()
    threads = [json.loads(line) for line in text.splitlines()]
    assert [thread["question"]["title"] for thread in threads] == [title]
    assert [(one["role"], reply in one["body"]) for one in threads[0]["thread"]] == [("ta", True)]
    assert not any(word in text for word in ("Ann Lee", "example.edu", "prof", "whisper", "for staff"))


def test_the_instructors_own_rules_decide_over_those_of_an_export(tmp_path: Path) -> None:
    own = Course.model_validate({"id": "c", "documents": [{"match": "data/quizzes/*", "visibility": "student"}]})
    with open_export(str(write_zip(tmp_path / "data.imscc", CARTRIDGE)), None) as export:
        once = with_rules(own, export)
        assert with_rules(once, export) == once
    assert audience_of("data/quizzes/r_quiz.html", Source.ASSIGNMENT, once).visibility is Visibility.STUDENT


def test_a_course_file_that_is_loaded_later_keeps_what_an_export_hides(tmp_path: Path) -> None:
    with open_export(str(write_zip(tmp_path / "data.imscc", CARTRIDGE)), None) as export:
        stored = with_rules(Course(id="c"), export)
    quiz, page = "data/quizzes/r_quiz.html", "data/01 Week 1/02 Next term.html"
    loaded = with_kept_rules(Course(id="c"), stored, (quiz, page))
    assert audience_of(quiz, Source.ASSIGNMENT, loaded).visibility is Visibility.STAFF
    assert audience_of(page, Source.TEXTBOOK, loaded).visibility is Visibility.STAFF
    assert with_kept_rules(Course(id="c"), stored, ()).documents == ()


def test_ds101_comes_back_from_a_cartridge_as_it_was(tmp_path: Path) -> None:
    sources = {"textbook": "textbook", "assignments": "assignments", "logistics": "logistics", "qa": "qa"}
    path = cartridge_of(DS101, sources, tmp_path / "ds101.imscc")
    with open_export(str(path), None) as export:
        for source, folder in zip(
            (Source.TEXTBOOK, Source.ASSIGNMENT, Source.LOGISTICS, Source.QA), sources, strict=True
        ):
            before = discover([DS101 / folder]).files
            after = discover([export.folder(source)]).files
            assert Counter(file.sha256 for file in before) == Counter(file.sha256 for file in after)
            course, exported = Course(id="c"), with_rules(Course(id="c"), export)
            was = {file.sha256: audience_of(file.name, source, course).visibility for file in before}
            assert was == {file.sha256: audience_of(file.name, source, exported).visibility for file in after}
