"""Retrieval data sets on disk: `corpus.jsonl`, `queries.jsonl`, `qrels.tsv`.

A corpus row is one passage: `id`, `text`, and its place as `chapter`, `section` and `heading`; `module` names the unit
that a relevance judgement is about. A query has `id`, `text` and perhaps `kind`. `qrels.tsv` has the columns
query-id, corpus-id, score.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import InvalidInput


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
    """Modules that answer it."""


@dataclass(frozen=True)
class Dataset:
    name: str
    corpus: tuple[CorpusRow, ...]
    queries: tuple[Query, ...]


def read_dataset(folder: Path) -> Dataset:
    """Read a data set. Raises `InvalidInput` naming the missing file, the bad line or the unknown id."""
    for name in ("corpus.jsonl", "queries.jsonl", "qrels.tsv"):
        if not (folder / name).is_file():
            raise InvalidInput(f"The data set {folder} has no {name}. It needs corpus.jsonl, queries.jsonl, qrels.tsv.")
    corpus = tuple(
        CorpusRow(**{field: str(row.get(field, "")) for field in CorpusRow.__slots__})
        for row in _rows(folder / "corpus.jsonl")
    )
    relevant = _qrels(folder / "qrels.tsv", {row.module for row in corpus} | {row.id for row in corpus})
    queries = tuple(
        Query(row["id"], row["text"], row.get("kind", ""), frozenset(relevant.get(row["id"], ())))
        for row in _rows(folder / "queries.jsonl")
    )
    return Dataset(folder.name, corpus, queries)


def write_markdown(dataset: Dataset, folder: Path) -> None:
    """Write the corpus as a Markdown book, one file per module named after it, as an instructor would ingest it."""
    folder.mkdir(parents=True, exist_ok=True)
    modules: dict[str, list[CorpusRow]] = {}
    for row in dataset.corpus:
        modules.setdefault(row.module, []).append(row)
    for module, rows in modules.items():
        (folder / f"{module}.md").write_text("\n".join(_markdown(rows)), encoding="utf-8")


def _markdown(rows: list[CorpusRow]) -> Iterator[str]:
    yield f"# {rows[0].chapter}\n"
    yield f"## {rows[0].section}\n"
    for row in rows:
        if row.heading != row.section:
            yield f"### {row.heading}\n"
        # A line of the text that begins like a heading is text.
        yield re.sub(r"(?m)^(#+ )", r"\\\1", row.text) + "\n"


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    # Not splitlines(): a JSON string may hold line separators other than the line feed.
    for number, line in enumerate(path.read_text(encoding="utf-8").rstrip("\n").split("\n"), 1):
        try:
            row = json.loads(line)
            row["id"], row["text"]
        except (ValueError, TypeError, KeyError) as error:
            raise InvalidInput(f"{path} line {number}: not a JSON object with id and text.") from error
        yield row


def _qrels(path: Path, known: set[str]) -> dict[str, set[str]]:
    relevant: dict[str, set[str]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.DictReader(file, delimiter="\t"), 2):
            if row["corpus-id"] not in known:
                raise InvalidInput(f"{path} line {number}: there is no {row['corpus-id']!r} in the corpus.")
            if int(row["score"]) > 0:
                relevant.setdefault(row["query-id"], set()).add(row["corpus-id"])
    return relevant
