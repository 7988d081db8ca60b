"""A course as its platform exports it: Common Cartridge, Moodle backup, forum export, or an archive of files.

`open_export` unpacks it into folders of ordinary files, one for each source, with rules for who may read which.
"""

from __future__ import annotations

import glob
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from core.course import Course
from core.errors import InvalidInput, UnreadableDocument
from core.types import Source
from ingestion.exports.archive import unpack
from ingestion.exports.cartridge import MANIFEST, Cartridge
from ingestion.exports.folder import CourseFolder
from ingestion.exports.forums import read_forum
from ingestion.exports.moodle import BACKUP, MoodleBackup
from ingestion.kinds import source_in_folder
from ingestion.loaders import SUFFIXES

ARCHIVES = (".imscc", ".mbz", ".zip", ".tar", ".tgz", ".gz")
EXPORTS = (*ARCHIVES, ".json")
"""Endings of what is unpacked."""
_META = (".xml", ".qti", ".json")
_MAX_MEMBER_BYTES = 100 * 2**20
_CLONE_SECONDS = 300


def is_export(path: str) -> bool:
    """Whether a path or address is a course's export or repository rather than a file or folder of it."""
    return path.startswith("https://") or Path(path).suffix.lower() in EXPORTS


@contextmanager
def open_export(path: str, source: Source | None, max_file_bytes: int = _MAX_MEMBER_BYTES) -> Iterator[CourseFolder]:
    """The course's files, for as long as the context lasts. `source` is what the files of a plain archive or
    repository are, None to go by their names; exports say it themselves.

    Raises `HostileDocument`, `OversizedDocument`, `EncryptedDocument`, `UnreadableDocument` and `InvalidInput`.
    """
    with tempfile.TemporaryDirectory(prefix="edumod-export-") as temporary:
        raw, root = Path(temporary) / "raw", Path(temporary) / "course"
        raw.mkdir()
        stem = PurePosixPath(path.rstrip("/")).name.split(".")[0] or "export"
        course = CourseFolder(root, "".join(c if c.isalnum() or c in "-_ " else "-" for c in stem))
        if path.startswith("https://"):
            _clone(path, raw)
        else:
            _open(Path(path), raw, course, max_file_bytes)
        _read(Path(path), raw, course, source)
        yield course


def with_rules(course: Course, export: CourseFolder) -> Course:
    """The course with what the export says of its files; its own rules come later, so they decide."""
    own = [rule for rule in course.documents if not rule.match.startswith(f"{export.stem}/")]
    exported = {rule.match for rule in export.rules}
    own += [
        rule for rule in course.documents if rule.match.startswith(f"{export.stem}/") and rule.match not in exported
    ]
    return course.model_copy(update={"documents": (*export.rules, *own)})


def with_kept_rules(course: Course, stored: Course, others: Iterable[str]) -> Course:
    """A course file with the rules that exports have left for `others`, documents that it does not name.

    Without them a quiz or an unpublished page would be for students as soon as the file is loaded again.
    """
    names = {glob.escape(name) for name in others}
    kept = [rule for rule in stored.documents if rule.match in names and rule not in course.documents]
    return course.model_copy(update={"documents": (*kept, *course.documents)}) if kept else course


def _open(path: Path, raw: Path, course: CourseFolder, max_file_bytes: int) -> None:
    if not path.is_file():
        raise InvalidInput(f"There is no file {path}. Check the path.")
    if path.suffix.lower() == ".json":
        (raw / path.name).write_bytes(path.read_bytes())
        return
    for name in unpack(path, raw, _is_wanted, max_file_bytes):
        course.skip(name, f"over {max_file_bytes // 2**20} MiB")


def _is_wanted(name: str) -> bool:
    """Documents and descriptions; blobs of Moodle have no ending."""
    parts = PurePosixPath(name)
    if any(part.startswith((".", "__MACOSX")) for part in parts.parts):
        return False
    return parts.suffix.lower() in (*SUFFIXES, *_META) or (parts.parts[0] == "files" and not parts.suffix)


def _read(path: Path, raw: Path, course: CourseFolder, source: Source | None) -> None:
    inner = next((folder for folder in (raw, *raw.iterdir()) if (folder / MANIFEST).is_file()), raw)
    if (inner / MANIFEST).is_file():
        Cartridge(inner, course).read()
    elif (raw / BACKUP).is_file():
        MoodleBackup(raw, course).read()
    elif not _read_forums(raw, course):
        _copy_files(path, raw, course, source)
    if not course.sources():
        raise UnreadableDocument(f"{path.name} has nothing that can be read. Supported: {', '.join(sorted(SUFFIXES))}.")


def _read_forums(raw: Path, course: CourseFolder) -> bool:
    """Whether any of the files is a forum's export; all that are one are read."""
    known = [read_forum(file, course) for file in sorted(raw.rglob("*.json"))]
    return any(known)


def _copy_files(path: Path, raw: Path, course: CourseFolder, source: Source | None) -> None:
    """The files of an archive or repository that is no platform's export."""
    if path.suffix.lower() == ".json":
        raise UnreadableDocument(f"{path.name}: no export of Ed, Piazza or Discourse that is known here.")
    for file in sorted(raw.rglob("*")):
        name = file.relative_to(raw)
        if any(part.startswith((".", "__")) for part in name.parts) or file.is_dir():
            continue
        if file.is_symlink() or not file.is_file():
            course.skip(str(name), "a link")
        elif file.suffix.lower() in SUFFIXES:
            course.copy(source or source_in_folder(name.as_posix()), name.as_posix(), file)
        elif file.suffix:
            course.skip(name.as_posix(), f"format {file.suffix} is not supported")


def _clone(address: str, folder: Path) -> None:
    """The newest files of a repository: over https, without submodules and without asking for a password."""
    settings = ("core.hooksPath=/dev/null", "protocol.allow=never", "protocol.https.allow=always")
    options = [part for setting in settings for part in ("-c", setting)]
    command = ["git", *options, "clone", "--quiet", "--depth=1", "--no-recurse-submodules", "--", address, str(folder)]
    environment = {"PATH": "/usr/bin:/bin:/usr/local/bin", "GIT_TERMINAL_PROMPT": "0", "GIT_LFS_SKIP_SMUDGE": "1"}
    try:
        done = subprocess.run(  # noqa: S603
            command, env=environment, capture_output=True, text=True, timeout=_CLONE_SECONDS, check=False
        )
    except FileNotFoundError as error:
        raise InvalidInput("git is not installed, so no repository can be read. Install it, or give a zip.") from error
    except subprocess.TimeoutExpired as error:
        raise UnreadableDocument(f"{address} was not fetched within {_CLONE_SECONDS} s.") from error
    if done.returncode:
        raise UnreadableDocument(f"{address} cannot be fetched: {done.stderr.strip()[-300:]}")
