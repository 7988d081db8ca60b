"""A calibration: what is judged, and under which conditions."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

from core.llm.models import NamedModel
from core.llm.offline import OFFLINE_MODEL
from eval.datasets.dataset import Dataset
from eval.datasets.judged import JudgedAnswer, JudgedAnswers
from eval.judges.actor import COMPUTED, MODEL, JudgeActor, Judged
from eval.judges.base import AnyJudge
from eval.judges.computed.model import computed_version
from eval.plan import Plan

KIND = "judges"


def calibration_plan(judge: AnyJudge, data: JudgedAnswers, model: NamedModel) -> Plan[JudgedAnswer]:
    """The judge on every scored answer; `model` is the one that it asks."""
    return judging_plan(KIND, judge, data.dataset, model)


def judging_plan(
    kind: str, judge: AnyJudge, dataset: Dataset[JudgedAnswer], model: NamedModel, seeds: Sequence[int] = (0,)
) -> Plan[JudgedAnswer]:
    """The judge on every item of a data set."""
    form = COMPUTED if model.name == OFFLINE_MODEL else MODEL
    conditions = computed_version() if form == COMPUTED else model.fingerprint
    return Plan(
        kind=kind,
        dataset=dataset,
        actors=(JudgeActor(judge, f"{model.name} {conditions}"),),
        metrics=(Judged(),),
        seeds=tuple(seeds),
        facts={"version": version("edumod"), "model": model.name, "form": form},
    )
