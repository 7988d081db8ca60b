"""A language model behind any OpenAI-compatible endpoint.

No reply is trusted: `wire` only sends requests, `completion` and `replies` validate what is received, `retry` decides
what is retried, and `failures` turns the rest into errors.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import BaseModel

from core.concurrency import in_thread
from core.errors import ModelTimeout, ModelUnavailable
from core.llm.base import DEFAULT_SAMPLING, Reply, Sampling
from core.llm.breaker import HANG_SECONDS, Breaker
from core.llm.completion import Completion, parse_completion, said_as_text
from core.llm.endpoint import SETTINGS, SetBy, checked_key, checked_url
from core.llm.failures import CircuitOpen, Dropped, Rejected, Server, Unusable, embedding_texts, needing
from core.llm.formats import Formats, ReplyFormat
from core.llm.recording.tape import Tape
from core.llm.replies import read_choice, read_likelihoods, read_model, read_probability, read_text
from core.llm.request import Body, Request, request_body
from core.llm.retry import retrying
from core.llm.task import LabelTask, Out, Task, ToolTask, YesNoTask
from core.llm.vectors import VectorReply, parse_vectors, read_vectors
from core.types import Usage
from core.work.permits import Permits

if TYPE_CHECKING:
    import httpx2

    from core.llm.wire import Wire

T = TypeVar("T")

MAX_REPAIRS = 2
"""How often a faulty reply is sent back to the model for correction."""
TOP_LOGPROBS = 20
HANG_SHARE = 0.9
"""Share of a call's deadline after which a request without a reply hangs, if that is before `HANG_SECONDS`."""
MAX_REPLY_BYTES = 4 * 2**20


@dataclass
class _Turn:
    """One call of a method: its deadline as a time of the event loop, and its usage so far.

    Every request counts as a call, including one that was refused or never reached the server, which used no tokens.
    """

    deadline: float
    usage: Usage = Usage()


class OpenAILLM:
    """Does tasks through the chat completions of an OpenAI-compatible endpoint, over one client per process.

    The deadline covers one call of `run` or `probability`, including the wait for one of the `concurrency`
    permits, retries and repairs; `share` tells how many of them this process may use now, at least one. A reply of
    more than `max_reply_bytes`, decompressed, is refused. While the `breaker` is open, calls raise `ModelUnavailable`
    at once, or wait if it is patient. `parameters` are fields of every request. `formats` are those in which
    structured output may be asked for. `set_by` names the settings in messages. `tape` records or replays.
    `http_client` replaces the network in tests.
    """

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        model: str,
        deadline_seconds: float = 60.0,
        max_retries: int = 3,
        concurrency: int = 64,
        share: Callable[[], int] | None = None,
        max_reply_bytes: int = MAX_REPLY_BYTES,
        breaker: Breaker | None = None,
        parameters: Mapping[str, Any] | None = None,
        formats: Sequence[ReplyFormat] = tuple(ReplyFormat),
        set_by: SetBy = SETTINGS,
        tape: Tape | None = None,
        http_client: httpx2.AsyncClient | None = None,
    ) -> None:
        self._base_url = checked_url(base_url, set_by)
        self._api_key = checked_key(api_key, set_by)
        self._set_by = set_by
        self._tape = tape
        self._model = model
        self._deadline_seconds = deadline_seconds
        self._max_retries = max_retries
        self._concurrency = concurrency
        self._max_reply_bytes = max_reply_bytes
        self._breaker = breaker or Breaker()
        self._http_client = http_client
        self._permits = Permits((lambda: min(concurrency, share())) if share else (lambda: concurrency))
        self._wire: Wire | None = None
        self._connecting = asyncio.Lock()
        self._parameters = parameters or {}
        self._formats = Formats(formats)

    @property
    def model(self) -> str:
        return self._model

    @property
    def address(self) -> str:
        """Where it is asked, without a query, which may be a credential."""
        return Server(self._model, self._base_url, self._api_key).address

    @property
    def format(self) -> ReplyFormat:
        """The strictest format of structured output that the model takes, as far as is known."""
        return self._formats.to_try(self._model)[0]

    def prefer(self, chosen: ReplyFormat) -> None:
        """Ask for structured output in that format from now on, or in weaker ones."""
        self._formats.took(self._model, chosen)

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        """Do a task whose output is a string, a model, a choice of functions, or the probabilities of labels."""
        async with self._turn(sampling) as turn, asyncio.timeout_at(turn.deadline):
            return cast(Reply[Out], await self._run(task, sampling, turn))

    async def probability(self, task: YesNoTask, sampling: Sampling = DEFAULT_SAMPLING) -> Reply[float]:
        async with self._turn(sampling) as turn, asyncio.timeout_at(turn.deadline):
            return await self._first_token(task, sampling, read_probability, turn)

    async def embed(self, texts: Sequence[str], dimension: int) -> Reply[list[list[float]]]:
        """A vector of that dimension per text, by the endpoint's `/embeddings`."""
        body = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        async with self._turn(DEFAULT_SAMPLING) as turn, asyncio.timeout_at(turn.deadline):
            with embedding_texts():
                reply = await self._retrying(partial(self._ask_vectors, body), turn)
            turn.usage += Usage(prompt_tokens=(reply.usage and reply.usage.prompt_tokens) or 0)
            return Reply(read_vectors(reply, len(texts), dimension), self._model, turn.usage)

    async def aclose(self) -> None:
        if self._wire:
            await self._wire.aclose()

    @asynccontextmanager
    async def _turn(self, sampling: Sampling) -> AsyncIterator[_Turn]:
        """Waits for a permit; turns failures inside into a `ModelError` with the usage so far."""
        server = Server(sampling.model or self._model, self._base_url, self._api_key, self._set_by)
        await self._connected()  # The first call loads the SDK, which must not count against the deadline.
        turn = _Turn(asyncio.get_running_loop().time() + self._deadline_seconds)
        async with self._permit(server, turn.deadline):
            try:
                yield turn
            except TimeoutError:
                timeout = ModelTimeout(
                    f"{server} did not finish within {self._deadline_seconds:g} seconds. "
                    f"Raise {self._set_by.deadline} or choose a faster model."
                )
                timeout.usage = turn.usage
                raise timeout from None
            except (Dropped, Rejected, Unusable, CircuitOpen) as failure:
                error = server.explain(failure)
                error.usage = turn.usage
                if isinstance(error, ModelUnavailable) and error.retry_after is None:
                    error.retry_after = self._breaker.seconds_left or None
                # Not chained: the cause holds the server's message, which may repeat the key.
                raise error from None

    @asynccontextmanager
    async def _permit(self, server: Server, deadline: float) -> AsyncIterator[None]:
        """Holds one of the permits for concurrent calls. Raises `ModelUnavailable` if none is free in time."""
        try:
            async with asyncio.timeout_at(deadline):
                await self._permits.acquire()
        except TimeoutError:
            raise ModelUnavailable(
                f"{server} is busy: all {self._permits.limit} permitted calls were in use for "
                f"{self._deadline_seconds:g} seconds. Ask again later, or raise {self._set_by.concurrency}.",
                retry_after=self._deadline_seconds,
            ) from None
        try:
            yield
        finally:
            self._permits.release()

    async def _connected(self) -> Wire:
        async with self._connecting:
            if self._wire is None:
                # In a thread: the first import of the SDK would block every other request for a second.
                self._wire = await in_thread(self._new_wire)
        return self._wire

    def _new_wire(self) -> Wire:
        from core.llm.wire import Wire

        return Wire(
            base_url=self._base_url,
            api_key=self._api_key,
            concurrency=self._concurrency,
            max_bytes=self._max_reply_bytes,
            http_client=self._http_client,
        )

    async def _first_token(
        self, task: Task[Any], sampling: Sampling, read: Callable[[Completion], T], turn: _Turn
    ) -> Reply[T]:
        """What is read from the log-probabilities of the reply's first token, the only one that is asked for."""
        request = self._request(task, sampling, max_tokens=1, logprobs=True, top_logprobs=TOP_LOGPROBS)
        with needing("logprobs"):
            return await self._converse(request, read, turn)

    async def _run(self, task: Task[Any], sampling: Sampling, turn: _Turn) -> Reply[Any]:
        if isinstance(task, LabelTask):
            return await self._first_token(task, sampling, partial(read_likelihoods, labels=task.labels), turn)
        request = self._request(task, sampling)
        if isinstance(task, ToolTask):
            with needing("tools"):
                return await self._converse(request, partial(read_choice, task=task), turn)
        kind = task.output_type()
        if kind is str:
            return await self._converse(request, read_text, turn)
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return await self._structured(replace(request, kind=kind), kind, turn)
        raise TypeError(f"{task.name()} returns {kind!r}; a model's reply is a string, a pydantic model, or a choice.")

    async def _structured(self, request: Request, kind: type[BaseModel], turn: _Turn) -> Reply[BaseModel]:
        """In the strictest format that the server takes, which is found out by asking."""
        model = request.body["model"]
        first, *weaker = self._formats.to_try(model)
        for chosen in (first, *weaker):
            try:
                reply = await self._converse(request, partial(read_model, kind=kind), turn, chosen)
            except Rejected as refusal:
                # A second "not found" is about the model or the URL.
                is_about_format = refusal.refuses_format and (chosen is first or refusal.status != 404)
                if not weaker or chosen is weaker[-1] or not is_about_format:
                    raise
            else:
                self._formats.took(model, chosen)
                return reply
        raise AssertionError("The last format returns or raises.")

    async def _converse(
        self,
        request: Request,
        read: Callable[[Completion], T],
        turn: _Turn,
        chosen: ReplyFormat | None = None,
    ) -> Reply[T]:
        """Send the request, and return an unusable reply to the model for correction if that may help."""
        repairs = 0
        while True:
            completion = await self._completion(request, chosen, turn)
            turn.usage += completion.tokens
            try:
                return Reply(read(completion), completion.model or request.body["model"], turn.usage)
            except Unusable as fault:
                if not fault.feedback or repairs == MAX_REPAIRS:
                    raise
                repairs += 1
                request = request.followed_by(fault.feedback)

    async def _completion(self, request: Request, chosen: ReplyFormat | None, turn: _Turn) -> Completion:
        """The reply, from the tape if it has one."""
        if self._tape and (take := self._tape.find(request)):
            turn.usage += take.usage
            return parse_completion(take.reply)
        return await self._retrying(partial(self._ask, request, chosen), turn)

    async def _retrying(self, attempt: Callable[[], Awaitable[T]], turn: _Turn) -> T:
        return await retrying(
            partial(self._attempt, attempt, turn),
            max_retries=self._max_retries,
            deadline=turn.deadline,
            may_retry=lambda: self._breaker.patient or self._breaker.state == "closed",
        )

    async def _attempt(self, attempt: Callable[[], Awaitable[T]], turn: _Turn) -> T:
        """One request, counted whatever its outcome. Raises `CircuitOpen` if none may be sent."""
        await self._wait_for_breaker(turn)
        with self._breaker.request(min(HANG_SECONDS, HANG_SHARE * self._deadline_seconds)):
            started = perf_counter()
            try:
                return await attempt()
            finally:
                turn.usage += Usage(calls=1, model_ms=1000 * (perf_counter() - started))

    async def _wait_for_breaker(self, turn: _Turn) -> None:
        """Waits until a request may be sent, if the breaker is patient and the deadline leaves time for one."""
        loop = asyncio.get_running_loop()
        # The breaker has a time and no event to wait for.
        while self._breaker.patient and 0 < (pause := self._breaker.pause) < turn.deadline - loop.time():  # noqa: ASYNC110
            await asyncio.sleep(pause)

    async def _ask(self, request: Request, chosen: ReplyFormat | None) -> Completion:
        wire = await self._connected()
        body = chosen.applied(request) if chosen else request.body
        started = perf_counter()
        try:
            reply = await wire.post(body)
            completion = parse_completion(reply)
        except Rejected as refusal:
            if not refusal.generation:
                raise
            completion = said_as_text(refusal.generation)
            reply = completion.model_dump(mode="json")
        if self._tape:
            await self._tape.keep(request, reply, 1000 * (perf_counter() - started))
        return completion

    async def _ask_vectors(self, body: Body) -> VectorReply:
        wire = await self._connected()
        return parse_vectors(await wire.embeddings(body))

    def _request(self, task: Task[Any], sampling: Sampling, **more: Any) -> Request:
        body = request_body(task, sampling.model or self._model, sampling, self._parameters, **more)
        return Request(f"{task.name()} {task.prompt_version}", body)
