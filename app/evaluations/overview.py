"""Runs, nights and judges of the courses within reach."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from core.access import Reach
from core.store.store import Store
from core.store.tables import EvaluationRow, EvaluationState
from eval.attacks.evaluation import KIND as ATTACKS
from eval.attacks.report import AttackReport
from eval.calibration.evaluation import KIND as JUDGES_KIND
from eval.calibration.report import CalibrationReport
from eval.nightly import KIND as NIGHTLY
from eval.nightly import METRIC, NightlySummary
from eval.statistics import Mean
from eval.stored import SHOWN, ListedEvaluation, listed_evaluations
from judging import JUDGES
from judging.base import AnyJudge

J = TypeVar("J", CalibrationReport, AttackReport)
NIGHTS = 30
"""Nights in the history of a course."""


@dataclass(frozen=True)
class Nights:
    """A retriever's recall night by night on the same labels, oldest first; None where it could not be measured."""

    retriever: str
    recall: Sequence[float | None]
    last: Mean


@dataclass(frozen=True)
class CourseNights:
    """The nightly history of a course."""

    course: str
    metric: str
    moments: Sequence[datetime]
    retrievers: Sequence[Nights]


@dataclass(frozen=True)
class KnownJudge:
    """A judge with its latest calibration against people, and its latest attacks."""

    judge: type[AnyJudge]
    calibration: CalibrationReport | None
    attacks: AttackReport | None


@dataclass(frozen=True)
class Overview:
    """What the page of evaluations shows."""

    runs: Sequence[ListedEvaluation]
    nights: Sequence[CourseNights]
    judges: Sequence[KnownJudge]
    progress: Mapping[str, int]
    """Cells that are done, of the runs that are not finished."""


async def read_overview(store: Store, reach: Reach, course: str | None, kind: str | None) -> Overview:
    """Raises `UnknownName` for an unknown course or kind."""
    runs = await listed_evaluations(store, course, kind, reach, SHOWN)
    evaluations = store.evaluations
    nights = await evaluations.all(course, NIGHTLY, reach, SHOWN)
    calibrations = await evaluations.all(None, JUDGES_KIND, reach, SHOWN)
    attacks = await evaluations.all(None, ATTACKS, reach, SHOWN)
    progress = await evaluations.progress([run.id for run in runs if run.state == EvaluationState.RUNNING])
    return Overview(runs, _by_course(nights), _judges(calibrations, attacks), progress)


def _by_course(rows: Sequence[EvaluationRow]) -> list[CourseNights]:
    """Of each course the nights on the labels of the latest one; `rows` are newest first."""
    by_course: defaultdict[str, list[EvaluationRow]] = defaultdict(list)
    for row in rows:
        if row.course_id is not None and row.state == EvaluationState.DONE:
            by_course[row.course_id].append(row)
    return [_nights(course, found) for course, found in sorted(by_course.items())]


def _nights(course: str, rows: Sequence[EvaluationRow]) -> CourseNights:
    same = [row for row in rows if row.config.get("digest") == rows[0].config.get("digest")][:NIGHTS][::-1]
    summaries = [NightlySummary.model_validate(row.summary) for row in same]
    means = [{name: figures.means.get(METRIC) for name, figures in one.actors.items()} for one in summaries]
    retrievers = [
        Nights(name, [found.mean if (found := night.get(name)) else None for night in means], last)
        for name, last in means[-1].items()
        if last is not None
    ]
    return CourseNights(course, METRIC, [row.finished_at or row.created_at for row in same], retrievers)


def _judges(calibrations: Sequence[EvaluationRow], attacks: Sequence[EvaluationRow]) -> list[KnownJudge]:
    calibrated, attacked = _latest(calibrations, CalibrationReport), _latest(attacks, AttackReport)
    return [KnownJudge(judge, calibrated.get(judge.name), attacked.get(judge.name)) for judge in JUDGES]


def _latest(rows: Sequence[EvaluationRow], kind: type[J]) -> dict[str, J]:
    """The latest report of each judge; `rows` are newest first."""
    finished = (row for row in reversed(rows) if row.state == EvaluationState.DONE)
    return {report.judge: report for report in (kind.model_validate(row.summary) for row in finished)}
