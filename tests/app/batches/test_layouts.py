"""Whose submission a file is, and the worksheet that is written."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from app.batches.layouts import submissions_in
from app.batches.worksheet import COLUMNS, read_worksheet, write_worksheet
from core.errors import InvalidInput


def made(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x = 1", encoding="utf-8")
    return folder


def test_moodles_folders_and_its_flat_files_name_the_participant(tmp_path: Path) -> None:
    made(
        tmp_path,
        "Ada Lovelace_101_assignsubmission_file_/b.md",
        "Ada Lovelace_101_assignsubmission_file_/a.md",
        "Ada Lovelace_101_assignsubmission_onlinetext_/onlinetext.html",
        "Bo_Li Chen_102_assignsubmission_file_work.pdf",
        ".DS_Store",
        "__MACOSX/x.md",
    )
    ada, bo = submissions_in(tmp_path)
    assert (ada.identifier, ada.name) == ("Participant 101", "Ada Lovelace")
    assert [file.name for file in ada.files] == ["a.md", "b.md", "onlinetext.html"]
    assert (bo.identifier, bo.name) == ("Participant 102", "Bo_Li Chen")


def test_canvas_names_the_student_late_or_not(tmp_path: Path) -> None:
    made(tmp_path, "lovelaceada_12_345_work.md", "chenbo_LATE_13_346_work_v2.md")
    bo, ada = submissions_in(tmp_path)
    assert (ada.identifier, ada.name) == ("12", "lovelaceada")
    assert (bo.identifier, bo.name) == ("13", "chenbo")


def test_other_files_and_folders_are_a_student_each(tmp_path: Path) -> None:
    made(tmp_path, "s1.md", "s2/page1.md", "s2/page2.md")
    assert [(one.identifier, len(one.files)) for one in submissions_in(tmp_path)] == [("s1", 1), ("s2", 2)]


def test_a_folder_that_is_missing_or_empty_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no files"):
        submissions_in(tmp_path)
    with pytest.raises(InvalidInput, match="no folder"):
        submissions_in(tmp_path / "none")


def test_a_worksheet_comes_back_with_its_other_cells_and_no_formula(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    row = {"Identifier": "Participant 1", "Full name": "=cmd()", "Email address": "a@b.c", "Group": "A"}
    write_worksheet(path, [{**row, "Last modified (grade)": "-", "Feedback comments": "@x\nline 2"}])
    (read,) = read_worksheet(path)
    assert read["Full name"] == "'=cmd()"
    assert read["Feedback comments"] == "'@x\nline 2"
    assert (read["Group"], read["Email address"], read["Last modified (grade)"]) == ("A", "a@b.c", "-")
    header = next(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    assert tuple(header[: len(COLUMNS)]) == COLUMNS


def test_a_worksheet_without_comments_is_refused(tmp_path: Path) -> None:
    (tmp_path / "sheet.csv").write_text("Identifier,Full name\n1,A\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="Feedback comments"):
        read_worksheet(tmp_path / "sheet.csv")
