"""The formats in which a model can be asked for an object of a schema, from the strictest to none at all."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from enum import StrEnum

from pydantic import BaseModel

from core.llm.request import Body, Request
from core.llm.schema import strict_schema


class ReplyFormat(StrEnum):
    """How a server is asked for structured output."""

    JSON_SCHEMA = "json_schema"
    JSON_MODE = "json_object"
    FUNCTION = "function"
    TEXT = "text"

    def applied(self, request: Request) -> Body:
        """The request, asking for an object of its kind."""
        assert request.kind is not None
        return _APPLIED[self](request.body, request.kind)


class Formats:
    """The formats that models behind one endpoint take: those allowed, less those that a model refused."""

    def __init__(self, allowed: Sequence[ReplyFormat]) -> None:
        self._allowed = tuple(allowed)
        self._found: dict[str, ReplyFormat] = {}

    def to_try(self, model: str) -> tuple[ReplyFormat, ...]:
        """The format that the model took last and the weaker ones; all until it took one."""
        found = self._found.get(model)
        return self._allowed[self._allowed.index(found) :] if found else self._allowed

    def took(self, model: str, chosen: ReplyFormat) -> None:
        """Remember that the model took that format and refused the stricter ones."""
        self._found[model] = chosen


def _with_json_schema(body: Body, kind: type[BaseModel]) -> Body:
    schema = {"name": _name(kind), "strict": True, "schema": strict_schema(kind)}
    return body | {"response_format": {"type": "json_schema", "json_schema": schema}}


def _with_json_mode(body: Body, kind: type[BaseModel]) -> Body:
    return _with_schema_in_words(body, kind) | {"response_format": {"type": "json_object"}}


def _with_function(body: Body, kind: type[BaseModel]) -> Body:
    function = {
        "name": _name(kind),
        "description": "Takes your whole reply. Call it once.",
        "parameters": strict_schema(kind),
    }
    # Never a named function: several servers silently ignore that choice.
    return body | {"tools": [{"type": "function", "function": function}], "tool_choice": "required"}


def _with_schema_in_words(body: Body, kind: type[BaseModel]) -> Body:
    system, *others = body["messages"]
    schema = json.dumps(strict_schema(kind), ensure_ascii=False)
    words = f"{system['content']}\n\nReply with one JSON object and nothing else. Its JSON Schema is:\n{schema}"
    return body | {"messages": [system | {"content": words}, *others]}


def _name(kind: type[BaseModel]) -> str:
    return re.sub(r"\W", "_", kind.__name__, flags=re.ASCII)[:64]


_APPLIED = {
    ReplyFormat.JSON_SCHEMA: _with_json_schema,
    ReplyFormat.JSON_MODE: _with_json_mode,
    ReplyFormat.FUNCTION: _with_function,
    ReplyFormat.TEXT: _with_schema_in_words,
}
