"""Simple measures that a judge has to beat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from eval.agreement import Scores
from judging.answers import JudgedAnswer
from judging.rouge import rouge_l
from retrievers.embedding.minilm import MiniLM


def cosine(items: Sequence[JudgedAnswer]) -> Scores:
    """Cosine of the embeddings (all-MiniLM-L6-v2) of answer and reference."""
    texts = list(dict.fromkeys(text for item in items for text in (item.reference, item.answer)))
    vectors = dict(zip(texts, MiniLM().embed(texts), strict=True))
    return np.array([float(vectors[item.reference] @ vectors[item.answer]) for item in items])


def rouge_l_f1(items: Sequence[JudgedAnswer]) -> Scores:
    """ROUGE-L F1 of word stems (Lin, 2004)."""
    return np.array([rouge_l(item.reference, item.answer).fmeasure for item in items])


def length(items: Sequence[JudgedAnswer]) -> Scores:
    """Words of the answer."""
    return np.array([float(len(item.answer.split())) for item in items])


BASELINES: Mapping[str, Callable[[Sequence[JudgedAnswer]], Scores]] = {
    "cosine": cosine,
    "rouge_l": rouge_l_f1,
    "length": length,
}
