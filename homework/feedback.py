"""Feedback from what was computed and what a model wrote of it; what was computed counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from core.homework import CRITERIA, CRITERION_NAMES, CriterionFeedback, Feedback, Verdict
from core.text.sentences import rough_sentences
from homework.findings import Check, HomeworkChecks
from homework.task import HomeworkTask
from tasks import WriteFeedback, WrittenCriterion, WrittenFeedback

MAX_FINDINGS = 3
"""Findings of one criterion that are told; the others are counted."""
MAX_SUBMISSION_CHARS = 20_000
"""Of a submission in a prompt."""
MIN_SECRET_CHARS = 2

_UNDECIDED = (Verdict.CANNOT_TELL, Verdict.NOT_APPLICABLE)


def feedback_task(
    course: str, style: str, task: str, solution: str, submission: str, checked: HomeworkChecks
) -> WriteFeedback:
    """What a model is given."""
    numbered = "\n".join(f"{number}| {line}" for number, line in enumerate(submission.splitlines(), 1))
    return WriteFeedback(
        course=course,
        style=style,
        task=task,
        solution=solution,
        submission=numbered[:MAX_SUBMISSION_CHARS],
        official=tuple(f"{number}. {final}" for number, final in enumerate(checked.final, 1)) if solution else (),
        findings=tuple(_finding(name, checked[name]) for name in CRITERIA),
        checks=checked.checks,
    )


def read_from_picture(checked: HomeworkChecks) -> HomeworkChecks:
    """The checks of work that was read from a picture: what seems amiss may be misread, so it cannot be told."""
    checks = {
        name: Check(Verdict.CANNOT_TELL, evidence=f"Read from a picture, compare with it: {told(check)}")
        if check.verdict.is_flagged
        else check
        for name, check in checked.checks.items()
    }
    return replace(checked, checks=checks)


def _finding(name: str, check: Check) -> str:
    return f"{name}: {check.verdict.words}. {told(check)}".strip()


def told(check: Check) -> str:
    """What a check found, each finding with its line; what it looked at where it found nothing."""
    if not check.findings:
        return check.evidence
    shown = [f"Line {one.line}: {one.evidence}" if one.line else one.evidence for one in check.findings]
    more = len(shown) - MAX_FINDINGS
    return " ".join(shown[:MAX_FINDINGS]) + (f" And {more} more." if more > 0 else "")


def joined(
    written: WrittenFeedback, checked: HomeworkChecks, task: HomeworkTask, submission: str, tell_from: float = 0.0
) -> tuple[Feedback, list[str]]:
    """The feedback, and notes for its reviewer: what the model said against a computation, what gave too much away.

    What is amiss with a confidence below `tell_from` waits for a person.
    """
    notes: list[str] = []
    secrets = list(_secrets(checked.final, task.text, submission))
    lines = submission.splitlines()
    criteria = {}
    for name, given in written.criteria.items():
        check = checked[name]
        if name == "method" and written.approach:
            given = given.model_copy(update={"reasons": f"{written.approach} {given.reasons}".strip()})
        verdict = check.verdict if check.verdict not in _UNDECIDED else given.verdict
        if verdict is not given.verdict and given.verdict is not Verdict.CANNOT_TELL:
            notes.append(f"{CRITERION_NAMES[name].capitalize()}: the model wrote {given.verdict.words}, {told(check)}")
        criteria[name] = _criterion(given, check, verdict, lines, secrets, notes)
        sure = criteria[name].confidence
        if verdict.is_flagged and (sure is None or sure < tell_from):
            criteria[name] = criteria[name].model_copy(update={"waits": True})
            measured = f"{sure:.2f}" if sure is not None else "not known"
            notes.append(f"{CRITERION_NAMES[name].capitalize()} waits for a person: its confidence is {measured}.")
    comment = _without(written.comment, secrets, notes)
    return Feedback(criteria=criteria, comment=comment), notes


def _criterion(
    given: WrittenCriterion, check: Check, verdict: Verdict, lines: list[str], secrets: list[str], notes: list[str]
) -> CriterionFeedback:
    computed = check.verdict not in _UNDECIDED
    first = next((one.line for one in check.findings if one.line), None)
    line = first or (given.line if not computed else None)
    where = lines[line - 1].strip() if line and line <= len(lines) else None
    evidence = told(check) if computed or not given.reasons else _without(given.reasons, secrets, notes)
    hint = _without(given.hint, secrets, notes) if verdict.is_flagged else ""
    if verdict.is_flagged and not hint and check.findings:
        hint = check.findings[0].hint
    confidence = check.confidence if computed else None
    return CriterionFeedback(verdict=verdict, where=where, evidence=evidence, hint=hint, confidence=confidence)


def _secrets(final: tuple[str, ...], *known: str) -> Iterator[str]:
    """The official answers that neither the task nor the student has written."""
    written = _plain("\n".join(known))
    for answer in final:
        result = _plain(answer.rpartition("=")[2])
        if len(result) >= MIN_SECRET_CHARS and result not in written:
            yield result


def _without(text: str, secrets: list[str], notes: list[str]) -> str:
    """The text without sentences that hold an official answer."""
    sentences = rough_sentences(text)
    public = [sentence for sentence in sentences if not any(secret in _plain(sentence) for secret in secrets)]
    if len(public) == len(sentences):
        return text
    notes.append("A sentence with the official answer was left out.")
    return " ".join(public)


def _plain(text: str) -> str:
    return re.sub(r"\\(?:text|mathrm|,|;|!|left|right)|[\s${}]", "", text).casefold()
