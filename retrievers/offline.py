"""The offline rules for the retrievers' tasks: shared words in place of a model's judgement."""

from __future__ import annotations

from collections import Counter
from math import log

from retrievers.tasks import IsRelevant, PickSections, ScoredItem, ScoredItems, ScoreParts
from retrievers.tokens import tokenize


def score_items(task: PickSections | ScoreParts) -> ScoredItems:
    """Of each item, the share of the question's words in it; words that few of the items hold weigh more."""
    wanted = _words(task.question)
    shared = [wanted & _words(text) for text in task.texts]
    counts = Counter(word for words in shared for word in words)
    weights = {word: log(1 + len(shared) / (counts[word] or 1)) for word in wanted}
    most = sum(weights.values()) or 1.0
    scores = (sum(weights[word] for word in sorted(words)) / most for words in shared)
    return ScoredItems(items=tuple(ScoredItem(n=n, score=round(score, 6)) for n, score in enumerate(scores, 1)))


def relevance(task: IsRelevant) -> float:
    """The share of the question's words in the passage."""
    wanted, words = _words(task.question), _words(task.document)
    return len(wanted & words) / len(wanted) if wanted else 0.0


def _words(text: str) -> set[str]:
    return set(tokenize(text))
