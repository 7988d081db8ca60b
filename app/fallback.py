"""Answers a question whose model is unavailable: with an error or, if its course allows it, an extract."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from app.question import Asked
from core.course import WhenModelFails
from core.errors import ModelUnavailable
from core.llm.offline import OFFLINE_MODEL
from core.types import Answer, FunctionCall, Step
from pipelines.assistant import Assistant
from pipelines.configuration import Configuration
from pipelines.run import Run

EXTRACTED = "The language model could not be reached, so this answer is extractive: no model wrote it."

log = logging.getLogger("edumod")
WatchRun = Callable[[Run, FunctionCall | Step], None]
"""Called for each function call and step of a run, see `pipelines.running.trace.Watch`."""


async def answered_anyhow(
    assistant: Assistant,
    run: Run,
    configuration: Configuration,
    draft_id: str,
    asked: Asked,
    watch: WatchRun,
) -> tuple[Run, Answer]:
    """The answer, with the run that produced it. Raises typed errors.

    An offline run takes over only the usage of the failed run: the public trace of a run omits the staff-only texts
    found by that run itself, so their traces cannot be joined.
    """
    try:
        return run, await assistant.answer(run, configuration, draft_id)
    except ModelUnavailable as error:
        if run.course.when_model_fails is not WhenModelFails.OFFLINE or configuration.model == OFFLINE_MODEL:
            raise
        log.warning("The model is unavailable, so draft %s is written offline: %s", draft_id, error)
    offline = configuration.model_copy(update={"model": OFFLINE_MODEL})
    instead = await assistant.start(run.course, run.question, offline, asked.images, spent=run.usage)
    instead.notes.extend(asked.notes)
    instead.watch(partial(watch, instead))
    answer = await assistant.answer(instead, configuration, draft_id)
    return instead, answer.model_copy(update={"warnings": (EXTRACTED, *answer.warnings)})
