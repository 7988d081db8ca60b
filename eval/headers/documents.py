"""Header data sets: documents, the headers that stand in them, and blank/solution twins.

Three layouts of a folder:

- `plain/ID.txt` and `gold.jsonl`: text without marks. A row has `id` and `headers`, a list of `title`, `is_question`
  and the 0-based `line` in the text file.
- documents of any format that can be ingested and `gold.jsonl`: a header without `line` is known by its title.
- documents alone, some of them twins by name: `hw1.pdf` with `hw1_sol.pdf`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from core.dataset import Dataset
from core.errors import InvalidInput, UnreadableDocument
from eval.datasets.jsonl import JsonLine, read_unique, validated
from ingestion.document import LoadedDocument
from ingestion.loaders import SUFFIXES, load
from ingestion.naming.names import pair_of

GOLD, PLAIN = "gold.jsonl", "plain"


class GoldHeader(BaseModel):
    """A header labelled by a person, or marked by the document's author."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    title: Annotated[str, Field(min_length=1)]
    is_question: bool
    line: Annotated[int, Field(ge=0)] | None = None


class GoldRow(BaseModel):
    """One line of `gold.jsonl`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: Annotated[str, Field(min_length=1)]
    headers: tuple[GoldHeader, ...]


@dataclass(frozen=True)
class LabelledDocument:
    """`document` is None if it could not be loaded; its headers then count as missed."""

    name: str
    document: LoadedDocument | None
    headers: tuple[GoldHeader, ...]
    id: str = ""
    """Of its row in the file of labels."""
    reason: str = ""
    """Why it could not be loaded."""

    @property
    def text(self) -> str:
        return self.name

    @property
    def contents(self) -> tuple[Any, ...]:
        return (self.id, [header.model_dump_json() for header in self.headers], _lines(self.document))

    @property
    def questions(self) -> tuple[GoldHeader, ...]:
        return tuple(header for header in self.headers if header.is_question)


@dataclass(frozen=True)
class TwinDocuments:
    """An assignment and the same with solutions."""

    blank_name: str
    solution_name: str
    blank: LoadedDocument
    solution: LoadedDocument
    id: str = ""
    """Path of the assignment and its pair."""

    @property
    def text(self) -> str:
        return f"{self.blank_name} and {self.solution_name}"

    @property
    def contents(self) -> tuple[Any, ...]:
        return (self.id, self.text, _lines(self.blank), _lines(self.solution))


@dataclass(frozen=True)
class UnreadableTwin:
    """A document without labels that could not be loaded, so that there is no pair."""

    id: str
    reason: str

    @property
    def text(self) -> str:
        return self.id

    @property
    def contents(self) -> tuple[str, str]:
        return (self.id, self.reason)


HeaderItem = LabelledDocument | TwinDocuments | UnreadableTwin


@dataclass(frozen=True)
class HeaderDataset:
    name: str
    labelled: tuple[LabelledDocument, ...]
    twins: tuple[TwinDocuments, ...]
    unreadable: tuple[UnreadableTwin, ...] = ()

    @property
    def items(self) -> Dataset[HeaderItem]:
        """Documents and pairs as the items of an evaluation."""
        return Dataset(self.name, (*self.labelled, *self.twins, *self.unreadable))


def _lines(document: LoadedDocument | None) -> list[str]:
    return [line.text for line in document.lines] if document else []


def read_header_dataset(folder: Path) -> HeaderDataset:
    """Read and load a data set. Raises `InvalidInput` naming the missing file, the broken line or the unknown id."""
    if not folder.is_dir():
        raise InvalidInput(f"There is no folder {folder}. Check the path.")
    reader = _Reader()
    gold = folder / GOLD
    labelled = tuple(_labelled(gold, reader)) if gold.is_file() else ()
    twins = tuple(_twins(folder, reader))
    if not labelled and not twins and not reader.failures:
        raise InvalidInput(
            f"{folder} has neither {GOLD} nor a document with a twin that holds its solutions (hw1.pdf, hw1_sol.pdf)."
        )
    unlabelled = [path for path in reader.failures if path.name not in {one.name for one in labelled}]
    unreadable = (UnreadableTwin(path.relative_to(folder).as_posix(), reader.failures[path]) for path in unlabelled)
    return HeaderDataset(folder.resolve().name, labelled, twins, tuple(unreadable))


class _Reader:
    """Loads each file once and keeps what failed."""

    def __init__(self) -> None:
        self.failures: dict[Path, str] = {}
        self._loaded: dict[Path, LoadedDocument] = {}

    def load(self, path: Path) -> LoadedDocument | None:
        if path not in self._loaded and path not in self.failures:
            try:
                self._loaded[path] = load(path.name, path.read_bytes())
            except (UnreadableDocument, OSError) as error:
                self.failures[path] = str(error)
        return self._loaded.get(path)


def _labelled(gold: Path, reader: _Reader) -> Iterator[LabelledDocument]:
    for row in read_unique(gold).values():
        headers = validated(row, GoldRow).headers
        path = _document_of(row)
        document = reader.load(path)
        _demand_lines(row, headers, document)
        yield LabelledDocument(path.name, document, headers, row.id, reader.failures.get(path, ""))


def _document_of(row: JsonLine) -> Path:
    """The file that a row is about. The id is its name, with or without the suffix."""
    folder, name = row.path.parent, row.id
    if (folder / PLAIN).is_dir():
        wanted = [folder / PLAIN / f"{name}.txt"]
    else:
        wanted = [folder / name, *(folder / f"{name}{suffix}" for suffix in SUFFIXES)]
    for path in wanted:
        inside = path.resolve().is_relative_to(folder.resolve())
        if inside and path.is_file() and path.suffix.lower() in SUFFIXES and path != row.path:
            return path
    expected = f"{PLAIN}/{name}.txt" if len(wanted) == 1 else f"{name} with one of {', '.join(SUFFIXES)}"
    raise InvalidInput(f"{row.location}: there is no document with the id {name!r}. Expected {expected}.")


def _demand_lines(row: JsonLine, headers: Sequence[GoldHeader], document: LoadedDocument | None) -> None:
    lines = len(document.lines) if document else None
    for header in headers:
        if lines is not None and header.line is not None and header.line >= lines:
            raise InvalidInput(
                f"{row.location}: {row.id!r} has {lines} lines, so there is no header on line {header.line}."
            )


def _twins(folder: Path, reader: _Reader) -> Iterator[TwinDocuments]:
    """Pairs of documents whose names differ only in the word for solutions, ordered by name."""
    pairs: dict[str, dict[bool, Path]] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix.lower() in SUFFIXES and path.name != GOLD:
            pair, is_solution = pair_of(str(path.relative_to(folder).as_posix()))
            pairs.setdefault(pair, {}).setdefault(is_solution, path)
    for found in pairs.values():
        if len(found) == 2:
            blank, solution = reader.load(found[False]), reader.load(found[True])
            if blank and solution:
                pair_id = f"{found[False].relative_to(folder).as_posix()} and its solutions"
                yield TwinDocuments(found[False].name, found[True].name, blank, solution, pair_id)
