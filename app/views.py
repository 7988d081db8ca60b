"""How much of an answer and its trace is shown to whoever reads it (decisions 0044 and 0058)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.answering.audience import hides_drafts
from app.answering.fallback import WatchRun
from app.answering.outcome import FOR_STAFF
from app.answering.service import unwatched
from app.response import AnswerResponse
from app.review.shadow import is_asking_person, is_hidden
from app.schemas import AnswerOut, TraceOut
from core.access import Access, Permission
from core.code import CodeIssue
from core.course import Course
from core.review import AUTOMATIC, Notice, Outcome, Posting
from core.store.store import Store
from core.store.tables import DecisionRow, DraftState
from core.types import Citation, FunctionCall, Status, Step, StepKind
from pipelines.run import Run
from safeguards.citations import numbers_in

Work = Callable[..., Awaitable[AnswerResponse]]
"""Produces an answer; `watch` is called for each call and step, `accepted` with the id of the stored question."""
OF_A_DRAFT: dict[str, Any] = {"answer": "", "citations": (), "warnings": (), "feedback": None, "issue": None}
"""What an answer has of its draft's text, empty."""
OF_A_STEP: dict[str, Any] = {"arguments": None, "passages": (), "calls": (), "note": None, "error": None}
"""What a step has of texts, empty."""


@dataclass(frozen=True)
class View:
    """What one reader sees of a course's answers.

    Scores reveal words of solutions, so only readers of drafts see them. Others see decided texts.
    """

    course: Course
    access: Access
    store: Store = field(repr=False)

    @classmethod
    async def of(cls, access: Access, course_id: str, store: Store) -> View:
        """Raises `UnknownName`."""
        return cls(await store.courses.read(course_id), access, store)

    @property
    def has_scores(self) -> bool:
        return self.access.may(Permission.DRAFTS_READ, self.course.id)

    @property
    def is_asking_person(self) -> bool:
        return is_asking_person(self.course, self.access)

    async def decision(self, draft_id: str, state: DraftState) -> DecisionRow | None:
        """The decision shown in place of the draft; None before one, and for readers of drafts."""
        if self.has_scores or state != DraftState.DECIDED:
            return None
        return await self.store.decisions.of(draft_id)

    def work(self, work: Work) -> Work:
        """The work with its steps and its answer as the reader sees them."""

        async def work_as_seen(
            watch: WatchRun = unwatched, accepted: Callable[[str], None] | None = None
        ) -> AnswerResponse:
            def watch_as_seen(run: Run, event: FunctionCall | Step) -> None:
                watch(run, self._event(event))

            response = await work(watch=unwatched if watch is unwatched else watch_as_seen, accepted=accepted)
            is_decided = self.is_asking_person and (response.is_replay or self.course.posting is Posting.AUTO)
            return self.response(response, await self.store.decisions.of(response.draft_id) if is_decided else None)

        return work_as_seen

    def response(self, response: AnswerResponse, decision: DecisionRow | None = None) -> AnswerResponse:
        """An answer just given or replayed; without a decision, nobody has decided."""
        state = DraftState.REFUSED if response.status is Status.CONSENT_REQUIRED else DraftState.PENDING
        if decision is not None:
            fields = {"doubts": (), "mark": "", **self._decision_fields(decision, response)}
        elif is_hidden(self.course, state, self.access):
            fields = OF_A_DRAFT | {"doubts": (), "mark": ""} | self._waiting
        else:
            fields = {
                "issue": self._issue(response.issue),
                "confidence": self._confidence(response.confidence),
                "warnings": self._warnings(response.warnings),
            }
        conceals = self._conceals(state, decision)
        trace = tuple(self._step(step, state, conceals=conceals) for step in response.trace)
        calls = () if conceals else response.function_calls
        return response.model_copy(update={"trace": trace, "function_calls": calls, **fields})

    def answer(self, answer: AnswerOut, decision: DecisionRow | None = None) -> AnswerOut:
        """A stored answer, or its decision; a hidden one is not there yet."""
        if decision is not None:
            corrected_at = decision.decided_at if decision.corrects else None
            fields = self._decision_fields(decision, answer)
            return answer.model_copy(update={"error": None, "corrected_at": corrected_at, **fields})
        # A decision that was undone since the draft was read leaves a draft that waits again.
        is_undone = answer.state == DraftState.DECIDED and not self.has_scores
        state = DraftState.PENDING if is_undone else answer.state
        if is_undone or is_hidden(self.course, state, self.access):
            hidden = {"state": state, "status": None, "confidence": 0.0, **OF_A_DRAFT}
            return answer.model_copy(update={**hidden, "answer": self._waiting.get("answer", "")})
        changed = {
            "confidence": self._confidence(answer.confidence),
            "issue": self._issue(answer.issue),
            "warnings": self._warnings(answer.warnings),
        }
        return answer.model_copy(update=changed)

    def trace(self, trace: TraceOut, decision: DecisionRow | None = None) -> TraceOut:
        conceals = self._conceals(trace.state, decision)
        steps = tuple(self._step(step, trace.state, conceals=conceals) for step in trace.steps)
        return trace.model_copy(update={"steps": steps, **({"status": None} if conceals else {})})

    @property
    def _waiting(self) -> dict[str, Any]:
        """What the asking person reads while the draft waits, whatever its status."""
        if not self.is_asking_person:
            return {"confidence": 0.0}
        return {"status": Status.ANSWERED, "answer": self.course.sentence(Notice.WAITING), "confidence": 0.0}

    def _warnings(self, warnings: Sequence[str]) -> tuple[str, ...]:
        """Those that are not for the reviewer alone."""
        return tuple(text for text in warnings if self.has_scores or not text.startswith(FOR_STAFF))

    def _decision_fields(self, decision: DecisionRow, draft: AnswerResponse | AnswerOut) -> dict[str, Any]:
        if decision.outcome == Outcome.DISCARDED:
            if decision.decided_by == AUTOMATIC.id:  # Nothing was asked, so nobody will answer.
                return {**OF_A_DRAFT, "status": draft.status, "confidence": 0.0, "answer": draft.answer}
            discarded = {"status": Status.ABSTAINED, "confidence": 0.0}
            return {**OF_A_DRAFT, **discarded, "answer": self.course.sentence(Notice.DISCARDED)}
        is_draft = decision.outcome == Outcome.APPROVED
        return {
            "status": draft.status if is_draft else Status.ANSWERED,
            "answer": decision.text,
            "citations": draft.citations if is_draft else _citations_in(decision.text, draft.citations),
            "warnings": (),
            "confidence": self._confidence(draft.confidence) if is_draft else 0.0,
            "feedback": draft.feedback if is_draft else None,
            "issue": self._issue(draft.issue) if is_draft else None,
        }

    def _conceals(self, state: DraftState, decision: DecisionRow | None) -> bool:
        """True if the run's searches would reveal a draft that the reader does not see."""
        is_posted = decision is not None and decision.outcome in (Outcome.APPROVED, Outcome.EDITED)
        return self.is_asking_person and state != DraftState.REFUSED and not is_posted

    def _event(self, event: FunctionCall | Step) -> FunctionCall | Step:
        if isinstance(event, Step):
            return self._step(event, DraftState.PENDING, conceals=self._conceals(DraftState.PENDING, None))
        return event.model_copy(update={"arguments": {}}) if self._conceals(DraftState.PENDING, None) else event

    def _step(self, step: Step, state: DraftState, *, conceals: bool) -> Step:
        """A step for a draft in that state; notes of reviews and checks reveal the draft."""
        if conceals:
            return step.model_copy(update=OF_A_STEP)
        is_away = is_hidden(self.course, state, self.access)
        changed: dict[str, object] = {}
        if step.kind is StepKind.REVIEW and (not self.has_scores or is_away):
            changed["note"] = None
        if step.kind is StepKind.CHECK and is_away:
            changed["note"] = None
        if not self.has_scores:
            without = {"score": None, "path": ()}
            # What a run for staff found, and in which order, moves with words of solutions as well.
            passages = () if hides_drafts(self.course) else step.passages
            changed["passages"] = tuple(one.model_copy(update=without) for one in passages)
        return step.model_copy(update=changed)

    def _issue(self, issue: CodeIssue | None) -> CodeIssue | None:
        if issue is None or (issue.waits and not self.has_scores):
            return None
        return issue.model_copy(update={"confidence": self._confidence(issue.confidence)})

    def _confidence(self, confidence: float) -> float:
        return confidence if self.has_scores else round(confidence, 1)


def _citations_in(text: str, citations: Sequence[Citation]) -> tuple[Citation, ...]:
    numbers = numbers_in(text)
    return tuple(citation for citation in citations if citation.number in numbers)
