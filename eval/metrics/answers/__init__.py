"""Metrics of answers."""

from __future__ import annotations

from eval.metrics.answers.base import AnswerMetric
from eval.metrics.answers.brier import Brier
from eval.metrics.answers.decisions import NoResponseRight, WronglyAbstained, WronglyAnswered
from eval.metrics.answers.embedding_similarity import EmbeddingSimilarity
from eval.metrics.answers.passages import Cited, CitedFirst, Retrieved
from eval.metrics.answers.quote_support import QuoteSupport
from eval.metrics.answers.rouge_l_recall import RougeLRecall

ANSWER_METRICS: tuple[type[AnswerMetric], ...] = (
    CitedFirst,
    Cited,
    Retrieved,
    WronglyAbstained,
    WronglyAnswered,
    NoResponseRight,
    QuoteSupport,
    RougeLRecall,
    EmbeddingSimilarity,
    Brier,
)
"""All of them are computed by default; actors are compared by the first."""
