"""Answers that judges read, made without running a pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core.llm.base import LLM
from core.llm.models import Models
from core.store.store import Store
from core.types import Passage
from eval.answers.judging.chosen import ChosenJudge
from eval.answers.judging.evidence import evidence_of
from eval.answers.judging.judging import AnswerJudging, judge_answers, scored_by
from eval.datasets.answers import LabelledAnswer
from eval.metrics.latency_ms import LatencyMs
from eval.plan import Plan
from eval.runner import RunLimits, Runner
from eval.scoring import ScoredRun
from tests.eval.actors.scripted import outcome
from tests.eval.answers.labelled import plan

Rows = Sequence[tuple[str, str, Any]]
"""Actor, message and output; None if it failed."""


def measured(messages: Sequence[LabelledAnswer], rows: Rows) -> ScoredRun[LabelledAnswer]:
    """The answers before anything is judged."""
    made: Plan[LabelledAnswer] = plan(*messages, actors=tuple(dict.fromkeys(actor for actor, _, _ in rows)))
    metrics: tuple[Any, ...] = (*made.metrics, LatencyMs())
    return outcome(replace(made, metrics=metrics), *rows)


async def judged(
    store: Store,
    answers: ScoredRun[LabelledAnswer],
    *judges: str,
    llm: LLM,
    passages: Sequence[Passage] = (),
    cap: float | None = None,
) -> tuple[ScoredRun[LabelledAnswer], list[AnswerJudging]]:
    """The answers with the judges' scores."""
    models = Models.of(llm)
    evidence = evidence_of(passages, answers)
    found = [
        await judge_answers(
            Runner(store.evaluations, models, models.prices),
            ChosenJudge.model_validate(name),
            models,
            answers,
            evidence,
            RunLimits(4, cap),
            lambda _done, _all: None,
        )
        for name in judges
    ]
    return scored_by(answers, found), found
