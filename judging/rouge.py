"""ROUGE-L (Lin, 2004) of word stems in any script."""

from __future__ import annotations

from typing import Any

from retrievers.tokens import tokenize


class _Words:
    """A tokenizer for rouge-score, whose own one drops every letter outside of English."""

    def tokenize(self, text: str) -> list[str]:
        return tokenize(text)


def rouge_l(reference: str, answer: str) -> Any:
    """ROUGE-L of word stems: a tuple with `precision`, `recall` and `fmeasure`."""
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rougeL"], tokenizer=_Words()).score(reference, answer)["rougeL"]
