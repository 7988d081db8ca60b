"""Texts embedded per second by `MiniLM.embed`, against the same model in bare onnxruntime on the same token batches."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import numpy as np
import onnxruntime

from benchmarks.harness import HOME, show
from benchmarks.questions import sample_questions
from retrievers.embedding import BATCH_TOKENS, MiniLM
from retrievers.minilm_files import load_session, load_tokenizer

RUNS = 5
TEXTS = 96


def per_second(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return TEXTS / (time.perf_counter() - started)


def bare_batches(texts: list[str]) -> list[dict[str, np.ndarray]]:
    """The texts as ready-made input arrays: equal lengths together, padded, at most `BATCH_TOKENS` a batch."""
    tokenizer = load_tokenizer(None)
    encoded = sorted((tokenizer.encode(text).ids[:256] for text in texts), key=len)
    batches: list[list[list[int]]] = []
    for ids in encoded:
        if not batches or (len(batches[-1]) + 1) * len(ids) > BATCH_TOKENS:
            batches.append([])
        batches[-1].append(ids)
    return [_arrays(batch) for batch in batches]


def _arrays(batch: list[list[int]]) -> dict[str, np.ndarray]:
    ids = np.zeros((len(batch), max(map(len, batch))), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    return {"ids": ids, "mask": mask}


def main() -> None:
    texts = [(body * 20)[:900] for body in sample_questions(TEXTS)]
    model = MiniLM(HOME / "models", threads=1)
    model.embed(texts[:4])
    session: onnxruntime.InferenceSession = load_session(HOME / "models", None, 1)
    batches = bare_batches(texts)
    ours, floor = [], []
    for _ in range(RUNS):
        floor.append(per_second(lambda: [session.run(None, batch) for batch in batches]))
        ours.append(per_second(lambda: model.embed(texts)))
    ratio = median(one / other for one, other in zip(ours, floor, strict=True))
    rows = [("MiniLM.embed (with tokenizing)", median(ours), ratio), ("bare onnxruntime", median(floor), 1.0)]
    show(f"Embedding, {TEXTS} texts of 900 characters, 1 thread, {RUNS} runs", ("", "texts/s", "ratio"), rows)


if __name__ == "__main__":
    main()
