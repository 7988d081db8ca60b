"""Stored evaluations as files: one row per actor, item and seed, or TREC run files."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from core.csv_tables import csv_text
from core.errors import InvalidInput, SetupError
from core.files import write_atomically
from core.score import ESTIMATE
from core.store.tables import ResultRow
from core.types import Usage
from eval.comparison.compare import ChosenEvaluation
from eval.datasets.runs import run_lines
from eval.retrieval.evaluation import run_file_names
from eval.scoring import score_value
from eval.stored import kinds


class ExportFormat(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    TREC = "trec"


def exported(selection: ChosenEvaluation, format_: ExportFormat) -> bytes:
    """The content of the file. With several actors, `trec` has one run after the other, named in the last column.

    Raises `InvalidInput` for `trec` if outputs are not rankings.
    """
    return WRITERS[format_](selection)


def export_to(selection: ChosenEvaluation, format_: ExportFormat, path: Path) -> list[Path]:
    """Write the file; `trec` into a folder writes one per actor. Raises `InvalidInput` if that fails."""
    try:
        if format_ is ExportFormat.TREC and path.is_dir():
            names = run_file_names(_actors(selection))
            return [_write(path / name, _trec_of(selection, actor)) for actor, name in names.items()]
        return [_write(path, exported(selection, format_))]
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}. Choose another file.") from error


def _write(path: Path, content: bytes) -> Path:
    write_atomically(path, content, private=False)
    return path


def _actors(selection: ChosenEvaluation) -> list[str]:
    return [selection.actor] if selection.actor else list(selection.stored.report.actors)


def _rows(selection: ChosenEvaluation) -> Iterator[ResultRow]:
    for actor in _actors(selection):
        yield from selection.stored.of(actor)


def _jsonl(selection: ChosenEvaluation) -> bytes:
    items = selection.stored.items
    lines = (
        {
            "evaluation": row.evaluation_id,
            "actor": row.actor,
            "item": row.item,
            "text": items[row.item].text if row.item in items else None,
            "seed": row.seed,
            "state": row.state,
            "scores": {name: score_value(row.scores, name) for name in _metrics(selection)},
            "parts": {name: score["parts"] for name, score in row.scores.items() if score.get("parts")},
            "explanations": {name: score["explanation"] for name, score in row.scores.items() if score["explanation"]},
            "output": row.output,
            "error": row.error,
            "usage": row.usage,
            "ms": row.ms,
        }
        for row in _rows(selection)
    )
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()


def _metrics(selection: ChosenEvaluation) -> list[str]:
    return [measure.name for measure in selection.stored.report.metrics]


def _parts(selection: ChosenEvaluation) -> list[tuple[str, str]]:
    """Metric and criterion of scores that have several, such as those of a judge."""
    wanted = _metrics(selection)
    found = {
        (metric, part): None
        for row in _rows(selection)
        for metric in wanted
        for part in row.scores.get(metric, {}).get("parts", {})
        if part != ESTIMATE
    }
    return list(found)


def _columns(selection: ChosenEvaluation) -> list[str]:
    parts = [f"{metric}.{part}" for metric, part in _parts(selection)]
    head = ["evaluation", "actor", "item", "seed", "state", *_metrics(selection), *parts]
    return [*head, "output", "error_code", "error", "ms", *Usage.model_fields]


def _flat(selection: ChosenEvaluation, row: ResultRow) -> dict[str, Any]:
    """A row with one value per column; output as JSON."""
    error: Mapping[str, Any] = row.error or {}
    return {
        "evaluation": row.evaluation_id,
        "actor": row.actor,
        "item": row.item,
        "seed": row.seed,
        "state": str(row.state),
        **{name: score_value(row.scores, name) for name in _metrics(selection)},
        **{
            f"{name}.{part}": value
            for name, score in row.scores.items()
            for part, value in score.get("parts", {}).items()
            if part != ESTIMATE
        },
        "output": None if row.output is None else json.dumps(row.output, ensure_ascii=False),
        "error_code": error.get("code"),
        "error": error.get("detail"),
        "ms": row.ms,
        **{name: row.usage.get(name) for name in Usage.model_fields},
    }


def _csv(selection: ChosenEvaluation) -> bytes:
    columns = _columns(selection)
    rows = (_flat(selection, row) for row in _rows(selection))
    return csv_text(columns, ([row.get(name) for name in columns] for row in rows)).encode()


def _parquet(selection: ChosenEvaluation) -> bytes:
    """Parquet with fixed column types, so that files of several evaluations can be combined. Raises `SetupError`."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise SetupError("Parquet files need pyarrow. Install it: pip install 'edumod[parquet]'.") from error

    texts = ("evaluation", "actor", "item", "state", "output", "error_code", "error")
    whole = ("seed", "calls", "cached_calls", "replayed_calls", "prompt_tokens", "completion_tokens")
    types = {**dict.fromkeys(texts, pa.string()), **dict.fromkeys(whole, pa.int64())}
    schema = pa.schema([(name, types.get(name, pa.float64())) for name in _columns(selection)])
    file = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist([_flat(selection, row) for row in _rows(selection)], schema=schema), file)
    return file.getvalue()


def _trec(selection: ChosenEvaluation) -> bytes:
    return b"".join(_trec_of(selection, name) for name in _actors(selection))


def _trec_of(selection: ChosenEvaluation, actor: str) -> bytes:
    stored = selection.stored
    if not kinds()[stored.report.kind].has_rankings:
        raise InvalidInput(
            f"{stored.name} is an evaluation of {stored.report.kind}, which has no rankings. "
            "Choose another format: csv, jsonl or parquet."
        )
    return "".join(f"{line}\n" for line in run_lines(actor, _in_order(stored.of(actor)))).encode()


def _in_order(rows: Sequence[ResultRow]) -> list[ResultRow]:
    return sorted(rows, key=lambda row: row.item)


WRITERS: dict[ExportFormat, Callable[[ChosenEvaluation], bytes]] = {
    ExportFormat.CSV: _csv,
    ExportFormat.JSONL: _jsonl,
    ExportFormat.PARQUET: _parquet,
    ExportFormat.TREC: _trec,
}
