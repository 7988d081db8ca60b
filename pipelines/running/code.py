"""Looks at the student's code within a run, and names the concept behind what was found."""

from __future__ import annotations

from collections.abc import Iterable

from core.code import CodeIssue
from core.types import FunctionCall, FunctionSpec, Question, Source, StepKind
from pipelines.running.trace import Trace
from retrievers.functions import COURSE_FUNCTIONS
from student_code.catalogue import entries, issue_of, told
from student_code.inspector import CodeInspector, CodeReport


async def inspect(inspector: CodeInspector, question: Question, solution: str, trace: Trace) -> CodeReport:
    """The report on the question's code, as a step of the trace."""
    with trace.step(StepKind.CHECK) as details:
        report = await inspector.inspect(question, solution)
        details["note"] = report.problem or "; ".join(
            told(finding).summary for finding in report.findings[:1] if not finding.waits
        )
    return report


def concept_call(report: CodeReport, functions: Iterable[FunctionSpec]) -> FunctionCall | None:
    """The search of the textbook for the concept of the likeliest finding.

    None without a textbook, or where no finding is sure enough to be told.
    """
    names = {function.name for function in functions}
    textbook = (one.name for one in COURSE_FUNCTIONS if one.source is Source.TEXTBOOK and one.name in names)
    if not report.findings or report.findings[0].waits or (name := next(textbook, None)) is None:
        return None
    return FunctionCall(id="concept", name=name, arguments={"query": entries()[report.findings[0].mistake].topic})


def likeliest_issue(report: CodeReport) -> CodeIssue | None:
    """The likeliest finding, in the language of the answer."""
    return issue_of(report.findings[0], report.language) if report.findings else None
