"""Measures of a quiz against its text, as ELOQUENT Sensemaking defines them: relevance, coverage and diversity.

All three rest on a joint distribution p(q, w) of questions and windows of the text. The task leaves its estimation
open; here it is the overview paper's relevance (2025, equation 2) of embeddings, smoothed so that nothing is 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.errors import InvalidInput
from core.text.sentences import rough_sentences
from core.types import Value
from retrievers.embedding.base import Embedder

Matrix = NDArray[np.float64]
"""Questions in rows, windows in columns."""

MAX_WORDS = 60
"""Words of a window; a longer sentence is a window of its own."""
SMOOTHING = 0.05
"""Share of the probability that is spread evenly over all pairs."""
NEAR_QUANTILE = 0.95
"""Questions below this quantile of a window's similarities have no relevance to it."""


class QuizMeasures(Value):
    """The measures of one list of questions, with what they were estimated by.

    `relevance` is a mean over pairs. `coverage` is in bits, at most the logarithm of the number of windows. `diversity`
    is in nats, summed over ordered pairs of questions, so it grows with the square of their number.
    """

    questions: int
    windows: int
    relevance: float
    coverage: float
    diversity: float
    estimator: str


def quiz_measures(text: str, questions: list[str], embedder: Embedder) -> QuizMeasures:
    """The measures of these questions about the text. Raises `InvalidInput` if there are none, or no text."""
    parts = windows(text)
    if not parts or not questions:
        raise InvalidInput("there are no questions to measure, or no sentences to measure them by")
    near = relevances(embedder.embed(questions).astype(np.float64) @ embedder.embed(parts).astype(np.float64).T)
    p = joint(near)
    return QuizMeasures(
        questions=len(questions),
        windows=len(parts),
        relevance=float(near.mean()),
        coverage=coverage(p),
        diversity=diversity(p),
        estimator=f"cosine of {embedder.embedding.name}, windows of {MAX_WORDS} words, smoothing {SMOOTHING}",
    )


def windows(text: str, max_words: int = MAX_WORDS) -> list[str]:
    """Overlapping parts of the text: one begins at each sentence, and holds whole sentences up to `max_words`."""
    sentences = [sentence.split() for sentence in rough_sentences(text) if sentence.strip()]
    return [_window(sentences[start:], max_words) for start in range(len(sentences))]


def _window(sentences: list[list[str]], max_words: int) -> str:
    words = list(sentences[0])
    for sentence in sentences[1:]:
        if len(words) + len(sentence) > max_words:
            break
        words += sentence
    return " ".join(words)


def relevances(cosines: Matrix) -> Matrix:
    """Equation 2: the cosine plus the median of its window for the questions nearest to the window, 0 for others.

    The nearest question of a window always counts, so that a single question has a relevance; none is below 0.
    """
    nearest = cosines >= np.quantile(cosines, NEAR_QUANTILE, axis=0)
    found: Matrix = np.where(nearest, cosines + np.median(cosines, axis=0), 0.0)
    return found.clip(min=0.0)


def joint(relevance: Matrix, smoothing: float = SMOOTHING) -> Matrix:
    """p(q, w): the relevances divided by their sum (equation 3), mixed with the uniform distribution."""
    uniform: Matrix = np.full(relevance.shape, 1 / relevance.size)
    total = relevance.sum()
    return (1 - smoothing) * relevance / total + smoothing * uniform if total > 0 else uniform


def coverage(p: Matrix) -> float:
    """Entropy in bits of the marginal distribution of windows (equation 5). No entry of `p` may be 0."""
    marginal = p.sum(axis=0)
    return float(-(marginal * np.log2(marginal)).sum())


def diversity(p: Matrix) -> float:
    """Kullback-Leibler divergence in nats, summed over ordered pairs of questions (equation 7). No entry may be 0."""
    given: Matrix = p / p.sum(axis=1, keepdims=True)
    logs = np.log(given)
    own = (given * logs).sum()
    return float(len(p) * own - (given.sum(axis=0) * logs.sum(axis=0)).sum())
