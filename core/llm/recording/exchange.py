"""A recording: a file of exchanges with models, one a line as JSON, perhaps compressed with gzip.

Its first line may say who gave the replies: `{"origin": "..."}`.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
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
_PASSAGES = re.compile(r"(?<=<passages>\n).*(?=\n</passages>)", re.DOTALL)
_PASSAGE = re.compile(r"^<passage n=\"(\d+)\"(.*)>$", re.MULTILINE)
_CITED = re.compile(r"passage\\*\"\s*:\s*(\d+)|\[([\d\s,–-]+)\]|passages?\s+((?:\d+(?:\s*(?:,|and|–|-)\s*)?)+)")
_RANGE = re.compile(r"(\d+)\s*[–-]\s*(\d+)")
MAX_PASSAGES = 200
MAX_REPLACED_SHARE = 1 / 3
"""Of the passages; others may have changed places."""


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

    def has_sampling(self, stated: dict[str, float]) -> bool:
        return all(self.sampling.get(key) == value for key, value in stated.items())

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

    @cached_property
    def _by_frame(self) -> dict[tuple[str, str], list[RecordedExchange]]:
        by_frame: dict[tuple[str, str], list[RecordedExchange]] = {}
        for exchange in self.exchanges:
            by_frame.setdefault((exchange.model, key_of(_frame_of(exchange.request))), []).append(exchange)
        return by_frame

    def find(self, request: Request, model: str) -> RecordedExchange | None:
        """The first exchange with that request. What its sampling leaves open may be anything in the recording."""
        stated = sampling_of(request.body)
        same = self._by_key.get((model, key_of(asked_of(request))), ())
        return next((one for one in same if one.has_sampling(stated)), None)

    def find_with_other_excerpts(self, request: Request, model: str) -> RecordedExchange | None:
        """The nearest exchange that differs in the <passages> alone, of which the reply cites the same ones.

        How much is shown of a passage, and which of two nearly equal ones comes first, depends on how well it matches,
        and 8-bit weights give other matches on another processor. A left out passage keeps its number.
        """
        stated, asked = sampling_of(request.body), asked_of(request)
        frames = self._by_frame.get((model, key_of(_frame_of(asked))), ())
        matching = (exchange for exchange in frames if exchange.has_sampling(stated) and _agree(exchange, asked))
        return min(matching, key=lambda exchange: len(_moved(exchange, asked)), default=None)


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


def _frame_of(asked: dict[str, Any]) -> dict[str, Any]:
    """The request without what is shown of passages."""
    return asked | {
        "messages": [_with_text(message, _PASSAGES.sub("", _text(message))) for message in asked["messages"]]
    }


def _agree(recorded: RecordedExchange, asked: dict[str, Any]) -> bool:
    """True where both show passages, nearly all the same, and those that the reply cites under the same numbers."""
    first, second = _shown_passages(recorded.request), _shown_passages(asked)
    common = first.keys() & second.keys()
    moved = _moved(recorded, asked)
    replaced = [number for number in moved if second[number] not in first.values()]
    if not common or len(replaced) > MAX_REPLACED_SHARE * len(common):
        return False
    return not (moved and moved & _cited_in(json.dumps(recorded.reply)))


def _moved(recorded: RecordedExchange, asked: dict[str, Any]) -> set[str]:
    """The numbers that stand for other passages."""
    first, second = _shown_passages(recorded.request), _shown_passages(asked)
    return {number for number in first.keys() & second.keys() if first[number] != second[number]}


def _cited_in(reply: str) -> set[str]:
    """The numbers of passages that a reply names: as sources, in brackets ("[2, 3]", "[1-3]"), or in words."""
    cited: set[str] = set()
    for match in _CITED.finditer(reply):
        numbers = next(filter(None, match.groups()))
        cited.update(re.findall(r"\d+", numbers))
        for low, high in _RANGE.findall(numbers):
            cited.update(map(str, range(int(low), min(int(high), MAX_PASSAGES) + 1)))
    return cited


def _shown_passages(asked: dict[str, Any]) -> dict[str, str]:
    """What stands beside each passage's number."""
    texts = "\n".join(map(_text, asked["messages"]))
    return {match[1]: match[2] for match in _PASSAGE.finditer(texts)}


def _text(message: dict[str, Any]) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else ""


def _with_text(message: dict[str, Any], text: str) -> dict[str, Any]:
    return message | {"content": text} if isinstance(message.get("content"), str) else message


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
