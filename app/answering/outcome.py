"""What a run leaves behind: its public trace, the response, and the draft's outcome."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from uuid import uuid4

from app.response import AnswerResponse, ConfigurationOut
from core.concurrency import in_thread_if
from core.course import Course
from core.course.sentences import base_language
from core.privacy.masks import Masks
from core.store.tables import DraftRow, DraftState, TraceRow, now
from core.text.language import language_of
from core.types import Answer, Question, Status, Step, Usage
from pipelines.configuration import Configuration
from pipelines.public_trace import public_trace
from pipelines.run import Run
from pipelines.running.public_steps import PublicTrace

FOR_STAFF = "Why there is no answer, for staff: "
log = logging.getLogger("edumod")


async def visible_trace(run: Run, masks: Masks) -> PublicTrace:
    """The public part of the run's trace, checked in a thread if there are secrets to look for; empty on an error."""
    try:
        trace = run.public_trace
        if trace is None:
            trace = await in_thread_if(run.holds_secrets(), public_trace, run)
        return trace.with_texts(masks.restore) if len(masks) else trace
    except Exception:
        # A bug in EduMod: the answer was checked separately, and its draft is stored like any other.
        log.exception("The public trace of a run could not be made, so it is left out")
        return PublicTrace((), ())


def response_of(
    answer: Answer, configuration: Configuration, row: TraceRow, trace: PublicTrace, run: Run
) -> AnswerResponse:
    """The response of a run, with the public part of its trace."""
    return AnswerResponse.of(
        answer,
        function_calls=trace.calls,
        usage=run.usage,
        configuration=ConfigurationOut.of(configuration),
        draft_id=row.draft_id,
        trace_id=row.id,
        trace=trace.steps,
        warnings=answer.warnings,
    )


def restored(answer: Answer, masks: Masks) -> Answer:
    """The answer with what its placeholders stand for."""
    texts = {"markdown": masks.restore(answer.markdown), "warnings": tuple(map(masks.restore, answer.warnings))}
    feedback = answer.feedback and answer.feedback.with_texts(masks.restore)
    issue = answer.issue and answer.issue.model_copy(update={"summary": masks.restore(answer.issue.summary)})
    return answer.model_copy(update={**texts, "feedback": feedback, "issue": issue})


def with_sentence(course: Course, answer: Answer, question: Question) -> Answer:
    """Statuses without an answer get the course's sentence, in the student's language.

    What a model says with an abstention is for the reviewer.
    """
    if answer.status is Status.ANSWERED or (answer.status is Status.NEEDS_CLARIFICATION and answer.markdown):
        return answer
    if answer.status is Status.ABSTAINED and answer.markdown:
        answer = answer.model_copy(update={"warnings": (*answer.warnings, f"{FOR_STAFF}{answer.markdown}")})
    language = base_language(question.language or "") or language_of(question.text)
    return answer.model_copy(update={"markdown": course.sentence(answer.status, language)})


def fail(draft: DraftRow, code: str, detail: str, configuration: Configuration) -> None:
    """Records the failure and its configuration in the draft, which has no response to hold them."""
    draft.state = DraftState.FAILED
    draft.error = {
        "code": code,
        "detail": detail,
        "configuration": ConfigurationOut.of(configuration).model_dump(mode="json"),
    }


def trace_row(draft: DraftRow, steps: Sequence[Step], usage: Usage) -> TraceRow:
    """The trace of a draft's run, as it is stored."""
    return TraceRow(
        id=uuid4().hex,
        course_id=draft.course_id,
        draft_id=draft.id,
        created_at=now(),
        steps=[step.model_dump(mode="json", exclude_none=True) for step in steps],
        usage=usage.model_dump(mode="json"),
    )
