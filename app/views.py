"""How much of an answer and its trace is shown to whoever reads it (decision 0044)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from app.answering.fallback import WatchRun
from app.answering.service import unwatched
from app.response import AnswerResponse
from app.review.shadow import is_hidden
from app.schemas import AnswerOut, TraceOut
from core.access import Access, Permission
from core.code import CodeIssue
from core.course import Course
from core.store.store import Store
from core.store.tables import DraftState
from core.types import FunctionCall, Status, Step, StepKind
from pipelines.run import Run

Work = Callable[..., Awaitable[AnswerResponse]]
"""Produces an answer; `watch` is called for each call and step, `accepted` with the id of the stored question."""


@dataclass(frozen=True)
class View:
    """What one reader sees of the answers of a course.

    Scores and confidences move with words of solutions, so they are for those who may read these. A course may hide
    drafts from everybody until a person has answered.
    """

    course: Course
    has_scores: bool

    @classmethod
    async def of(cls, access: Access, course_id: str, store: Store) -> View:
        """What somebody with this access sees. Raises `UnknownName` for an unknown course."""
        course = Course.model_validate((await store.courses.get(course_id)).config)
        return cls(course, access.may(Permission.DRAFTS_READ, course_id))

    def work(self, work: Work) -> Work:
        """The work with its steps and its answer as the reader sees them."""

        async def seen(watch: WatchRun = unwatched, accepted: Callable[[str], None] | None = None) -> AnswerResponse:
            def watching(run: Run, event: FunctionCall | Step) -> None:
                watch(run, self._step(event, DraftState.PENDING) if isinstance(event, Step) else event)

            return self.response(await work(watch=watching, accepted=accepted))

        return seen

    def response(self, response: AnswerResponse) -> AnswerResponse:
        """An answer that was just given, or is given again: nobody has decided about it, for all that is known."""
        state = DraftState.REFUSED if response.status is Status.CONSENT_REQUIRED else DraftState.PENDING
        nothing = (
            {"answer": "", "citations": (), "warnings": (), "feedback": None, "issue": None}
            if is_hidden(self.course, state)
            else {"issue": self._issue(response.issue)}
        )
        trace = tuple(self._step(step, state) for step in response.trace)
        confidence = self._confidence(response.confidence)
        return response.model_copy(update={"trace": trace, "confidence": confidence, **nothing})

    def answer(self, answer: AnswerOut) -> AnswerOut:
        """A stored answer; one that is hidden is not there yet."""
        hidden = {"status", "answer", "confidence", "citations", "warnings", "feedback", "issue"}
        if is_hidden(self.course, answer.state):
            return AnswerOut.model_validate(answer.model_dump(exclude=hidden))
        changed = {"confidence": self._confidence(answer.confidence), "issue": self._issue(answer.issue)}
        return answer.model_copy(update=changed)

    def trace(self, trace: TraceOut) -> TraceOut:
        """A stored trace."""
        return trace.model_copy(update={"steps": tuple(self._step(step, trace.state) for step in trace.steps)})

    def _step(self, step: Step, state: DraftState) -> Step:
        """A step for a draft in that state. Notes of reviews and checks tell of the draft and its confidence."""
        changed: dict[str, object] = {}
        if step.kind is StepKind.REVIEW and (not self.has_scores or is_hidden(self.course, state)):
            changed["note"] = None
        if step.kind is StepKind.CHECK and is_hidden(self.course, state):
            changed["note"] = None
        if not self.has_scores:
            without = {"score": None, "path": ()}
            changed["passages"] = tuple(one.model_copy(update=without) for one in step.passages)
        return step.model_copy(update=changed)

    def _issue(self, issue: CodeIssue | None) -> CodeIssue | None:
        return issue and issue.model_copy(update={"confidence": self._confidence(issue.confidence)})

    def _confidence(self, confidence: float) -> float:
        return confidence if self.has_scores else round(confidence, 1)
