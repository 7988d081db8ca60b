"""Gives feedback on a submission: the computed checks first, then who writes."""

from __future__ import annotations

from pipelines.homework.criteria import Feedback
from pipelines.homework.offline import computed_feedback
from pipelines.homework.sandbox import HomeworkChecker
from pipelines.homework.task import HomeworkTask


async def give_feedback(task: HomeworkTask, submission: str, checker: HomeworkChecker) -> Feedback:
    """Feedback on a submission as Markdown, LaTeX or plain text, without a model."""
    return computed_feedback(await checker.check(task, submission), submission)
