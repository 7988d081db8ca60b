"""Runs the computed checks over a data set of labelled submissions."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

from core.work.pool import WorkPool
from eval.feedback.dataset import FeedbackDataset
from eval.feedback.report import FeedbackReport, feedback_report
from homework.checker import HomeworkChecker
from homework.findings import Checked


async def evaluate_feedback(
    dataset: FeedbackDataset, progress: Callable[[int, int], None], workers: int | None = None
) -> FeedbackReport:
    """Check every submission and compare the verdicts with the labels. `progress` gets the numbers done and of all."""
    done = 0

    async def one(checker: HomeworkChecker, at: int) -> Checked:
        nonlocal done
        submission = dataset.submissions[at]
        checked = await checker.check(dataset.problems[submission.problem].task, submission.text)
        done += 1
        progress(done, len(dataset.submissions))
        return checked

    async with WorkPool(workers or os.cpu_count(), shared=False) as pool:
        checker = HomeworkChecker(pool)
        checked = await asyncio.gather(*(one(checker, at) for at in range(len(dataset.submissions))))
    return feedback_report(dataset, checked)
