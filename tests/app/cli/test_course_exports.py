"""`edumod course load` of a course file that names exports of platforms: as `edumod ingest` reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.app.commands import edumod
from tests.ingestion.exports.exported import CARTRIDGE, MOODLE, write_tar, write_zip
from tests.servers.homes import rows

DOCUMENTS = "SELECT name, source, visibility FROM document WHERE course_id = 'small' ORDER BY name"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course file with a folder, a cartridge, a Moodle backup and a plain archive."""
    write_zip(tmp_path / "canvas.imscc", CARTRIDGE)
    write_tar(tmp_path / "moodle.mbz", MOODLE)
    write_zip(tmp_path / "slides.zip", {"one.md": "# Slides\n\nA median is the middle value.\n"})
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "1.md").write_text("# Means\n\nA mean is a sum divided by a count.\n", encoding="utf-8")
    material = "  textbook: [book, slides.zip]\n  logistics: [canvas.imscc, moodle.mbz]\n"
    (tmp_path / "course.yaml").write_text(f"id: small\nmaterial:\n{material}", encoding="utf-8")
    return tmp_path / "course.yaml"


def load(home: Path, course: Path, *more: str) -> dict[str, Any]:
    done = edumod(home, "course", "load", str(course), "--json", *more)
    assert done.returncode == 0, done.stderr
    loaded: dict[str, Any] = json.loads(done.stdout)
    return loaded


def test_exports_are_loaded_with_their_own_sources_and_readers(tmp_path: Path, course: Path) -> None:
    home = tmp_path / "home"
    load(home, course)
    names = {str(name): (source, visibility) for name, source, visibility in rows(home, DOCUMENTS)}
    assert names["book/1.md"] == ("textbook", "student")
    assert names["slides/one.md"] == ("textbook", "student")
    assert {source for name, (source, _) in names.items() if name.startswith("canvas/")} >= {"assignment", "logistics"}
    hidden = [name for name, (_, visibility) in names.items() if visibility == "staff"]
    assert any("quiz" in name.lower() for name in hidden)
    assert any(name.startswith("moodle/") and "Sampling" in name for name in hidden)

    again = load(home, course)
    outcomes = {file["outcome"] for report in again["reports"] for file in report["files"]}
    assert outcomes <= {"unchanged", "skipped"}

    elsewhere = tmp_path / "other"
    for name in ("canvas.imscc", "moodle.mbz"):
        done = edumod(elsewhere, "ingest", str(course.parent / name), "--course", "small")
        assert done.returncode == 0, done.stderr
    exported = [row for row in rows(home, DOCUMENTS) if str(row[0]).startswith(("canvas/", "moodle/"))]
    assert rows(elsewhere, DOCUMENTS) == exported


def test_what_a_course_file_no_longer_names_goes_with_prune(tmp_path: Path, course: Path) -> None:
    home = tmp_path / "home"
    load(home, course)
    course.write_text("id: small\nmaterial:\n  textbook: book\n", encoding="utf-8")
    load(home, course, "--prune")
    assert [row[0] for row in rows(home, DOCUMENTS)] == ["book/1.md"]


def test_a_hostile_archive_is_refused_and_nothing_is_stored(tmp_path: Path, course: Path) -> None:
    write_zip(tmp_path / "slides.zip", {"../../evil.md": "# Evil\n"})
    refused = edumod(tmp_path / "home", "course", "load", str(course))
    assert refused.returncode == 2
    assert "Traceback" not in refused.stderr
    assert json.loads(edumod(tmp_path / "home", "course", "list", "--json").stdout) == {}


def test_a_dry_run_shows_what_is_in_an_export(tmp_path: Path, course: Path) -> None:
    plans = load(tmp_path / "home", course, "--dry-run")["plans"]
    assert any(file["name"].startswith("canvas/") for plan in plans for file in plan["files"])
