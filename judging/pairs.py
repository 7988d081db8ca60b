"""Pairs of answers to the same question, with people's preferences as their scores imply them."""

from __future__ import annotations

from core.dataset import Dataset
from judging.answers import JudgedAnswer, JudgedAnswers, Scale, by_question

PREFERENCES = Scale(min=0, max=1)
"""1: the answer is better than its rival, 0: the rival is, 0.5: neither."""


def paired(data: JudgedAnswers) -> JudgedAnswers:
    """Each answer with the next one to its question, the last with the first, on the scale of preferences.

    The data as they are if no question has two answers; otherwise questions with one are left out.
    """
    groups = [items for items in by_question(data.dataset.items).values() if len(items) > 1]
    if not groups:
        return data
    pairs = (pair for items in groups for pair in zip(items, (*items[1:], items[0]), strict=True))
    return JudgedAnswers(Dataset(data.dataset.name, tuple(_against(*pair) for pair in pairs)), PREFERENCES, data.raters)


def _against(item: JudgedAnswer, rival: JudgedAnswer) -> JudgedAnswer:
    scores = tuple(_preference(one, other) for one, other in zip(item.scores, rival.scores, strict=True))
    resolved = None if item.resolved is None else _preference(item.human, rival.human)
    return item.model_copy(update={"rival": rival.answer, "scores": scores, "resolved": resolved})


def _preference(one: float, other: float) -> float:
    return 0.5 if one == other else float(one > other)
