"""Tasks and a template for Label Studio, in which people give the fields that the judge of a scenario gives."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from core.files import write_atomically
from core.store.tables import ResultRow, ResultState
from eval.scenarios.dialects import rules_of
from eval.scenarios.dialogue import Dialogue
from eval.scenarios.scenario import Evaluation, FieldType, JudgedField, Scenario

DIALOGUE = "dialogue"
DEFAULT_STARS = 5


def write_label_studio(scenario: Scenario, evaluation: Evaluation, rows: Iterable[ResultRow]) -> tuple[Path, Path]:
    """Writes tasks and template beside the dialogues; gives their paths."""
    ending = rules_of(scenario).label_template
    tasks = [_task(scenario, row) for row in rows if row.state == ResultState.SCORED]
    paths = (scenario.output / "label_studio.json", scenario.output / ending)
    contents = (json.dumps(tasks, ensure_ascii=False, indent=4), template(evaluation.fields))
    for path, content in zip(paths, contents, strict=True):
        write_atomically(path, content.encode(), private=False)
    return paths


def template(fields: Iterable[JudgedField]) -> str:
    """Label Studio's configuration: the dialogue, and an input for each field."""
    view = Element("View")
    SubElement(
        view, "Paragraphs", name=DIALOGUE, value="$messages", layout="dialogue", nameKey="role", textKey="content"
    )
    for field in fields:
        _add_input(view, field, "")
    indent(view)
    return tostring(view, encoding="unicode")


def _task(scenario: Scenario, row: ResultRow) -> dict[str, object]:
    dialogue = Dialogue.model_validate(row.output)
    messages = [{"role": turn.agent, "content": turn.parts[1]} for turn in dialogue.turns]
    return {"data": {"messages": messages, "task_id": rules_of(scenario).dialogue_stem(scenario, row.item, row.seed)}}


def _add_input(view: Element, field: JudgedField, prefix: str) -> None:
    name = f"{prefix}{field.name}"
    SubElement(view, "Header", value=f"{field.name}: {field.description}")
    if field.type == FieldType.DICT:
        group = SubElement(view, "View", style="border: 1px solid #ccc; padding: 8px; margin: 8px 0")
        for inner in field.fields:
            _add_input(group, inner, f"{name}.")
    elif field.type == FieldType.INT:
        SubElement(view, "Rating", name=name, toName=DIALOGUE, maxRating=f"{field.maximum or DEFAULT_STARS:g}")
    elif field.type == FieldType.FLOAT:
        bounds = {"max": f"{field.maximum:g}"} if field.maximum is not None else {}
        SubElement(view, "Number", {"name": name, "toName": DIALOGUE, **bounds})
    elif field.type == FieldType.BOOL:
        choices = SubElement(view, "Choices", name=name, toName=DIALOGUE, choice="single-radio")
        for value in ("Yes", "No"):
            SubElement(choices, "Choice", value=value)
    else:
        SubElement(view, "TextArea", name=name, toName=DIALOGUE)
