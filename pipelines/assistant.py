"""Puts a run together: a course's functions, a model, and the configuration of one request."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any

from core.course import Course
from core.errors import NoMaterial
from core.llm.base import LLM, Sampling
from core.llm.task import Task
from core.settings import ModelPrice
from core.types import Answer, FunctionCall, Passage, Question, Source, Value
from pipelines import answer_with, pipeline_named, pipeline_with
from pipelines.limits import Limits
from pipelines.run import Run
from pipelines.tasks import PIPELINE_TASKS
from retrievers import retriever_named
from retrievers.functions import COURSE_FUNCTIONS, course_function, retrieve
from retrievers.index import Indexes
from retrievers.options import RetrieverOptions
from retrievers.tasks import RETRIEVAL_TASKS

PROMPTS: tuple[type[Task[Any]], ...] = (*PIPELINE_TASKS, *RETRIEVAL_TASKS)


class Configuration(Value):
    """Everything a request can choose, resolved: what it left out has the course's default."""

    pipeline: str
    retriever: str
    model: str
    top_k: int
    temperature: float | None = None
    seed: int | None = None
    beam: int | None = None
    max_rounds: int | None = None

    @property
    def prompts(self) -> dict[str, str]:
        """Version of each prompt that a run may use."""
        return {task.name(): task.version for task in PROMPTS}

    @property
    def hash(self) -> str:
        """Equal for equal configurations, prompts included."""
        return hashlib.sha256(f"{self.model_dump_json()}{self.prompts}".encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Assistant:
    """Answers questions with any pipeline, retriever and model."""

    llm: LLM
    indexes: Indexes
    prices: dict[str, ModelPrice]
    limits: Limits = Limits()  # noqa: RUF009  (frozen)

    def checked(self, configuration: Configuration) -> Configuration:
        """The configuration, its names known and in full. Raises `InvalidInput`, `UnknownName` among it."""
        pipeline_with(configuration.pipeline, configuration.model_dump())
        retriever_named(configuration.retriever)
        return configuration.model_copy(update={"pipeline": pipeline_named(configuration.pipeline).name})

    def start(self, course: Course, question: Question, configuration: Configuration) -> Run:
        """A run on one question; nothing has been asked or searched yet."""
        sampling = Sampling(model=configuration.model, temperature=configuration.temperature, seed=configuration.seed)
        options = RetrieverOptions(sampling=sampling)
        if configuration.beam:
            options = replace(options, beam=configuration.beam)

        async def search(call: FunctionCall, llm: LLM) -> list[Passage]:
            function = course_function(call.name)
            found = await function.search(
                self.indexes,
                course.id,
                call.arguments["query"],
                retriever=configuration.retriever,
                top_k=call.arguments.get("top_k", configuration.top_k),
                llm=llm,
                options=options,
            )
            if not found and not (await self.indexes.get(course.id, function.source)).passages:
                raise NoMaterial(f"This course has no {function.source} documents to search.")
            return found

        return Run(
            course=course,
            question=question,
            functions=tuple(function.spec for function in COURSE_FUNCTIONS),
            search=search,
            llm=self.llm,
            sampling=sampling,
            retriever=configuration.retriever,
            prices=self.prices,
            limits=self.limits,
        )

    async def answer(self, run: Run, configuration: Configuration) -> Answer:
        """Work on the run with the configured pipeline. Raises typed errors."""
        return await answer_with(pipeline_with(configuration.pipeline, configuration.model_dump()), run)

    async def retrieve(
        self, course_id: str, source: Source | None, retriever: str, query: str, top_k: int
    ) -> list[Passage]:
        """Search a course's material without a question being worked on, best first."""
        return await retrieve(self.indexes, course_id, source, query, retriever=retriever, top_k=top_k, llm=self.llm)
