"""Checks a student's homework within a run, and lets the model write the feedback."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.concurrency import in_thread
from core.errors import InvalidInput, RunTimeout
from core.homework import CRITERIA, Feedback
from core.types import Answer, Status, StepKind
from homework.checker import HomeworkChecker
from homework.feedback import feedback_task, joined, read_from_picture
from homework.findings import HomeworkChecks
from homework.mapping import with_mapped_answers
from homework.task import HomeworkTask
from pipelines.run import Run
from safeguards.checks import Checks, withheld_warning
from tasks import WriteFeedback


@dataclass(frozen=True)
class HomeworkReview:
    """The homework of one run: who checks it, and what all texts pass. The submission is the question's body."""

    state: Run
    checker: HomeworkChecker | None
    checks: Callable[[], Checks]

    async def check(self) -> HomeworkChecks:
        """What can be computed of the submission. Raises `InvalidInput` if the run has no homework."""
        task, checker = self._demanded()
        with self.state.trace.step(StepKind.CHECK) as details:
            checked = await checker.check(task, self._submission)
            if self.state.question.images:
                checked = read_from_picture(checked)
            details["note"] = "; ".join(f"{name}: {checked[name].verdict.words}" for name in CRITERIA)
        if not checked.final:
            self.state.note("The material has no official answer to this question, so none was compared.")
        return checked

    async def write(self, checked: HomeworkChecks) -> Answer:
        """The feedback as an answer. Raises `RunTimeout`, and a `ModelError` if the model fails."""
        task, checker = self._demanded()
        state = self.state
        body = self._submission

        def request(chars: int) -> WriteFeedback:
            return feedback_task(
                state.title, state.course.style.text, task.text, state.prompt_solution, body[: chars // 2], checked
            )

        with state.trace.step(StepKind.WRITE) as details:
            try:
                written = await state.model.do(details, request, state.deadline.to_write)
            except TimeoutError:
                raise RunTimeout(
                    f"No feedback was written within {state.limits.deadline_seconds:g} seconds. "
                    "Raise EDUMOD_DEADLINE_SECONDS, or choose a faster model."
                ) from None
        if not state.question.images:
            checked = await with_mapped_answers(checked, written, body, checker)
        feedback, notes = joined(written, checked, task, body, state.course.homework.tell_from)
        feedback, removed = await in_thread(_public, feedback, self.checks())
        notes += removed
        for note in notes:
            state.note(note)
        decided = sum(one.verdict.value != "cannot_tell" for one in feedback.criteria.values())
        return Answer(
            status=Status.ANSWERED,
            markdown=feedback.markdown,
            confidence=round(decided / len(CRITERIA), 2),
            feedback=feedback,
        )

    @property
    def _submission(self) -> str:
        """The work itself: what was read in its pictures, if it is on pictures."""
        return "\n".join(self.state.question.images) or self.state.question.body

    def _demanded(self) -> tuple[HomeworkTask, HomeworkChecker]:
        if self.state.exercise is None or self.checker is None:
            raise InvalidInput("This pipeline gives feedback on homework. Send the submission to POST /feedback.")
        return self.state.exercise, self.checker


def _public(feedback: Feedback, checks: Checks) -> tuple[Feedback, list[str]]:
    """The feedback with all its texts checked together, and notes on what was removed."""
    texts: dict[str, str] = {}
    feedback.with_texts(lambda text: texts.setdefault(text, text))
    left = checks.texts([*texts])
    public = dict(zip(texts, left.texts, strict=True))
    return feedback.with_texts(public.__getitem__), [*left.warnings, *withheld_warning(left.withheld)]
