"""Files of dialogues, as ELMES writes them and as its users' notebooks read them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from core.csv_tables import csv_text
from core.errors import InvalidInput, NotFound
from core.files import write_atomically
from core.store.tables import ResultRow, ResultState
from eval.scenarios.dialects import rules_of
from eval.scenarios.dialects.v1_0 import EXPORT
from eval.scenarios.dialogue import Dialogue, ToolUse, Turn
from eval.scenarios.exchange.generated import turns_of
from eval.scenarios.judging import DialogueItem, leaves_in, numbers_in
from eval.scenarios.scenario import Evaluation, Scenario
from eval.scenarios.tool_parts import uses_in
from eval.scoring import ScoredRun


def write_dialogues(scenario: Scenario, rows: Iterable[ResultRow]) -> list[Path]:
    """A JSON file per dialogue in the scenario's folder. A failed one has none."""
    rules, written = rules_of(scenario), []
    for row in rows:
        if row.state == ResultState.SCORED:
            path = scenario.output / f"{rules.dialogue_stem(scenario, row.item, row.seed)}.json"
            content = rules.dialogue_content(row.item, Dialogue.model_validate(row.output))
            write_atomically(path, json.dumps(content, ensure_ascii=False, indent=4).encode(), private=False)
            written.append(path)
    return written


def read_dialogues(scenario: Scenario, folder: Path) -> tuple[DialogueItem, ...]:
    """The dialogues in a folder of files that were exported or generated, ours or upstream's.

    Other JSON files are passed over, and so is a generated file whose dialogue was exported too.
    Raises `NotFound` if there is none, and `InvalidInput` for a file that was damaged.
    """
    paths = sorted(folder.glob("*.json"), key=_by_number)
    exports = {path.stem for path in paths if path.stem.endswith(EXPORT)}
    found = [item for path in paths if path.stem + EXPORT not in exports and (item := _read(path)) is not None]
    if not found:
        raise NotFound(
            f"There is no exported dialogue in {folder}. Run `edumod elmes generate` and `edumod elmes export json`, "
            f"each with --config {scenario.path}."
        )
    return tuple(found)


def _by_number(path: Path) -> list[str | int]:
    """The order of tasks: `task_2` before `task_10`."""
    return [int(part) if n % 2 else part for n, part in enumerate(re.split("([0-9]+)", path.stem))]


def _read(path: Path) -> DialogueItem | None:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InvalidInput(f"{path} is not JSON: {error}. Export the dialogue again.") from error
    if not isinstance(content, dict):
        return None
    said = content.get("messages") or content.get("conversation")
    task = content.get("task", content.get("task_variables"))
    if not isinstance(said, dict | list) or not isinstance(task, dict):
        return None
    try:
        turns = turns_of(content) if isinstance(said, dict) else _exported_turns(said)
    except (LookupError, TypeError, AttributeError) as error:
        raise InvalidInput(f"{path} is damaged: a message lacks a part. Generate or export it again.") from error
    return DialogueItem(path.stem, Dialogue(task=task, turns=turns))


def rows_in(scenario: Scenario, folder: Path) -> list[ResultRow]:
    """The dialogues of a folder as rows of a run. Raises the errors of `read_dialogues`."""
    return [
        ResultRow(
            evaluation_id="",
            actor=scenario.path.stem,
            item=item.id.removesuffix(EXPORT),
            seed=0,
            state=ResultState.SCORED,
            output=item.dialogue.model_dump(mode="json"),
        )
        for item in read_dialogues(scenario, folder)
    ]


def _exported_turns(said: list[Any]) -> tuple[Turn, ...]:
    return tuple(
        Turn(agent=str(one["role"]), content=_words(one["content"]), uses=_uses(one["content"])) for one in said
    )


def _uses(content: Any) -> tuple[ToolUse, ...]:
    return () if isinstance(content, str) else uses_in(content, "type")


def _words(content: Any) -> str:
    """The text of a message, without thinking and calls of tools."""
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content if part.get("type") == "text")


@dataclass(frozen=True)
class TableColumns:
    """What the table of scores has besides the fields that are numbers."""

    averages: bool = True
    texts: bool = True


def write_judged(
    scenario: Scenario, evaluation: Evaluation, outcome: ScoredRun[DialogueItem], columns: TableColumns
) -> Path:
    """A JSON file per judged dialogue and a table of all. Gives the table's path."""
    rules, folder = rules_of(scenario), scenario.output / "eval" / (evaluation.target or "")
    for row in outcome.rows:
        if row.state == ResultState.SCORED:
            name, content = rules.judgement(scenario, evaluation, row)
            write_atomically(folder / name, json.dumps(content, ensure_ascii=False, indent=4).encode(), private=False)
    table = folder / f"{rules.table_stem(evaluation)}.csv"
    order = {item.id: n for n, item in enumerate(outcome.plan.dataset.items)}
    rows = sorted(outcome.rows, key=lambda row: order[row.item])
    write_atomically(table, csv_table(rows, columns).encode(), private=False)
    return table


def csv_table(rows: Sequence[ResultRow], shown: TableColumns = TableColumns()) -> str:
    """A line per dialogue; fields in groups have names as in `guidance.score`.

    With averages, each line ends with the mean of its numbers, and a last line has the mean of every column over the
    dialogues that were judged. Texts have no mean, and what was not judged is empty: neither counts as 0.
    """
    judged = {row.item: dict(leaves_in(row.output)) for row in rows if row.state == ResultState.SCORED}
    leaves = [leaf for fields in judged.values() for leaf in fields.items()]
    columns = list(dict.fromkeys(name for name, value in leaves if shown.texts or not isinstance(value, str)))
    numbers = {row.item: dict(numbers_in(row.output)) for row in rows if row.item in judged}
    lines: list[list[Any]] = []
    for row in rows:
        fields = judged.get(row.item, {})
        mean = [_mean(list(numbers.get(row.item, {}).values()))] if shown.averages else []
        lines.append([row.item, *(fields.get(name, "") for name in columns), *mean])
    if shown.averages:
        means = [_mean([found[name] for found in numbers.values() if name in found]) for name in columns]
        whole = _mean([fmean(found.values()) for found in numbers.values() if found])
        lines.append(["Avg", *means, whole])
    return csv_text(["task_id", *columns, *(["avg"] if shown.averages else [])], lines)


def _mean(values: Sequence[float]) -> str:
    return f"{fmean(values):.2f}" if values else ""
