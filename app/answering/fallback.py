"""Answers a question whose model is unavailable: with an error or, if its course allows it, an extract."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from app.answering.asked_question import AskedQuestion
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


async def extract(
    assistant: Assistant,
    failed: Run,
    configuration: Configuration,
    draft_id: str,
    asked: AskedQuestion,
    watch: WatchRun,
    error: ModelUnavailable,
) -> tuple[Run, Answer]:
    """An extractive answer to the question of a failed run, with the run that produced it. Raises typed errors, and
    `error` if the course allows no such answer.

    The offline run takes over only the usage of the failed run: the public trace of a run omits the staff-only texts
    found by that run itself, so their traces cannot be joined.
    """
    if failed.course.when_model_fails is not WhenModelFails.OFFLINE or configuration.model == OFFLINE_MODEL:
        raise error
    log.warning("The model is unavailable, so draft %s is written offline: %s", draft_id, error)
    offline = configuration.model_copy(update={"model": OFFLINE_MODEL})
    run = await assistant.start(
        failed.course, failed.question, offline, asked.pictures, audience=failed.audience, spent=failed.usage
    )
    for note in asked.notes:
        run.note(note)
    run.watch(partial(watch, run))
    answer = await assistant.answer(run, configuration, draft_id)
    return run, answer.model_copy(update={"warnings": (EXTRACTED, *answer.warnings)})
