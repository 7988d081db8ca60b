"""The kinds of evaluations. To add one, declare it here: it is then stored, listed, shown, compared and exported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eval.answers.judging.judging import KIND as JUDGED_ANSWERS
from eval.answers.page import answers_page
from eval.answers.report import AnswersReport
from eval.answers.tables import tabulate_answers
from eval.attacks.evaluation import KIND as ATTACKS
from eval.attacks.report import AttackReport
from eval.attacks.tables import tabulate_attacks
from eval.calibration.evaluation import KIND as JUDGES
from eval.calibration.page import calibration_page
from eval.calibration.report import CalibrationReport
from eval.calibration.tables import tabulate_calibration
from eval.code.evaluation import open_code
from eval.code.report import CodeAnswersReport, code_report
from eval.code.tables import tabulate_code
from eval.datasets.answers import KIND as ANSWERS
from eval.datasets.queries import KIND as RETRIEVAL
from eval.datasets.questions import KIND as FUNCTIONS
from eval.feedback.evaluation import open_feedback
from eval.feedback.report import FeedbackReport, feedback_report
from eval.feedback.tables import tabulate_feedback
from eval.functions.page import functions_page
from eval.functions.report import FunctionsReport
from eval.functions.tables import tabulate_functions
from eval.headers.evaluation import open_headers
from eval.headers.report import HeadersReport, headers_report
from eval.headers.tables import tabulate_headers
from eval.judged import JudgedReport
from eval.kind import ComputedKind, EvaluationKind
from eval.nightly import KIND as NIGHTLY
from eval.nightly import NightlySummary
from eval.privacy.evaluation import open_privacy
from eval.privacy.report import PrivacyReport, privacy_report
from eval.privacy.tables import tabulate_privacy
from eval.retrieval.report import RetrievalReport
from eval.retrieval.tables import tabulate_retrieval, tabulate_retrievers
from eval.scenarios.evaluation import JUDGED as JUDGED_DIALOGUES
from eval.scenarios.evaluation import KIND as DIALOGUES
from eval.scenarios.evaluation import DialoguesReport
from eval.scenarios.runs.outcome import SCENARIOS
from eval.scenarios.runs.page import scenarios_page
from eval.scenarios.runs.report import ScenarioReport
from eval.scenarios.tables import tabulate_dialogues, tabulate_judged, tabulate_scenario
from eval.sensemaking.evaluator import KIND as RATINGS

HEADERS = ComputedKind(
    name="headers", items="documents", report=HeadersReport, tabulate=tabulate_headers,
    open=open_headers, summarise=headers_report,
)  # fmt: skip
FEEDBACK = ComputedKind(
    name="feedback", items="submissions", report=FeedbackReport, tabulate=tabulate_feedback,
    open=open_feedback, summarise=feedback_report,
)  # fmt: skip
CODE = ComputedKind(
    name="code",
    items="questions",
    report=CodeAnswersReport,
    tabulate=tabulate_code,
    open=open_code,
    summarise=code_report,
)
PRIVACY = ComputedKind(
    name="privacy", items="texts", report=PrivacyReport, tabulate=tabulate_privacy,
    open=open_privacy, summarise=privacy_report,
)  # fmt: skip

_ALL: tuple[EvaluationKind[Any], ...] = (
    EvaluationKind(
        name=RETRIEVAL, items="queries", report=RetrievalReport, tabulate=tabulate_retrieval, has_rankings=True
    ),
    EvaluationKind(
        name=FUNCTIONS,
        items="questions",
        report=FunctionsReport,
        tabulate=tabulate_functions,
        page=lambda report, _, at: functions_page(report, at),
    ),
    EvaluationKind(
        name=ANSWERS,
        items="messages",
        report=AnswersReport,
        tabulate=tabulate_answers,
        page=lambda report, _, at: answers_page(report, at),
    ),
    EvaluationKind(
        name=JUDGES,
        items="answers",
        report=CalibrationReport,
        tabulate=tabulate_calibration,
        page=lambda report, _, at: calibration_page(report, at),
    ),
    EvaluationKind(name=ATTACKS, items="answers", report=AttackReport, tabulate=tabulate_attacks),
    EvaluationKind(
        name=NIGHTLY, items="queries", report=NightlySummary, tabulate=tabulate_retrievers, has_rankings=True
    ),
    EvaluationKind(name=DIALOGUES, items="tasks", report=DialoguesReport, tabulate=tabulate_dialogues),
    EvaluationKind(name=JUDGED_DIALOGUES, items="dialogues", report=JudgedReport, tabulate=tabulate_judged),
    EvaluationKind(name=JUDGED_ANSWERS, items="answers", report=JudgedReport, tabulate=tabulate_judged),
    EvaluationKind(
        name=SCENARIOS,
        items="tasks",
        report=ScenarioReport,
        tabulate=tabulate_scenario,
        page=lambda report, rows, at: scenarios_page([(report, rows)], at),
    ),
    EvaluationKind(name=RATINGS, items="answers", report=JudgedReport, tabulate=tabulate_judged),
    HEADERS,
    FEEDBACK,
    CODE,
    PRIVACY,
)

KINDS: Mapping[str, EvaluationKind[Any]] = {kind.name: kind for kind in _ALL}
"""By name."""
