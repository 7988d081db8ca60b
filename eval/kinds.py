"""The kinds of evaluations, with the type of the report of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
from eval.sensemaking.evaluator import KIND as RATINGS

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
    RATINGS: JudgedReport,
}
"""Type of the report of each kind of evaluation."""
