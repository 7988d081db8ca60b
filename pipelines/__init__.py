"""Strategies for choosing functions and writing the answer (EduMod-LLM, section 3.2).

Adding one: a module with a frozen dataclass, and its name in `PIPELINES`.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar, Protocol

from pydantic import ValidationError

from core.concurrency import in_thread_if
from core.errors import InvalidInput, ModelDeclined, UnknownName
from core.types import Answer, Status
from core.validation import problems_in
from pipelines.edison import Edison
from pipelines.fc import Fc
from pipelines.fc_categorize import FcCategorize
from pipelines.fc_feedback import FcFeedback
from pipelines.fc_forced import FcForced
from pipelines.fc_iterative import FcIterative
from pipelines.fc_multihop import FcMultihop
from pipelines.homework_feedback import Homework
from pipelines.public_trace import publish
from pipelines.run import Run

log = logging.getLogger("edumod")


class Pipeline(Protocol):
    """A frozen pydantic dataclass whose fields are its parameters, with ranges and descriptions.

    `summary` is one line for users; `model_calls` is the maximum number of model calls without repairs, retrievers, the
    reading of images and second looks.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    model_calls: ClassVar[str]

    async def answer(self, run: Run) -> Answer: ...


PIPELINES: tuple[type[Pipeline], ...] = (Edison, Fc, FcCategorize, FcForced, FcIterative, FcFeedback, FcMultihop)
FEEDBACK_PIPELINES: tuple[type[Pipeline], ...] = (Homework,)
"""Those that give feedback on homework instead of answering a question."""


def aliases(pipeline: type[Pipeline]) -> tuple[str, ...]:
    """The pipeline's other names: its name without `fc_`."""
    return (pipeline.name.removeprefix("fc_"),) if pipeline.name.startswith("fc_") else ()


ALIASES: tuple[str, ...] = tuple(alias for pipeline in PIPELINES for alias in aliases(pipeline))


def pipeline_named(name: str) -> type[Pipeline]:
    """A pipeline by its name or alias. Raises `UnknownName` listing the pipelines."""
    for pipeline in (*PIPELINES, *FEEDBACK_PIPELINES):
        if name in (pipeline.name, *aliases(pipeline)):
            return pipeline
    raise UnknownName("pipeline", name, [*(pipeline.name for pipeline in PIPELINES), *ALIASES])


def pipeline_with(name: str, parameters: Mapping[str, Any]) -> Pipeline:
    """A pipeline with its own ones among the parameters that are not None.

    Raises `UnknownName`, and `InvalidInput` for a value out of range.
    """
    kind: Any = pipeline_named(name)
    own = {field.name: parameters.get(field.name) for field in fields(kind)}
    try:
        pipeline: Pipeline = kind(**{parameter: value for parameter, value in own.items() if value is not None})
    except ValidationError as error:
        raise InvalidInput(
            f"The parameters of the pipeline {kind.name} are not valid: {problems_in(error)}."
        ) from error
    return pipeline


async def answer_with(pipeline: Pipeline, run: Run) -> Answer:
    """Read the question's images, and run the pipeline. The run's notes are added to the answer's warnings.

    The status is `blocked` if the model declines the task or its provider's content filter withholds the reply. This
    is an answer rather than an error: asking again would not help, the student reads that staff will reply, and a
    teaching assistant sees the draft with the reason. Errors are raised. Warnings may quote a model, so staff-only
    texts are removed from them too; `run.public_trace` is checked together with them.
    """
    category = run.question.category
    if category and not run.course.has_category(category):
        run.note(f"This course has no category {category!r}. It has: {', '.join(run.course.categories)}.")
    await run.read_images()
    await run.inspect_code()
    try:
        answer = await pipeline.answer(run)
    except ModelDeclined as error:
        log.warning("The draft is blocked: %s", error)
        answer = Answer(status=Status.BLOCKED, markdown="", warnings=(error.public,))
    checked = in_thread_if(run.holds_secrets(), publish, run, (*answer.warnings, *run.notes))
    run.public_trace, warnings = await checked
    return answer.model_copy(update={"warnings": warnings})
