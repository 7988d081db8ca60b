"""A recording: a file of exchanges with models, one a line as JSON, perhaps compressed with gzip.

Its first line may say who gave the replies: `{"origin": "..."}`.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from core.errors import InvalidInput
from core.llm.request import Body, Request
from core.llm.schema import strict_schema
from core.types import Value
from core.validation import problems_in

KEY_CHARS = 32
DIGEST_CHARS = 16
_ASKED = ("messages", "tools", "tool_choice", "logprobs")
"""The parts of a request that say what is asked."""
_SAMPLING = ("temperature", "seed")


class RecordedExchange(Value):
    """One request as it was before it was worded for a server, and what the model replied.

    `model` is the name by which it is asked: an alias, or the name at the endpoint that settings name. `sampling` holds
    what the request stated; `ms` is the time until the reply.
    """

    key: str
    prompt: str = Field(description="Name and version of the task's instructions.")
    model: str
    sampling: dict[str, float] = Field(default_factory=dict)
    request: dict[str, Any]
    reply: dict[str, Any] = Field(description="As the endpoint sent it, its usage included.")
    ms: float = 0.0
    at: str = ""

    @classmethod
    def of(cls, request: Request, model: str, reply: object, ms: float, at: str) -> RecordedExchange:
        asked = asked_of(request)
        return cls.model_validate(
            {
                "key": key_of(asked),
                "prompt": request.prompt,
                "model": model,
                "sampling": sampling_of(request.body),
                "request": asked,
                "reply": reply,
                "ms": round(ms, 1),
                "at": at,
            }
        )


class RecordingFacts(Value):
    """What reports say of a recording. The digest is of its lines, compressed or not."""

    file: str
    digest: str
    origin: str
    exchanges: int


@dataclass(frozen=True)
class Recording:
    """A file's exchanges, in their order."""

    facts: RecordingFacts
    exchanges: tuple[RecordedExchange, ...]

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models that replied, the first comes first."""
        return tuple(dict.fromkeys(exchange.model for exchange in self.exchanges))

    @cached_property
    def _by_key(self) -> dict[tuple[str, str], list[RecordedExchange]]:
        by_key: dict[tuple[str, str], list[RecordedExchange]] = {}
        for exchange in self.exchanges:
            by_key.setdefault((exchange.model, exchange.key), []).append(exchange)
        return by_key

    def find(self, request: Request, model: str) -> RecordedExchange | None:
        """The first exchange with that request. What its sampling leaves open may be anything in the recording."""
        stated = sampling_of(request.body)
        same = self._by_key.get((model, key_of(asked_of(request))), ())
        return next((one for one in same if all(one.sampling.get(key) == value for key, value in stated.items())), None)


def read_recording(path: Path) -> Recording:
    """Raises `OSError`, and `InvalidInput` naming the line that is no exchange."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError) as error:
            raise InvalidInput(f"{path} is not compressed with gzip, or is cut off: {error}.") from None
    origin, exchanges = "", []
    for number, line in enumerate(content.splitlines(), 1):
        try:
            fields = json.loads(line)
            if isinstance(fields, dict) and "key" not in fields:
                origin = str(fields["origin"])
                continue
            exchanges.append(RecordedExchange.model_validate(fields))
        except ValidationError as error:
            raise InvalidInput(f"{path}, line {number}: not an exchange: {problems_in(error, 3)}.") from None
        except (ValueError, KeyError) as error:
            raise InvalidInput(f"{path}, line {number}: not an exchange as JSON: {error}.") from None
    digest = hashlib.sha256(content).hexdigest()[:DIGEST_CHARS]
    return Recording(
        RecordingFacts(file=path.name, digest=digest, origin=origin, exchanges=len(exchanges)),
        tuple(exchanges),
    )


def asked_of(request: Request) -> dict[str, Any]:
    """What is asked, however the server is asked for it: no model, no sampling, no format; pictures by their digest."""
    asked: dict[str, Any] = {name: request.body[name] for name in _ASKED if name in request.body}
    asked["messages"] = [_without_pictures(message) for message in asked["messages"]]
    return asked | {"schema": strict_schema(request.kind)} if request.kind else asked


def key_of(asked: dict[str, Any]) -> str:
    """Equal for requests that ask the same."""
    canonical = json.dumps(asked, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:KEY_CHARS]


def sampling_of(body: Body) -> dict[str, float]:
    """What a request states of its sampling."""
    return {name: body[name] for name in _SAMPLING if name in body}


def _without_pictures(message: dict[str, Any]) -> dict[str, Any]:
    content = message.get("content")
    if not isinstance(content, list):
        return message
    return message | {"content": [_digested(part) if "image_url" in part else part for part in content]}


def _digested(part: dict[str, Any]) -> dict[str, Any]:
    url = part["image_url"]["url"]
    return part | {"image_url": {"url": f"sha256:{hashlib.sha256(url.encode()).hexdigest()}"}}
