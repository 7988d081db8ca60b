"""Files of dialogues, as ELMES writes them and as its users' notebooks read them."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from core.errors import InvalidInput, NotFound
from core.files import write_atomically
from core.store.tables import ResultRow, ResultState
from eval.scenarios.dialogue import Dialogue, ToolUse, Turn
from eval.scenarios.evaluation import task_number
from eval.scenarios.exchange.generated import turns_of
from eval.scenarios.exchange.tool_parts import parts_of, uses_in
from eval.scenarios.judging import DialogueItem, leaves_in, numbers_in
from eval.scenarios.scenario import Dialect, Evaluation, Scenario
from eval.scenarios.templates import as_text
from eval.scoring import Outcome

EXPORT = "_export"
"""End of the name of an exported file in dialect 1.0."""
RESULTS = "evaluation_results"
"""Name of its table."""


def write_dialogues(scenario: Scenario, rows: Iterable[ResultRow]) -> list[Path]:
    """A JSON file per dialogue in the scenario's folder. A failed one has none."""
    written = []
    for row in rows:
        if row.state == ResultState.SCORED:
            path = scenario.output / f"{file_stem(scenario, row)}.json"
            content = exported(scenario, row.item, Dialogue.model_validate(row.output))
            write_atomically(path, json.dumps(content, ensure_ascii=False, indent=4).encode(), private=False)
            written.append(path)
    return written


def file_stem(scenario: Scenario, row: ResultRow) -> str:
    """The same whenever the same dialogue is written: a UUID in dialect 0.1, the task's number in 1.0."""
    if scenario.dialect == Dialect.V0_1:
        return str(uuid5(NAMESPACE_URL, f"{scenario.digest}/{row.item}/{row.seed}"))
    return f"{row.item}{EXPORT}" if row.seed == 0 else f"{row.item}_seed_{row.seed}{EXPORT}"


def exported(scenario: Scenario, item: str, dialogue: Dialogue) -> dict[str, Any]:
    """The content of a dialogue's file."""
    if scenario.dialect == Dialect.V0_1:
        task = {name: as_text(value) for name, value in dialogue.task.items()}
        return {"task": task, "messages": [_message(turn) for turn in dialogue.turns]}
    return {
        "task_idx": task_number(item),
        "task_variables": dialogue.task,
        "node_trace": [turn.agent for turn in dialogue.turns],
        "conversation": [{"role": turn.agent, "content": _parts(turn)} for turn in dialogue.turns],
    }


def _message(turn: Turn) -> dict[str, Any]:
    thinking, said = turn.parts
    return {"role": turn.agent, "content": said, "reasoning": thinking}


def _parts(turn: Turn) -> list[dict[str, Any]]:
    thinking, said = turn.parts
    thought = [{"type": "thinking", "text": thinking.removeprefix("<think>").strip()}] if thinking else []
    used = [part for use in turn.uses for part in parts_of(use, "type")]
    return [*used, *thought, {"type": "text", "text": said}]


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
    scenario: Scenario, evaluation: Evaluation, outcome: Outcome[DialogueItem], columns: TableColumns
) -> Path:
    """A JSON file per judged dialogue and a table of all. Gives the table's path."""
    folder = scenario.output / "eval" / (evaluation.target or "")
    for row in outcome.rows:
        if row.state == ResultState.SCORED:
            name, content = _judged(scenario, evaluation, row)
            write_atomically(folder / name, json.dumps(content, ensure_ascii=False, indent=4).encode(), private=False)
    table = folder / f"{evaluation.name if scenario.dialect == Dialect.V0_1 else RESULTS}.csv"
    order = {item.id: n for n, item in enumerate(outcome.plan.dataset.items)}
    rows = sorted(outcome.rows, key=lambda row: order[row.item])
    write_atomically(table, csv_table(rows, columns).encode(), private=False)
    return table


def _judged(scenario: Scenario, evaluation: Evaluation, row: ResultRow) -> tuple[str, dict[str, Any]]:
    """Name and content of a judged dialogue's file."""
    if scenario.dialect == Dialect.V0_1:
        return f"{row.item}.json", row.output
    case = row.item.removesuffix(EXPORT)
    models = scenario.models
    content = {
        "eval_name": evaluation.name,
        "case_name": case,
        "target": evaluation.target,
        "agents": {name: _player(scenario, one.model) for name, one in scenario.agents.items()},
        "judge": {"model_alias": evaluation.model, "model": models[evaluation.model].model},
        "scores": row.output,
    }
    return f"{evaluation.name}_{case}_eval.json", content


def _player(scenario: Scenario, alias: str) -> dict[str, str]:
    return {"model_alias": alias, "model": scenario.models[alias].model if alias else "edumod"}


def csv_table(rows: Sequence[ResultRow], shown: TableColumns = TableColumns()) -> str:
    """A line per dialogue; fields in groups have names as in `guidance.score`.

    With averages, each line ends with the mean of its numbers, and a last line has the mean of every column over the
    dialogues that were judged. Texts have no mean, and what was not judged is empty: neither counts as 0.
    """
    judged = {row.item: dict(leaves_in(row.output)) for row in rows if row.state == ResultState.SCORED}
    leaves = [leaf for fields in judged.values() for leaf in fields.items()]
    columns = list(dict.fromkeys(name for name, value in leaves if shown.texts or not isinstance(value, str)))
    numbers = {row.item: dict(numbers_in(row.output)) for row in rows if row.item in judged}
    lines: list[list[Any]] = [["task_id", *columns, *(["avg"] if shown.averages else [])]]
    for row in rows:
        fields = judged.get(row.item, {})
        mean = [_mean(list(numbers.get(row.item, {}).values()))] if shown.averages else []
        lines.append([row.item, *(fields.get(name, "") for name in columns), *mean])
    if shown.averages:
        means = [_mean([found[name] for found in numbers.values() if name in found]) for name in columns]
        whole = _mean([fmean(found.values()) for found in numbers.values() if found])
        lines.append(["Avg", *means, whole])
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(lines)
    return written.getvalue()


def _mean(values: Sequence[float]) -> str:
    return f"{fmean(values):.2f}" if values else ""
