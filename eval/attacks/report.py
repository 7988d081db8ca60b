"""The report on a judge under attack."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import numpy as np
from pydantic import Field

from core.score import Score
from core.types import Value
from eval.agreement import auc
from eval.attacks import ATTACKS
from eval.attacks.evaluation import AttackedAnswers
from eval.attacks.limits import AttackLimit, AttackLimits
from eval.calibration.report import PerHundred, per_hundred, scores_of
from eval.report import Figures, Report, common, plain_figures
from eval.scoring import ScoredRun
from eval.statistics import SPREAD
from judging.answers import JudgedAnswer
from judging.base import AnyJudge

DIGITS = 4


class AttackFigures(Value):
    """How one attack went. Drops are in points of the judge's scale, over the good answers that it was made from; where
    there is no score, its estimate counts."""

    n: int
    unscored: int = Field(description="Changed answers without a score; they are not accepted.")
    auc: float | None = Field(
        description="Of good answers against changed ones, by their scores, or estimates where there is no score; "
        "None if too few have either."
    )
    mean_drop: float | None
    accepted: float = Field(description="Share of changed answers with at least the acceptable score.")
    limit: AttackLimit
    passed: bool


class IntactFigures(Value):
    """How the good answers went that attacks were made from. A judge that leaves most of them unscored is of no use."""

    accepted: float = Field(description="Share with at least the acceptable score.")
    unscored: float = Field(description="Share without a score.")
    max_unscored: float
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
    intact: IntactFigures | None = Field(default=None, description="None in reports of earlier versions.")
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
        """Names of the attacks and harmless changes over their limits; `intact` if too few good answers are scored."""
        failed = ["intact"] if self.intact and not self.intact.passed else []
        failed += [name for name, one in self.attacks.items() if not one.passed]
        return (*failed, *(name for name, one in self.harmless.items() if not one.passed))


def attack_report(
    outcome: ScoredRun[JudgedAnswer], judge: AnyJudge, answers: AttackedAnswers, limits: AttackLimits
) -> AttackReport:
    """Compares the scores of changed answers with those of the good ones."""
    scores = scores_of(outcome, judge.name)
    names = {attack.name for attack in ATTACKS}
    pairs = {
        name: [(scores[good], scores[item.id]) for good, item in changed.items()]
        for name, changed in answers.changed.items()
    }
    return AttackReport(
        **{**common(outcome), "actors": plain_figures(outcome), "n": len(answers.good)},
        comparisons=(),
        judge=judge.name,
        form=outcome.plan.facts["form"],
        judged=len(outcome.plan.dataset.items),
        intact=_intact([scores[item.id] for item in answers.good], judge, limits),
        attacks={
            name: _attack(found, judge, limits, limits.attacks[name]) for name, found in pairs.items() if name in names
        },
        harmless={name: _harmless(found, judge, limits) for name, found in pairs.items() if name not in names},
        not_applicable=answers.not_applicable,
        spared=tuple(sorted(judge.spared)),
        per_100=per_hundred(outcome.of(judge.name)),
    )


Pair = tuple[Score, Score]
"""Scores of a good answer and of what an attack made of it."""


def _intact(scores: Sequence[Score], judge: AnyJudge, limits: AttackLimits) -> IntactFigures:
    unscored = sum(score.value is None for score in scores) / len(scores)
    return IntactFigures(
        accepted=round(_accepted(scores, judge, limits), DIGITS),
        unscored=round(unscored, DIGITS),
        max_unscored=limits.max_unscored,
        passed=unscored <= limits.max_unscored,
    )


def _accepted(scores: Sequence[Score], judge: AnyJudge, limits: AttackLimits) -> float:
    """The share of scores that are acceptable."""
    acceptable = judge.scale.at(limits.accepted) - SPREAD
    return sum(score.value is not None and score.value >= acceptable for score in scores) / len(scores)


def _attack(pairs: Sequence[Pair], judge: AnyJudge, limits: AttackLimits, limit: AttackLimit) -> AttackFigures:
    accepted = _accepted([changed for _, changed in pairs], judge, limits)
    known = _estimates(pairs)
    separation = _separation(known) if len(known) >= limits.min_items else None
    return AttackFigures(
        n=len(pairs),
        unscored=sum(changed.value is None for _, changed in pairs),
        auc=separation,
        mean_drop=round(fmean(good - changed for good, changed in known), DIGITS) if known else None,
        accepted=round(accepted, DIGITS),
        limit=limit,
        passed=limit.allows(separation, accepted),
    )


def _harmless(pairs: Sequence[Pair], judge: AnyJudge, limits: AttackLimits) -> HarmlessFigures:
    known = _estimates(pairs)
    shift = fmean(changed - good for good, changed in known) if known else None
    return HarmlessFigures(
        n=len(pairs),
        unscored=sum(changed.value is None for _, changed in pairs),
        mean_shift=None if shift is None else round(shift, DIGITS),
        passed=shift is not None and abs(shift) <= limits.max_shift * judge.scale.range + SPREAD,
    )


def _estimates(pairs: Sequence[Pair]) -> list[tuple[float, float]]:
    """Of both answers, scores or estimates; without the pairs that lack one."""
    both = [(good.estimate, changed.estimate) for good, changed in pairs]
    return [(good, changed) for good, changed in both if good is not None and changed is not None]


def _separation(pairs: Sequence[tuple[float, float]]) -> float:
    """The AUC of good answers against changed ones."""
    values = np.array([score for pair in zip(*pairs, strict=True) for score in pair])
    return round(auc(values, np.repeat([1, 0], len(pairs))), DIGITS)
