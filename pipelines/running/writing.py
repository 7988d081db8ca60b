"""Asks the model for the answer, for a second look at a doubtful one, and for a review; checks what it wrote."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from core.concurrency import in_thread
from core.errors import ModelError, RunTimeout
from core.types import Answer, Passage, Question, StepKind
from pipelines.running.briefing import brief_for, named
from pipelines.running.budget import EXERCISE_SHARE, cut, cut_passages, fit_passages, question_size
from pipelines.running.limits import MAX_PASSAGES
from pipelines.running.state import RunState
from safeguards.checks import Checks, checked, is_quick
from safeguards.statements import NO_BRIEF, Brief, Examined
from student_code.told import as_told
from tasks import MendAnswer, Review, ReviewDraft, WriteAnswer, as_cited, as_read

NO_SECOND_LOOK = "A doubtful draft was not checked again"


class Drafting:
    """The drafts of one run. `own_words` gives the question as the student wrote it, `checks` what all texts pass."""

    def __init__(self, state: RunState, own_words: Callable[[], Question], checks: Callable[[], Checks]) -> None:
        self._state = state
        self._own_words = own_words
        self._checks = checks

    async def write(self) -> Answer:
        """The answer from everything found, checked; looked at a second time if its confidence is low."""
        written = await self._written(None, "")
        if self._is_doubtful(written):
            written = await self._mended(written)
        return await self._checked(written)

    async def draft(self, earlier: Answer | None, feedback: str) -> Answer:
        """A draft from everything found, checked; a better one with an earlier draft and the feedback on it."""
        return await self._checked(await self._written(earlier, feedback))

    async def review(self, draft: Answer) -> Review | None:
        """A judging model's verdict on a draft; None, with a note, if the model failed or no time was left."""
        state = self._state
        passages = as_cited(state.searches.found[:MAX_PASSAGES], draft)

        def task(chars: int) -> ReviewDraft:
            asked = state.asked(chars, category=True)
            return ReviewDraft(
                course=state.title, style=state.course.style.text, question=asked,
                passages=fit_passages(passages, chars - question_size(asked)), draft=as_read(draft),
            )  # fmt: skip

        try:
            with state.trace.step(StepKind.REVIEW) as details:
                review = await state.asking.ask(details, task, state.deadline.to_search)
                verdict = "Accepted" if review.accepted else "Not accepted"
                details["note"] = f"{verdict}, score {review.score:g}: {review.reasons}"
        except TimeoutError:
            state.note("A draft was not reviewed: time ran short.")
            return None
        except ModelError as error:
            state.failure("A draft was not reviewed", error)
            return None
        return review

    async def _written(self, earlier: Answer | None, feedback: str) -> Examined:
        state = self._state
        shown: tuple[Passage, ...] = ()
        brief: Brief = NO_BRIEF

        def task(chars: int) -> WriteAnswer:
            nonlocal shown, brief
            asked = state.asked(chars, category=True)
            shown = fit_passages(state.searches.found[:MAX_PASSAGES], chars - question_size(asked))
            brief = brief_for(asked, shown)
            return WriteAnswer(
                course=state.title, style=state.course.style.text, question=asked, **self._about_code(chars),
                parts=brief.parts, task=named(brief, shown), passages=shown,
                draft=as_read(earlier) if earlier else "", feedback=feedback,
                course_id=state.course.id, nothing=state.nothing, abstain_below=state.course.abstain_below,
            )  # fmt: skip

        with state.trace.step(StepKind.WRITE) as details:
            try:
                written = await state.asking.ask(details, task, state.deadline.to_write)
            except TimeoutError:
                raise RunTimeout(
                    f"No answer was written within {state.limits.deadline_seconds:g} seconds. "
                    "Raise EDUMOD_DEADLINE_SECONDS, or choose a faster model or a pipeline with fewer calls."
                ) from None
        return Examined(written, shown, self._own_words(), brief)

    def _about_code(self, chars: int) -> dict[str, Any]:
        """What the writer gets to know about the student's code and the exercise that it is for."""
        exercise, report = self._state.exercise, self._state.code
        if report is None:
            return {}
        room = int(EXERCISE_SHARE * chars)
        return {
            "exercise": cut(exercise.text if exercise else "", room),
            "solution": cut(self._state.prompt_solution, room),
            "findings": as_told(report),
            "code": report,
        }

    def _is_doubtful(self, draft: Examined) -> bool:
        """True of an answer that asserts something, with a confidence below the course's threshold."""
        is_asserted = draft.written.status == "answered" and draft.asserted
        return bool(is_asserted) and draft.confidence < self._state.course.writing.second_look_below

    async def _mended(self, draft: Examined) -> Examined:
        """The draft after a second look, or as it was if that made it worse or failed."""
        state = self._state

        def task(chars: int) -> MendAnswer:
            asked = state.asked(chars, category=True)
            return MendAnswer(
                course=state.title, style=state.course.style.text, question=asked, parts=draft.brief.parts,
                task=named(draft.brief, draft.shown), passages=cut_passages(draft.shown, chars - question_size(asked)),
                draft=draft.written.statements, confidence=draft.confidence, findings=draft.findings,
            )  # fmt: skip

        try:
            with state.trace.step(StepKind.REVIEW) as details:
                written = await state.asking.ask(details, task, state.deadline.to_write)
                mended = Examined(written, draft.shown, draft.question, draft.brief)
                is_worse = mended.faulty > draft.faulty
                details["note"] = _second_look(draft, mended, is_worse=is_worse)
        except TimeoutError:
            state.note(f"{NO_SECOND_LOOK}: time ran short.")
            return draft
        except ModelError as error:
            state.failure(NO_SECOND_LOOK, error)
            return draft
        return draft if is_worse else mended

    async def _checked(self, draft: Examined) -> Answer:
        checks = self._checks()
        check = partial(checked, draft, checks, self._state.course.writing)
        return check() if is_quick(draft.written) and not checks.holds_secrets else await in_thread(check)


def _second_look(draft: Examined, mended: Examined, *, is_worse: bool) -> str:
    """What a second look changed, in words of ours."""
    before, after = ({statement.text for statement in one.written.statements} for one in (draft, mended))
    if is_worse:
        outcome = "what came back had more problems, so the draft was kept"
    elif mended.written.status != draft.written.status:
        outcome = f"its status is {mended.written.status} now"
    else:
        left, new = len(before - after), len(after - before)
        outcome = f"{left} of its {len(before)} statements were changed or left out, {new} are new"
    return f"Second look at a draft of confidence {draft.confidence:g} with {len(draft.findings)} findings: {outcome}."
