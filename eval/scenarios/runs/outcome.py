"""Dialogues and their judgements as one evaluation, in which the models are the actors and the tasks the items.

So two runs are compared, exported and shown as any other evaluations are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from uuid import uuid4

from core.errors import NotFound
from core.llm.base import LLM
from core.store.tables import ResultRow, ResultState
from core.types import Value
from eval.actors.base import Actor
from eval.metrics.base import Metric
from eval.metrics.field import Field
from eval.metrics.finished import Finished
from eval.plan import Plan
from eval.scenarios.dialogue import Dialogue
from eval.scenarios.evaluation import TaskItem, scored_fields
from eval.scenarios.judging import DialogueItem
from eval.scenarios.runs.judgements import Cell, Judgement, cell_of, item_id, judgements_by_item
from eval.scenarios.runs.request import RunRequest
from eval.scoring import ScoredRun

SCENARIOS = "scenarios"


class JudgedDialogue(Dialogue):
    """A dialogue with all its judgements."""

    judgements: tuple[Judgement, ...] = ()


class Failure(Value):
    """Why there is no dialogue."""

    error: str


@dataclass(frozen=True)
class StoredDialogues(Actor[TaskItem]):
    """A model's dialogues of this run, judged."""

    timed: ClassVar[bool] = False

    name: str
    agents: str
    """Identity of those who held them."""
    outputs: Mapping[Cell, JudgedDialogue | Failure]

    @property
    def identity(self) -> str:
        return self.agents

    async def act(self, item: TaskItem, seed: int, llm: LLM) -> Any:
        """Raises `NotFound` with the reason why there is no dialogue."""
        found = self.outputs.get((self.name, item.id, seed), Failure(error="The cost cap ended the run before it."))
        if isinstance(found, Failure):
            raise NotFound(found.error)
        return found.model_dump(mode="json")


def scenarios_plan(
    request: RunRequest, dialogues: ScoredRun[TaskItem], judged: ScoredRun[DialogueItem]
) -> Plan[TaskItem]:
    """All dialogues of the run with their judgements; nothing is asked for them, so none of an earlier run is used."""
    judgements = judgements_by_item(judged)
    outputs = {cell_of(row): _output(row, judgements) for row in dialogues.rows}
    actors = tuple(StoredDialogues(actor.name, actor.identity, outputs) for actor in dialogues.plan.actors)
    facts = {"agent": request.agent, "judges": list(request.judges), "run": uuid4().hex}
    return Plan(
        SCENARIOS, dialogues.plan.dataset, actors, metrics_of(request), dialogues.plan.seeds, facts,
        notes=request.scenario.conditions,
    )  # fmt: skip


def metrics_of(request: RunRequest) -> tuple[Metric[Any], ...]:
    """Every field that is a number or a truth value, and the share of dialogues that the agents ended."""
    evaluation = request.scenario.evaluation
    fields = scored_fields(evaluation.fields) if evaluation else ()
    return (*(Field(field=name) for name in fields), Finished())


def _output(row: ResultRow, judgements: Mapping[str, Sequence[Judgement]]) -> JudgedDialogue | Failure:
    if row.state != ResultState.SCORED:
        return Failure(error=(row.error or {}).get("detail", "It failed."))
    judged = judgements.get(item_id(cell_of(row)), ())
    return JudgedDialogue.model_validate({**row.output, "judgements": judged})
