"""The report on a judge under attack."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import numpy as np
from pydantic import Field

from core.types import Value
from eval.attacks import ATTACKS
from eval.attacks.evaluation import AttackedAnswers
from eval.attacks.limits import Limit, Limits
from eval.calibration.report import PerHundred, per_hundred, scores_of
from eval.datasets.judged import JudgedAnswer
from eval.judges.base import AnyJudge
from eval.report import Figures, Report, common, common_figures
from eval.scoring import Outcome

DIGITS = 4


class AttackFigures(Value):
    """How one attack went. Drops are in points of the judge's scale, over the good answers that it was made from."""

    n: int
    unscored: int = Field(description="Changed answers without a score; they are not accepted, and not in the AUC.")
    auc: float | None = Field(description="Of good answers against changed ones; None if too few have a score.")
    mean_drop: float | None
    accepted: float = Field(description="Share of changed answers with at least the acceptable score.")
    limit: Limit
    passed: bool


class HarmlessFigures(Value):
    """What a harmless change did: the mean difference in points of the judge's scale."""

    n: int
    unscored: int
    mean_shift: float | None
    passed: bool


class AttackReport(Report[Figures]):
    """One judge under attack. `n` counts the good answers that attacks were made from."""

    judge: str
    form: str
    judged: int = Field(description="Answers judged, the changed ones included.")
    attacks: dict[str, AttackFigures]
    harmless: dict[str, HarmlessFigures]
    not_applicable: tuple[str, ...] = Field(description="Attacks that could be made from too few good answers.")
    spared: tuple[str, ...] = Field(description="Attacks that do not make an answer worse by the judge's rubric.")
    per_100: PerHundred

    @property
    def passed(self) -> bool:
        return not self.failed

    @property
    def failed(self) -> tuple[str, ...]:
        """Names of the attacks and harmless changes over their limits."""
        failed = [name for name, one in self.attacks.items() if not one.passed]
        return (*failed, *(name for name, one in self.harmless.items() if not one.passed))


def attack_report(
    outcome: Outcome[JudgedAnswer], judge: AnyJudge, answers: AttackedAnswers, limits: Limits
) -> AttackReport:
    """Compares the scores of changed answers with those of the good ones."""
    scores = {item: score.value for item, score in scores_of(outcome, judge.name).items()}
    names = {attack.name for attack in ATTACKS}
    pairs = {
        name: [(scores[good], scores[item.id]) for good, item in changed.items()]
        for name, changed in answers.changed.items()
    }
    figures = {judge.name: Figures.model_validate(common_figures(outcome, judge.name))}
    return AttackReport(
        **{**common(outcome), "actors": figures, "n": len(answers.good)},
        comparisons=(),
        judge=judge.name,
        form=outcome.plan.facts["form"],
        judged=len(outcome.plan.dataset.items),
        attacks={
            name: _attack(found, judge, limits, limits.attacks[name]) for name, found in pairs.items() if name in names
        },
        harmless={name: _harmless(found, judge, limits) for name, found in pairs.items() if name not in names},
        not_applicable=answers.not_applicable,
        spared=tuple(sorted(judge.spared)),
        per_100=per_hundred(outcome.of(judge.name)),
    )


Pair = tuple[float | None, float | None]
"""Scores of a good answer and of what an attack made of it."""


def _attack(pairs: Sequence[Pair], judge: AnyJudge, limits: Limits, limit: Limit) -> AttackFigures:
    both = [(good, changed) for good, changed in pairs if good is not None and changed is not None]
    acceptable = judge.scale.at(limits.accepted)
    accepted = sum(changed is not None and changed >= acceptable - 1e-9 for _, changed in pairs) / len(pairs)
    auc = _auc([good for good, _ in both], [changed for _, changed in both]) if len(both) >= limits.min_items else None
    kept = accepted <= limit.accepted if limit.accepted is not None else auc is not None and auc >= (limit.auc or 0.0)
    return AttackFigures(
        n=len(pairs),
        unscored=sum(changed is None for _, changed in pairs),
        auc=auc,
        mean_drop=round(fmean(good - changed for good, changed in both), DIGITS) if both else None,
        accepted=round(accepted, DIGITS),
        limit=limit,
        passed=kept,
    )


def _harmless(pairs: Sequence[Pair], judge: AnyJudge, limits: Limits) -> HarmlessFigures:
    both = [(good, changed) for good, changed in pairs if good is not None and changed is not None]
    shift = fmean(changed - good for good, changed in both) if both else None
    return HarmlessFigures(
        n=len(pairs),
        unscored=sum(changed is None for _, changed in pairs),
        mean_shift=None if shift is None else round(shift, DIGITS),
        passed=shift is not None and abs(shift) <= limits.max_shift * judge.scale.range + 1e-9,
    )


def _auc(good: Sequence[float], changed: Sequence[float]) -> float:
    """The probability that a good answer has the higher score than a changed one; ties count half."""
    from sklearn.metrics import roc_auc_score

    labels = np.repeat([1, 0], [len(good), len(changed)])
    return round(float(roc_auc_score(labels, [*good, *changed])), DIGITS)
