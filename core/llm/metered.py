"""Measures the cost and time of model calls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter
from typing import TypeVar

from core.errors import ModelError, NotRecorded
from core.llm.base import DEFAULT_SAMPLING, LLM, Reply, Sampling
from core.llm.offline import OFFLINE_MODEL
from core.llm.task import Out, Task, YesNoTask
from core.settings import TOKENS_PER_PRICE, ModelPrice
from core.types import Usage

T = TypeVar("T")

CallWatch = Callable[[str, Usage, str], None]
"""Called as a task ends: the model's name, the usage, and `ok`, `cached`, `cancelled` or the code of the error."""
CANCELLED = "cancelled"

FREE = ModelPrice(input=0.0, output=0.0)


def with_free(prices: Mapping[str, ModelPrice]) -> dict[str, ModelPrice]:
    """The price table, with the offline backend added."""
    return {OFFLINE_MODEL: FREE, **prices}


def unwatched(model: str, usage: Usage, outcome: str) -> None:
    """A `watch` for callers whose total is enough."""


class Metered:
    """Adds cost and time to each reply, and sums them in `total`. Wraps `Cached`, not the reverse.

    The cost is None if tokens were used of a model without a price.

    Every request to the endpoint is a call, including retries, repairs, refused requests and those that never reached
    it. A failed task counts with the usage in its error, a cancelled one as one call. The tokens of a request without a
    reply are unknown and counted as 0, though a provider may bill them.
    """

    def __init__(self, llm: LLM, prices: Mapping[str, ModelPrice], watch: CallWatch = unwatched) -> None:
        self._llm = llm
        self._watch = watch
        self._prices = with_free(prices)
        self.total = Usage()
        self.unrecorded: list[NotRecorded] = []
        """Replies that were to be replayed and are not in the recording, even where a caller went on without them."""

    @property
    def model(self) -> str:
        return self._llm.model

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        with self._counting_failures(sampling) as started:
            reply = await self._llm.run(task, sampling)
        return self._count_reply(reply, sampling, started)

    async def probability(self, task: YesNoTask, sampling: Sampling = DEFAULT_SAMPLING) -> Reply[float]:
        with self._counting_failures(sampling) as started:
            reply = await self._llm.probability(task, sampling)
        return self._count_reply(reply, sampling, started)

    async def aclose(self) -> None:
        await self._llm.aclose()

    @contextmanager
    def _counting_failures(self, sampling: Sampling) -> Iterator[float]:
        """Counts a call that fails or is cancelled. Gives the time of its start."""
        started = perf_counter()
        try:
            yield started
        except (asyncio.CancelledError, ModelError) as error:
            spent = _spent(error)
            ms = spent.model_ms or (_ms_since(started) if spent.calls else 0.0)
            if isinstance(error, NotRecorded):
                self.unrecorded.append(error)
            outcome = error.code if isinstance(error, ModelError) else CANCELLED
            self._count(sampling, _priced(spent, ms, self._price(sampling.model or self.model)), outcome)
            raise

    def _count_reply(self, reply: Reply[T], sampling: Sampling, started: float) -> Reply[T]:
        usage = reply.usage
        # The model's own time, if it reports one: waiting for a permit does not count.
        ms = usage.model_ms or (_ms_since(started) if usage.calls else 0.0)
        # The price is looked up by the requested name: servers report longer ones, such as a dated version.
        usage = _priced(usage, ms, self._price(sampling.model or self.model) or self._price(reply.model))
        self._count(sampling, usage, "cached" if usage.cached_calls and not usage.calls else "ok")
        return replace(reply, usage=usage)

    def _count(self, sampling: Sampling, usage: Usage, outcome: str) -> None:
        self.total += usage
        self._watch(sampling.model or self.model, usage, outcome)

    def _price(self, model: str) -> ModelPrice | None:
        return self._prices.get(model)


def _priced(usage: Usage, ms: float, price: ModelPrice | None) -> Usage:
    return usage.model_copy(update={"model_ms": ms, "cost_usd": cost_of(usage, price)})


def _spent(error: asyncio.CancelledError | ModelError) -> Usage:
    """The usage of a task that failed; empty if its error names none."""
    if not isinstance(error, ModelError):
        return Usage(calls=1)
    return error.usage or Usage()


def cost_of(usage: Usage, price: ModelPrice | None) -> float | None:
    """US dollars; None if tokens were used at an unknown price."""
    if not usage.prompt_tokens and not usage.completion_tokens:
        return 0.0
    if price is None:
        return None
    return (usage.prompt_tokens * price.input + usage.completion_tokens * price.output) / TOKENS_PER_PRICE


def _ms_since(started: float) -> float:
    return 1000 * (perf_counter() - started)
