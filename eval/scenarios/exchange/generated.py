"""Files of dialogues as `elmes generate` of dialect 1.0 writes them: what each agent was sent and replied."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from core.files import write_atomically
from core.store.tables import ResultRow, ResultState
from eval.scenarios.conversation import Conversation
from eval.scenarios.dialogue import Dialogue, Turn
from eval.scenarios.scenario import Scenario, task_number
from eval.scenarios.tool_parts import CALL, parts_of, uses_in

SYSTEM, USER, THINKING, TEXT = "system-prompt", "user-prompt", "thinking", "text"
"""Kinds of parts of a message, by their names in pydantic-ai."""


def write_generated(scenario: Scenario, rows: Iterable[ResultRow]) -> list[Path]:
    """A JSON file per dialogue in the scenario's folder, `task_0.json` and so on. A failed one has none."""
    written = []
    for row in rows:
        if row.state == ResultState.SCORED:
            stem = row.item if row.seed == 0 else f"{row.item}_seed_{row.seed}"
            path = scenario.output / f"{stem}.json"
            content = generated(scenario, row.item, Dialogue.model_validate(row.output))
            write_atomically(path, json.dumps(content, ensure_ascii=False, indent=4).encode(), private=False)
            written.append(path)
    return written


def generated(scenario: Scenario, item: str, dialogue: Dialogue) -> dict[str, Any]:
    """The content of a dialogue's file."""
    conversation = Conversation(scenario, dialogue.task)
    messages: dict[str, list[dict[str, Any]]] = {}
    for turn in dialogue.turns:
        sent = conversation.messages(scenario.agents[turn.agent])
        told = sent if turn.agent not in messages else sent[-1:]
        request = [_part(SYSTEM if one.role == "system" else USER, one.content) for one in told]
        thinking, said = turn.parts
        thought = [_part(THINKING, thinking.removeprefix("<think>").strip())] if thinking else []
        messages.setdefault(turn.agent, []).extend(
            [
                {"parts": request, "kind": "request"},
                *_uses(turn),
                {"parts": [*thought, _part(TEXT, said)], "kind": "response"},
            ]
        )
        conversation.turns.append(turn)
    return {
        "task_idx": task_number(item),
        "task_variables": dialogue.task,
        "node_trace": [turn.agent for turn in dialogue.turns],
        "messages": messages,
    }


def turns_of(content: Mapping[str, Any]) -> tuple[Turn, ...]:
    """The turns in such a file. Raises `LookupError` and `TypeError` for a damaged one."""
    turns = {str(agent): list(_turns(str(agent), messages)) for agent, messages in content["messages"].items()}
    return tuple(turns[agent].pop(0) for agent in content["node_trace"])


def _turns(agent: str, messages: Iterable[Mapping[str, Any]]) -> Iterator[Turn]:
    """An agent's turns: each ends with a response that calls no tool."""
    parts: list[Mapping[str, Any]] = []
    for message in messages:
        parts += message["parts"]
        if message["kind"] == "response" and not any(part["part_kind"] == CALL for part in message["parts"]):
            yield Turn(agent=agent, content=_text(message), uses=uses_in(parts, "part_kind"))
            parts = []


def _uses(turn: Turn) -> Iterator[dict[str, Any]]:
    """The messages of a turn's calls: each a response of the model, and a request with the result."""
    for use in turn.uses:
        call, result = parts_of(use, "part_kind")
        yield {"parts": [call], "kind": "response"}
        yield {"parts": [result], "kind": "request"}


def _part(kind: str, content: str) -> dict[str, str]:
    return {"content": content, "part_kind": kind}


def _text(response: Mapping[str, Any]) -> str:
    return "\n".join(str(part["content"]) for part in response["parts"] if part["part_kind"] == TEXT)
