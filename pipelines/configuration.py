"""Resolves the parameters of a request, a course file or an experiment to a configuration, which decides an answer.

All three use the same names: those of `core.course.Choices`, `retriever.SOURCE` for one course function's retriever,
and the parameters of the pipelines, which are the fields of their classes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import cache
from typing import Annotated, Any, Union, cast

from pydantic import BaseModel, Field, TypeAdapter, create_model

from core.course import Choices
from core.errors import InvalidInput
from core.llm.base import Sampling
from core.llm.task import Task
from core.types import Question, Source, Value
from pipelines import FEEDBACK_PIPELINES, PIPELINES, Pipeline, pipeline_with
from retrievers import retriever_named
from retrievers.options import DEFAULT_OPTIONS, RetrieverOptions
from retrievers.tasks import RETRIEVAL_TASKS
from tasks import PIPELINE_TASKS

PROMPTS: tuple[type[Task[Any]], ...] = (*PIPELINE_TASKS, *RETRIEVAL_TASKS)


class Configuration(Value):
    """All parameters of a request, resolved; `parameters` are those of the pipeline, by name."""

    pipeline: str
    retriever: str
    retrievers: dict[Source, str] = Field(description="Each course function's retriever.")
    model: str
    top_k: int
    temperature: float | None
    seed: int | None
    beam: int
    depth: int
    parameters: dict[str, Any]

    @property
    def prompts(self) -> dict[str, str]:
        """Version of each prompt that a run may use."""
        return {task.name(): task.version for task in PROMPTS}

    @property
    def hash(self) -> str:
        """Equal for configurations with equal parameters and prompt versions."""
        return hashlib.sha256(f"{self.model_dump_json()}{self.prompts}".encode()).hexdigest()[:16]

    @property
    def sampling(self) -> Sampling:
        return Sampling(model=self.model, temperature=self.temperature, seed=self.seed)

    @property
    def retriever_options(self) -> RetrieverOptions:
        return RetrieverOptions(beam=self.beam, depth=self.depth, sampling=self.sampling)

    def seeded(self, number: int) -> Configuration:
        """For repetitions of a question, numbered from 0: the seeds from the configured one on, or from 0."""
        return self.model_copy(update={"seed": (self.seed or 0) + number})

    def build_pipeline(self) -> Pipeline:
        """The pipeline with its parameters."""
        return pipeline_with(self.pipeline, self.parameters)


def resolve(defaults: Mapping[str, Any], chosen: Mapping[str, Any], model: str) -> Configuration:
    """The configuration of `chosen`, completed by `defaults` and by `model` as the default model. None means missing.

    A chosen `retriever` applies to every function, overriding defaults for single ones. Parameters of other pipelines
    are ignored, since defaults and experiments apply to several pipelines; see `demand_own` for requests. Raises
    `UnknownName`, and `InvalidInput` naming the problem.
    """
    wanted = {name: value for name, value in chosen.items() if value is not None}
    given = {name: value for name, value in defaults.items() if value is not None}
    if "retriever" in wanted:
        given = {name: value for name, value in given.items() if name not in PER_FUNCTION}
    merged = {**given, **wanted}
    if unknown := merged.keys() - NAMES:
        raise InvalidInput(f"There is no parameter {', '.join(sorted(unknown))}. There are: {', '.join(NAMES)}.")
    retriever = retriever_named(merged["retriever"]).name
    made: Any = pipeline_with(merged["pipeline"], merged)
    return Configuration(
        pipeline=made.name,
        retriever=retriever,
        retrievers={
            source: retriever_named(merged[name]).name if name in merged else retriever
            for name, source in zip(PER_FUNCTION, Source, strict=True)
        },
        model=merged.get("model", model),
        top_k=merged["top_k"],
        temperature=merged.get("temperature"),
        seed=merged.get("seed"),
        beam=merged.get("beam", DEFAULT_OPTIONS.beam),
        depth=merged.get("depth", DEFAULT_OPTIONS.depth),
        parameters={field.name: getattr(made, field.name) for field in fields(made)},
    )


def demand_own(chosen: Iterable[str], pipeline: str) -> None:
    """Raises `InvalidInput` for a parameter among the chosen names that other pipelines have, naming these."""
    given = [name for name in chosen if name in pipeline_parameters().model_fields]
    kinds = (*PIPELINES, *FEEDBACK_PIPELINES)
    own = {kind.name: {field.name for field in fields(cast(Any, kind))} for kind in kinds} if given else {}
    for parameter in given:
        if parameter not in own[pipeline]:
            having = ", ".join(name for name, names in own.items() if parameter in names)
            raise InvalidInput(
                f"The pipeline {pipeline} has no parameter {parameter}. These have it: {having}. "
                f"Choose one of them, or leave {parameter} out."
            )


def demand_homework(question: Question, pipeline: str) -> None:
    """Raises `InvalidInput` for a question with a pipeline that gives feedback on homework."""
    for_homework = [one.name for one in FEEDBACK_PIPELINES]
    if question.exercise is None and pipeline in for_homework:
        raise InvalidInput(
            f"The pipeline {pipeline} gives feedback on homework. Send the submission to POST /feedback."
        )


def demand_feedback(pipeline: str | None) -> None:
    """Raises `InvalidInput` for a pipeline that answers questions, where feedback on homework is wanted."""
    for_homework = [one.name for one in FEEDBACK_PIPELINES]
    if pipeline is not None and pipeline not in for_homework:
        raise InvalidInput(
            f"The pipeline {pipeline} answers questions. Feedback is given by {', '.join(for_homework)}."
        )


def own_parameters(pipeline: type[Pipeline]) -> dict[str, dict[str, Any]]:
    """The parameters of a pipeline, by name, as JSON Schema with default, range and description."""
    schema: dict[str, dict[str, Any]] = TypeAdapter(pipeline).json_schema().get("properties", {})
    return schema


@cache
def pipeline_parameters() -> type[BaseModel]:
    """A pydantic model with every pipeline's parameters, all optional: None means the pipeline's default.

    If pipelines share a parameter's name, a value is valid if one of them accepts it.
    """
    found: dict[str, list[tuple[str, Any]]] = {}
    for pipeline in PIPELINES:
        for name, field in getattr(pipeline, "__pydantic_fields__", {}).items():
            found.setdefault(name, []).append((pipeline.name, field))
    own: dict[str, Any] = {name: _optional(ones) for name, ones in found.items()}
    return create_model("PipelineParameters", **own)


@cache
def retriever_parameters() -> type[BaseModel]:
    """A pydantic model with a field for each course function's retriever, `retriever.SOURCE`; None is the default."""
    own: dict[str, Any] = {
        f"{source}_retriever": (
            str | None,
            Field(
                default=None,
                alias=name,
                description=f"A name from `GET /retrievers`, for {source} only.",
            ),
        )
        for name, source in zip(PER_FUNCTION, Source, strict=True)
    }
    return create_model("RetrieverParameters", **own)


def _optional(declared: Iterable[tuple[str, Any]]) -> Any:
    ones = list(declared)
    kinds = tuple(_annotated(field) for _, field in ones)
    description = " ".join(f"{name}: {field.description} Default {field.default}." for name, field in ones)
    return Union[(*kinds, None)], Field(default=None, description=description)


def _annotated(field: Any) -> Any:
    return Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation


PER_FUNCTION: tuple[str, ...] = tuple(f"retriever.{source}" for source in Source)
"""Names of the parameters for one course function's retriever."""
NAMES: tuple[str, ...] = (*Choices.model_fields, *PER_FUNCTION, *pipeline_parameters().model_fields)
"""Names of all parameters."""
