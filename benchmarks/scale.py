"""How search grows with a course: query time, memory per block, time to load, and what approximate search misses.

Usage: python -m benchmarks.scale [BLOCKS ...]; without sizes, 1,000 to 100,000. A million takes a quarter of an hour.

Text and embeddings are synthetic: words by Zipf's law, vectors around as many centres as a course has topics.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from statistics import median

import numpy as np
import psutil

from benchmarks.harness import show
from core.store.material import StoredVector
from retrievers.index.lexical import LexicalIndex
from retrievers.index.semantic import ChunkVectors, MemoryIndex
from retrievers.tokens import tokenize

SIZES = (1_000, 10_000, 100_000)
DIMENSION = 384
WORDS_PER_BLOCK = 40
VOCABULARY = 50_000
BLOCKS_PER_TOPIC = 20
QUERIES = 100
DEPTH = 100
SEED = 7


def main() -> None:
    sizes = [int(size.replace(",", "")) for size in sys.argv[1:]] or list(SIZES)
    rows = []
    for size in sizes:
        # A process of its own for each, so that memory is that of one index.
        command = [sys.executable, "-c", f"from benchmarks.scale import measure; measure({size})"]
        found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1])
        rows.append(tuple(found.values()))
    columns = ("blocks", "index", "semantic ms", "lexical ms", "recall@10", "load s", "build s", "KiB/block")
    show(f"One course of growing size, {QUERIES} queries, medians", columns, rows)


def measure(size: int) -> None:
    """Print one row as JSON."""
    rng = np.random.default_rng(SEED)
    vectors = _vectors(rng, size)
    queries = _near(rng, vectors[rng.integers(size, size=QUERIES)])
    stored = [StoredVector(str(n), 0, 0, vector.tobytes()) for n, vector in enumerate(vectors)]
    texts = _texts(rng, size)
    process = psutil.Process()
    before = process.memory_info().rss

    started = time.perf_counter()
    chunks = ChunkVectors.build(stored, DIMENSION)
    lexical = LexicalIndex([tokenize(text) for text in texts])
    built = time.perf_counter() - started
    memory = process.memory_info().rss - before

    stored, positions = chunks.to_bytes("scale"), {str(n): n for n in range(size)}
    started = time.perf_counter()
    loaded = ChunkVectors.from_bytes(stored, "scale")
    assert loaded is not None
    semantic = MemoryIndex(loaded, positions)
    load = time.perf_counter() - started

    meaning, words, recall = [], [], []
    for query, text in zip(queries, texts[:: max(1, size // QUERIES)], strict=False):
        started = time.perf_counter()
        found = semantic.search(query, DEPTH)
        meaning.append(1000 * (time.perf_counter() - started))
        started = time.perf_counter()
        lexical.search(tokenize(text[:80]), DEPTH)
        words.append(1000 * (time.perf_counter() - started))
        exact = np.argsort(-(vectors @ query), kind="stable")[:10]
        recall.append(len({position for position, _ in found[:10]} & set(exact.tolist())) / 10)
    row = {
        "blocks": f"{size:,}",
        "index": type(loaded.faiss).__name__,
        "semantic": median(meaning),
        "lexical": median(words),
        "recall": float(np.mean(recall)),
        "load": load,
        "build": built,
        "memory": memory / size / 1024,
    }
    print(json.dumps(row))


def _vectors(rng: np.random.Generator, size: int) -> np.ndarray:
    centres = rng.standard_normal((max(1, size // BLOCKS_PER_TOPIC), DIMENSION)).astype(np.float32)
    return _near(rng, centres[rng.integers(len(centres), size=size)])


def _near(rng: np.random.Generator, points: np.ndarray) -> np.ndarray:
    moved = points / np.linalg.norm(points, axis=1, keepdims=True)
    moved = moved + rng.standard_normal(points.shape).astype(np.float32) * np.float32(0.8 / DIMENSION**0.5)
    return (moved / np.linalg.norm(moved, axis=1, keepdims=True)).astype(np.float32)


def _texts(rng: np.random.Generator, size: int) -> Sequence[str]:
    ranks = np.minimum(rng.zipf(1.2, size=(size, WORDS_PER_BLOCK)), VOCABULARY)
    return [" ".join(f"w{_letters(rank)}" for rank in row) for row in ranks.tolist()]


def _letters(number: int) -> str:
    """A word without digits, which the tokenizer would take apart."""
    letters = ""
    while number:
        number, digit = divmod(number, 26)
        letters += chr(ord("a") + digit)
    return letters


if __name__ == "__main__":
    main()
