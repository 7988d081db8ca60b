"""`edumod course check` and `load`, as processes, where something that a course file names is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.commands import edumod


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
