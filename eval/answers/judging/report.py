"""The report of one judge's evaluation of answers, stored beside that of the answers."""

from __future__ import annotations

from eval.answers.judging.judging import Judging
from eval.report import Figures, common, common_figures
from eval.scenarios.evaluation import JudgedReport


def judging_report(judging: Judging) -> JudgedReport:
    """The mean score of all different answers, with cost and time."""
    outcome, name = judging.outcome, judging.judge.name
    figures = Figures.model_validate(common_figures(outcome, name))
    return JudgedReport(**common(outcome), actors={name: figures}, comparisons=())
