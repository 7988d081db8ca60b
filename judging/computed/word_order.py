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
from itertools import combinations, pairwise
from math import log
from pathlib import Path
from random import Random
from statistics import fmean, pstdev

from core.text.sentences import rough_sentences

COUNTS = Path(__file__).with_name("word_order.json")
EDGE = "<edge>"
OTHER = "<other>"
NUMBER = "<number>"
_ENDINGS = ("tion", "ment", "ness", "ing", "ous", "ful", "ive", "ble", "ed", "ly", "al", "er", "es", "s", "y", "e")
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?|\d+|[.,;:!?()]")
ORDERS = 24
"""Random orders that a text is compared with."""
MIN_TOKENS = 4
KNOWN_PAIR = 1.5
"""Log-likelihood that a pair of neighbours gains if a text that is known has it."""
CONFIDENT = 3.0
"""Standard deviations from which an order is considered natural."""
SMOOTHING = 0.3
MAX_TERMS = 10
"""Terms of a sentence that are exchanged; any others stay where they are."""
_FINAL = ".!?"
_MARKS = ".,;:!?()\"'"
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


def breaks(text: str) -> int:
    """Places where a sentence begins or ends within another by its capitals and full stops."""
    words = text.split()
    ends = [word[-1] in _FINAL for word in words]
    small = _model()[0].keys()
    inner = sum(
        following[0].islower()
        if is_end
        else following[0].isupper() and following.lower() in small and word[-1].isalnum()
        for word, following, is_end in zip(words, words[1:], ends, strict=False)
        if following != "I"
    )
    return inner + (any(ends) and not ends[-1] and words[-1][-1] not in "):")


def exchange_gain(text: str, terms: Collection[str], *known: str) -> float:
    """How much likelier a sentence becomes if two of the terms change places: the greatest gain in log-likelihood.

    A sentence that stands in the known texts as it is has none to gain.
    """
    pairs = _known_pairs(known)
    gains = [0.0]
    for sentence in rough_sentences(text.lower()):
        words = sentence.split()
        if pairs.issuperset(_pairs(words)[1:-1]):
            continue
        own = _likelihood(words, pairs) * (len(words) + 1)
        bare = [word.strip(_MARKS) for word in words]
        present = list(dict.fromkeys(word for word in bare if word in terms))[:MAX_TERMS]
        for first, second in combinations(present, 2):
            other = {first: second, second: first}
            exchanged = [word.replace(plain, other.get(plain, plain)) for word, plain in zip(words, bare, strict=True)]
            gains.append(_likelihood(exchanged, pairs) * (len(words) + 1) - own)
    return max(gains)


def naturalness(text: str, *known: str) -> float:
    """1 for a natural order, 0 for one no likelier than random orders. 1 for texts too short to tell.

    `known` are texts in a natural order on the same subject.
    """
    words = text.lower().split()[:MAX_TOKENS]
    if len(words) < MIN_TOKENS:
        return 1.0
    pairs = _known_pairs(known)
    own = _likelihood(words, pairs)
    random = Random(" ".join(sorted(words)))  # noqa: S311
    others = [_likelihood(random.sample(words, len(words)), pairs) for _ in range(ORDERS)]
    spread = pstdev(others)
    if spread < 1e-9:
        return 1.0
    return min(max((own - fmean(others)) / spread / CONFIDENT, 0.0), 1.0)


def _likelihood(words: Sequence[str], known: Collection[tuple[str, str]]) -> float:
    """Log-likelihood per class of words that keep their punctuation."""
    counts, totals = _model()
    pairs = _pairs(words)
    total = KNOWN_PAIR * sum(pair in known for pair in pairs)
    for first, second in ((_class(one, counts.keys()), _class(other, counts.keys())) for one, other in pairs):
        expected = totals[second] / totals[EDGE + EDGE]
        total += log((counts[first].get(second, 0) + SMOOTHING * expected * 10) / (totals[first] + SMOOTHING * 10))
    return total / (len(pairs) + 1)


def _known_pairs(texts: Sequence[str]) -> frozenset[tuple[str, str]]:
    return frozenset(pair for text in texts for pair in _pairs(text.lower().split()))


def _pairs(words: Sequence[str]) -> list[tuple[str, str]]:
    """Neighbouring tokens, the edges included."""
    return list(pairwise([EDGE, *(token for word in words for token in _TOKEN.findall(word)), EDGE]))


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
