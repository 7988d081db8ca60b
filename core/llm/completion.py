"""Parses a chat completion from a server, which is not trusted to be well-formed."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    field_validator,
    model_validator,
)

from core.llm.failures import Rejected, Unusable
from core.types import Usage
from core.validation import problems_in

MAX_TEXT_CHARS = 200_000
"""Maximum length of a reply's text."""
MAX_NAME_CHARS = 200
"""Maximum length of the name of a model or a function."""
MAX_CALLS = 128
MAX_OPAQUE_CHARS = 100_000
"""Of the fields of a call that are sent back as they came."""
_OF_CALL = frozenset({"id", "type", "index"})
MAX_CHOICES = 16
"""Maximum number of choices; the request asks for one."""
MAX_POSITIONS = 4_096
MAX_TOP_LOGPROBS = 100
MAX_TOKENS = 10**9
"""A higher token count is ignored."""
MAX_PROBLEMS = 5
"""Maximum number of problems of a reply that are named to the model or in the log."""

_THOUGHTS = re.compile(r"\s*(?:<(think\w*|reasoning|thoughts?)>)?.*?</(?:think\w*|reasoning|thoughts?)>", re.DOTALL)
"""What a reasoning model writes before its reply; some servers take the first tag away."""
_UNFINISHED = re.compile(r"\s*<(?:think\w*|reasoning|thoughts?)>")

Text = Annotated[str, Field(max_length=MAX_TEXT_CHARS)]
Name = Annotated[str, Field(max_length=MAX_NAME_CHARS)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Function(_Part):
    name: Name | None = None
    arguments: str | dict[str, Any] | None = None


class Call(_Part):
    """A call as it was sent, without its id: EduMod assigns its own ids."""

    model_config = ConfigDict(frozen=True, extra="allow")

    function: Function | None = None

    @property
    def opaque(self) -> dict[str, Any]:
        """What the server sent with the call and may want back: fields that the protocol does not know."""
        further = {name: value for name, value in (self.model_extra or {}).items() if name not in _OF_CALL}
        return further if len(json.dumps(further)) <= MAX_OPAQUE_CHARS else {}


class ReplyMessage(_Part):
    content: Text | None = None
    refusal: Text | None = None
    tool_calls: tuple[Call, ...] | None = Field(default=None, max_length=MAX_CALLS)

    @model_validator(mode="before")
    @classmethod
    def _read_other_forms(cls, sent: Any) -> Any:
        """Content in parts, a call that is not in a list, and the field in which calls were sent before."""
        if not isinstance(sent, dict):
            return sent
        content, calls = sent.get("content"), sent.get("tool_calls") or sent.get("function_call")
        if isinstance(content, list):
            content = "".join(filter(None, map(_part_text, content)))
        if isinstance(calls, dict):
            calls = [calls if "function" in calls else {"function": calls}]
        return {**sent, "content": content, "tool_calls": calls}

    @property
    def text(self) -> str:
        """The content without the thoughts before it; empty if there is none."""
        content = self.content or ""
        if content.lstrip().startswith("{"):
            return content
        if thoughts := _THOUGHTS.match(content):
            return content[thoughts.end() :].lstrip()
        return "" if _UNFINISHED.match(content) else content


class Token(_Part):
    token: Name
    logprob: float | None = None


class TokenPosition(Token):
    top_logprobs: tuple[Token, ...] | None = Field(default=None, max_length=MAX_TOP_LOGPROBS)


class Logprobs(_Part):
    content: tuple[TokenPosition, ...] | None = Field(default=None, max_length=MAX_POSITIONS)


class ReplyChoice(_Part):
    finish_reason: str | None = None
    message: ReplyMessage | None = None
    logprobs: Logprobs | None = None

    def check_finish(self, accepts_truncated: bool = False) -> None:
        """Raises `Unusable` if the reply was withheld, or truncated where that is not accepted."""
        if self.finish_reason == "length" and not accepts_truncated:
            raise Unusable("truncated its reply at the length limit")
        if self.finish_reason == "content_filter":
            raise Unusable("withheld its reply: a content filter matched", declined=True)
        if self.finish_reason == "error":
            raise Unusable("broke off its reply with an error")


class Tokens(_Part):
    prompt_tokens: int | None = Field(default=None, ge=0, le=MAX_TOKENS)
    completion_tokens: int | None = Field(default=None, ge=0, le=MAX_TOKENS)


class Completion(_Part):
    """A reply. `model` is the name that the server reports, for logs and prices."""

    model: Name | None = None
    choices: tuple[ReplyChoice, ...] | None = Field(default=None, max_length=MAX_CHOICES)
    usage: Tokens | None = None

    @field_validator("model")
    @classmethod
    def _printable(cls, model: str | None) -> str | None:
        """Drops a name with control characters, since a terminal shows it."""
        return model if model is None or model.isprintable() else None

    @field_validator("model", "usage", mode="wrap")
    @classmethod
    def _optional(cls, value: object, parse: ValidatorFunctionWrapHandler) -> object:
        """Drops an invalid model name or usage, so that the rest of the reply can be used."""
        try:
            return parse(value)
        except ValidationError:
            return None

    @property
    def choice(self) -> ReplyChoice:
        """The first choice. Raises `Unusable` if there is none."""
        if not self.choices:
            raise Unusable("sent a reply without choices")
        return self.choices[0]

    @property
    def message(self) -> ReplyMessage:
        """The first choice's message. Raises `Unusable` if it is missing, truncated, withheld or a refusal."""
        return self.message_of()

    def message_of(self, accepts_truncated: bool = False) -> ReplyMessage:
        """The same, perhaps truncated."""
        self.choice.check_finish(accepts_truncated)
        message = self.choice.message
        if message is None:
            raise Unusable("sent a reply without a message")
        if message.refusal:
            raise Unusable(f"refused the task: {message.refusal[:200]}", declined=True)
        return message

    @property
    def tokens(self) -> Usage:
        """The tokens of this reply; missing or absurd counts are 0. `Metered` computes the cost."""
        tokens = self.usage or Tokens()
        return Usage(prompt_tokens=tokens.prompt_tokens or 0, completion_tokens=tokens.completion_tokens or 0)


def _part_text(part: object) -> str:
    """The text of a part; thoughts and pictures have none."""
    if isinstance(part, dict):
        part = part.get("text") if part.get("type") in ("text", "output_text", None) else ""
    return part if isinstance(part, str) else ""


def said_as_text(text: str) -> Completion:
    """A reply of that text alone: what a model wrote where the server could not read it."""
    return Completion(choices=(ReplyChoice(message=ReplyMessage(content=text[:MAX_TEXT_CHARS])),))


def parse_completion(body: object) -> Completion:
    """Validate a decoded response. Raises `Rejected` for an error with status 200, else `Unusable`."""
    if not isinstance(body, dict):
        raise Unusable("sent JSON that is not an object. Check that the endpoint's URL ends in /v1")
    if body.get("error"):
        raise Rejected.in_reply(body["error"])
    try:
        return Completion.model_validate(body)
    except ValidationError as error:
        raise Unusable(f"sent a malformed reply: {problems_in(error, MAX_PROBLEMS)}") from None
