"""muEd's chat, version 0.1.0: what is read of a request, replies and errors.

Written from the public specification, whose copies differ: a reply carries the message under both names that they use.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from pydantic import BaseModel, Field

from app.doors.asking import DoorAnswer
from app.readiness import Readiness
from app.schemas import AnswerRequest, AuthorIn, QuestionIn, Text
from core.errors import EduModError, Forbidden, InvalidInput, ModelError, NotFound, Unauthenticated

Json: TypeAlias = dict[str, Any]
VERSIONS = ("0.1.0",)
MAX_MESSAGES = 500
USER, ASSISTANT = "USER", "ASSISTANT"
OK, DEGRADED = "OK", "DEGRADED"
CODES: tuple[tuple[type[EduModError], int | None, str], ...] = (
    (NotFound, None, "NOT_FOUND"),
    (InvalidInput, 400, "VALIDATION_ERROR"),
    (Unauthenticated, None, "PERMISSION_DENIED"),
    (Forbidden, None, "PERMISSION_DENIED"),
    (ModelError, 500, "LLM_PROVIDER_ERROR"),
)
"""By the kind of an error, its status (None: our own) and code."""


class MuEdMessage(BaseModel):
    role: str = Field(max_length=40)
    content: Text


class MuEdChat(BaseModel):
    """`POST /chat`. Fields that are not known here are ignored; no address in it is called."""

    messages: list[MuEdMessage] = Field(min_length=1, max_length=MAX_MESSAGES)
    conversationId: Text | None = Field(default=None, max_length=150)  # noqa: N815
    user: dict[str, Any] | None = None


def question_of(chat: MuEdChat, course: str) -> AnswerRequest:
    """The last message as a question of its own (decision 0087). Raises `InvalidInput`."""
    last = chat.messages[-1]
    if last.role.upper() != USER or not last.content.strip():
        raise InvalidInput("messages must end with one of the role USER that has a text: the question.")
    user_id = (chat.user or {}).get("userId")
    pseudonym = user_id[:200] if isinstance(user_id, str) else None
    thread = f"mued-{chat.conversationId}" if chat.conversationId else None
    question = QuestionIn(body=last.content.strip())
    return AnswerRequest(course=course, question=question, thread_id=thread, author=AuthorIn(pseudonym=pseudonym))


def chat_reply(answer: DoorAnswer) -> Json:
    """The reply with its sources in the text and as data."""
    message = {"role": ASSISTANT, "content": answer.text}
    citations = [{"number": source.number, "title": source.title, "url": source.url} for source in answer.sources]
    metadata = {
        "citations": citations,
        "status": answer.response.status.value,
        "draftId": answer.response.draft_id,
        "waitsForPerson": answer.is_waiting,
        "url": answer.url,
    }
    return {"output": message, "response": message, "metadata": metadata}


def health(state: Readiness) -> Json:
    """What the door can do, and whether it can now."""
    capabilities = {
        "supportsChat": True,
        "supportsDataPolicy": "NOT_SUPPORTED",
        "supportsStreaming": False,
        "supportedAPIVersions": list(VERSIONS),
    }
    wrong = ", ".join(name for name, check in state.checks.items() if check != "ok")
    return {
        "status": OK if state.ready else DEGRADED,
        "statusMessage": f"Not ready: {wrong}." if wrong else None,
        "version": VERSIONS[-1],
        "capabilities": capabilities,
    }


def error_reply(error: EduModError) -> tuple[int, Json]:
    """Status and body of an error."""
    status, code = next(
        ((own or error.status, code) for kind, own, code in CODES if isinstance(error, kind)),
        (error.status, error.code.upper().replace("-", "_")),
    )
    return status, error_body(code, error.public)


def error_body(code: str, message: str) -> Json:
    """An error in muEd's form."""
    return {"title": code.replace("_", " ").capitalize(), "message": message, "code": code}
