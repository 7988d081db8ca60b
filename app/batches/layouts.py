"""Whose submission a file is, by the outermost name that Moodle or Canvas gave it; names below are a student's."""

from __future__ import annotations

import errno
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from core.errors import InvalidInput
from core.files import readable

_MOODLE = re.compile(r"_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)(?=_|$)")
"""In the name of a folder, or with "download submissions in folders" switched off at the beginning of a file's."""
_CANVAS = re.compile(r"^(?P<name>[^_]+)_(?:LATE_)?(?P<id>\d+)_(?P<submission>\d+)_(?P<file>.+)$")
_HIDDEN = (".", "__MACOSX", "~$")


@dataclass(frozen=True)
class Submitted:
    """One student's files; `is_listed` if Moodle or Canvas wrote the name, `problem` if the files cannot be used."""

    identifier: str
    name: str
    files: tuple[Path, ...]
    problem: str = ""
    is_listed: bool = True


@dataclass(frozen=True)
class _Owner:
    identifier: str
    name: str
    is_listed: bool = True
    problem: str = ""


def submissions_in(folder: Path, listed: Mapping[str, str] | None = None) -> list[Submitted]:
    """The submissions of a folder, by name; `listed` are known full names by identifier.

    A submission with links, pipes or devices has a problem. Raises `InvalidInput` if there is none.
    """
    if not folder.is_dir():
        raise InvalidInput(f"There is no folder {readable(str(folder))}. Check the path.")
    owned: defaultdict[_Owner, list[os.DirEntry[str]]] = defaultdict(list)
    try:
        for entry in _visible(folder):
            owned[_owner(entry, listed or {})].append(entry)
    except OSError as error:
        raise InvalidInput(f"{readable(str(folder))} cannot be read: {error.strerror}.") from error
    submissions = [
        submission for owner, entries in owned.items() if (submission := _submission(owner, entries)) is not None
    ]
    if not submissions:
        raise InvalidInput(f"{readable(str(folder))} has no files. Unpack the submissions into it.")
    return sorted(_without_doubles(submissions), key=lambda one: (one.name.casefold(), one.identifier))


def _visible(folder: Path | os.DirEntry[str]) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return sorted((one for one in entries if not one.name.startswith(_HIDDEN)), key=lambda one: one.name)


def _submission(owner: _Owner, entries: Iterable[os.DirEntry[str]]) -> Submitted | None:
    files: list[Path] = []
    problems = [owner.problem] if owner.problem else []
    for entry in entries:
        try:
            files += _files(entry)
        except OSError as error:
            problems.append(f"{readable(error.filename or entry.name)} cannot be read: {error.strerror}.")
    if not files and not problems:
        return None
    return Submitted(owner.identifier, owner.name, tuple(files), " ".join(problems), owner.is_listed)


def _files(entry: os.DirEntry[str]) -> Iterator[Path]:
    """The files at and below an entry. Raises `OSError` for anything else."""
    left = [entry]
    while left:
        entry = left.pop()
        if entry.is_dir(follow_symlinks=False):
            left += reversed(_visible(entry))
        elif entry.is_file(follow_symlinks=False):
            yield Path(entry.path)
        else:
            kind = "a link, which is not followed" if entry.is_symlink() else "neither a file nor a folder"
            raise OSError(errno.EINVAL, f"it is {kind}. Ask the student for the file itself", entry.name)


def _owner(entry: os.DirEntry[str], listed: Mapping[str, str]) -> _Owner:
    name = readable(entry.name)
    readings = [_Owner(f"Participant {found['id']}", name[: found.start()]) for found in _MOODLE.finditer(name)]
    readings = [one for one in readings if one.name.strip()]
    if len(readings) > 1:
        # Students name their files, and perhaps themselves: only the course's own list can tell.
        known = [one for one in readings if listed.get(one.identifier) == one.name]
        participants = " and ".join(one.identifier for one in readings)
        problem = f"The name of the file or folder fits {participants}. Rename it, so that it names one of them."
        return known[0] if len(known) == 1 else _Owner(name, name, is_listed=False, problem=problem)
    if readings:
        return readings[0]
    if entry.is_file(follow_symlinks=False) and (canvas := _CANVAS.match(name)):
        return _Owner(canvas["id"], canvas["name"])
    own = name if entry.is_dir(follow_symlinks=False) else Path(name).stem
    return _Owner(own, own, is_listed=False)


def _without_doubles(submissions: list[Submitted]) -> list[Submitted]:
    by_id: defaultdict[str, list[Submitted]] = defaultdict(list)
    for submitted in submissions:
        by_id[submitted.identifier].append(submitted)
    return [
        submitted
        if len(by_id[submitted.identifier]) == 1
        else replace(
            submitted,
            identifier=f"{submitted.identifier} ({submitted.name})",
            problem=f"Several names claim {submitted.identifier}: "
            + ", ".join(sorted({one.name for one in by_id[submitted.identifier]}))
            + ". Leave one of them in the folder.",
        )
        for submitted in submissions
    ]
