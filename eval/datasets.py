"""Retrieval data sets: queries, and the places that answer each.

On disk: `corpus.jsonl`, `queries.jsonl`, `qrels.tsv`. A corpus row is one passage: `id`, `text`, and where it stands as
`chapter`, `section` and `heading`; `module` names the unit that judgements are about, the row itself if none. A query
has `id`, `text` and perhaps `kind`. `qrels.tsv` has the columns query-id, corpus-id, score.

A course's own labels have no corpus: their corpus ids are places in its material, `DOCUMENT > Heading > Sub-heading`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote, unquote

from core.errors import InvalidInput
from core.private_files import write_private
from core.types import Passage
from eval.jsonl import read_rows, read_unique

CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels.tsv"
SEPARATOR = " > "
"""Between the headings of a place."""


@dataclass(frozen=True, slots=True)
class CorpusRow:
    id: str
    module: str
    chapter: str
    section: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Query:
    id: str
    text: str
    kind: str
    relevant: frozenset[str]
    """Places that answer it."""


PlaceOf = Callable[[Query, Passage], str]
"""The place that a passage stands for when that query is asked, in the words of the judgements."""


@dataclass(frozen=True)
class Dataset:
    """`queries` are those that were judged; `unjudged` names the others."""

    name: str
    corpus: tuple[CorpusRow, ...]
    queries: tuple[Query, ...]
    unjudged: tuple[str, ...] = ()


def read_dataset(folder: Path) -> Dataset:
    """Read a data set. Raises `InvalidInput` naming the missing file, the bad line or the unknown id."""
    _demand(folder, CORPUS, QUERIES, QRELS)
    corpus = tuple(_corpus_row(row.content) for row in read_rows(folder / CORPUS, "text"))
    known = {row.module for row in corpus} | {row.id for row in corpus}
    queries, unjudged = _judged(folder, lambda place: place in known)
    return Dataset(folder.name, corpus, queries, unjudged)


def read_labels(folder: Path) -> Dataset:
    """Read a course's own labelled queries. Whether their places exist is known only with its material at hand."""
    _demand(folder, QUERIES, QRELS)
    queries, unjudged = _judged(folder, lambda place: bool(place.strip()))
    return Dataset(folder.name, (), queries, unjudged)


def write_markdown(dataset: Dataset, folder: Path) -> None:
    """Write the corpus as a Markdown book, one file per module named after it, as an instructor would ingest it."""
    modules: dict[str, list[CorpusRow]] = {}
    for row in dataset.corpus:
        modules.setdefault(row.module, []).append(row)
    for module, rows in modules.items():
        write_private(folder / f"{quote(module, safe='')}.md", "\n".join(_markdown(rows)))


def corpus_places(dataset: Dataset) -> PlaceOf:
    """For passages of the book that `write_markdown` wrote: their row where rows were judged, else their module."""
    judged = {place for query in dataset.queries for place in query.relevant}
    rows: dict[tuple[str, str], str] = {}
    for row in dataset.corpus:
        rows.setdefault((row.module, row.heading or row.section or row.chapter), row.id)

    def place_of(_query: Query, passage: Passage) -> str:
        module = unquote(PurePosixPath(passage.document).stem)
        row = rows.get((module, passage.heading_path[-1] if passage.heading_path else ""))
        return row if row in judged else module

    return place_of


def course_place(query: Query, passage: Passage) -> str:
    """For a passage of a course: the place that answers the query, where it stands in one; else its own."""
    places = _places(passage)
    return next((place for place in places if place in query.relevant), places[0])


def missing_places(queries: Sequence[Query], passages: Collection[Passage]) -> list[str]:
    """Judged places that a course's material does not have."""
    judged = {place for query in queries for place in query.relevant}
    return sorted(judged - {place for passage in passages for place in _places(passage)})


def _places(passage: Passage) -> list[str]:
    """The places a passage stands in, the deepest first."""
    path = (passage.document, *passage.heading_path)
    return [SEPARATOR.join(path[:depth]) for depth in range(len(path), 0, -1)]


def _corpus_row(row: dict[str, Any]) -> CorpusRow:
    fields = {field: str(row.get(field) or "") for field in CorpusRow.__slots__}
    return CorpusRow(**{**fields, "module": fields["module"] or fields["id"]})


def _markdown(rows: list[CorpusRow]) -> Iterator[str]:
    if rows[0].chapter:
        yield f"# {rows[0].chapter}\n"
    if rows[0].section:
        yield f"## {rows[0].section}\n"
    for row in rows:
        if row.heading and row.heading != row.section:
            yield f"### {row.heading}\n"
        # A line of the text that begins like a heading is text.
        yield re.sub(r"(?m)^(#+ )", r"\\\1", row.text) + "\n"


def _demand(folder: Path, *names: str) -> None:
    for name in names:
        if not (folder / name).is_file():
            raise InvalidInput(f"The data set {folder} has no {name}. It needs {', '.join(names)}.")


def _judged(folder: Path, exists: Callable[[str], bool]) -> tuple[tuple[Query, ...], tuple[str, ...]]:
    """The queries with a judgement, and the ids of those without."""
    rows = read_unique(folder / QUERIES, "text")
    relevant = _qrels(folder / QRELS, rows, exists)
    queries = tuple(
        Query(name, str(row.content["text"]), str(row.content.get("kind") or ""), frozenset(relevant[name]))
        for name, row in rows.items()
        if name in relevant
    )
    if not queries:
        raise InvalidInput(f"{folder / QRELS} judges none of the queries in {QUERIES}.")
    return queries, tuple(name for name in rows if name not in relevant)


def _qrels(path: Path, queries: Collection[str], exists: Callable[[str], bool]) -> dict[str, set[str]]:
    relevant: dict[str, set[str]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.DictReader(file, delimiter="\t"), 2):
            try:
                query, place, score = row["query-id"], row["corpus-id"], int(row["score"])
            except (KeyError, TypeError, ValueError) as error:
                raise InvalidInput(
                    f"{path} line {number}: expected query-id, corpus-id and a whole number as score, by tabs, "
                    "under a first line with these names."
                ) from error
            if query not in queries:
                raise InvalidInput(f"{path} line {number}: there is no query {query!r} in {QUERIES}.")
            if not exists(place):
                raise InvalidInput(f"{path} line {number}: there is no {place!r} in {CORPUS}.")
            if score > 0:
                relevant.setdefault(query, set()).add(place)
    return relevant
