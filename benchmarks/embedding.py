"""Texts embedded per second by `MiniLM.embed`, against the same graph in bare onnxruntime on the same tokens."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import numpy as np
import onnxruntime

from benchmarks.harness import show
from benchmarks.questions import sample_questions
from retrievers.embedding.minilm import MiniLM
from retrievers.embedding.minilm_files import load_session, load_tokenizer

RUNS = 5
TEXTS = 96


def per_second(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return TEXTS / (time.perf_counter() - started)


def bare_inputs(texts: list[str]) -> list[dict[str, np.ndarray]]:
    """The texts as ready-made input arrays, one a run."""
    tokenizer = load_tokenizer()
    return [{"ids": np.array([tokenizer.encode(text).ids[:256]], dtype=np.int64)} for text in texts]


def main() -> None:
    texts = [(body * 20)[:900] for body in sample_questions(TEXTS)]
    model = MiniLM()
    model.embed(texts[:4])
    session: onnxruntime.InferenceSession = load_session()
    inputs = bare_inputs(texts)
    ours, floor = [], []
    for _ in range(RUNS):
        floor.append(per_second(lambda: [session.run(None, one) for one in inputs]))
        ours.append(per_second(lambda: model.embed(texts)))
    ratio = median(one / other for one, other in zip(ours, floor, strict=True))
    rows = [("MiniLM.embed (with tokenizing)", median(ours), ratio), ("bare onnxruntime", median(floor), 1.0)]
    show(f"Embedding, {TEXTS} texts of 900 characters, 1 thread, {RUNS} runs", ("", "texts/s", "ratio"), rows)


if __name__ == "__main__":
    main()
