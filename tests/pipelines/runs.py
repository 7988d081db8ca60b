"""Runs without a course behind them, for tests of what is done with them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from core.course import Course, Writing
from core.llm.base import LLM, Sampling
from core.llm.scripted import ScriptedLLM
from core.types import Answer, FunctionCall, Passage, Position, Question, Source, Visibility
from pipelines.run import Run
from pipelines.running.answer_limits import AnswerLimits
from retrievers.functions import COURSE_FUNCTIONS
from tasks import Quoted, Review, Statement, WrittenAnswer

FUNCTIONS = tuple(function.spec for function in COURSE_FUNCTIONS)


def passage(block_id: str, text: str = "Some text.", **fields: object) -> Passage:
    values = {
        "block_id": block_id, "document_id": "d", "document": "d.md", "title": "Doc", "source": Source.TEXTBOOK,
        "visibility": Visibility.STUDENT, "heading_path": ("Doc",), "text": text, "position": Position(start=0, end=9),
        "score": 1.0,
    }  # fmt: skip
    return Passage.model_validate({**values, **fields})


def call(query: str, name: str = "textbook_retrieval", **arguments: object) -> FunctionCall:
    return FunctionCall(id=query, name=name, arguments={"query": query, **arguments})


def written(answer: str = "Yes [1].", *quotes: tuple[int, str], **fields: Any) -> WrittenAnswer:
    """An answer of a single statement with these quotes."""
    sources = tuple(Quoted(passage=n, quote=quote) for n, quote in quotes)
    statements = (Statement(text=answer, sources=sources),) if answer else ()
    return WrittenAnswer(**{"status": "answered", "statements": statements, "confidence": 0.9, **fields})


def unmarked(answer: Answer) -> Answer:
    """The answer without marks at its statements, for tests of other checks."""
    return answer.model_copy(update={"markdown": answer.markdown.replace(f" *{Writing().mark}*", "")})


def review(score: float, *, accepted: bool = False, missing: tuple[str, ...] = ("the date",)) -> Review:
    return Review(reasons=f"Worth {score}.", missing=missing, score=score, accepted=accepted)


class Material:
    """Finds the passages listed for a query, or fails with the error listed; remembers every search."""

    def __init__(self, found: dict[str, Any] | None = None, seconds: float = 0.0) -> None:
        self._found = found or {}
        self._seconds = seconds
        self.searched: list[FunctionCall] = []

    async def search(self, call: FunctionCall, llm: LLM) -> Sequence[Passage]:
        self.searched.append(call)
        await asyncio.sleep(self._seconds)
        found = self._found.get(call.arguments["query"], [])
        if isinstance(found, Exception):
            raise found
        return list(found)


def run_with(
    llm: ScriptedLLM,
    found: dict[str, Any] | None = None,
    *,
    material: Material | None = None,
    question: Question = Question(body="Why?", category="Lecture"),  # noqa: B008  (frozen)
    **changed: Any,
) -> Run:
    """A run over the four course functions; `changed` replaces arguments of `Run`."""
    arguments = {
        "course": Course(id="ds101", title="DS 101"), "question": question, "functions": FUNCTIONS,
        "search": (material or Material(found)).search, "llm": llm, "sampling": Sampling(seed=7),
        "retrievers": {one.name: "hybrid" for one in FUNCTIONS}, "prices": {}, "limits": AnswerLimits(), **changed,
    }  # fmt: skip
    return Run(**arguments)
