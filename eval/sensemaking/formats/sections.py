"""The folders of ELOQUENT Sensemaking: `source/chapter/section` with `text.txt`, its translation, and questions."""

from __future__ import annotations

from collections.abc import Sequence
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
DEPTH, MIN_DEPTH = 3, 2
"""Folders of a section's path: source/chapter/section; the task has source/section as well."""
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
    """The usable sections of a folder in the order of their paths, what was wrong with the others, and remarks."""

    found: tuple[Section, ...]
    problems: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def read_sections(folder: Path) -> Sections:
    """Every folder `source/chapter/section`, or `source/section`, with a text or its source.

    Raises `InvalidInput` if there is none, and where another folder should have been named.
    """
    if not folder.is_dir():
        raise InvalidInput(f"{folder} is not a folder. Name the one that holds the sources.")
    found: list[Section] = []
    links = sorted(path for path in folder.rglob("*") if path.is_symlink() and path.is_dir())
    problems = [f"{path} is a link to a folder, which is not followed. Copy that folder here." for path in links]
    places = sorted({path.parent for name in (TEXT, ENGLISH, f"{SOURCE}.*") for path in folder.rglob(name)})
    _check_depths(places, folder)
    for place in places:
        try:
            found.append(_read(place, folder, problems))
        except InvalidInput as error:
            problems.append(str(error))
    problems += [
        f"{path}: the section is empty. Write its text to {TEXT}, or remove the folder."
        for path in _without_text(folder, places)
    ]
    if not found and not problems:
        raise InvalidInput(f"{folder} holds no section: a folder with {TEXT}, {ENGLISH} or {SOURCE}.pdf.")
    return Sections(found=tuple(found), problems=tuple(problems), remarks=_remarks(places, folder))


def _check_depths(places: Sequence[Path], folder: Path) -> None:
    """Raises `InvalidInput` naming the folder to give instead, where sections are too near to this one, or too deep."""
    depths = {place: len(place.relative_to(folder).parts) for place in places}
    lowest = min(depths.values(), default=DEPTH)
    if lowest < MIN_DEPTH:
        place = next(place for place in places if depths[place] == lowest)
        kind = "itself a section" if not lowest else "a chapter, or a source, of sections such as " + place.name
        above = folder.absolute().parents[MIN_DEPTH - lowest - 1]
        raise InvalidInput(f"{folder} is {kind}. Name the folder that holds the sources, such as {above}.")
    if max(depths.values(), default=0) > DEPTH:
        place = max(places, key=lambda one: depths[one])
        raise InvalidInput(
            f"{place} lies deeper than source/chapter/section below {folder}. Name a folder further down, such as "
            f"{place.parents[DEPTH - 1]}, or move the section."
        )


def _remarks(places: Sequence[Path], folder: Path) -> tuple[str, ...]:
    """That a source may have been named in place of the folder that holds it."""
    if not places or any(len(place.relative_to(folder).parts) == DEPTH for place in places):
        return ()
    return (
        f"The sections of {folder} are read as source/section. If it is a source with chapters itself, name "
        f"{folder.absolute().parent} instead.",
    )


def _without_text(folder: Path, places: Sequence[Path]) -> list[Path]:
    """Folders that should be sections: they hold no folder, and lie in no section."""
    known = set(places)
    inner = (path for path in sorted(folder.rglob("*")) if path.is_dir() and not path.is_symlink())
    return [
        path
        for path in inner
        if not known & {path, *path.parents}
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
        and not any(other.is_dir() for other in path.iterdir())
    ]


def _read(place: Path, folder: Path, problems: list[str]) -> Section:
    """The section without those of its questions that cannot be used, which `problems` gets."""
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
