"""Judges. To add one, write its module and rubric, and add the class to `JUDGES`."""

from __future__ import annotations

from core.errors import UnknownName
from judging.base import AnyJudge
from judging.disclosure import DisclosureJudge
from judging.edumod import EduModJudge
from judging.grounded import GroundedJudge
from judging.options import JudgeOptions
from judging.preference import PreferenceJudge
from judging.teaching_points import TeachingPointsJudge

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
