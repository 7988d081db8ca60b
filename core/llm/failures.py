"""The failures of a model call, and the error of `core.errors` that each becomes.

Dropped       there was no complete HTTP response
Rejected      the server answered with an error, or with a redirect
Unusable      there was a reply, but nothing in it can be used
CircuitOpen   the server failed too often lately, so no request was sent
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from core.errors import (
    BadReply,
    ContextOverflow,
    MissingCapability,
    ModelDeclined,
    ModelError,
    ModelRefused,
    ModelUnavailable,
)
from core.llm.endpoint import SETTINGS, SetBy
from core.llm.prompt import ChatMessage
from core.llm.redaction import redacted

TRANSIENT = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
UNSUPPORTED = frozenset({400, 404, 422, 501})
"""Statuses by which servers report an unknown request parameter."""

OVERLOADED = frozenset({429, 503, 529})

_OVERFLOW = re.compile(r"context.?(length|size|window)|too (large|long) to process", re.IGNORECASE)
"""llama.cpp words it the second way, with status 500."""
_NO_MODEL = re.compile(r"model.{0,100}(not found|not exist)|model_not_found|no such model", re.IGNORECASE | re.DOTALL)
_FILTERED = re.compile(r"content.?(filter|management|policy)|responsible.?ai", re.IGNORECASE)
_MAX_WORDS_CHARS = 4_000
"""Characters kept of a server's message, of which error messages quote a part."""


class Dropped(Exception):
    """The connection was refused, reset, or closed before the response was complete."""


class Rejected(Exception):
    """The server answered with an error. `retry_after` is in seconds, set if the server named a time.

    `generation` is what the model wrote, where the server could not read it and says so.
    """

    def __init__(self, status: int, body: object, retry_after: float | None = None) -> None:
        self.status = status
        self.retry_after = retry_after
        self.words = _words(body)
        self.generation = _generation(body)
        super().__init__(f"{status}: {self.words}")

    @classmethod
    def in_reply(cls, error: object) -> Rejected:
        """An error sent with status 200. Proxies put the status of the upstream server into its code."""
        code = error.get("code") if isinstance(error, dict) else None
        return cls(code if isinstance(code, int) and 400 <= code < 600 else 200, error)

    @property
    def transient(self) -> bool:
        """True if the same request may succeed later."""
        return self.status in TRANSIENT and not self.overflow and "insufficient_quota" not in self.words

    @property
    def overflow(self) -> bool:
        return self.status == 413 or bool(_OVERFLOW.search(self.words))

    def lacks(self, capability: str) -> bool:
        """True if the server refused the request because of that parameter, judging by its message."""
        if self.status not in UNSUPPORTED or self.overflow or _NO_MODEL.search(self.words):
            return False
        return self.status == 501 or capability.rstrip("s") in self.words.lower()

    @property
    def refuses_format(self) -> bool:
        """True if another response format is worth trying: servers word this refusal in too many ways to match."""
        return self.status in UNSUPPORTED and not self.overflow and not _NO_MODEL.search(self.words)


class Unusable(Exception):
    """A reply without anything usable.

    `feedback` holds the messages that ask the model for a corrected reply; it is empty if asking again would not help.
    `capability` names what the server seems to lack, if that explains the reply. `declined` is true if the model
    refused the task, or a filter withheld its reply.
    """

    def __init__(
        self,
        problem: str,
        feedback: Sequence[ChatMessage] = (),
        capability: str | None = None,
        *,
        declined: bool = False,
    ) -> None:
        self.feedback = list(feedback)
        self.capability = capability
        self.declined = declined
        super().__init__(problem)


class CircuitOpen(Exception):
    """No request was sent, because earlier ones failed. The next may be sent in `seconds`."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(f"{seconds:.0f} seconds left")


@contextmanager
def needing(capability: str) -> Iterator[None]:
    """Turns a server's refusal of a request parameter into the `Unusable` that names the missing capability."""
    try:
        yield
    except Rejected as refusal:
        if refusal.lacks(capability):
            raise Unusable(f"does not support {capability} ({refusal.words})", capability=capability) from None
        raise


@contextmanager
def embedding_texts() -> Iterator[None]:
    """Turns a server's refusal of texts for their length into the `Unusable` that says what to correct."""
    try:
        yield
    except Rejected as refusal:
        if refusal.overflow:
            raise Unusable(
                f"reads no texts of that length ({refusal.words}). Lower `embedding.max_tokens` in the models file"
            ) from None
        raise


Failure = Dropped | Rejected | Unusable | CircuitOpen


@dataclass(frozen=True)
class Server:
    """The subject of error messages: a model at an endpoint, whose key must not appear in any message.

    Messages are for operators: they name the endpoint and quote a redacted part of its message.
    """

    model: str
    base_url: str
    api_key: str
    by: SetBy = SETTINGS

    def explain(self, failure: Failure) -> ModelError:
        """The error to raise for a failure."""
        if isinstance(failure, CircuitOpen):
            return ModelUnavailable(
                f"{self} failed several times in a row, so no requests are sent to it for now. The next one may be "
                f"sent in {failure.seconds:.0f} seconds. The log shows how it failed.",
                failure.seconds,
            )
        if isinstance(failure, Dropped):
            return ModelUnavailable(
                f"{self} could not be reached, or closed the connection: {self._quoted(failure)}. "
                f"Check that it runs and that {self.by.base_url} is right."
            )
        if isinstance(failure, Rejected):
            return self._rejected(failure)
        if failure.capability:
            return MissingCapability(
                failure.capability, f"{self} {self._quoted(failure)}. Choose another model with {self.by.model}."
            )
        return (ModelDeclined if failure.declined else BadReply)(f"{self} {self._quoted(failure)}.")

    def __str__(self) -> str:
        return f"The model {self.model!r} at {self.address}"

    @property
    def address(self) -> str:
        """The endpoint's URL without the query, which may be a credential."""
        url = urlsplit(self.base_url)
        return f"{url.scheme}://{url.netloc}{url.path}"

    def _quoted(self, words: object) -> str:
        return redacted(str(words), self.api_key)

    def _rejected(self, failure: Rejected) -> ModelError:
        said = f"It said: {self._quoted(failure.words)}"
        if failure.overflow:
            return ContextOverflow(f"{self} received a prompt that exceeds its context. Send less text. {said}")
        if failure.transient:
            problem = "is overloaded or over its rate limit" if failure.status in OVERLOADED else "failed"
            text = f"{self} {problem} (HTTP {failure.status}). Try again later. {said}"
            return ModelUnavailable(text, failure.retry_after)
        if 300 <= failure.status < 400:
            return ModelRefused(
                f"{self} answered with a redirect, which is not followed (HTTP {failure.status}). "
                f"Set {self.by.base_url} to its target."
            )
        if failure.status < 400:
            return BadReply(f"{self} sent an error instead of a reply. {said}")
        if _FILTERED.search(failure.words):
            return ModelDeclined(f"{self} withheld its reply: a content filter matched. {said}")
        return ModelRefused(f"{self} refused the request (HTTP {failure.status}). {self._remedy(failure)} {said}")

    def _remedy(self, failure: Rejected) -> str:
        if failure.status in (401, 403):
            return f"Check {self.by.api_key}."
        if failure.status == 404 or _NO_MODEL.search(failure.words):
            return f"Check {self.by.model}, and that {self.by.base_url} ends in /v1."
        if failure.status in (402, 429):
            return "Its account has no credit left."
        return f"Check that the model named in {self.by.model} supports such requests."


def _generation(body: object) -> str:
    fields = body.get("error", body) if isinstance(body, dict) else {}
    text = fields.get("failed_generation") if isinstance(fields, dict) else None
    return text if isinstance(text, str) else ""


def _words(body: object) -> str:
    """The server's error message with its code, from any of the formats that servers use."""
    if isinstance(body, dict):
        fields: dict[str, Any] = body
        inner = fields.get("error") or fields.get("detail")
        if isinstance(inner, dict):
            return _words(inner)
        parts = (fields.get("message") or inner, fields.get("code"), fields.get("type"))
        body = ", ".join(str(part) for part in parts if part)
    return " ".join(str(body or "nothing").split())[:_MAX_WORDS_CHARS]
