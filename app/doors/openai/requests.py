"""What chat clients send, as a question of ours. Fields that are not known here are ignored, as clients expect."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, Field

from app.schemas import AnswerParameters, AnswerRequest, AuthorIn, ImageIn, QuestionIn, Text
from core.errors import InvalidInput, UnknownName

MAX_MESSAGES = 500
_DATA_URL = re.compile(r"data:(image/[a-z0-9.+-]+);base64,(.*)", re.DOTALL)
_TASK = re.compile(r"\s*(?:### Task:|Provide a concise, 5-word-or-less title)")
"""How chat clients begin requests that are no question: titles, tags, follow-ups (Open WebUI, LibreChat)."""
_QUESTION = re.compile(r"<chat_history>.*?USER:\s*(.*?)(?:\n\s*(?:ASSISTANT:|</chat_history>)|$)", re.DOTALL | re.I)
_TITLE_WORDS = 6


class ChatMessage(BaseModel):
    """A message; its content is a text, or parts of which texts and pictures are read."""

    role: str = Field(max_length=40)
    content: Text | list[dict[str, Any]] | None = None

    @property
    def text(self) -> str:
        if not isinstance(self.content, list):
            return self.content or ""
        kinds = ("text", "input_text", "output_text")
        return "\n".join(str(part.get("text", "")) for part in self.content if part.get("type") in kinds)

    def images(self) -> list[ImageIn]:
        """Pictures in the message. Raises `InvalidInput` for an address: nothing is fetched."""
        parts = self.content if isinstance(self.content, list) else []
        urls = [part.get("image_url") for part in parts if part.get("type") in ("image_url", "input_image")]
        return [_image(url.get("url") if isinstance(url, dict) else url) for url in urls]


class StreamOptions(BaseModel):
    include_usage: bool = False


class ChatRequest(BaseModel):
    """`POST /chat/completions`."""

    model: Text = Field(max_length=300)
    messages: list[ChatMessage] = Field(min_length=1, max_length=MAX_MESSAGES)
    stream: bool = False
    stream_options: StreamOptions | None = None
    user: Text | None = Field(default=None, max_length=200)
    metadata: dict[str, Any] | None = None
    seed: int | None = None


class ResponsesRequest(BaseModel):
    """`POST /responses`; earlier responses are not kept, so the conversation is sent whole."""

    model: Text = Field(max_length=300)
    input: Text | Annotated[list[ChatMessage], Field(min_length=1, max_length=MAX_MESSAGES)]
    stream: bool = False
    user: Text | None = Field(default=None, max_length=200)
    metadata: dict[str, Any] | None = None
    previous_response_id: str | None = None

    def as_chat(self) -> ChatRequest:
        """The same as a chat. Raises `InvalidInput` for a response that should be remembered."""
        if self.previous_response_id is not None:
            raise InvalidInput("previous_response_id is not supported: responses are not kept. Send all messages.")
        messages = [ChatMessage(role="user", content=self.input)] if isinstance(self.input, str) else self.input
        return ChatRequest(model=self.model, messages=messages, user=self.user, metadata=self.metadata)


def model_parts(model: str, courses: Sequence[str], pipelines: Sequence[str]) -> tuple[str, str | None]:
    """Course and pipeline of a model's name, such as `ds101` or `ds101/fc`. Raises `UnknownName`."""
    course, slash, pipeline = model.partition("/")
    if course not in courses or (slash and pipeline not in pipelines):
        raise UnknownName("model", model, [*courses, *(f"{one}/{name}" for one in courses for name in pipelines)])
    return course, pipeline or None


def question_of(chat: ChatRequest, course: str) -> AnswerRequest:
    """The last message as a question of its own. Raises `InvalidInput`.

    Those before it are left out: what the assistant said is not a person's answer, a client may write anything there,
    and a question with an earlier one beside it is answered as the earlier one.
    """
    last = next((message for message in reversed(chat.messages) if message.role in ("user", "assistant")), None)
    if last is None or last.role != "user" or not last.text.strip():
        raise InvalidInput("messages must end with a message of the role `user` that has a text: the question.")
    consent = (chat.metadata or {}).get("consent")
    return AnswerRequest(
        course=course,
        question=QuestionIn(body=last.text, images=last.images()),
        author=AuthorIn(pseudonym=chat.user, consent=None if consent is None else str(consent).lower() == "true"),
    )


def parameters_of(pipeline: str | None, seed: int | None = None) -> AnswerParameters:
    """The parameters that a model's name stands for; others are the course's own."""
    return AnswerParameters.model_validate(
        {name: value for name, value in (("pipeline", pipeline), ("seed", seed)) if value is not None}
    )


def errand_reply(chat: ChatRequest) -> str | None:
    """The reply to a chat client's own request for a title, tags or follow-ups; None for a question.

    They come to the model that the chat is with. No run is started for them, so none leaves a draft.
    """
    text = chat.messages[-1].text
    if not _TASK.match(text) or len(text) > 100_000:
        return None
    asked = _QUESTION.search(text)
    title = " ".join((asked[1] if asked else "Course question").split()[:_TITLE_WORDS])
    for word, reply in _ERRANDS.items():
        if word in text:
            return reply
    return f'{{"title": "{_plain(title)}"}}' if '"title"' in text else _plain(title)


_ERRANDS: Mapping[str, str] = {
    '"follow_ups"': '{"follow_ups": []}',
    '"tags"': '{"tags": ["Course"]}',
    '"queries"': '{"queries": []}',
    '"text"': '{"text": ""}',
}
"""By the field that such a request demands, an empty reply in its form."""


def _plain(text: str) -> str:
    return re.sub(r'["\\\x00-\x1f]', "", text)


def _image(url: object) -> ImageIn:
    match = _DATA_URL.fullmatch(url) if isinstance(url, str) else None
    if match is None:
        raise InvalidInput(
            "A picture must be sent in the message, as data:image/png;base64,...: no address is fetched."
        )
    return ImageIn(media_type=match[1], data=match[2])
