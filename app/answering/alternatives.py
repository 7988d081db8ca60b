"""Another answer to a draft's question, written for its reviewer: with an instruction, or by other means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pydantic import ValidationError

from app.answering.question import asked_again
from app.answering.service import Answering
from app.schemas import AnswerParameters
from core.course import Choices
from core.errors import InvalidInput, NotDecidable
from core.quotas import Subject
from core.types import Message, Role


async def offer(
    answering: Answering, draft_id: str, instruction: str, given: Mapping[str, str], key: Subject | None = None
) -> None:
    """Write another answer and keep it beside the draft's own, until it takes its place.

    `given` are parameters of the query that differ from those of the draft's request. The instruction is a message by
    staff at the end of the thread, so that every prompt stays as it is. `key` pays for it. Raises `NotFound`,
    `NotDecidable` for a draft without a question, and the errors of an answer.
    """
    draft = await answering.store.drafts.get(draft_id)
    if draft.request is None:
        raise NotDecidable(f"The draft {draft_id} holds no question, so there is nothing to answer.")
    choices = {**(draft.parameters or {}), **{name: value for name, value in given.items() if value}}
    if given.get("pipeline"):
        # Parameters of another pipeline mean nothing to this one.
        choices = {name: value for name, value in choices.items() if name in {*Choices.model_fields}}
    try:
        asked = replace(await asked_again(draft.request, await answering.store.pictures.of(draft_id)), key=key)
        parameters = AnswerParameters.model_validate(choices)
    except ValidationError as error:
        raise InvalidInput("This question cannot be answered again with these parameters.") from error
    if instruction.strip():
        message = Message(role=Role.INSTRUCTOR, body=f"How this should be answered: {instruction.strip()}")
        asked = replace(asked, question=asked.question.model_copy(update={"thread": (*asked.question.thread, message)}))
    response, trace = await answering.try_again(draft, asked, parameters.choices)
    await answering.store.drafts.offer(draft_id, response.model_dump(mode="json"), trace)
