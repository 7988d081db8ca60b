"""The body of a chat-completions request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from core.llm.base import Sampling
from core.llm.prompt import ChatMessage, render
from core.llm.task import Task, ToolTask
from core.types import FunctionSpec

Body = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """What a task asks, before it is worded for a server.

    `prompt` is the name and version of its instructions. The reply is to be an object of `kind`, unless that is None.
    """

    prompt: str
    body: Body
    kind: type[BaseModel] | None = None

    def followed_by(self, messages: Sequence[ChatMessage]) -> Request:
        """The same with further messages."""
        return replace(self, body=self.body | {"messages": [*self.body["messages"], *messages]})


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
