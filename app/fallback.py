"""What becomes of a question whose model is unavailable: an error, or where its course allows it, an extract."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from app.question import Asked
from core.course import WhenModelFails
from core.errors import ModelUnavailable
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
    """The answer, with the run that it came from. Raises typed errors.

    An offline run takes nothing over from the failed one but its usage: the trace of each is cleared of what that run
    itself found for staff alone.
    """
    try:
        return run, await assistant.answer(run, configuration, draft_id)
    except ModelUnavailable as error:
        if run.course.when_model_fails is not WhenModelFails.OFFLINE or assistant.offline is None:
            raise
        log.warning("The model is unavailable, so draft %s is written offline: %s", draft_id, error)
    instead = assistant.start(run.course, run.question, configuration, asked.images, offline=True, spent=run.usage)
    instead.notes.extend(asked.notes)
    instead.watch(partial(watch, instead))
    answer = await assistant.answer(instead, configuration, draft_id)
    return instead, answer.model_copy(update={"warnings": (EXTRACTED, *answer.warnings)})
