"""The baseline of EduMod-LLM, section 3.2: functions chosen by rules that the course's staff wrote."""

from __future__ import annotations

from typing import ClassVar

from pydantic.dataclasses import dataclass

from core.concurrency import in_thread
from core.types import Answer, FunctionCall
from pipelines.query import search_query
from pipelines.run import Run


@dataclass(frozen=True)
class Edison:
    """The rules in the course file call functions, the question's own words being the query; no model chooses."""

    name: ClassVar[str] = "edison"
    summary: ClassVar[str] = "Rules in the course file call functions, with the question's own words as the query."
    model_calls: ClassVar[str] = "1"

    async def answer(self, run: Run) -> Answer:
        query = search_query(run.question)
        names, problems = await in_thread(run.course.edison.functions_for, run.question)
        run.notes.extend(problems)
        await run.search([FunctionCall(id=f"rule_{name}", name=name, arguments={"query": query}) for name in names])
        return await run.write()
