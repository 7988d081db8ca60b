"""What an answer takes beyond the model's own time, at growing concurrency.

A model server takes 200 ms a call; `fc_forced` needs two. The floor is the same two calls made directly, in the same
run. Every question is different, so that no cache helps.
"""

from __future__ import annotations

import time
from functools import partial
from itertools import product
from statistics import median, quantiles

import aiohttp
import psutil
import uvloop

from benchmarks.harness import load_sample_course, served, show
from benchmarks.load import MODEL_SECONDS, WORKERS, cpu_seconds, model_server, timed
from benchmarks.questions import sample_questions

CALLS = 2
LEVELS = ((1, 30), (16, 320), (64, 960))
"""Concurrency, and questions asked at it."""
RETRIEVERS = ("bm25", "tree")
"""The service alone, and with the embedding model on the same cores."""


async def measure(address: str, model: str, pid: int) -> list[tuple[object, ...]]:
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def service(question: str, retriever: str) -> None:
            body = {"course": "ds101", "question": {"body": question}}
            query = f"pipeline=fc_forced&retriever={retriever}"
            async with session.post(f"{address}/answer?{query}", json=body) as response:
                assert response.status == 200, await response.text()
                await response.read()

        async def bare(question: str) -> None:
            for _ in range(CALLS):
                messages = [{"role": "system", "content": ""}, {"role": "user", "content": question}]
                async with session.post(
                    f"{model}/chat/completions", json={"model": "m", "messages": messages}
                ) as reply:
                    await reply.read()

        rows: list[tuple[object, ...]] = []
        await timed(partial(service, retriever="tree"), sample_questions(128), 64)
        process = psutil.Process(pid)
        for retriever, (concurrency, count) in product(RETRIEVERS, LEVELS):
            questions = sample_questions(count)
            floor = median(await timed(bare, questions, concurrency))
            cpu, started = cpu_seconds(process), time.perf_counter()
            ours = await timed(partial(service, retriever=retriever), questions, concurrency)
            seconds, cpu = time.perf_counter() - started, cpu_seconds(process) - cpu
            p50, p95 = median(ours), quantiles(ours, n=20)[18]
            nominal = 1000 * CALLS * MODEL_SECONDS
            rows.append(
                (
                    retriever,
                    concurrency,
                    count / seconds,
                    floor,
                    p50,
                    p95,
                    p50 / nominal,
                    p50 / floor,
                    1000 * cpu / count,
                )
            )
        return rows


def main() -> None:
    load_sample_course()
    settings = {"EDUMOD_LLM_CACHE": "false", "EDUMOD_LLM_CONCURRENCY": "256"}
    with (
        model_server() as model,
        served(WORKERS, EDUMOD_LLM_BASE_URL=model, **settings) as (address, process),
    ):
        rows = uvloop.run(measure(address, model, process.pid))
    columns = (
        "retriever",
        "concurrency",
        "answers/s",
        "floor p50 ms",
        "p50 ms",
        "p95 ms",
        "p50 / 400 ms",
        "p50 / floor",
        "CPU ms",
    )
    show(f"POST /answer, fc_forced, {WORKERS} workers, model of 200 ms a call", columns, rows)


if __name__ == "__main__":
    main()
