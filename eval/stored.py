"""Lists and reads stored evaluations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.access import EVERYTHING, Reach
from core.errors import InvalidInput, UnknownName
from core.store.evaluations import Evaluations
from core.store.store import Store
from core.store.tables import EvaluationRow, EvaluationState, ItemRow, ResultRow
from core.types import Value
from eval.answers.judging.judging import KIND as JUDGED_ANSWERS
from eval.answers.report import AnswersReport
from eval.attacks.evaluation import KIND as ATTACKS
from eval.attacks.report import AttackReport
from eval.calibration.evaluation import KIND as JUDGES
from eval.calibration.report import CalibrationReport
from eval.datasets.answers import KIND as ANSWERS
from eval.datasets.queries import KIND as RETRIEVAL
from eval.datasets.questions import KIND as FUNCTIONS
from eval.functions.report import FunctionsReport
from eval.nightly import KIND as NIGHTLY
from eval.nightly import NightlySummary
from eval.report import Report
from eval.retrieval.report import RetrievalReport
from eval.scenarios.evaluation import JUDGED, DialoguesReport, JudgedReport
from eval.scenarios.evaluation import KIND as DIALOGUES
from eval.scenarios.runs.outcome import SCENARIOS
from eval.scenarios.runs.report import ScenarioReport

REPORTS: Mapping[str, type[Report[Any]]] = {
    RETRIEVAL: RetrievalReport,
    FUNCTIONS: FunctionsReport,
    ANSWERS: AnswersReport,
    JUDGES: CalibrationReport,
    ATTACKS: AttackReport,
    NIGHTLY: NightlySummary,
    DIALOGUES: DialoguesReport,
    JUDGED: JudgedReport,
    JUDGED_ANSWERS: JudgedReport,
    SCENARIOS: ScenarioReport,
}
"""Type of the report of each kind of evaluation."""


class ListedEvaluation(Value):
    """One line of the list of evaluations."""

    id: str
    kind: str
    dataset: str
    course: str | None
    actors: tuple[str, ...]
    n: int
    seeds: int
    state: EvaluationState
    created_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True)
class StoredEvaluation:
    """A finished evaluation with all stored data. `items` is empty if an earlier version stored it."""

    row: EvaluationRow
    report: Report[Any]
    results: tuple[ResultRow, ...]
    items: Mapping[str, ItemRow]

    @property
    def name(self) -> str:
        return short_id(self.row.id)

    def of(self, actor: str) -> list[ResultRow]:
        return [row for row in self.results if row.actor == actor]


def short_id(evaluation_id: str) -> str:
    """The first characters of an id, for people."""
    return evaluation_id[:8]


async def listed_evaluations(
    store: Store, course: str | None, kind: str | None, reach: Reach = EVERYTHING, limit: int | None = None
) -> list[ListedEvaluation]:
    """Evaluations within reach, newest first. Raises `NotFound` or `UnknownName` for an unknown course or kind."""
    if course is not None:
        await store.courses.get(course)
    if kind is not None and kind not in REPORTS:
        raise UnknownName("kind of evaluation", kind, REPORTS)
    return [listed(row) for row in await store.evaluations.all(course, kind, reach, limit)]


def listed(row: EvaluationRow) -> ListedEvaluation:
    """The evaluation as a line of a list."""
    config = row.config
    return ListedEvaluation(
        id=row.id,
        kind=row.kind,
        dataset=config["dataset"],
        course=row.course_id,
        actors=tuple(config["actors"]),
        n=config["n"],
        seeds=len(config["seeds"]),
        state=row.state,
        created_at=row.created_at,
        finished_at=row.finished_at,
    )


async def stored_report(evaluations: Evaluations, prefix: str, reach: Reach = EVERYTHING) -> Report[Any]:
    """The report of the evaluation whose id starts with `prefix`.

    Raises `NotFound`, also for one out of reach, and `InvalidInput` if several ids do or the evaluation has not ended.
    """
    return await _report(evaluations, await _found(evaluations, prefix, reach))


async def stored_evaluation(evaluations: Evaluations, prefix: str, reach: Reach = EVERYTHING) -> StoredEvaluation:
    """The evaluation whose id starts with `prefix`. Raises the errors of `stored_report`."""
    row = await _found(evaluations, prefix, reach)
    report = await _report(evaluations, row)
    return StoredEvaluation(row, report, tuple(await evaluations.results(row.id)), await evaluations.items(row.id))


async def _found(evaluations: Evaluations, prefix: str, reach: Reach) -> EvaluationRow:
    if not prefix:
        raise InvalidInput("The id of an evaluation is empty. `edumod eval list` shows ids.")
    return await evaluations.find(prefix, reach)


async def _report(evaluations: Evaluations, row: EvaluationRow) -> Report[Any]:
    if row.state == EvaluationState.RUNNING:
        done = len(await evaluations.results(row.id))
        total = row.config["n"] * len(row.config["actors"]) * len(row.config["seeds"])
        raise InvalidInput(
            f"The evaluation {short_id(row.id)} has not ended: {done} of {total} done. "
            "Run its command again to continue."
        )
    return REPORTS[row.kind].model_validate(row.summary)
