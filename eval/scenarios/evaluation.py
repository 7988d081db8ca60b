"""Dialogues of a scenario as an evaluation: each task is an item, and each of its dialogues a row of the runner."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from core.dataset import Dataset
from core.llm.base import LLM
from eval.actors.base import Actor
from eval.metrics.base import Metric
from eval.metrics.finished import Finished
from eval.metrics.judged import JudgedFieldScore
from eval.metrics.latency_ms import LatencyMs
from eval.plan import Plan
from eval.report import Figures, Report, common, plain_figures
from eval.scenarios.cast import Cast
from eval.scenarios.conversation import converse
from eval.scenarios.judging import DialogueItem, FileJudge
from eval.scenarios.scenario import TASK, Evaluation, FieldType, JudgedField, Scenario
from eval.scenarios.templates import as_text
from eval.scoring import ScoredRun

KIND = "dialogues"
JUDGED = "judged dialogues"
SHOWN_CHARS = 200


@dataclass(frozen=True)
class TaskItem:
    """A task by its position in the file, so that two equal tasks are two items."""

    number: int
    task: dict[str, Any]

    @property
    def id(self) -> str:
        return f"{TASK}{self.number}"

    @property
    def text(self) -> str:
        return "; ".join(f"{name}: {as_text(value)}" for name, value in self.task.items())[:SHOWN_CHARS]

    @property
    def contents(self) -> tuple[Any, ...]:
        return (self.number, *((name, as_text(value)) for name, value in self.task.items()))


@dataclass(frozen=True)
class ScenarioActor(Actor[TaskItem]):
    """The agents of a scenario, who give a dialogue for a task. `label` replaces the file's name."""

    scenario: Scenario
    label: str = ""
    cast: Cast = Cast()  # noqa: RUF009  (frozen)

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.label or self.scenario.path.stem

    @property
    def identity(self) -> str:
        """A hash of everything that affects a dialogue: not keys, concurrency, or models that do not speak."""
        shaping = self.scenario.model_dump(
            mode="json", include={"dialect", "agents", "turns", "start_prompt", "turn_limit"}
        )
        models = {
            name: self.scenario.models[name].model_dump(mode="json", include={"model", "base_url", "parameters"})
            for name in self.scenario.speaking_models
        }
        parts = [shaping, models]
        if self.cast.identity:
            parts.append(self.cast.identity)
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]

    async def act(self, item: TaskItem, seed: int, llm: LLM) -> Any:
        dialogue = await converse(self.scenario, item.task, self.cast.speaking(llm, seed))
        return dialogue.model_dump(mode="json")


class DialoguesReport(Report[Figures]):
    """The dialogues of a scenario. `finished` is the share that the agents ended themselves."""

    actors: dict[str, Figures] = Field(alias="scenarios")


def dialogues_plan(scenario: Scenario, seeds: int, cast: Cast) -> Plan[TaskItem]:
    """Every task under each seed."""
    return Plan(
        kind=KIND,
        dataset=Dataset(scenario.path.stem, tuple(TaskItem(n, task) for n, task in enumerate(scenario.tasks))),
        actors=(ScenarioActor(scenario, cast=cast),),
        metrics=(Finished(), LatencyMs()),
        seeds=tuple(range(seeds)),
        notes=scenario.conditions,
    )


def dialogues_report(outcome: ScoredRun[TaskItem]) -> DialoguesReport:
    """How many dialogues the agents ended, and what they cost."""
    return DialoguesReport(**common(outcome), actors=plain_figures(outcome), comparisons=())


def judged_plan(scenario: Scenario, evaluation: Evaluation, items: tuple[DialogueItem, ...]) -> Plan[DialogueItem]:
    """Every dialogue judged once; every field that is a number or a truth value is a metric."""
    return Plan(
        kind=JUDGED,
        dataset=Dataset(scenario.path.stem, items),
        actors=(FileJudge(scenario, evaluation),),
        metrics=judged_metrics(evaluation),
        notes=scenario.conditions,
    )


def judged_metrics(evaluation: Evaluation | None) -> tuple[Metric[Any], ...]:
    """A metric for each field that is a number or a truth value, and the time."""
    return (
        *(JudgedFieldScore(field=name) for name in (scored_fields(evaluation.fields) if evaluation else ())),
        LatencyMs(),
    )


def scored_fields(fields: Sequence[JudgedField], prefix: str = "") -> Iterator[str]:
    """Names of the fields that are numbers or truth values, those of a group as in `guidance.score`."""
    for one in fields:
        if one.type == FieldType.DICT:
            yield from scored_fields(one.fields, f"{prefix}{one.name}.")
        elif one.type != FieldType.STR:
            yield f"{prefix}{one.name}"
