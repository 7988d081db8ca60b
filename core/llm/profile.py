"""How much a model is asked at once, and how much time it gets for it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic import BaseModel

from core.llm.base import DEFAULT_SAMPLING
from core.llm.request import request_body
from core.llm.schema import strict_schema
from core.llm.stated import StatedConfidence
from core.llm.task import Task, ToolTask

PROMPT_TOKENS = 2_500
"""Longest prompt of a small model, instructions, functions and schema included."""
REPLY_TOKENS = 700
"""Longest reply of a small model: it may repeat itself without end."""
PASSAGES = 5
"""Passages that a small model reads at most."""
MIN_CALL_SECONDS = 30.0
SLACK = 2.0
"""A call may take so many times as long as the measured speed says."""
CALLS_PER_ANSWER = 4
"""Calls in a row of which the deadline of an answer allows for: two choices, a draft and a second look."""
CHARS_PER_TOKEN = 4
DATA_CHARS_PER_TOKEN = 3
"""Course and student texts have code, numbers and other languages, which take more tokens."""


class Profile(StrEnum):
    """A set of limits for a kind of model."""

    SMALL = "small"


@dataclass(frozen=True)
class ModelLimits:
    """Limits of one model; None is no limit of its own. `prompt_tokens` is for a whole request.

    `confidence` is what is known of the confidence that it states.
    """

    prompt_tokens: int | None = None
    passages: int | None = None
    answer_seconds: float | None = None
    confidence: StatedConfidence | None = None


@dataclass(frozen=True)
class Speed:
    """Tokens per second that a model reads and writes, as measured."""

    reading: float
    writing: float

    def call_seconds(self, prompt_tokens: int, reply_tokens: int) -> float:
        """Time that one call of that size is given."""
        return max(MIN_CALL_SECONDS, SLACK * (prompt_tokens / self.reading + reply_tokens / self.writing))


@dataclass(frozen=True)
class PromptSize:
    """About the tokens of a request: `fixed` are instructions, functions and schema, `data` all that they work on."""

    fixed: int
    data_chars: int

    @property
    def tokens(self) -> int:
        return self.fixed + self.data_chars // DATA_CHARS_PER_TOKEN

    @classmethod
    def of(cls, task: Task[Any]) -> PromptSize:
        """A schema counts whether or not the server puts it into the prompt."""
        body = request_body(task, "", DEFAULT_SAMPLING, {})
        instructions, *data = body["messages"]
        fixed = len(str(instructions["content"])) + len(json.dumps(body.get("tools", "")))
        kind = None if isinstance(task, ToolTask) else task.output_type()
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            fixed += len(json.dumps(strict_schema(kind)))
        return cls(fixed // CHARS_PER_TOKEN, sum(len(json.dumps(one, ensure_ascii=False)) for one in data))
