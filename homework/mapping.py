"""Compares the final answers that a model found in a submission: it says where they are, not whether they hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.homework import Verdict
from homework.checker import HomeworkChecker
from homework.findings import Check, HomeworkChecks, HomeworkFinding
from homework.task import HomeworkTask
from tasks import MappedAnswer, WrittenFeedback

WHERE = "Here a model read the answer to part {part}: {text}. It does not agree with the official one."
HINT = "Go back through your steps from here: does each follow from the one before, and do you use what is given?"


async def with_mapped_answers(
    checked: HomeworkChecks, written: WrittenFeedback, submission: str, checker: HomeworkChecker
) -> HomeworkChecks:
    """The checks with the final answer decided, or left open, by the answers that a model found.

    Only answers that stand in the submission count. They decide where nothing was computed, and call it wrong only
    where the model does so too. Where a computation called the answer wrong and all that a model found are right,
    nothing is said. Raises `Overloaded` and `Stopping`.
    """
    computed = checked["final_answer"]
    if computed.verdict is Verdict.RIGHT or not checked.final:
        return checked
    mapped = await _compared(checked.final, written.answers, submission, checker)
    if mapped is None or (mapped.verdict.is_flagged and not _agreed(computed, written)):
        return checked
    if computed.verdict.is_flagged:
        told = " ".join(finding.evidence for finding in computed.findings)
        mapped = Check(Verdict.CANNOT_TELL, evidence=f"A model read answers that agree with the official ones. {told}")
    return replace(checked, checks={**checked.checks, "final_answer": mapped})


def _agreed(computed: Check, written: WrittenFeedback) -> bool:
    """Whether a mapped answer may be called wrong."""
    return computed.verdict is Verdict.CANNOT_TELL and written.final_answer.verdict.is_flagged


async def _compared(
    final: Sequence[str], answers: Sequence[MappedAnswer], submission: str, checker: HomeworkChecker
) -> Check | None:
    """The check of the mapped answers; None unless every part has one that could be compared."""
    by_part = {answer.part: answer for answer in answers if _stands_in(answer.text, submission)}
    if by_part.keys() != {*range(1, len(final) + 1)}:
        return None
    wrong = []
    for part, official in enumerate(final, 1):
        answer = by_part[part]
        verdict = (await checker.check(HomeworkTask("", final=(official,)), f"Answer: {answer.text}"))["final_answer"]
        if verdict.verdict is Verdict.CANNOT_TELL:
            return None
        if verdict.verdict.is_flagged:
            evidence = WHERE.format(part=part, text=answer.text)
            wrong.append(HomeworkFinding("final_answer", answer.line, evidence, HINT))
    if not wrong:
        return Check(Verdict.RIGHT, evidence="The answers that a model read agree with the official ones.")
    return Check(Verdict.WRONG if len(wrong) == len(final) else Verdict.PARTLY, tuple(wrong))


def _stands_in(text: str, submission: str) -> bool:
    """Whether the submission has these words and numbers, and not as a part of others."""
    plain = _plain(text)
    return bool(plain) and bool(re.search(rf"(?<![\w.,]){re.escape(plain)}(?!\w|[.,]\d)", _plain(submission)))


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().casefold()
