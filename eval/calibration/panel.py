"""How the members of a panel of judges agree, with people and with each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.score import Score
from core.types import Value
from eval.agreement import ScoreAgreement, among_raters, correlation
from eval.statistics import Mean, Resampling
from judging.answers import JudgedAnswer, Scale
from judging.panel import members_of


class PanelFigures(Value):
    """Over the answers that all members scored: `n`. Scores are on the scale of the data."""

    n: int
    members: dict[str, Mean]
    """Each member's Pearson correlation with people."""
    agreement: ScoreAgreement | None
    """Of every two members; None if they have no answer in common."""


def panel_figures(
    items: Sequence[JudgedAnswer], scores: Sequence[Score], judge: Scale, data: Scale
) -> PanelFigures | None:
    """None where no panel judged."""
    found = [members_of(score) for score in scores]
    names = list(dict.fromkeys(name for one in found for name in one))
    if not names:
        return None
    common = [number for number, one in enumerate(found) if len(one) == len(names)]
    resampling = Resampling([items[number].question for number in common])
    humans = np.array([items[number].human for number in common])
    columns = {name: np.array([data.at(judge.share(found[number][name])) for number in common]) for name in names}
    return PanelFigures(
        n=len(common),
        members={name: resampling.interval(correlation(own, humans)) for name, own in columns.items()},
        agreement=among_raters(resampling, list(columns.values())) if common else None,
    )
