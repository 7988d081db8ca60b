"""The folders of ELOQUENT Sensemaking: `source/chapter/section` with `text.txt`, its translation, and questions."""

from __future__ import annotations

from pathlib import Path

from core.errors import InvalidInput, UnreadableDocument
from core.types import Value
from eval.sensemaking.formats.submissions import ListKind, Rows, is_named, read_json, usable_rows
from ingestion.document import LineKind
from ingestion.loaders import SUFFIXES, load

TEXT = "text.txt"
ENGLISH = "text.en.txt"
SOURCE = "source"
"""Name, without its ending, of the file that a section's text comes from."""
AUDIO = (".mp3", ".wav", ".m4a", ".ogg", ".flac")


class Section(Value):
    """A text that questions are asked about. `path` is relative to the folder, with slashes."""

    path: str
    text: str
    english: str | None = None
    questions: dict[str, Rows]

    @property
    def readable(self) -> str:
        """The English text where there is one, since questions and answers are in English."""
        return self.english or self.text


class Sections(Value):
    """The usable sections of a folder in the order of their paths, and what was wrong with the others."""

    found: tuple[Section, ...]
    problems: tuple[str, ...] = ()


def read_sections(folder: Path) -> Sections:
    """Every folder with a text or its source, at any depth. Raises `InvalidInput` if there is none."""
    if not folder.is_dir():
        raise InvalidInput(f"{folder} is not a folder. Name the one that holds the sources.")
    found: list[Section] = []
    links = sorted(path for path in folder.rglob("*") if path.is_symlink() and path.is_dir())
    problems = [f"{path} is a link to a folder, which is not followed. Copy that folder here." for path in links]
    for place in sorted({path.parent for name in (TEXT, ENGLISH, f"{SOURCE}.*") for path in folder.rglob(name)}):
        try:
            found.append(_read(place, folder, problems))
        except InvalidInput as error:
            problems.append(str(error))
    if not found and not problems:
        raise InvalidInput(f"{folder} holds no section: a folder with {TEXT}, {ENGLISH} or {SOURCE}.pdf.")
    return Sections(found=tuple(found), problems=tuple(problems))


def _read(place: Path, folder: Path, problems: list[str]) -> Section:
    """The section without those of its questions that cannot be used, which `problems` gets."""
    if place == folder:
        raise InvalidInput(f"{place} is itself a section. Name the folder of its source instead.")
    texts = {name: _text(place / name, folder) for name in (TEXT, ENGLISH) if (place / name).exists()}
    text = texts.get(TEXT) or texts.get(ENGLISH) or (None if texts else _source_text(place, folder))
    if not text:
        raise InvalidInput(f"{place}: the section is empty. Write its text to {TEXT}, or remove the folder.")
    questions: dict[str, Rows] = {}
    for path in sorted(path for path in place.glob("*.json") if is_named(path.name, ListKind.QUESTIONS)):
        try:
            found = usable_rows(read_json(_inside(path, folder)), ListKind.QUESTIONS)
        except InvalidInput as error:
            problems += [line if str(path) in line else f"{path}: {line}" for line in str(error).split("\n")]
            continue
        questions[path.name] = found.rows
        problems += [f"{path}: {problem}" for problem in found.problems]
    return Section(
        path=place.relative_to(folder).as_posix(),
        text=text,
        english=texts.get(ENGLISH) or None,
        questions=questions,
    )


def _text(path: Path, folder: Path) -> str:
    try:
        return _inside(path, folder).read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read as UTF-8 text: {error}.") from error


def _source_text(place: Path, folder: Path) -> str:
    """The text of the file that the section comes from: a PDF, slides, a transcript. Raises `InvalidInput`."""
    files = sorted(path for path in place.glob(f"{SOURCE}.*") if path.suffix.lower() in SUFFIXES)
    if not files:
        heard = next((path for path in place.glob(f"{SOURCE}.*") if path.suffix.lower() in AUDIO), None)
        if heard is None:
            raise InvalidInput(f"{place}: no file there can be read. Write its text to {TEXT}.")
        raise InvalidInput(
            f"{heard}: audio is not transcribed. Put its transcript beside it as {SOURCE}.vtt or {TEXT}."
        )
    file = _inside(files[0], folder)
    try:
        lines = load(file.name, file.read_bytes()).lines
    except (OSError, UnreadableDocument) as error:
        raise InvalidInput(f"{file} cannot be read: {error}") from error
    prose = (line for line in lines if line.kind is LineKind.PROSE)
    # What heads a part of a recording is its time.
    return "\n".join(line.text for line in prose if not (line.level and line.seconds)).strip()


def _inside(path: Path, folder: Path) -> Path:
    if not path.resolve().is_relative_to(folder.resolve()):
        raise InvalidInput(f"{path} is a link that leaves {folder}. Copy the file into it.")
    return path
