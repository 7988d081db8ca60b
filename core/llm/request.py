"""The body of a chat-completions request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.llm.base import Sampling
from core.llm.prompt import render
from core.llm.task import Task, ToolTask
from core.types import FunctionSpec

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


def _function(spec: FunctionSpec) -> Body:
    """A function without the bounds of texts, which are checked when it is called."""
    parameters = dict(spec.parameters)
    if properties := parameters.get("properties"):
        parameters["properties"] = {
            name: {key: value for key, value in schema.items() if key not in ("minLength", "maxLength")}
            for name, schema in properties.items()
        }
    return {"name": spec.name, "description": spec.description, "parameters": parameters}


def _tools(task: ToolTask) -> Body:
    # Never a named function: several servers silently ignore that choice.
    return {
        "tools": [{"type": "function", "function": _function(function)} for function in task.functions],
        "tool_choice": "required" if task.required else "auto",
    }
