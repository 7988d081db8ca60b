"""Retrieval data sets on disk: queries, and the locations that answer each.

`corpus.jsonl`, `queries.jsonl`, `qrels.tsv`. A corpus row is one passage: `id`, `text`, and where it stands as
`chapter`, `section` and `heading`; `module` names the unit that judgements are about, the row itself if none. A query
has `id`, `text` and perhaps `kind`. `qrels.tsv` has the columns query-id, corpus-id, score.

A course's own labels have no corpus: their corpus ids are locations in its material, `DOCUMENT > Heading > Section`.
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote, unquote

from core.errors import InvalidInput
from core.files import write_atomically
from core.types import Passage
from eval.datasets.jsonl import read_rows, read_unique
from eval.datasets.queries import LocationOf, Query

CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels.tsv"


@dataclass(frozen=True, slots=True)
class CorpusRow:
    id: str
    module: str
    chapter: str
    section: str
    heading: str
    text: str


@dataclass(frozen=True)
class Corpus:
    """Passages with queries about them. `queries` are the judged ones; `unjudged` names the others."""

    name: str
    rows: tuple[CorpusRow, ...]
    queries: tuple[Query, ...]
    unjudged: tuple[str, ...] = ()


def read_dataset(folder: Path) -> Corpus:
    """Read a data set. Raises `InvalidInput` naming the missing file, the bad line or the unknown id."""
    _demand(folder, CORPUS, QUERIES, QRELS)
    rows = tuple(_corpus_row(row.content) for row in read_rows(folder / CORPUS, "text"))
    known = {row.module for row in rows} | {row.id for row in rows}
    queries, unjudged = _judged(folder, lambda location: location in known)
    return Corpus(folder.name, rows, queries, unjudged)


def read_labels(folder: Path) -> Corpus:
    """Read a course's own labelled queries. Does not check that their locations exist in the material."""
    _demand(folder, QUERIES, QRELS)
    queries, unjudged = _judged(folder, lambda location: bool(location.strip()))
    return Corpus(folder.name, (), queries, unjudged)


def write_markdown(corpus: Corpus, folder: Path) -> None:
    """Write the corpus as a Markdown book, one file per module named after it, as an instructor would ingest it."""
    modules: dict[str, list[CorpusRow]] = {}
    for row in corpus.rows:
        modules.setdefault(row.module, []).append(row)
    for module, rows in modules.items():
        write_atomically(folder / f"{quote(module, safe='')}.md", "\n".join(_markdown(rows)).encode())


def corpus_locations(corpus: Corpus) -> LocationOf:
    """For passages of the book that `write_markdown` wrote: their row where rows were judged, else their module."""
    judged = {location for query in corpus.queries for location in query.relevant}
    rows: dict[tuple[str, str], str] = {}
    for row in corpus.rows:
        rows.setdefault((row.module, row.heading or row.section or row.chapter), row.id)

    def location_of(_query: Query, passage: Passage) -> str:
        module = unquote(PurePosixPath(passage.document).stem)
        row = rows.get((module, passage.heading_path[-1] if passage.heading_path else ""))
        return row if row in judged else module

    return location_of


def folder_digest(folder: Path) -> str:
    """Digest of all files of a data set."""
    digest = hashlib.sha256()
    for name in (CORPUS, QUERIES, QRELS):
        digest.update((folder / name).read_bytes())
    return digest.hexdigest()[:12]


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
        # Escape lines of the text that look like headings.
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
                query, location, score = row["query-id"], row["corpus-id"], int(row["score"])
            except (KeyError, TypeError, ValueError) as error:
                raise InvalidInput(
                    f"{path} line {number}: expected query-id, corpus-id and a whole number as score, separated by "
                    "tabs, below a first line with these names."
                ) from error
            if query not in queries:
                raise InvalidInput(f"{path} line {number}: there is no query {query!r} in {QUERIES}.")
            if not exists(location):
                raise InvalidInput(f"{path} line {number}: there is no {location!r} in {CORPUS}.")
            if score > 0:
                relevant.setdefault(query, set()).add(location)
    return relevant
