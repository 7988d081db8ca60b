"""Recall, latency, throughput and building time of our retrievers beside llama-index's, in one run.

Usage: python -m benchmarks.retrieval [DATASET]; without a data set, on the sample course's labelled queries.

Latency is held against what no search can do without: embedding the query, bare bm25s, bare FAISS. llama-index's index
is built and searched with the model as its users load it (sentence-transformers), ours as it is.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

import faiss
import numpy as np
import uvloop
from llama_index.core.schema import Document

from app.cli.ingest import run_with_progress
from app.setups import prepared
from app.wiring import Services, build_services
from benchmarks.harness import HOME, load_sample_course, show
from benchmarks.peers import Fusion, StandardModel
from core.settings import Settings
from core.types import Passage, Source
from eval.datasets.queries import LocationOf, Query
from eval.statistics import mean_of
from retrievers.embedding.chunks import chunk_block
from retrievers.embedding.minilm import MiniLM
from retrievers.index.lexical import LexicalIndex
from retrievers.index.structure import Words, level_above
from retrievers.tokens import tokenize

OURS = ("bm25", "vector", "hybrid", "tree")
TOP_K = 50
CONCURRENCY = 16
SEARCHES = 400

Search = Callable[[Query], Awaitable[list[str]]]


@dataclass
class Material:
    """The passages of one course, by the source that a query searches (None for all)."""

    services: Services
    course_id: str
    queries: Sequence[Query]
    location_of: LocationOf
    passages: dict[Source | None, tuple[Passage, ...]]

    def source(self, query: Query) -> Source | None:
        return Source(query.kind) if query.kind in set(Source) else None


async def main() -> None:
    dataset = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if dataset is None:
        load_sample_course()
    settings = Settings(home=HOME, embedding_threads=os.cpu_count(), _env_file=None)
    services = await build_services(settings)
    async with prepared(services, dataset, None if dataset else "ds101", run_with_progress) as found:
        setup, queries = found.setup, found.setup.dataset.items
        sources = {Source(q.kind) if q.kind in set(Source) else None for q in queries}
        indexes = {source: await setup.indexes.get(setup.course_id, source) for source in sources}
        material = Material(
            found.services, setup.course_id, queries, setup.location_of, {s: i.passages for s, i in indexes.items()}
        )
        peer, seconds = build_peer(material)
        rows = [await measured(name, ours(material, name), queries) for name in OURS]
        rows.append(await measured("llama-index fusion", theirs(material, peer), queries))
        show(
            f"Recall on {setup.dataset.name}, {len(queries)} queries", ("", "R@1", "95 %", "R@3", "R@5", "p50 ms"), rows
        )
        await latency(material)
        await throughput(material, peer)
        building(material, seconds)
    await services.aclose()


def ours(material: Material, name: str) -> Search:
    async def search(query: Query) -> list[str]:
        found = await material.services.assistant.retrieve(
            material.course_id, material.source(query), name, query.text, TOP_K
        )
        return list(dict.fromkeys(material.location_of(query, passage) for passage in found))

    return search


def theirs(material: Material, peer: dict[Source | None, Fusion]) -> Search:
    async def search(query: Query) -> list[str]:
        source = material.source(query)
        found = await peer[source].retriever.aretrieve(query.text)
        passages = material.passages[source]
        return list(dict.fromkeys(material.location_of(query, passages[node.metadata["position"]]) for node in found))

    return search


async def measured(name: str, search: Search, queries: Sequence[Query]) -> tuple[object, ...]:
    await search(queries[0])
    rankings, milliseconds = [], []
    for query in queries:
        started = time.perf_counter()
        rankings.append(await search(query))
        milliseconds.append(1000 * (time.perf_counter() - started))
    scores = {
        k: [len(set(ranking[:k]) & q.relevant) / len(q.relevant) for q, ranking in zip(queries, rankings, strict=True)]
        for k in (1, 3, 5)
    }
    first = mean_of(scores[1])
    return (
        name,
        first.mean,
        f"{first.low:.3f}–{first.high:.3f}",
        fmean(scores[3]),
        fmean(scores[5]),
        median(milliseconds),
    )


async def latency(material: Material) -> None:
    """Each search and its floor in turn, on the largest index."""
    source, passages = max(material.passages.items(), key=lambda item: len(item[1]))
    embedder = MiniLM()
    queries = [query for query in material.queries if material.source(query) == source][:SEARCHES]
    lexical = LexicalIndex([tokenize(passage.text) for passage in passages])
    vectors = embedder.embed([passage.text[:500] for passage in passages])
    flat = faiss.IndexFlatIP(embedder.embedding.dimension)
    flat.add(vectors)
    times: dict[str, list[float]] = {name: [] for name in ("floor", "hybrid", "tree")}
    for query in queries:
        started = time.perf_counter()
        vector = embedder.embed([query.text])
        known = lexical._bm25.get_tokens_ids(list(dict.fromkeys(tokenize(query.text))))
        np.argsort(-lexical._bm25.get_scores_from_ids(known))[:100]
        flat.search(vector, min(100, len(passages)))
        times["floor"].append(1000 * (time.perf_counter() - started))
        for name in ("hybrid", "tree"):
            started = time.perf_counter()
            await material.services.assistant.retrieve(material.course_id, source, name, query.text, 5)
            times[name].append(1000 * (time.perf_counter() - started))
    floor = median(times["floor"])
    rows = [(name, median(values), median(values) / floor) for name, values in times.items()]
    rows[0] = ("embedding + bare bm25s + bare FAISS", floor, 1.0)
    show(f"Latency of one search, {len(queries)} queries", ("", "p50 ms", "ratio"), rows)


async def throughput(material: Material, peer: dict[Source | None, Fusion]) -> None:
    queries = (list(material.queries) * (1 + SEARCHES // len(material.queries)))[:SEARCHES]

    async def per_second(search: Search) -> float:
        gate = asyncio.Semaphore(CONCURRENCY)

        async def one(query: Query) -> None:
            async with gate:
                await search(query)

        started = time.perf_counter()
        await asyncio.gather(*(one(query) for query in queries))
        return len(queries) / (time.perf_counter() - started)

    rates = {name: await per_second(ours(material, name)) for name in ("hybrid", "tree")}
    rates["llama-index fusion"] = await per_second(theirs(material, peer))
    rows = [(name, rate, rate / rates["llama-index fusion"]) for name, rate in rates.items()]
    show(f"Throughput, {CONCURRENCY} searches at once", ("", "searches/s", "ratio"), rows)


def build_peer(material: Material) -> tuple[dict[Source | None, Fusion], float]:
    """Their indexes over the same passages, and the seconds that took once the model was loaded."""
    model = StandardModel()
    model.get_text_embedding("load")
    started = time.perf_counter()
    peer = {source: Fusion(documents(passages), model, TOP_K) for source, passages in material.passages.items()}
    return peer, time.perf_counter() - started


def documents(passages: Sequence[Passage]) -> list[Document]:
    return [
        Document(
            text=f"{' > '.join((passage.title, *passage.heading_path))}\n{passage.text}\n{passage.solution}",
            metadata={"position": position},
            excluded_embed_metadata_keys=["position"],
            excluded_llm_metadata_keys=["position"],
        )
        for position, passage in enumerate(passages)
    ]


def building(material: Material, theirs: float) -> None:
    """All that `tree` needs, from the passages' text."""
    embedder = MiniLM()
    started = time.perf_counter()
    for passages in material.passages.values():
        chunks = [
            (position, chunk.text)
            for position, passage in enumerate(passages)
            for chunk in chunk_block(passage.title, passage.heading_path, passage.text, embedder)
        ]
        positions = np.array([position for position, _ in chunks], dtype=np.int64)
        vectors = embedder.embed([text for _, text in chunks])
        flat: Any = faiss.IndexFlatIP(embedder.embedding.dimension)
        flat.add(vectors)
        words = [_words(passage) for passage in passages]
        LexicalIndex([one.all for one in words])
        level_above(passages, words, vectors, positions)
    seconds = time.perf_counter() - started
    rows = [("tree", seconds, theirs / seconds), ("llama-index fusion", theirs, 1.0)]
    show("Building the indexes", ("", "seconds", "times as fast"), rows)


def _words(passage: Passage) -> Words:
    headings = tuple(tuple(tokenize(heading)) for heading in (passage.title, *passage.heading_path))
    return Words(headings, tuple(tokenize(f"{passage.text}\n{passage.solution}")))


if __name__ == "__main__":
    uvloop.run(main())  # As the service does.
