"""The body of a chat-completions request."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from core.llm.base import Sampling
from core.llm.prompt import render
from core.llm.schema import strict_schema
from core.llm.task import Task, ToolTask

Body = dict[str, Any]


def request_body(task: Task[Any], model: str, sampling: Sampling, parameters: Mapping[str, Any], **more: Any) -> Body:
    """The request for a task, a `ToolTask`'s functions included. The server chooses what `sampling` leaves open.

    `parameters` are fields of every request to this endpoint; the task's own come first.
    """
    given = {"temperature": sampling.temperature, "seed": sampling.seed}
    return {
        **parameters,
        "model": model,
        "messages": render(task),
        **{name: value for name, value in given.items() if value is not None},
        **(_tools(task) if isinstance(task, ToolTask) and task.functions else {}),
        **more,
    }


def with_json_schema(body: Body, kind: type[BaseModel]) -> Body:
    """The request, with the model's schema enforced by the server."""
    name = re.sub(r"\W", "_", kind.__name__, flags=re.ASCII)[:64]
    schema = {"name": name, "strict": True, "schema": strict_schema(kind)}
    return body | {"response_format": {"type": "json_schema", "json_schema": schema}}


def with_json_mode(body: Body, kind: type[BaseModel]) -> Body:
    """The request, with JSON enforced by the server and the model's schema only described in the prompt."""
    system, *others = body["messages"]
    schema = json.dumps(strict_schema(kind), ensure_ascii=False)
    words = f"{system['content']}\n\nReply with one JSON object and nothing else. Its JSON Schema is:\n{schema}"
    return body | {"messages": [system | {"content": words}, *others], "response_format": {"type": "json_object"}}


def _tools(task: ToolTask) -> Body:
    # Never a named function: several servers silently ignore that choice.
    return {
        "tools": [{"type": "function", "function": function.model_dump()} for function in task.functions],
        "tool_choice": "required" if task.required else "auto",
    }
