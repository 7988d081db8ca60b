"""The baseline of EduMod-LLM, section 3.2: functions chosen by rules that the course's staff wrote."""

from __future__ import annotations

from typing import ClassVar

from pydantic.dataclasses import dataclass

from core.concurrency import in_thread
from core.types import Answer, FunctionCall
from pipelines.run import Run
from posts.query import search_query

EVENT_LOOP_SECONDS = 0.002
"""Time limit of each pattern on the event loop; if one takes longer, all rules are evaluated in a thread."""


@dataclass(frozen=True)
class Edison:
    """The rules in the course file call functions, with the question's own words as the query; no model chooses."""

    name: ClassVar[str] = "edison"
    summary: ClassVar[str] = "Rules in the course file call functions, with the question's own words as the query."
    model_calls: ClassVar[str] = "1"

    async def answer(self, run: Run) -> Answer:
        query = search_query(run.question)
        rules = run.course.edison
        ruling = rules.functions_for(run.question, EVENT_LOOP_SECONDS)
        if ruling.problems:
            ruling = await in_thread(rules.functions_for, run.question)
        for problem in ruling.problems:
            run.note(problem)
        calls = (FunctionCall(id=f"rule_{name}", name=name, arguments={"query": query}) for name in ruling.functions)
        await run.search(list(calls))
        return await run.write()
