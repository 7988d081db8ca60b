"""Whether the words of a text stand in an order in which people write them.

The log-likelihood of the text under a bigram model of function words and word endings is compared with that of the same
words in random orders, so that it depends on the order alone. The model was counted on the sample courses' own texts by
`eval/fitting/judges.py`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from math import log
from pathlib import Path
from random import Random
from statistics import fmean, pstdev

COUNTS = Path(__file__).with_name("word_order.json")
EDGE = "<edge>"
OTHER = "<other>"
NUMBER = "<number>"
_ENDINGS = ("tion", "ment", "ness", "ing", "ous", "ful", "ive", "ble", "ed", "ly", "al", "er", "es", "s", "y", "e")
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?|\d+|[.,;:!?()]")
ORDERS = 24
"""Random orders that a text is compared with."""
MIN_TOKENS = 4
CONFIDENT = 3.0
"""Standard deviations from which an order is considered natural."""
SMOOTHING = 0.3
MAX_TOKENS = 120
"""A longer text is compared by its beginning."""


def counted(texts: Iterable[str], function_words: int) -> dict[str, dict[str, int]]:
    """Counts of neighbouring classes; the most frequent words are classes of their own."""
    sentences = [_TOKEN.findall(text.lower()) for text in texts]
    frequency = Counter(token for one in sentences for token in one)
    kept = {token for token, _ in frequency.most_common(function_words) if not token.isdigit()}
    counts: dict[str, Counter[str]] = {}
    for one in sentences:
        classes = [EDGE, *(_class(token, kept) for token in one), EDGE]
        for first, second in pairwise(classes):
            counts.setdefault(first, Counter())[second] += 1
    return {first: dict(sorted(seconds.items())) for first, seconds in sorted(counts.items())}


def naturalness(text: str) -> float:
    """1 for a natural order, 0 for one no likelier than random orders. 1 for texts too short to tell."""
    words = text.lower().split()[:MAX_TOKENS]
    if len(words) < MIN_TOKENS:
        return 1.0
    own = _likelihood(words)
    random = Random(" ".join(sorted(words)))  # noqa: S311
    others = [_likelihood(random.sample(words, len(words))) for _ in range(ORDERS)]
    spread = pstdev(others)
    if spread < 1e-9:
        return 1.0
    return min(max((own - fmean(others)) / spread / CONFIDENT, 0.0), 1.0)


def _likelihood(words: Sequence[str]) -> float:
    """Log-likelihood per class of words that keep their punctuation."""
    counts, totals = _model()
    tokens = [token for word in words for token in _TOKEN.findall(word)]
    classes = [EDGE, *(_class(token, counts.keys()) for token in tokens), EDGE]
    found = 0.0
    for first, second in pairwise(classes):
        expected = totals[second] / totals[EDGE + EDGE]
        found += log((counts[first].get(second, 0) + SMOOTHING * expected * 10) / (totals[first] + SMOOTHING * 10))
    return found / len(classes)


@cache
def _model() -> tuple[Mapping[str, Mapping[str, int]], Mapping[str, float]]:
    """Counts, and how often each class occurs; the number of all tokens is under two edges."""
    counts = json.loads(COUNTS.read_text(encoding="utf-8"))
    totals = {first: float(sum(seconds.values())) for first, seconds in counts.items()}
    return counts, {**totals, EDGE + EDGE: sum(totals.values())}


def _class(token: str, kept: Collection[str]) -> str:
    if token in kept:
        return token
    if token.isdigit():
        return NUMBER
    ending = next((ending for ending in _ENDINGS if len(token) > len(ending) + 2 and token.endswith(ending)), "")
    return f"-{ending}" if ending else OTHER
