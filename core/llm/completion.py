"""A chat completion as it comes from a server: parsed, and held to be anything but sound."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, ValidatorFunctionWrapHandler, field_validator

from core.llm.failures import Rejected, Unusable
from core.types import Usage


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Function(_Part):
    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class Call(_Part):
    id: str | None = None
    function: Function | None = None


class Message(_Part):
    content: str | None = None
    refusal: str | None = None
    tool_calls: tuple[Call, ...] | None = None


class Token(_Part):
    token: str
    logprob: float | None = None


class Position(Token):
    top_logprobs: tuple[Token, ...] | None = None


class Logprobs(_Part):
    content: tuple[Position, ...] | None = None


class Choice(_Part):
    finish_reason: str | None = None
    message: Message | None = None
    delta: Message | None = None
    logprobs: Logprobs | None = None

    @property
    def text(self) -> str:
        """This chunk's text, or the whole text where the server did not stream. Raises `Unusable` for a refusal."""
        part = self.delta or self.message or Message()
        if part.refusal:
            raise Unusable(f"refused the task: {part.refusal[:200]}", declined=True)
        return part.content or ""

    def check_finish(self) -> None:
        """Raises `Unusable` where the reply was cut or withheld."""
        if self.finish_reason == "length":
            raise Unusable("truncated its reply at the length limit")
        if self.finish_reason == "content_filter":
            raise Unusable("withheld its reply: a content filter matched", declined=True)
        if self.finish_reason == "error":
            raise Unusable("broke off its reply with an error")


class Tokens(_Part):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Completion(_Part):
    """A whole reply, or one chunk of a stream."""

    model: str | None = None
    choices: tuple[Choice, ...] | None = None
    usage: Tokens | None = None

    @field_validator("model", "usage", mode="wrap")
    @classmethod
    def _optional(cls, value: object, parse: ValidatorFunctionWrapHandler) -> object:
        """A reply is worth reading whatever is wrong with its bookkeeping."""
        try:
            return parse(value)
        except ValidationError:
            return None

    @property
    def choice(self) -> Choice:
        """The first choice. Raises `Unusable` where there is none."""
        if not self.choices:
            raise Unusable("sent a reply without choices")
        return self.choices[0]

    @property
    def message(self) -> Message:
        """The first choice's message, whole. Raises `Unusable` where it is missing, cut, withheld or a refusal."""
        self.choice.check_finish()
        message = self.choice.message
        if message is None:
            raise Unusable("sent a reply without a message")
        if message.refusal:
            raise Unusable(f"refused the task: {message.refusal[:200]}", declined=True)
        return message

    def cost(self, model_ms: float) -> Usage:
        """What this reply took; missing token counts are 0. Money is counted by `Metered`."""
        tokens = self.usage or Tokens()
        return Usage(
            calls=1,
            prompt_tokens=max(0, tokens.prompt_tokens or 0),
            completion_tokens=max(0, tokens.completion_tokens or 0),
            model_ms=model_ms,
        )


def parse_completion(body: object) -> Completion:
    """Check a decoded response. Raises `Rejected` for an error sent with status 200, `Unusable` for anything else."""
    if not isinstance(body, dict):
        raise Unusable("sent JSON that is no object. Check that EDUMOD_LLM_BASE_URL ends in /v1")
    if body.get("error"):
        raise Rejected.in_reply(body["error"])
    try:
        return Completion.model_validate(body)
    except ValidationError as error:
        raise Unusable(f"sent a malformed reply: {problems(error)}") from None


def problems(error: ValidationError) -> str:
    """A validation error in one line, for the model or the log: at most five findings, without the values."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    return "; ".join(f"{'.'.join(map(str, item['loc'])) or 'reply'}: {item['msg']}" for item in found[:5])
