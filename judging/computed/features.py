"""What the computed judges know about an answer: named numbers, each made from question, reference and answer.

Words of the question are discounted, since repeating them answers nothing (Mohler, Bunescu and Mihalcea, 2011).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import log

import numpy as np

from judging.computed import disagreements
from judging.computed.reading import FUNCTION_WORDS, WordReading, read
from judging.computed.vectors import (
    Matrix,
    cosine,
    pieces,
    rarity,
    vector,
    vectors,
    word_similarities,
)
from judging.computed.word_order import naturalness

Features = dict[str, float]
MAX_CONTENT = 120
"""Content words that are compared; the rest of a longer text is not."""
WINDOW_STEP = 0.5
MAX_RATIO = 2.0
CACHED = 4_096
FOREIGN = 0.3
"""Similarity below which a word has nothing to do with question and reference."""
OPEN_ENDS = FUNCTION_WORDS | {"of", "to"}


@lru_cache(CACHED)
def features(question: str, reference: str, answer: str) -> Features:
    """The features by name. CPU-bound: a few milliseconds for a sentence."""
    asked, wanted, given = read(question), read(reference), read(answer)
    agreeing = disagreements.agreeing(wanted, given)
    return {
        **_of_meaning(asked, wanted, agreeing),
        **_of_words(asked, wanted, agreeing),
        **_of_length(wanted, given),
        **_of_form(given),
    }


def _of_meaning(asked: WordReading, wanted: WordReading, given: WordReading) -> Features:
    """Similarities of embeddings: of whole texts, of texts without what the question says, and of statements."""
    question, reference, answer = (vector(one.text) for one in (asked, wanted, given))
    statements = vectors(wanted.statements) @ vectors(given.statements).T
    windows = vectors(_windows(given, len(wanted.text.split()))) @ reference
    demoted = cosine(vector(_without(wanted, asked)), vector(_without(given, asked)))
    return {
        "cosine": cosine(reference, answer),
        "cosine_question": cosine(question, answer),
        "cosine_residual": cosine(_residual(reference, question), _residual(answer, question)),
        "cosine_without_question": demoted,
        "statements_found": float(statements.max(1).mean()),
        "statements_wanted": float(statements.max(0).mean()),
        "best_statement": max(float(statements.max()), cosine(reference, answer)),
        "best_window": float(windows.max()),
    }


def _windows(given: WordReading, size: int) -> list[str]:
    words, size = given.text.split(), max(4, size)
    step = max(1, int(size * WINDOW_STEP))
    return [" ".join(words[start : start + size]) for start in range(0, max(1, len(words) - size + 1), step)]


def _without(text: WordReading, asked: WordReading) -> str:
    """The text without the question's words; all of it if nothing else is left."""
    known = set(asked.content)
    return " ".join(word for word in text.text.split() if not known & set(read(word).content)) or text.text


def _residual(text: Matrix, question: Matrix) -> Matrix:
    return text - (text @ question) * question


def _of_words(asked: WordReading, wanted: WordReading, given: WordReading) -> Features:
    """Aligned content words: how much of the reference's the answer has, and how much of the answer's fits."""
    known = set(asked.content)
    reference, answer = wanted.content[:MAX_CONTENT], given.content[:MAX_CONTENT]
    unasked = [word for word in reference if word not in known]
    new = unasked or list(reference)
    own = [word for word in answer if word not in known]
    near = word_similarities(new, answer) if new and answer else np.zeros((len(new), 1))
    found = near.max(1) if new else np.zeros(1)
    fitting = word_similarities(own, [*reference, *asked.content]).max(1) if own and reference else np.zeros(1)
    overlap = _common(wanted.tokens, given.tokens)
    return {
        "words_found": _weighted(found, new),
        "words_found_exactly": _weighted((found >= 1).astype(float), new),
        "words_all": _share(reference, answer),
        "words_fitting": _weighted(fitting, own),
        "words_foreign": _weighted((fitting < FOREIGN).astype(float), own),
        "nothing_new": float(not own),
        "reference_new": float(bool(unasked)),
        "new_words": log(1 + len(own)),
        "rouge_l_recall": overlap / max(len(wanted.tokens), 1),
        "rouge_l_precision": overlap / max(len(given.tokens), 1),
    }


def _share(wanted: Sequence[str], given: Sequence[str]) -> float:
    if not wanted or not given:
        return 0.0
    return _weighted(word_similarities(wanted, given).max(1), wanted)


def _weighted(values: Matrix, words: Sequence[str]) -> float:
    """The mean over words, weighted by their rarity."""
    weights = np.array([rarity(word) for word in words])
    return float(values @ weights / weights.sum()) if weights.sum() > 0 else 0.0


def _common(wanted: Sequence[str], given: Sequence[str]) -> int:
    """Length of the longest common subsequence."""
    row = [0] * (len(given) + 1)
    for token in wanted:
        previous = row
        row = [0]
        for column, other in enumerate(given):
            row.append(previous[column] + 1 if token == other else max(row[-1], previous[column + 1]))
    return row[-1]


def _of_length(wanted: WordReading, given: WordReading) -> Features:
    ratio = log((len(given.content) + 1) / (len(wanted.content) + 1))
    ratio = min(max(ratio, -MAX_RATIO), MAX_RATIO)
    return {
        "length": log(1 + len(given.content)),
        "shorter": min(ratio, 0.0),
        "longer": max(ratio, 0.0),
    }


def _of_form(given: WordReading) -> Features:
    """Order of words, spelling, and whether the text breaks off."""
    words = [token for token in given.text.lower().split() if token.isalpha()]
    tokens = given.text.lower().split()
    return {
        "order": naturalness(given.text),
        "pieces": float(np.mean([min(pieces(word), 5) for word in words])) - 1 if words else 0.0,
        "breaks_off": float(bool(tokens) and len(tokens) > 3 and tokens[-1] in OPEN_ENDS),
    }
