"""Pipeline 5 of EduMod-LLM, section 3.2: a judging model's feedback is used in the function-calling loop."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field
from pydantic.dataclasses import dataclass

from core.errors import ModelError
from core.types import Answer, Status, StepKind
from pipelines.run import Run
from tasks import Review, ReviewDraft, as_quoted, as_read

ACCEPTED = Review(reasons="The message asks for nothing.", missing=(), score=1.0, accepted=True)


@dataclass(frozen=True)
class FcFeedback:
    """A model judges the draft; then missing things are searched and a new draft is written.

    This repeats until a draft is accepted or does not change. The result is the accepted draft, or the one with the
    best score. If the judge fails, the result is the best judged draft or, without one, the first, marked as not
    reviewed.
    """

    name: ClassVar[str] = "fc_feedback"
    summary: ClassVar[str] = "A judging model reviews each draft; what it lacks is searched for and a new one written."
    model_calls: ClassVar[str] = "3 + 3 * max_rounds"

    max_rounds: int = Field(default=2, ge=1, le=10, description="New drafts after the first.")

    async def answer(self, run: Run) -> Answer:
        await run.search(await run.choose(required=True))
        draft = await run.draft()
        review = await _review(run, draft)
        best, best_review = draft, review
        for _ in range(self.max_rounds):
            if review is None or review.accepted or run.hurries():
                break
            try:
                again = await self._again(run, draft, review.feedback)
            except ModelError as error:
                run.note_failure("No better draft was written", error)
                break
            if (again.status, again.markdown) == (draft.status, draft.markdown):
                break
            draft, review = again, await _review(run, again)
            if review and best_review and (review.accepted or review.score >= best_review.score):
                best, best_review = draft, review
        return _with_verdict(best, best_review)

    async def _again(self, run: Run, draft: Answer, feedback: str) -> Answer:
        await run.search(await run.choose(feedback=feedback))
        return await run.draft(earlier=draft, feedback=feedback)


async def _review(run: Run, draft: Answer) -> Review | None:
    """A judging model's verdict on a draft; None, with a note, if the model failed or no time was left."""
    if draft.status is Status.NO_RESPONSE_NEEDED:
        return ACCEPTED
    cited = {citation.block_id for citation in draft.citations}
    others = dict.fromkeys(passage.location for passage in run.passages if passage.block_id not in cited)

    def task(chars: int) -> ReviewDraft:
        return ReviewDraft(
            course=run.title, style=run.course.style.text, question=run.short_question(chars), draft=as_read(draft),
            quotes=as_quoted(draft), others=tuple(others), passages=run.passages,
        )  # fmt: skip

    try:
        with run.trace.step(StepKind.REVIEW) as details:
            review = await run.model.do(details, task, run.deadline.to_search)
            verdict = "Accepted" if review.accepted else "Not accepted"
            details["note"] = f"{verdict}, score {review.score:g}: {review.reasons}"
    except TimeoutError:
        run.note("A draft was not reviewed: time ran short.")
        return None
    except ModelError as error:
        run.note_failure("A draft was not reviewed", error)
        return None
    return review


def _with_verdict(draft: Answer, review: Review | None) -> Answer:
    if review is None:
        return draft.model_copy(update={"reviewed": False})
    refused = () if review.accepted else (f"The reviewing model did not accept this draft: {review.reasons}",)
    return draft.model_copy(update={"reviewed": True, "warnings": (*draft.warnings, *refused)})
