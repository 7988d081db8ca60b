"""A calibration: what is judged, and under which conditions."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

from core.dataset import Dataset
from core.llm.base import LLM
from core.llm.models import NamedModel
from core.llm.offline import OFFLINE_MODEL
from eval.actors.judge import COMPUTED, MODEL, JudgeActor, JudgeScore
from eval.plan import Plan
from eval.setups.conditions import recorded_with
from judging.answers import JudgedAnswer, JudgedAnswers
from judging.base import AnyJudge
from judging.computed.model import computed_version

KIND = "judges"


def calibration_plan(judge: AnyJudge, data: JudgedAnswers, *models: NamedModel) -> Plan[JudgedAnswer]:
    """The judge on every scored answer; `models` are those that it asks, several for a panel."""
    return judging_plan(KIND, judge, data.dataset, *models)


def judging_plan(
    kind: str, judge: AnyJudge, dataset: Dataset[JudgedAnswer], *models: NamedModel, seeds: Sequence[int] = (0,)
) -> Plan[JudgedAnswer]:
    """The judge on every item of a data set."""
    form = COMPUTED if all(one.name == OFFLINE_MODEL for one in models) else MODEL
    conditions = (
        f"{one.name} {computed_version() if one.name == OFFLINE_MODEL else one.fingerprint}" for one in models
    )
    return Plan(
        kind=kind,
        dataset=dataset,
        actors=(JudgeActor(judge, ", ".join(conditions)),),
        metrics=(JudgeScore(),),
        seeds=tuple(seeds),
        facts={
            "version": version("edumod"),
            "model": ", ".join(one.name for one in models),
            "endpoints": {one.name: one.fingerprint for one in models},
            **recorded_with(models),
            "judge": f"{judge.name} {judge.version}",
            "options": judge.options.spelling,
            "form": form,
        },
    )


async def demand_capabilities(judge: AnyJudge, dataset: Dataset[JudgedAnswer], llm: LLM) -> None:
    """Raises `MissingCapability` if a model cannot give expected scores, before anything is judged.

    The reply to the one request that finds out is cached, and not paid for a second time.
    """
    if judge.options.expected:
        await judge.judge(dataset.items[0], llm)
