"""Questions over HTTP, what a scripted model says to them, and what is stored of both."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

from core.llm.base import DEFAULT_SAMPLING, Reply, Sampling
from core.llm.scripted import ScriptedLLM
from core.llm.task import Choice, Out, Task
from core.store.store import Store
from core.store.tables import DraftRow, TraceRow
from core.types import FunctionCall
from tasks import Quoted, Statement, WrittenAnswer
from tests.app.live import settings_in


def request(body: str = "When is homework 3 due and can I hand it in late?", **fields: Any) -> dict[str, Any]:
    return {"course": "small", "question": {"body": body}, **fields}


def stored(home: Path, kind: str, key: str) -> Any:
    async def read() -> DraftRow | TraceRow:
        store = await Store.open(settings_in(home).url)
        try:
            return await (store.drafts.get(key) if kind == "draft" else store.drafts.trace(key))
        finally:
            await store.aclose()

    return asyncio.run(read())


def written(answer: str = "Due on February 19 [1].", quote: str = "February 19") -> WrittenAnswer:
    return WrittenAnswer(
        status="answered",
        statements=(Statement(text=answer, sources=(Quoted(passage=1, quote=quote),)),),
        confidence=0.9,
    )


def calls(*names: str, query: str = "homework 3 due") -> Choice:
    return Choice(
        calls=tuple(FunctionCall(id=str(n), name=name, arguments={"query": query}) for n, name in enumerate(names))
    )


class Waiting(ScriptedLLM):
    """Plays its lines when it may."""

    def __init__(self, lines: dict[type[Task[Any]], list[Any]]) -> None:
        super().__init__(lines)
        self.may_answer = threading.Event()

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        await asyncio.to_thread(self.may_answer.wait, 60)
        return await super().run(task, sampling)
