"""Which files an ingestion run is about, and what each is to the course."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from unicodedata import normalize

from core.course import Course, matches
from core.errors import InvalidInput, UnreadableDocument
from core.review import FROM_REVIEW
from core.store.tables import DocumentRow
from core.types import Source, Visibility
from ingestion.loaders import SUFFIXES
from ingestion.vocabulary import SHEETS, SOLUTION_FILES, any_of

_SOLUTION = f"(?:{any_of(SOLUTION_FILES)})"
_SOLUTION_NAME = re.compile(
    rf"[-_. (]+(?:staff[-_ ]?)?{_SOLUTION}(?:[-_. ]+(?:v?\d+|final|staff))*\)?$|(?<=\d)sol(?:utions?)?$"
    r"|^(?:sols?|solutions?|answers?)[-_. ]+(?=.)",
    re.IGNORECASE,
)
_ALL_SOLUTION = re.compile(rf"(?:staff[-_ ]?)?{_SOLUTION}(?:[-_ ]?\d+)?", re.IGNORECASE)
_OTHERWISE = r"(?:template|blank|guidelines?|instructions?|format|form|polic(?:y|ies)|request|survey|checker)"
_WITH_REMARK = re.compile(
    # "disc11_solutions_with_q4", "midterm_sol_fa19"; not "numerical_solutions_of_odes" or "hw3_solution_template"
    rf"(?<=.)[-_. (]+(?:staff[-_ ]?)?(?:{SOLUTION_FILES['en'].replace('|key|', '|')})"
    rf"(?:[-_. ]+(?!{_OTHERWISE}(?![a-z]))\w+?(?=[-_. )]|$))+\)?$",
    re.IGNORECASE,
)
_HIDDEN_TESTS = re.compile(r"(?<![a-z])hidden[-_. ]?tests?(?![a-z])", re.IGNORECASE)
_OF_A_SHEET = re.compile(rf"\d|(?<![a-z])(?:{any_of(SHEETS)})(?![a-z])", re.IGNORECASE)
_SOLUTION_FOLDER = re.compile(
    rf"[-_. (]+(?:staff[-_ ]?)?{_SOLUTION}(?:[-_. ]+(?:v?\d+|final|staff))*\)?$"
    r"|(?-i:(?<=[a-z])(?:Solutions?|Sols?|Answers?)$)"
    r"|^(?:staff[-_ ]?)?(?:sols?|solutions?|answers?)[-_. ]+(?:(?:to|for|of)[-_. ]+)?(?=.)",
    re.IGNORECASE,
)
_SUBJECTS = re.compile(
    r"(?:^|[-_. ])(?:numeric(?:al)?|analytic(?:al)?|exact|approximate|find(?:ing)?|weak|strong|series|general"
    r"|particular|buffer|aqueous|ideal|solid|saline|software|cloud|business)$",
    re.IGNORECASE,
)
"""Before "solutions" in the name of a folder, what makes them a subject of the course."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file to ingest. `name` is the path below the ingested folder's parent, with forward slashes."""

    path: Path
    name: str
    size: int
    sha256: str

    def read(self) -> bytes:
        """The content now. Raises `UnreadableDocument` where it went away or changed since it was discovered."""
        try:
            data = self.path.read_bytes()
        except OSError as error:
            raise UnreadableDocument(f"{self.name} cannot be read: {error.strerror}.") from error
        if hashlib.sha256(data).hexdigest() != self.sha256:
            raise UnreadableDocument(f"{self.name} changed while it was being ingested. Ingest it again.")
        return data


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that is left out, and why."""

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
        """Stored documents, by name, below a folder that was read whole, whose file is not there any more.

        Threads that came from a review never had a file.
        """
        names = {file.name for file in self.files}
        folders = ("",) if self.folders is None else tuple(f"{folder}/" for folder in self.folders)
        return [
            row
            for name, row in stored.items()
            if name not in names and name.startswith(folders) and row.build != FROM_REVIEW
        ]


def discover(paths: list[Path]) -> Discovery:
    """All files that can be loaded below `paths`, sorted by name.

    Raises `InvalidInput` for a path that does not exist, a single file of an unknown format, or two files that would
    share a name.
    """
    files: dict[str, SourceFile] = {}
    skipped: list[Skipped] = []
    folders: list[str] = []
    empty: list[Path] = []
    for path in paths:
        root = path.resolve()
        if root.is_dir():
            folders.append(root.name)
            found = list(_below(root, skipped))
            empty += [path] if not found else []
        elif root.is_file():
            _demand_known_format(root)
            if not os.access(root, os.R_OK):
                raise InvalidInput(f"{path} cannot be read. Check its permissions.")
            found = [root]
        else:
            raise InvalidInput(f"There is no file or folder {path}. Check the path.")
        for file in found:
            _add(files, file, (root if root.is_dir() else root.parent).parent)
    return Discovery(tuple(files[name] for name in sorted(files)), tuple(skipped), tuple(folders), tuple(empty))


def nothing_in(folder: Path) -> str:
    """Says that a folder holds nothing to ingest, and what it could hold."""
    return f"{folder} has no file that can be ingested. Supported: {', '.join(sorted(SUFFIXES))}."


def without_excluded(found: Discovery, patterns: Sequence[str], course: Course) -> Discovery:
    """The files found without those whose name matches a pattern, or that the course file excludes.

    They are reported as skipped; what was ingested of them before counts as vanished.
    """
    reasons = {file.name: _exclusion(file, patterns, course) for file in found.files}
    skipped = (Skipped(name, reason) for name, reason in reasons.items() if reason)
    files = tuple(file for file in found.files if not reasons[file.name])
    return replace(found, files=files, skipped=(*found.skipped, *skipped))


def _exclusion(file: SourceFile, patterns: Sequence[str], course: Course) -> str:
    """Why a file is left out, or nothing."""
    names = (file.name, f"/{file.path.as_posix().lstrip('/')}")
    for pattern in patterns:
        if any(matches(name, pattern) for name in names):
            return f"excluded by --exclude {pattern}"
    rules = [rule for rule in course.rules_for(file.name, file.path) if rule.exclude is not None]
    return f"excluded by the course file's rule for {rules[-1].match}" if rules and rules[-1].exclude else ""


def pair_of(name: str) -> tuple[str, bool]:
    """The name that an assignment and its solution document share, and whether this is the solution.

    `hw3/hw3.pdf`, `hw3/hw3_sol.ipynb`, `hw3/solutions.md` and `solutions/hw3/hw3.pdf` all give `hw3/hw3`, and
    `sets-solutions/1/ps1sol.pdf` gives `sets/1/ps1`.
    """
    path = PurePosixPath(normalize("NFC", name))
    folders = [_plain_folder(part) for part in path.parts[:-1] if not _ALL_SOLUTION.fullmatch(part)]
    stem = _plain_stem(path.stem)
    if _ALL_SOLUTION.fullmatch(path.stem):
        stem = folders[-1] if folders else ""
    return "/".join([*folders, stem]).casefold(), (*folders, stem) != (*path.parts[:-1], path.stem)


def _plain_stem(stem: str) -> str:
    """A file's name without the word for solutions and what is said of them."""
    plain = _SOLUTION_NAME.sub("", stem)
    if plain == stem and (match := _WITH_REMARK.search(stem)) and _OF_A_SHEET.search(stem[: match.start()]):
        return stem[: match.start()]
    return plain


def _plain_folder(name: str) -> str:
    """A folder's name without the word for solutions, as where they stand in a tree beside that of the assignments."""
    match = _SOLUTION_FOLDER.search(name)
    if match is None or _SUBJECTS.search(name[: match.start()]):
        return name
    return name[: match.start()] + name[match.end() :]


def visibility_of(name: str, source: Source, course: Course, path: Path | None = None) -> Visibility:
    """The course file's last rule that matches; without one, solution documents of assignments are for staff."""
    decided = [rule.visibility for rule in course.rules_for(name, path) if rule.visibility]
    if decided:
        return decided[-1]
    is_solution = source is Source.ASSIGNMENT and pair_of(name)[1]
    return Visibility.STAFF if is_solution or holds_hidden_tests(name) else Visibility.STUDENT


def holds_hidden_tests(name: str) -> bool:
    """Whether a file or one of its folders is named after tests that students do not see."""
    return bool(_HIDDEN_TESTS.search(name))


def is_text(name: str, course: Course, path: Path | None = None) -> bool:
    """Whether the course file says that a file is text, even where it looks like data; its last rule that matches."""
    decided = [rule.is_text for rule in course.rules_for(name, path) if rule.is_text is not None]
    return bool(decided and decided[-1])


def shows_notes(name: str, course: Course, path: Path | None = None) -> bool:
    """Whether students may see the speaker notes in a deck; the course file's last rule that matches says so."""
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
    """The name as UTF-8, bytes of another encoding written as escapes."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")
