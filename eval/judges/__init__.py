"""Judges. To add one, write its module and rubric, and add the class to `JUDGES`."""

from __future__ import annotations

from core.errors import UnknownName
from eval.judges.base import AnyJudge
from eval.judges.disclosure import DisclosureJudge
from eval.judges.edumod import EduModJudge
from eval.judges.grounded import GroundedJudge
from eval.judges.options import JudgeOptions
from eval.judges.preference import PreferenceJudge
from eval.judges.teaching_points import TeachingPointsJudge

JUDGES: tuple[type[AnyJudge], ...] = (
    TeachingPointsJudge,
    EduModJudge,
    GroundedJudge,
    DisclosureJudge,
    PreferenceJudge,
)


def judge_named(name: str, options: JudgeOptions | None = None) -> AnyJudge:
    """Raises `UnknownName` listing the judges."""
    for judge in JUDGES:
        if judge.name == name:
            return judge(options or JudgeOptions())
    raise UnknownName("judge", name, [judge.name for judge in JUDGES])
