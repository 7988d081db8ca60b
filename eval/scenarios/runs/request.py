"""What to run of a scenario."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from core.dataset import Dataset
from core.errors import InvalidInput, UnknownName
from core.types import Value
from eval.metrics.finished import Finished
from eval.metrics.latency_ms import LatencyMs
from eval.plan import Plan
from eval.scenarios.cast import Cast
from eval.scenarios.evaluation import KIND, ScenarioActor, TaskItem
from eval.scenarios.scenario import Evaluation, Scenario


class RunSize(Value):
    """How many calls a run needs: at most `turns` of each dialogue, and one of each judgement."""

    models: tuple[str, ...]
    judges: tuple[str, ...]
    tasks: int
    seeds: int
    dialogues: int
    turns: int
    judgements: int

    @property
    def text(self) -> str:
        """For people, before anything is asked."""
        factors = (_count(len(self.models), "model"), _count(self.tasks, "task"), _count(self.seeds, "seed"))
        judged = f"{_count(self.judgements, 'judgement')} by {', '.join(self.judges)}" if self.judges else "no judge"
        return f"{' × '.join(factors)} = {_count(self.dialogues, 'dialogue')} of at most {self.turns} turns, {judged}."


@dataclass(frozen=True)
class RunRequest:
    """The models that play the agent under test in turn, and the judges with the fields of the file.

    Every judge judges every dialogue `samples` times.
    """

    scenario: Scenario
    agent: str
    models: tuple[str, ...]
    judges: tuple[str, ...]
    seeds: int = 1
    samples: int = 1

    @classmethod
    def made(
        cls, scenario: Scenario, agent: str, models: tuple[str, ...], judges: tuple[str, ...], seeds: int, samples: int
    ) -> Self:
        """With what the file says where nothing is named: the first agent to speak, its model, and the file's judge.

        Raises `UnknownName` for agents and models that the file lacks, and `InvalidInput` for judges without fields.
        """
        agent = agent or scenario.turns.first
        if agent not in scenario.agents:
            raise UnknownName("agent", agent, scenario.agents)
        for name in (*models, *judges):
            if name not in scenario.models:
                raise UnknownName("model", name, scenario.models)
        if judges and scenario.evaluation is None:
            raise InvalidInput(f"{scenario.path} has no `evaluation`: add one with the fields that judges fill in.")
        own = () if scenario.evaluation is None else (scenario.evaluation.model,)
        if models and scenario.agents[agent].choices is not None:
            raise InvalidInput(f"The agent {agent} of {scenario.path} is of type edumod, which no model can play.")
        return cls(scenario, agent, models or (scenario.agents[agent].label,), judges or own, seeds, samples)

    @property
    def asked_models(self) -> tuple[str, ...]:
        """Every model of the file that is asked anything."""
        speaking = (one for model in self.models for one in self._played_by(model).speaking_models)
        return tuple(dict.fromkeys((*speaking, *self.judges)))

    @property
    def size(self) -> RunSize:
        dialogues = len(self.models) * len(self.scenario.tasks) * self.seeds
        return RunSize(
            models=self.models,
            judges=self.judges,
            tasks=len(self.scenario.tasks),
            seeds=self.seeds,
            dialogues=dialogues,
            turns=self.scenario.turn_limit,
            judgements=dialogues * len(self.judges) * self.samples,
        )

    def tasks(self) -> Dataset[TaskItem]:
        items = tuple(TaskItem(number, task) for number, task in enumerate(self.scenario.tasks))
        return Dataset(self.scenario.path.stem, items)

    def dialogues_plan(self, cast: Cast) -> Plan[TaskItem]:
        """Every task with every model under each seed."""
        actors = tuple(ScenarioActor(self._played_by(model), model, cast) for model in self.models)
        metrics = (Finished(), LatencyMs())
        return Plan(KIND, self.tasks(), actors, metrics, tuple(range(self.seeds)), notes=self.scenario.conditions)

    def evaluations(self) -> dict[str, Evaluation]:
        """The file's fields in the hands of each judge, by its name."""
        if self.scenario.evaluation is None:
            return {}
        return {judge: self.scenario.evaluation.model_copy(update={"model": judge}) for judge in self.judges}

    def _played_by(self, model: str) -> Scenario:
        agents = self.scenario.agents
        if agents[self.agent].choices is not None:
            return self.scenario
        played = agents[self.agent].model_copy(update={"model": model})
        return self.scenario.model_copy(update={"agents": {**agents, self.agent: played}})


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
