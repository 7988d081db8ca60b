"""Tables of scores that `eval` wrote, ours or upstream's, read for charts."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import fmean

from core.errors import InvalidInput, NotFound
from eval.scenarios.dialects.v1_0 import RESULTS

AVERAGES = "Avg"
_NO_FIELDS = ("task_id", "avg", "")


def read_tables(folder: Path) -> dict[str, dict[str, dict[str, float | None]]]:
    """Means by task, model and field of all tables in a folder and those below it.

    A table is called TASK_MODEL.csv, in dialect 1.0 MODEL/evaluation_results.csv. Texts have no mean.
    Raises `NotFound` without tables, and `InvalidInput` for a damaged one or two of one name.
    """
    found: dict[str, dict[str, dict[str, float | None]]] = {}
    for path in sorted(folder.rglob("*.csv")):
        task, model = _names(path)
        if model in found.setdefault(task, {}):
            raise InvalidInput(f"{path} is a second table of the model {model!r} on {task!r}. Rename one of the two.")
        found[task][model] = _means(path)
    if not found:
        raise NotFound(f"There is no table (*.csv) in {folder}. Run `edumod elmes eval` first.")
    return found


def _names(path: Path) -> tuple[str, str]:
    if path.stem == RESULTS:
        return _evaluation(path.parent), path.parent.name
    task, underscore, model = path.stem.rpartition("_")
    return (task, model) if underscore and task and model else (path.stem, path.stem)


def _evaluation(folder: Path) -> str:
    """The name of the evaluation, which the table of dialect 1.0 lacks and the files beside it have."""
    for path in sorted(folder.glob("*_eval.json")):
        with suppress(ValueError, KeyError, TypeError):
            return str(json.loads(path.read_text(encoding="utf-8"))["eval_name"])
    return "evaluation"


def _means(path: Path) -> dict[str, float | None]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (csv.Error, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} is not a table: {error}. Run `edumod elmes eval` again.") from error
    averages = [row for row in rows if row.get("task_id") == AVERAGES]
    judged = [row for row in rows if row.get("task_id") != AVERAGES]
    fields = [name for name in (rows[0] if rows else ()) if name is not None and name not in _NO_FIELDS]
    means = {name: _mean(averages, name) if averages else _mean(judged, name) for name in fields}
    return {name: mean for name, mean in means.items() if mean is not None}


def _mean(rows: Sequence[Mapping[str, str | None]], field: str) -> float | None:
    values = []
    for row in rows:
        with suppress(TypeError, ValueError):
            values.append(float(row[field] or ""))
    return fmean(values) if values else None
