"""The floor under an answer: calls of a model through AsyncOpenAI and nothing else.

Run: python -m benchmarks.bare PORT MODEL_URL. Built like the service: one process, the same HTTP client, the same
server. `POST /run` makes the calls of many answers; `POST /answer` those of one, which adds what it takes to be asked.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from itertools import cycle
from typing import Any

import httpx2
import uvicorn
from fastapi import FastAPI
from openai import AsyncOpenAI, DefaultAioHttpClient

CONNECTIONS = 256


class Calls:
    """Makes calls with the bodies it was given, again and again."""

    def __init__(self, model: str) -> None:
        limits = httpx2.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS)
        http_client = DefaultAioHttpClient(limits=limits, timeout=None)
        self._client = AsyncOpenAI(base_url=model, api_key="none", max_retries=0, http_client=http_client)
        self._bodies: Iterator[dict[str, Any]] = iter(())

    def use(self, bodies: list[dict[str, Any]]) -> None:
        self._bodies = cycle(bodies)

    async def aclose(self) -> None:
        await self._client.close()

    async def answer(self, calls: int) -> str | None:
        """As many calls as an answer takes, one after another; the last reply."""
        for _ in range(calls):
            reply = await self._client.chat.completions.create(**next(self._bodies))
        content: str | None = reply.choices[0].message.content
        return content

    async def run(self, calls: int, answers: int, concurrency: int, spread: float) -> None:
        """The calls of many answers, the first ones begun over `spread` seconds."""
        left = iter(range(answers))

        async def worker(number: int) -> None:
            await asyncio.sleep(spread * number / concurrency)
            for _ in left:
                await self.answer(calls)

        await asyncio.gather(*(worker(number) for number in range(concurrency)))


def application(model: str) -> FastAPI:
    made = Calls(model)
    app = FastAPI()
    app.put("/bodies")(made.use)
    app.post("/run")(made.run)
    app.get("/readyz")(lambda: "ok")

    @app.post("/answer")
    async def answer(calls: int, request: dict[str, Any]) -> dict[str, Any]:
        return {"answer": await made.answer(calls)}

    return app


if __name__ == "__main__":
    uvicorn.run(application(sys.argv[2]), host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
