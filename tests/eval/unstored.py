"""Outcomes of plans without a database."""

from __future__ import annotations

from typing import Any

from core.errors import EduModError
from core.llm.offline import OfflineLLM
from eval.plan import Plan
from eval.scoring import ScoredRun
from tests.eval.actors.scripted import outcome


async def run(plan: Plan[Any]) -> ScoredRun[Any]:
    """Every actor on every item under the first seed."""
    rows = []
    for actor in plan.actors:
        for item in plan.dataset.items:
            try:
                rows.append((actor.name, item.id, await actor.act(item, 0, OfflineLLM({})), None))
            except EduModError as error:
                rows.append((actor.name, item.id, None, str(error)))
    whole = outcome(plan, *((actor, item, output) for actor, item, output, _ in rows))
    for row, (_, _, _, reason) in zip(whole.rows, rows, strict=True):
        row.error = {"code": "bad", "detail": reason} if reason else None
    return whole
