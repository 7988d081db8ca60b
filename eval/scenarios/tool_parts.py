"""Calls of tools as parts of messages, by their names in pydantic-ai."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from core.types import FunctionCall
from eval.scenarios.dialogue import ToolUse

CALL, RETURN = "tool-call", "tool-return"


def parts_of(use: ToolUse, kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A call and its result. `kind` is the key that says which kind of part each is."""
    named = {"tool_name": use.call.name, "tool_call_id": use.call.id}
    return {kind: CALL, **named, "args": use.call.arguments}, {kind: RETURN, **named, "content": use.result}


def uses_in(parts: Iterable[Mapping[str, Any]], kind: str) -> tuple[ToolUse, ...]:
    """The calls among parts that have a result. Raises `LookupError` for a damaged part."""
    used = [part for part in parts if part.get(kind) in (CALL, RETURN)]
    results = {part["tool_call_id"]: str(part["content"]) for part in used if part[kind] == RETURN}
    return tuple(
        ToolUse(call=_call(part), result=results[part["tool_call_id"]])
        for part in used
        if part[kind] == CALL and part["tool_call_id"] in results
    )


def _call(part: Mapping[str, Any]) -> FunctionCall:
    given = part.get("args")
    # Arguments may also be written as text.
    arguments = given if isinstance(given, dict) else {"arguments": given} if given else {}
    return FunctionCall(id=str(part["tool_call_id"]), name=str(part["tool_name"]), arguments=arguments)
