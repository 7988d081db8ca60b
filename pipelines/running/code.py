"""Looks at the student's code within a run, and finds the concept behind what was found."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.code import CodeIssue
from core.types import Answer, FunctionCall, Source, StepKind
from pipelines.running.state import RunState
from retrievers.functions import COURSE_FUNCTIONS
from student_code.catalogue import entries, issue_of, told
from student_code.inspector import CodeInspector


@dataclass
class CodeReview:
    """The code of one run's question, and who looks at it."""

    state: RunState
    inspector: CodeInspector | None
    looked_up: bool = False

    async def inspect(self) -> None:
        """Look at the code, if the question is about code."""
        question = self.state.question
        if not question.is_about_code or self.inspector is None:
            return
        solution = (self.state.exercise.solution if self.state.exercise else None) or ""
        with self.state.trace.step(StepKind.CHECK) as details:
            report = await self.inspector.inspect(question, solution)
            details["note"] = "; ".join(told(one).summary for one in report.findings[:1]) or report.problem
        if report.problem:
            self.state.note(report.problem)
        self.state.code = report

    async def look_up(self) -> None:
        """Search the textbook for the concept of the likeliest finding, once."""
        report = self.state.code
        names = {function.name for function in self.state.functions}
        name = next((one.name for one in COURSE_FUNCTIONS if one.source is Source.TEXTBOOK and one.name in names), None)
        if self.looked_up or report is None or not report.findings or name is None or self.state.hurries():
            return
        self.looked_up = True
        topic = entries()[report.findings[0].mistake].topic
        call = FunctionCall(id="concept", name=name, arguments={"query": topic})
        failures = await self.state.searches.run((call,))
        self.state.tolerate("A search failed", failures, enough=True)
        (result,) = self.state.searches.history[-1]
        self.state.code = replace(report, concept=result.passages)

    def finished(self, answer: Answer) -> Answer:
        """The answer with the issue that was found."""
        return answer if self.state.code is None else answer.model_copy(update={"issue": self.issue()})

    def issue(self) -> CodeIssue | None:
        """The likeliest finding, in the language of the answer."""
        report = self.state.code
        return issue_of(report.findings[0], report.language) if report and report.findings else None
