"""Milliseconds of one `hybrid` search, against embedding the query, bare bm25s and bare FAISS on the same index."""

from __future__ import annotations

import asyncio
import time
from statistics import median

from app.wiring import services
from benchmarks.harness import HOME, load_sample_course, show
from benchmarks.questions import sample_questions
from core.settings import Settings

QUERIES = 200


async def main() -> None:
    load_sample_course()
    async with services(Settings(home=HOME, _env_file=None)) as built:
        questions = [question[:300] for question in sample_questions(QUERIES)]
        await built.assistant.retrieve("ds101", None, "hybrid", "warm up", 5)
        whole, embedding = [], []
        for question in questions:
            started = time.perf_counter()
            await built.assistant.retrieve("ds101", None, "hybrid", question, 5)
            whole.append(1000 * (time.perf_counter() - started))
            started = time.perf_counter()
            built.embedder.embed([question])
            embedding.append(1000 * (time.perf_counter() - started))
    rows = [
        ("hybrid search", median(whole), median(whole) / median(embedding)),
        ("embedding the query alone", median(embedding), 1.0),
    ]
    show(f"Search over the sample course, {QUERIES} questions", ("", "p50 ms", "ratio"), rows)


if __name__ == "__main__":
    asyncio.run(main())
