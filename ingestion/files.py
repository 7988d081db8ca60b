"""Which files an ingestion run is about, and how the course file says they are read."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from core.course import Course, matches
from core.course.calendar import SET_DATES
from core.errors import InvalidInput, UnreadableDocument
from core.review import FROM_REVIEW
from core.store.tables import DocumentRow
from core.types import Source, Visibility
from ingestion.loaders import CODE, DECLARATIONS, SUFFIXES
from ingestion.naming.names import is_starter


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file to ingest. `name` is the path below the ingested folder's parent, with forward slashes."""

    path: Path
    name: str
    size: int
    sha256: str

    def read(self) -> bytes:
        """Raises `UnreadableDocument` for a file gone or changed since discovery."""
        try:
            data = self.path.read_bytes()
        except OSError as error:
            raise UnreadableDocument(f"{self.name} cannot be read: {error.strerror}.") from error
        if hashlib.sha256(data).hexdigest() != self.sha256:
            raise UnreadableDocument(f"{self.name} changed while it was being ingested. Ingest it again.")
        return data


@dataclass(frozen=True, slots=True)
class Skipped:
    name: str
    reason: str


@dataclass(frozen=True)
class Discovery:
    files: tuple[SourceFile, ...]
    skipped: tuple[Skipped, ...]
    folders: tuple[str, ...] | None
    """Names of the folders that were read whole: a stored document below one that is gone has vanished. None where the
    files are all that the course has of its source."""
    empty: tuple[Path, ...] = ()
    """Folders without a single file that can be ingested."""

    def vanished(self, stored: Mapping[str, DocumentRow]) -> list[DocumentRow]:
        """Stored documents of folders read whole whose file is gone; not those that no file makes."""
        names = {file.name for file in self.files}
        folders = ("",) if self.folders is None else tuple(f"{folder}/" for folder in self.folders)
        return [
            row
            for name, row in stored.items()
            if name not in names and name.startswith(folders) and row.build not in (FROM_REVIEW, SET_DATES)
        ]


def discover(paths: list[Path]) -> Discovery:
    """All loadable files below `paths`, sorted by name. Raises `InvalidInput` for bad paths and shared names."""
    files: dict[str, SourceFile] = {}
    skipped: list[Skipped] = []
    folders: list[str] = []
    empty: list[Path] = []
    for path in paths:
        root = path.resolve()
        if root.is_dir():
            folders.append(root.name)
            members = list(_below(root, skipped))
            empty += [path] if not members else []
        elif root.is_file():
            _demand_known_format(root)
            if not os.access(root, os.R_OK):
                raise InvalidInput(f"{path} cannot be read. Check its permissions.")
            members = [root]
        else:
            raise InvalidInput(f"There is no file or folder {path}. Check the path.")
        for file in members:
            _add(files, file, (root if root.is_dir() else root.parent).parent)
    return Discovery(tuple(files[name] for name in sorted(files)), tuple(skipped), tuple(folders), tuple(empty))


def nothing_in(folder: Path) -> str:
    """Says that a folder holds nothing to ingest, and what it could hold."""
    return f"{folder} has no file that can be ingested. Supported: {', '.join(sorted(SUFFIXES))}."


def without_excluded(discovery: Discovery, patterns: Sequence[str], course: Course, source: Source) -> Discovery:
    """Without files that a pattern or the course file excludes; those are skipped, and earlier versions vanish.

    So is code of assignments that nothing marks as given to students.
    """
    reasons = {file.name: _exclusion(file, patterns, course) for file in discovery.files}
    if source is Source.ASSIGNMENT:
        reasons = {file.name: reasons[file.name] or _doubt(file, course) for file in discovery.files}
    skipped = (Skipped(name, reason) for name, reason in reasons.items() if reason)
    files = tuple(file for file in discovery.files if not reasons[file.name])
    return replace(discovery, files=files, skipped=(*discovery.skipped, *skipped))


def _exclusion(file: SourceFile, patterns: Sequence[str], course: Course) -> str:
    names = (file.name, f"/{file.path.as_posix().lstrip('/')}")
    for pattern in patterns:
        if any(matches(name, pattern) for name in names):
            return f"excluded by --exclude {pattern}"
    rules = [rule for rule in course.rules_for(file.name, file.path) if rule.exclude is not None]
    return f"excluded by the course file's rule for {rules[-1].match}" if rules and rules[-1].exclude else ""


def _doubt(file: SourceFile, course: Course) -> str:
    """Why code is left out: it has no sentences by which a solution could be told from what students begin with."""
    suffix = PurePosixPath(file.name).suffix.lower()
    is_decided = any(rule.visibility for rule in course.rules_for(file.name, file.path))
    if suffix not in CODE or suffix in DECLARATIONS or is_decided or is_starter(file.name):
        return ""
    return "code of an assignment may be its solution; a rule with visibility in the course file takes it in"


def is_text(name: str, course: Course, path: Path | None = None) -> bool:
    """Whether the course file's last matching rule says the file is text."""
    decided = [rule.is_text for rule in course.rules_for(name, path) if rule.is_text is not None]
    return bool(decided and decided[-1])


def shows_notes(name: str, course: Course, path: Path | None = None) -> bool:
    """Whether the course file's last matching rule shows speaker notes to students."""
    decided = [rule.notes for rule in course.rules_for(name, path) if rule.notes]
    return bool(decided) and decided[-1] is Visibility.STUDENT


def _below(root: Path, skipped: list[Skipped]) -> Iterator[Path]:
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        if any(part.startswith((".", "__")) for part in relative.parts) or not path.is_file():
            continue
        name = _printable(str(PurePosixPath(root.name, *relative.parts)))
        if not path.resolve().is_relative_to(root):
            skipped.append(Skipped(name, "a link that leads out of the folder"))
        elif not os.access(path, os.R_OK):
            skipped.append(Skipped(name, "not readable; check its permissions"))
        elif path.suffix.lower() not in SUFFIXES:
            skipped.append(Skipped(name, f"format {path.suffix or '(none)'} is not supported"))
        else:
            yield path


def _demand_known_format(path: Path) -> None:
    if path.suffix.lower() not in SUFFIXES:
        raise InvalidInput(f"{path.name}: the format {path.suffix or '(none)'} is not supported. Supported: "
                           f"{', '.join(sorted(SUFFIXES))}.")  # fmt: skip


def _add(files: dict[str, SourceFile], path: Path, base: Path) -> None:
    name = _printable(str(PurePosixPath(*path.relative_to(base).parts)))
    if name in files and files[name].path != path:
        raise InvalidInput(f"{files[name].path} and {path} would both be stored as {name}. Rename one of the folders.")
    with path.open("rb") as file:
        files[name] = SourceFile(path, name, path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest())


def _printable(name: str) -> str:
    return os.fsencode(name).decode("utf-8", "backslashreplace")
