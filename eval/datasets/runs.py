"""TREC run files: query, Q0, location, rank, score, name of the run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import InvalidInput
from core.store.tables import ResultRow, ResultState

COLUMNS = "query, Q0, document, rank, score, name of the run"


@dataclass(frozen=True, slots=True)
class RunLine:
    """A line of a run file; `number` is the line number, from 1."""

    number: int
    query: str
    location: str
    rank: int
    score: float
    run: str


def run_lines(name: str, rows: Iterable[ResultRow]) -> Iterator[str]:
    """Rankings as the lines of a run file, without line ends. Failed queries have none."""
    for row in rows:
        if row.state == ResultState.SCORED:
            for rank, location in enumerate(row.output, 1):
                yield f"{row.item} Q0 {in_run(location)} {rank} {len(row.output) - rank + 1} {in_run(name)}"


def in_run(name: str) -> str:
    """A location or a name in the form of a run file, whose columns must not contain white space."""
    return "_".join(name.split())


def read_run(path: Path) -> dict[str, list[str]]:
    """Ranked locations by query, best first: by descending score, equal ones by rank.

    Raises `InvalidInput` naming the file and the line of the error.
    """
    lines: dict[str, dict[str, RunLine]] = {}
    first: RunLine | None = None
    for line in _lines(path):
        first = first or line
        if line.run != first.run:
            raise InvalidInput(
                f"{path} line {line.number}: a second run, {line.run!r}, besides {first.run!r} of line {first.number}. "
                "Keep the lines of one run."
            )
        ranked = lines.setdefault(line.query, {})
        if (earlier := ranked.setdefault(line.location, line)) is not line:
            raise InvalidInput(
                f"{path} line {line.number}: {line.query!r} has {line.location!r} on line {earlier.number} already. "
                "Keep one."
            )
    if first is None:
        raise InvalidInput(f"{path} is empty. It needs one line per query and document: {COLUMNS}.")
    return {query: _ranked(ranked) for query, ranked in lines.items()}


def _ranked(lines: Mapping[str, RunLine]) -> list[str]:
    return [line.location for line in sorted(lines.values(), key=lambda line: (-line.score, line.rank))]


def _lines(path: Path) -> Iterator[RunLine]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}. Check the path.") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 (byte {error.start}). Save it as UTF-8.") from error
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield _line(path, number, line.split())


def _line(path: Path, number: int, columns: Sequence[str]) -> RunLine:
    try:
        query, _, location, rank, score, run = columns
        line = RunLine(number, query, location, int(rank), float(score), run)
        if not math.isfinite(line.score):
            raise ValueError(score)
    except ValueError as error:
        raise InvalidInput(
            f"{path} line {number}: expected six columns, {COLUMNS}, with a whole number as rank and a number as score."
        ) from error
    return line
