"""A small run of every kind of evaluation, made without a model, a course or files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.code import IssueKind
from core.dataset import Dataset
from core.homework import CRITERIA, Verdict
from core.llm.base import LLM
from core.types import Question
from eval.actors.computed import COMPUTED
from eval.actors.judge import JudgeScore as JudgedScore
from eval.answers.judging.judging import KIND as JUDGED_ANSWERS
from eval.answers.report import answers_report
from eval.attacks.evaluation import KIND as ATTACKS
from eval.attacks.evaluation import attacked
from eval.attacks.limits import read_limits
from eval.attacks.report import attack_report
from eval.calibration.evaluation import KIND as JUDGES
from eval.calibration.report import calibration_report
from eval.code.dataset import CodeDataset, CodeQuestion, Exercise, LabelledIssue
from eval.code.evaluation import METRICS as CODE_METRICS
from eval.code.report import ComputedCodeAnswer, code_report
from eval.datasets.answers import KIND as ANSWERS
from eval.datasets.queries import KIND as RETRIEVAL
from eval.datasets.queries import Query
from eval.datasets.questions import FUNCTIONS as COURSE_FUNCTIONS
from eval.datasets.questions import KIND as FUNCTIONS
from eval.datasets.questions import LabelledQuestion
from eval.feedback.dataset import FeedbackDataset, HomeworkProblem, LabelledSubmission
from eval.feedback.evaluation import METRICS as FEEDBACK_METRICS
from eval.feedback.report import feedback_report, to_json
from eval.functions.report import functions_report
from eval.headers.documents import GoldHeader, HeaderDataset, LabelledDocument
from eval.headers.evaluation import headers_plan
from eval.headers.report import headers_report
from eval.judged import judged_report
from eval.metrics.latency_ms import LatencyMs
from eval.metrics.set_f1 import SetF1
from eval.nightly import KIND as NIGHTLY
from eval.nightly import NightlySummary
from eval.plan import Plan
from eval.privacy.dataset import PrivacyItem
from eval.privacy.evaluation import privacy_plan
from eval.privacy.report import privacy_report
from eval.report import Report, plain_report
from eval.retrieval.report import RetrievalReport, default_metrics, retrieval_report
from eval.runner import Runner
from eval.scenarios.cast import Cast
from eval.scenarios.evaluation import JUDGED as JUDGED_DIALOGUES
from eval.scenarios.evaluation import KIND as DIALOGUES
from eval.scenarios.evaluation import dialogues_report
from eval.scenarios.reading import read_scenario
from eval.scenarios.runs.judgements import judgements_plan
from eval.scenarios.runs.outcome import SCENARIOS, scenarios_plan
from eval.scenarios.runs.report import scenario_report
from eval.scenarios.runs.request import RunRequest
from eval.scoring import ScoredRun
from eval.sensemaking.evaluator import KIND as RATINGS
from eval.sensemaking.grading import KIND as GRADING
from eval.sensemaking.grading import METRICS as GRADING_METRICS
from eval.sensemaking.model_teacher import KIND as TEACHING
from eval.sensemaking.model_teacher import SectionItem, Wanted, metrics_of
from eval.sensemaking.student import KIND as SITTING
from eval.sensemaking.student import METRICS as SITTING_METRICS
from eval.sensemaking.student import SectionQuestion
from homework.findings import Check, HomeworkChecks
from ingestion.document import Line, LoadedDocument
from judging import judge_named
from tests.eval.actors.scripted import Scripted
from tests.eval.answers import labelled
from tests.eval.scenarios.samples import OLD, written
from tests.judging.judged import answers

Sample = Callable[[Runner, Path], Awaitable[tuple[ScoredRun[Any], Report[Any]]]]
JUDGE = judge_named("teaching_points")


def scripted(name: str, output_of: Callable[[Any], Any]) -> Scripted:
    async def act(item: Any, _seed: int, _llm: LLM) -> Any:
        return output_of(item)

    return Scripted(name, act)


def simple(plan: Plan[Any], summarise: Callable[[ScoredRun[Any]], Report[Any]]) -> Sample:
    async def run(runner: Runner, _folder: Path) -> tuple[ScoredRun[Any], Report[Any]]:
        outcome = await runner.run(plan)
        return outcome, summarise(outcome)

    return run


QUERIES = Dataset("c", tuple(Query(f"q{n}", f"Where is {n}?", "x", frozenset([f"place {n}"])) for n in range(4)))
RETRIEVER = scripted("bm25", lambda query: [*sorted(query.relevant), "elsewhere"])
RANKINGS = Plan(RETRIEVAL, QUERIES, (RETRIEVER,), (*default_metrics((1,)), LatencyMs()))
QUESTIONS = Dataset(
    "c",
    tuple(
        LabelledQuestion(id=f"m{n}", split="test", question=Question(body="How?"), functions=COURSE_FUNCTIONS[:1])
        for n in range(4)
    ),
)
CALLS = Plan(FUNCTIONS, QUESTIONS, (scripted("fc", lambda _: list(COURSE_FUNCTIONS[:2])),), (SetF1(), LatencyMs()))
ANSWERS_PLAN = labelled.plan(*(labelled.message(f"m{n}") for n in range(3)))
ANSWERED = replace(
    ANSWERS_PLAN,
    actors=(scripted("fc/tree", lambda _: labelled.output(labelled.ROWS)),),
    metrics=(*ANSWERS_PLAN.metrics, LatencyMs()),
    course_id=None,
)
SCORED = answers(24)
ATTACKED = attacked(SCORED, JUDGE, read_limits())


def judged(kind: str, dataset: Dataset[Any] = SCORED.dataset) -> Plan[Any]:
    score = {"value": 4.0, "explanation": "It says so."}
    actor = scripted(JUDGE.name, lambda item: {**score, "value": 4.0 - len(item.answer) % 3})
    return Plan(kind, dataset, (actor,), (JudgedScore(),), facts={"form": "model", "model": "scripted"})


def nightly(outcome: ScoredRun[Any]) -> NightlySummary:
    report = retrieval_report(outcome)
    return NightlySummary(**{name: getattr(report, name) for name in RetrievalReport.model_fields}, scores={})


WORK = LabelledSubmission(id="s", problem="p", text="1 = 2", labels={"arithmetic": Verdict.WRONG})
CHECKED = HomeworkChecks(dict.fromkeys(CRITERIA, Check(Verdict.WRONG)))
SUBMISSIONS = FeedbackDataset({"p": HomeworkProblem(id="p", text="")}, (WORK,), "homework").items
BUG = CodeQuestion(
    id="q", exercise="e", language="en", question="Why?", code="prnt(1)",
    issue=LabelledIssue(line=(1,), kind=IssueKind.NAME),
)  # fmt: skip
CODE_QUESTIONS = CodeDataset({"e": Exercise(id="e", text="Print 1.")}, (BUG,), "exercises").items
UNANSWERED = ComputedCodeAnswer().model_dump(mode="json")
LAB = LabelledDocument(
    "lab.txt",
    LoadedDocument("lab", (Line("Question 1"), Line("Do it."))),
    (GoldHeader(title="Question 1", is_question=True, line=0),),
    "lab",
)
TEXTS = [PrivacyItem(id="t", text="Write to [[email:a@example.edu]].")]


SECTIONS = Dataset("sections", (SectionItem(id="a/b", text="Rows are selected by a condition."),))
ASKED = Dataset("questions", (SectionQuestion(id="a/b row 0", section="a/b", question="How are rows selected?"),))


def dialogue(item: Any) -> dict[str, Any]:
    return {"task": item.task, "turns": [{"agent": "teacher", "content": "Yes."}], "is_partial": False}


def fields(_item: Any) -> dict[str, Any]:
    return {"accuracy": 4, "guidance": {"score": 3.5, "reason": "It asks."}}


def request_in(folder: Path) -> RunRequest:
    return RunRequest.made(read_scenario(written(folder, OLD)), "", (), (), 1, 1)


async def _held(runner: Runner, folder: Path) -> tuple[RunRequest, ScoredRun[Any]]:
    request = request_in(folder)
    plan = request.dialogues_plan(Cast())
    return request, await runner.run(replace(plan, actors=(scripted("one", dialogue),)))


async def dialogues(runner: Runner, folder: Path) -> tuple[ScoredRun[Any], Report[Any]]:
    _, held = await _held(runner, folder)
    return held, dialogues_report(held)


async def _judged(runner: Runner, folder: Path) -> tuple[RunRequest, ScoredRun[Any], ScoredRun[Any]]:
    request, held = await _held(runner, folder)
    plan = judgements_plan(request, held)
    return request, held, await runner.run(replace(plan, actors=(scripted("one", fields),)))


async def judged_dialogues(runner: Runner, folder: Path) -> tuple[ScoredRun[Any], Report[Any]]:
    *_, outcome = await _judged(runner, folder)
    return outcome, judged_report(outcome)


async def scenarios(runner: Runner, folder: Path) -> tuple[ScoredRun[Any], Report[Any]]:
    request, held, given = await _judged(runner, folder)
    whole = await runner.run(scenarios_plan(request, held, given))
    return whole, scenario_report(request, held, given, whole)


SAMPLES: Mapping[str, Sample] = {
    RETRIEVAL: simple(RANKINGS, retrieval_report),
    NIGHTLY: simple(replace(RANKINGS, kind=NIGHTLY), nightly),
    FUNCTIONS: simple(CALLS, functions_report),
    ANSWERS: simple(ANSWERED, answers_report),
    JUDGED_ANSWERS: simple(judged(JUDGED_ANSWERS), judged_report),
    RATINGS: simple(judged(RATINGS), judged_report),
    JUDGES: simple(judged(JUDGES), lambda outcome: calibration_report(outcome, JUDGE, SCORED.scale)),
    ATTACKS: simple(
        judged(ATTACKS, ATTACKED.dataset), lambda outcome: attack_report(outcome, JUDGE, ATTACKED, read_limits())
    ),
    DIALOGUES: dialogues,
    JUDGED_DIALOGUES: judged_dialogues,
    SCENARIOS: scenarios,
    TEACHING: simple(
        Plan(TEACHING, SECTIONS, (scripted("model", lambda _: [{}]),), metrics_of(Wanted(2))), plain_report
    ),
    SITTING: simple(Plan(SITTING, ASKED, (scripted("fc", lambda _: "Yes."),), SITTING_METRICS), plain_report),
    GRADING: simple(
        Plan(GRADING, ASKED, (scripted("model", lambda _: {"answerability": 4, "complexity": 2}),), GRADING_METRICS),
        plain_report,
    ),
    "headers": simple(headers_plan(HeaderDataset("labs", (LAB,), ())), headers_report),
    "feedback": simple(
        Plan("feedback", SUBMISSIONS, (scripted(COMPUTED, lambda _: to_json(CHECKED)),), FEEDBACK_METRICS),
        feedback_report,
    ),
    "code": simple(
        Plan("code", CODE_QUESTIONS, (scripted(COMPUTED, lambda _: UNANSWERED),), CODE_METRICS), code_report
    ),
    "privacy": simple(privacy_plan("texts", TEXTS), privacy_report),
}
"""By kind: a run, not yet finished, with its report."""
