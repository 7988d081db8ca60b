"""An evaluation of a judge under attack: good answers, and what the attacks make of them, are judged alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from core.dataset import Dataset
from core.errors import InvalidInput
from core.llm.models import NamedModel
from eval.attacks import ATTACKS, HARMLESS
from eval.attacks.base import Attack
from eval.attacks.limits import AttackLimits
from eval.calibration.evaluation import judging_plan
from eval.plan import Plan
from judging.answers import JudgedAnswer, JudgedAnswers
from judging.base import AnyJudge

KIND = "attacks"


@dataclass(frozen=True)
class AttackedAnswers:
    """Good answers, and by attack the changed ones by the id of the good one."""

    name: str
    good: tuple[JudgedAnswer, ...]
    changed: Mapping[str, Mapping[str, JudgedAnswer]]
    not_applicable: tuple[str, ...]

    @property
    def dataset(self) -> Dataset[JudgedAnswer]:
        changed = (item for made in self.changed.values() for item in made.values())
        return Dataset(self.name, (*self.good, *changed))


def attacked(data: JudgedAnswers, judge: AnyJudge, limits: AttackLimits, seed: int = 0) -> AttackedAnswers:
    """Every attack that applies to the judge, made from a sample of the good answers.

    Raises `InvalidInput` if there are too few good answers for any attack.
    """
    good = tuple(judge.under_attack(item) for item in _good(data, limits, seed))
    made: dict[str, dict[str, JudgedAnswer]] = {}
    skipped: list[str] = []
    for attack in (*ATTACKS, *HARMLESS):
        is_limited = attack.name in limits.attacks or attack in HARMLESS
        if attack.name in judge.spared or not is_limited:
            continue
        found = _made(attack, judge, good, seed)
        if len(found) < limits.min_items:
            skipped.append(attack.name)
        else:
            made[attack.name] = found
    return AttackedAnswers(data.dataset.name, good, made, tuple(skipped))


def _good(data: JudgedAnswers, limits: AttackLimits, seed: int) -> tuple[JudgedAnswer, ...]:
    found = [item for item in data.dataset.items if data.scale.share(item.human) >= limits.good and item.answer.strip()]
    if len(found) < limits.min_items:
        raise InvalidInput(
            f"The data set {data.dataset.name} has {len(found)} good answers (human mean of at least "
            f"{data.scale.at(limits.good):g}), and attacks need {limits.min_items}. Add more, or use another data set."
        )
    chosen = set(Random(seed).sample(range(len(found)), min(limits.max_items, len(found))))  # noqa: S311
    return tuple(item for number, item in enumerate(found) if number in chosen)


def _made(attack: Attack, judge: AnyJudge, good: Sequence[JudgedAnswer], seed: int) -> dict[str, JudgedAnswer]:
    changed = {}
    for item in good:
        others = tuple(one for one in good if one.question != item.question)
        if (found := attack.apply(item, judge.wrong_answers(item, others), seed)) is not None:
            changed[item.id] = found
    return changed


def attack_plan(judge: AnyJudge, answers: AttackedAnswers, *models: NamedModel) -> Plan[JudgedAnswer]:
    """The judge on all good and all changed answers; `models` are those that it asks, several for a panel."""
    return judging_plan(KIND, judge, answers.dataset, *models)
