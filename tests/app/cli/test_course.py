"""`edumod course check` and `load`, as processes, where something that a course file names is not there."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from core.access import Person
from core.store.store import Store
from tests.app.commands import edumod
from tests.servers.homes import database_of


def course(folder: Path, text: str) -> str:
    path = folder / "course.yaml"
    path.write_text(f"id: small\n{text}")
    return str(path)


@pytest.mark.parametrize("command", ["check", "load"])
@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("material:\n  textbook: [book]\n  qa:\n    - here\n    - gone\n", "line 6: material.qa: "),
        ("material:\n  textbook: gone\n", "line 3: material.textbook: "),
        ("labels: gone\n", "line 2: labels: "),
    ],
)
def test_a_folder_that_is_not_there_is_named_with_its_line(
    tmp_path: Path, command: str, text: str, complaint: str
) -> None:
    for name in ("book", "here"):
        (tmp_path / name).mkdir()
    failed = edumod(tmp_path / "home", "course", command, course(tmp_path, text), COLUMNS="400")
    assert failed.returncode == 2
    assert f"{complaint}There is no file or folder {tmp_path / 'gone'}. Correct the name." in failed.stderr


@pytest.mark.parametrize("kind", ["retrieval", "functions"])
def test_an_empty_folder_of_labels_is_passed_over_with_a_message(tmp_path: Path, kind: str) -> None:
    (tmp_path / "labels" / kind).mkdir(parents=True)
    done = edumod(tmp_path / "home", "course", "load", course(tmp_path, "labels: labels\n"), COLUMNS="400")
    assert done.returncode == 0, done.stderr
    assert str(tmp_path / "labels" / kind) in done.stderr


def test_what_was_changed_in_the_browser_is_named_and_ended(tmp_path: Path) -> None:
    home, path = tmp_path / "home", course(tmp_path, "title: Small\n")
    assert edumod(home, "course", "load", path).returncode == 0

    async def change() -> None:
        store = await Store.open(database_of(home))
        await store.courses.change("small", {"title": "Mine"}, Person("p", "Ada"))
        await store.aclose()

    asyncio.run(change())
    again = edumod(home, "course", "load", path, COLUMNS="400")
    assert "title stays as Ada changed it in the browser." in again.stderr
    assert "Mine" in edumod(home, "course", "list").stdout
    ended = edumod(home, "course", "load", "--as-file", path, COLUMNS="400")
    assert "stays as" not in ended.stderr
    assert "Mine" not in edumod(home, "course", "list").stdout
