"""What stands between a task and its endpoint: a recorder keeps replies, a player gives them without an endpoint."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from core.concurrency import in_thread
from core.errors import NotRecorded
from core.llm.recording.exchange import RecordedExchange, Recording
from core.llm.request import Request
from core.private_files import private_folder, private_opener
from core.types import Usage


@dataclass(frozen=True)
class Take:
    """A recorded reply, and what it counts as."""

    reply: dict[str, Any]
    usage: Usage


class Tape(Protocol):
    """Used by an endpoint's client for each request, before and after it is sent."""

    def find(self, request: Request) -> Take | None:
        """A reply that need not be asked for. Raises `NotRecorded` if none may be asked for either."""
        ...

    async def keep(self, request: Request, reply: object, ms: float) -> None:
        """Called with each usable reply of the endpoint."""
        ...


@dataclass
class Player:
    """Gives the replies of a recording, and counts the requests that are not in it, by their prompts."""

    recording: Recording
    missing: Counter[str] = field(default_factory=Counter)

    def find(self, request: Request) -> Take:
        """Usage is that of the recorded call. Raises `NotRecorded`."""
        model = request.body["model"]
        exact = self.recording.find(request, model)
        exchange = exact or self.recording.find_with_other_excerpts(request, model)
        if exchange is None:
            self.missing[request.prompt] += 1
            raise NotRecorded(request.prompt, self._missing_text(request.prompt))
        others = int(exact is None)
        usage = Usage(calls=1, replayed_calls=1, other_excerpts_calls=others, model_ms=exchange.ms)
        return Take(exchange.reply, usage)

    async def keep(self, request: Request, reply: object, ms: float) -> None:
        """Nothing is asked, so there is nothing to keep."""

    def _missing_text(self, prompt: str) -> str:
        name = prompt.partition(" ")[0]
        recorded = Counter(one.prompt for one in self.recording.exchanges if one.prompt.partition(" ")[0] == name)
        known = ", ".join(f"{count} of {version}" for version, count in sorted(recorded.items()))
        return (
            f"The recording {self.recording.facts.file} has no reply to this request of {prompt}; it has "
            f"{known or f'none of {name}'}. Record it with EDUMOD_LLM_RECORD and a model."
        )


class Recorder:
    """Appends exchanges to a file. What it holds already is not asked for again, and counts as cached.

    `alias` is the name by which the models file knows the model; without one, models go by the name they are sent.
    """

    def __init__(self, path: Path, recording: Recording | None, *, origin: str = "", alias: str | None = None) -> None:
        """`recording` is what the file holds so far; without one, a new file begins with its origin."""
        self._path = path
        self._recording = recording
        self._origin = origin
        self._alias = alias

    def find(self, request: Request) -> Take | None:
        exchange = self._recording.find(request, self._name(request)) if self._recording else None
        if exchange is None:
            return None
        return Take({**exchange.reply, "usage": None}, Usage(cached_calls=1))

    async def keep(self, request: Request, reply: object, ms: float) -> None:
        at = datetime.now(UTC).isoformat(timespec="seconds")
        exchange = RecordedExchange.of(request, self._name(request), reply, ms, at)
        await in_thread(self._append, exchange)

    def _name(self, request: Request) -> str:
        return self._alias or str(request.body["model"])

    def _append(self, exchange: RecordedExchange) -> None:
        """In one write, so that lines of several processes do not mix."""
        private_folder(self._path.parent)
        line = exchange.model_dump_json() + "\n"
        with open(self._path, "ab", opener=private_opener) as file:
            if file.tell() == 0:
                line = json.dumps({"origin": self._origin}, ensure_ascii=False) + "\n" + line
            file.write(line.encode())
