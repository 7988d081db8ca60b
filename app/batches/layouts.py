"""Whose submission a file is, by the names that Moodle and Canvas give to files and folders."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from core.errors import InvalidInput

_MOODLE = re.compile(r"^(?P<name>.+)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)$")
"""A folder, or with "download submissions in folders" switched off the beginning of a file's name."""
_CANVAS = re.compile(r"^(?P<name>[^_]+)_(?:LATE_)?(?P<id>\d+)_(?P<submission>\d+)_(?P<file>.+)$")
_HIDDEN = (".", "__MACOSX", "~$")


@dataclass(frozen=True)
class Submitted:
    """One student's files. `identifier` is the system's number, or the name of a file or folder of its own."""

    identifier: str
    name: str
    files: tuple[Path, ...]


def submissions_in(folder: Path) -> list[Submitted]:
    """The submissions of a folder, by name. Raises `InvalidInput` if there is none."""
    if not folder.is_dir():
        raise InvalidInput(f"There is no folder {folder}. Check the path.")
    files: defaultdict[tuple[str, str], list[Path]] = defaultdict(list)
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        parts = path.relative_to(folder).parts
        if not any(part.startswith(_HIDDEN) for part in parts):
            files[_whose(parts)].append(path)
    if not files:
        raise InvalidInput(f"{folder} has no files. Unpack the submissions into it.")
    found = (Submitted(identifier, name, tuple(paths)) for (identifier, name), paths in files.items())
    return sorted(found, key=lambda one: (one.name.casefold(), one.identifier))


def _whose(parts: tuple[str, ...]) -> tuple[str, str]:
    """Identifier and name of the student whose file it is."""
    first = parts[0]
    if moodle := _MOODLE.match(first):
        return f"Participant {moodle['id']}", moodle["name"]
    if len(parts) == 1 and (canvas := _CANVAS.match(first)):
        return canvas["id"], canvas["name"]
    own = first if len(parts) > 1 else Path(first).stem
    return own, own
