"""Whose submission a file is, and the worksheet that is written."""

from __future__ import annotations

import csv
import os
import socket
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


def test_a_name_that_a_student_gave_a_file_gives_it_to_nobody_else(tmp_path: Path) -> None:
    made(
        tmp_path,
        "Eve_7_assignsubmission_file_/Victim_99_assignsubmission_file_hw.md",
        "Mal_8_assignsubmission_file_Victim_99_assignsubmission_file_hw.md",
    )
    eve, mal = submissions_in(tmp_path)
    assert (eve.identifier, eve.problem) == ("Participant 7", "")
    assert "fits Participant 8 and Participant 99" in mal.problem
    assert mal.identifier not in ("Participant 8", "Participant 99")


def test_the_worksheet_tells_whose_a_file_is_that_names_two(tmp_path: Path) -> None:
    made(tmp_path, "Mal_8_assignsubmission_file_Victim_99_assignsubmission_file_hw.md")
    listed = {"Participant 8": "Mal", "Participant 99": "Victim"}
    (mal,) = submissions_in(tmp_path, listed)
    assert (mal.identifier, mal.problem) == ("Participant 8", "")


def test_two_names_that_claim_one_identifier_are_reported(tmp_path: Path) -> None:
    made(
        tmp_path,
        "Ada_1_assignsubmission_file_/a.md",
        "Eve_1_assignsubmission_file_/a.md",
        "Bo_2_assignsubmission_file_/b.md",
    )
    ada, bo, eve = submissions_in(tmp_path)
    assert ada.problem == eve.problem == "Several names claim Participant 1: Ada, Eve. Leave one of them in the folder."
    assert "Participant 1" not in (ada.identifier, eve.identifier)
    assert bo.problem == ""


def test_links_and_what_is_no_file_are_reported_and_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = made(tmp_path / "private", "key.md", "deep/key.md")
    folder = made(tmp_path / "sent", "Ada_1_assignsubmission_file_/a.md", "Bo_2_assignsubmission_file_/sub/b.md")
    for number, name in ((3, "file"), (4, "folder"), (5, "pipe"), (6, "socket")):
        (folder / f"{name}_{number}_assignsubmission_file_").mkdir()
    (folder / "file_3_assignsubmission_file_" / "a.md").symlink_to(secret / "key.md")
    (folder / "folder_4_assignsubmission_file_" / "work").symlink_to(secret)
    os.mkfifo(folder / "pipe_5_assignsubmission_file_" / "a.md")
    with socket.socket(socket.AF_UNIX) as opened:
        monkeypatch.chdir(folder / "socket_6_assignsubmission_file_")  # A socket's path is short.
        opened.bind("a.md")
    (folder / "outer_7_assignsubmission_file_").symlink_to(secret)
    (folder / "Bo_2_assignsubmission_file_" / "sub" / "up").symlink_to("..")
    problems = {one.name: one.problem for one in submissions_in(folder)}
    assert problems.pop("Ada") == ""
    assert {name for name, problem in problems.items() if "a link, which is not followed" in problem} == {
        "Bo", "file", "folder", "outer"
    }  # fmt: skip
    assert {name for name, problem in problems.items() if "neither a file nor a folder" in problem} == {
        "pipe",
        "socket",
    }
    read = [file for one in submissions_in(folder) for file in one.files]
    assert all(file.resolve().is_relative_to(folder) and not file.is_symlink() for file in read)


def test_names_that_are_not_utf_8_are_read_as_windows_wrote_them(tmp_path: Path) -> None:
    own = os.fsencode(tmp_path) + b"/M\xfcller_2_assignsubmission_file_"
    os.mkdir(own)
    with open(own + b"/l\xf6sung.md", "w", encoding="utf-8") as file:
        file.write("x = 1")
    (submitted,) = submissions_in(tmp_path)
    assert (submitted.identifier, submitted.name, submitted.problem) == ("Participant 2", "Müller", "")
    assert submitted.files[0].read_text(encoding="utf-8") == "x = 1"
