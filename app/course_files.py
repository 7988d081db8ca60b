"""Remembers where each course's file was loaded from."""

from __future__ import annotations

import json
from pathlib import Path

from core.course import read_course
from core.errors import InvalidInput
from core.files import write_atomically

FILE = "course-files.json"
"""In the home folder: paths of course files by course id."""


def remember_course_file(home: Path, course_id: str, path: Path) -> None:
    """Store the path of a course file that was loaded."""
    write_atomically(home / FILE, json.dumps({**_read_paths(home), course_id: str(path.absolute())}, indent=1).encode())


def labels_folder(home: Path, course_id: str) -> Path:
    """The folder under `labels` in the course's file. Raises `InvalidInput` if file or folder is not known."""
    path = Path(_read_paths(home).get(course_id, ""))
    if not path.is_file():
        raise InvalidInput(
            f"The file of the course {course_id!r} is not known here. Load it first: edumod course load FILE."
        )
    course = read_course(path)
    if course.id != course_id:
        raise InvalidInput(f"{path} is now the file of the course {course.id!r}. Load that of {course_id!r}.")
    if not course.labels:
        raise InvalidInput(f"{path} names no folder for labels. Add a line such as `labels: labels`, and load it.")
    return path.parent / course.labels


def _read_paths(home: Path) -> dict[str, str]:
    path = home / FILE
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
