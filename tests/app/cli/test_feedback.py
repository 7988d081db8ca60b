"""`edumod feedback`."""

from __future__ import annotations

import asyncio
import csv
import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from app.batches.worksheet import COLUMNS
from core.store.drafts.filter import DraftFilter
from core.store.store import Store
from core.store.tables import DraftState, now
from tests.app.commands import EDUMOD, edumod, environment
from tests.app.live import settings_in

TASK = "# Homework 1\n\n## Problem 1. A car\n\nA car accelerates from 5 m/s at 2 m/s² for 3 s. How fast is it then?\n\n"
TASK += "## Problem 2. A ball\n\nA ball falls from 20 m. How long does it fall?\n"
SOLUTION = "# Homework 1\n\n## Problem 1. A car\n\n**Solution.** $v = 5 + 2 \\cdot 3 = 11\\,\\text{m/s}$\n\n"
SOLUTION += "## Problem 2. A ball\n\n**Solution.** $t = 2.02\\,\\text{s}$\n"
STUDENTS = 24


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("batch")
    (folder / "hw1.md").write_text(TASK, encoding="utf-8")
    (folder / "hw1_sol.md").write_text(SOLUTION, encoding="utf-8")
    course = "id: mech\ntitle: Mechanics\nmaterial:\n  assignment: [hw1.md, hw1_sol.md]\n"
    (folder / "course.yaml").write_text(course, encoding="utf-8")
    loaded = edumod(folder / "home", "course", "load", str(folder / "course.yaml"))
    assert loaded.returncode == 0, loaded.stderr
    return folder / "home"


def submissions(folder: Path, count: int) -> Path:
    """Moodle's folders; every third student has slipped, the last one sent what cannot be read."""
    for number in range(count):
        own = folder / f"Student {number:02}_{number}_assignsubmission_file_"
        own.mkdir(parents=True)
        result = 12 if number % 3 == 0 else 11
        (own / "work.md").write_text(f"Try {number}:\nv = 5 + 2*3 = {result} m/s\n", encoding="utf-8")
    return folder


def rows_in(path: Path) -> dict[str, dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return {row["Identifier"]: row for row in csv.DictReader(file)}


def test_every_submission_gets_a_row_of_moodles_worksheet_and_a_draft(home: Path, tmp_path: Path) -> None:
    folder = submissions(tmp_path / "sent", 3)
    (folder / "Late Comer_9_assignsubmission_file_").mkdir()
    (folder / "Late Comer_9_assignsubmission_file_" / "work.exe").write_bytes(b"MZ")
    out = tmp_path / "feedback.csv"
    done = edumod(home, "feedback", str(folder), "-c", "mech", "--question", "hw1.1", "--out", str(out), "--json")
    assert done.returncode == 1, done.stderr
    told = json.loads(done.stdout)
    assert (told["n"], told["new"], told["states"]) == (4, 3, {"drafted": 3, "failed": 1})
    rows = rows_in(out)
    assert tuple(next(iter(rows.values()))) == COLUMNS
    assert "5 + 2*3 is not 12 m/s" in rows["Participant 0"]["Feedback comments"]
    assert "agrees with the official one" in rows["Participant 1"]["Feedback comments"]
    assert rows["Participant 9"]["Feedback comments"] == ""
    assert "'.exe' cannot be read" in rows["Participant 9"]["Status"]


def test_a_worksheet_is_filled_and_what_waits_for_review_is_left_out_on_request(home: Path, tmp_path: Path) -> None:
    folder = submissions(tmp_path / "sent", 2)
    sheet, out = tmp_path / "sheet.csv", tmp_path / "feedback.csv"
    lines = [",".join(COLUMNS), "Participant 1,Student 01,s@x.org,Submitted,,10,Yes,-,", "Participant 7,Else,,,,,,,"]
    sheet.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = ("feedback", str(folder), "-c", "mech", "--assignment", "hw1", "--question", "1", "--out", str(out))
    done = edumod(home, *command, "--worksheet", str(sheet))
    assert done.returncode == 0, done.stderr
    assert "Participant 0 has a submission and no row" in done.stderr
    rows = rows_in(out)
    assert set(rows) == {"Participant 1", "Participant 7"}
    assert (rows["Participant 1"]["Email address"], rows["Participant 1"]["Maximum Grade"]) == ("s@x.org", "10")
    assert "Completeness" in rows["Participant 1"]["Feedback comments"]
    assert edumod(home, *command, "--reviewed").returncode == 0
    assert "waits for review" in rows_in(out)["Participant 1"]["Status"]


def test_a_batch_that_was_killed_goes_on_where_it_was(home: Path, tmp_path: Path) -> None:
    folder, out = submissions(tmp_path / "sent", STUDENTS), tmp_path / "feedback.csv"
    command = ["feedback", str(folder), "-c", "mech", "--question", "hw1.2", "--out", str(out), "--json"]
    before = answered(home)
    process = subprocess.Popen([EDUMOD, *command], env=environment(home), stdout=subprocess.PIPE)
    while answered(home) < before + 4:
        assert process.poll() is None, "The batch had ended before it could be killed."
        time.sleep(0.02)
    process.kill()
    process.communicate()
    assert not out.exists()
    kept = answered(home) - before
    done = edumod(home, *command)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["n"], told["new"]) == (STUDENTS, STUDENTS - kept)
    assert len(rows_in(out)) == STUDENTS
    assert json.loads(edumod(home, *command).stdout)["new"] == 0


def answered(home: Path) -> int:
    """How many drafts have an answer."""

    async def count() -> int:
        store = await Store.open(settings_in(home).url, 5, 5)
        try:
            (found,) = await store.drafts.count([DraftFilter(now(), states=(DraftState.PENDING,))])
            return found
        finally:
            await store.aclose()

    return asyncio.run(count())


def test_the_cost_limit_leaves_the_rest_for_later(home: Path, tmp_path: Path) -> None:
    folder, out = submissions(tmp_path / "sent", 2), tmp_path / "feedback.csv"
    command = ("feedback", str(folder), "-c", "mech", "--question", "hw1.2", "--out", str(out), "--max-cost", "0")
    done = edumod(home, *command)
    assert done.returncode == 1
    assert "cost limit" in rows_in(out)["Participant 0"]["Status"]


def test_a_question_that_names_no_assignment_is_explained(home: Path, tmp_path: Path) -> None:
    done = edumod(home, "feedback", str(tmp_path), "-c", "mech", "--question", "2", "--out", str(tmp_path / "x.csv"))
    assert done.returncode == 2
    assert "--assignment" in done.stderr


def test_a_table_that_cannot_be_written_is_one_line_and_the_drafts_are_kept(home: Path, tmp_path: Path) -> None:
    folder = submissions(tmp_path / "full", 1)
    command = ("feedback", str(folder), "-c", "mech", "--question", "hw1.2", "--out")
    failed = edumod(home, *command, "/dev/full")
    assert failed.returncode == 5
    assert len(failed.stderr.splitlines()) == 1
    assert "/dev/full cannot be used: No space left on device. Make room" in failed.stderr
    (tmp_path / "file").write_text("x", encoding="utf-8")
    below = edumod(home, *command, str(tmp_path / "file" / "out.csv"))
    assert (below.returncode, "Traceback" in below.stderr) == (5, False)
    again = edumod(home, *command, str(tmp_path / "out.csv"), "--json")
    assert json.loads(again.stdout)["new"] == 0


def test_output_that_nobody_takes_is_one_line(home: Path) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        command = [str(EDUMOD), "course", "list", "--json"]
        done = subprocess.run(
            command, env=environment(home), stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False
        )
    assert done.returncode == 5
    assert len(done.stderr.splitlines()) == 1
    assert "The output cannot be written: No space left on device" in done.stderr


def test_a_broken_entry_costs_its_own_row_alone(home: Path, tmp_path: Path) -> None:
    folder, out = submissions(tmp_path / "sent", 2), tmp_path / "feedback.csv"
    own = os.fsencode(folder) + b"/M\xfcller_7_assignsubmission_file_"
    os.mkdir(own)
    with open(own + b"/w\xf6rk.md", "w", encoding="utf-8") as file:
        file.write("v = 5 + 2*3 = 11 m/s")
    (folder / ("n" * 230)).mkdir()
    (folder / ("n" * 230) / "work.md").write_text("v = 11 m/s", encoding="utf-8")
    (folder / "Eve_8_assignsubmission_file_").mkdir()
    (folder / "Eve_8_assignsubmission_file_" / "work.md").symlink_to("/etc/hostname")
    done = edumod(home, "feedback", str(folder), "-c", "mech", "--question", "hw1.1", "--out", str(out))
    assert done.returncode == 1, done.stderr
    rows = rows_in(out)
    assert rows["Participant 7"]["Full name"] == "Müller"
    assert "agrees with the official one" in rows["Participant 7"]["Feedback comments"]
    assert "a link, which is not followed" in rows["Participant 8"]["Status"]
    assert "No feedback" in rows["n" * 230]["Status"]
