"""Tasks to put to an endpoint that misbehaves, and the model that talks to it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, ClassVar, Literal

from pydantic import BaseModel

from core.llm.openai import OpenAILLM
from core.llm.task import Task, ToolTask, YesNoTask
from core.types import FunctionSpec
from tests.servers.faults import Act, FaultServer, called, serving

KEY = "sk-this-must-never-be-shown"
RETRIES = 1


class Say(Task[str]):
    version: ClassVar[str] = "1"
    instructions: ClassVar[str] = "Say something."
    text: str = "hello"


class Grade(BaseModel):
    mark: Literal["pass", "fail"]
    reasons: tuple[str, ...]


class GiveGrade(Task[Grade]):
    version: ClassVar[str] = "1"
    instructions: ClassVar[str] = "Grade the text."
    text: str = "2 + 2 = 4"


class IsRelevant(YesNoTask):
    version: ClassVar[str] = "1"
    instructions: ClassVar[str] = 'Is the text relevant? Answer "yes" or "no".'
    text: str = "B-trees"


SEARCH = FunctionSpec(
    name="textbook_retrieval",
    description="Search the textbook.",
    parameters={
        "type": "object",
        "properties": {"query": {"type": "string"}, "top_k": {"type": "integer", "minimum": 1}},
        "required": ["query"],
        "additionalProperties": False,
    },
)


class Choose(ToolTask):
    version: ClassVar[str] = "1"
    instructions: ClassVar[str] = "Choose functions."
    functions: tuple[FunctionSpec, ...] = (SEARCH,)
    text: str = "What is a B-tree?"


GOOD_CALL = called(("textbook_retrieval", {"query": "B-tree"}))


def model_at(
    base_url: str, *, seconds: float = 20.0, concurrency: int = 8, share: Callable[[], int] | None = None
) -> OpenAILLM:
    return OpenAILLM(
        base_url=base_url,
        api_key=KEY,
        model="faulty",
        deadline_seconds=seconds,
        max_retries=RETRIES,
        concurrency=concurrency,
        share=share,
    )


@asynccontextmanager
async def served(*acts: Act, **options: Any) -> AsyncIterator[tuple[OpenAILLM, FaultServer]]:
    async with serving(*acts) as server:
        llm = model_at(server.base_url, **options)
        try:
            yield llm, server
        finally:
            await llm.aclose()
