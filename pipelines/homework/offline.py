"""Feedback made of computed checks alone, in fixed sentences, which say so."""

from __future__ import annotations

from collections.abc import Mapping

from pipelines.homework.criteria import CRITERIA, CriterionFeedback, Feedback, Verdict
from pipelines.homework.findings import Check

NAMES = {
    "completeness": "completeness",
    "method": "method",
    "final_answer": "final answer",
    "arithmetic": "arithmetic",
    "units": "units",
}
MAX_EVIDENCE = 3
"""Findings of one criterion that are told; the others are counted."""


def computed_feedback(checks: Mapping[str, Check], text: str) -> Feedback:
    """What the checks found, for the student. `text` is the submission, whose lines the findings name."""
    lines = text.splitlines()
    criteria = {name: _criterion(checks[name], lines) for name in CRITERIA}
    return Feedback(criteria=criteria, comment=_comment(criteria))


def _criterion(check: Check, lines: list[str]) -> CriterionFeedback:
    if not check.findings:
        return CriterionFeedback(verdict=check.verdict, evidence=check.evidence)
    first = next((finding for finding in check.findings if finding.line), check.findings[0])
    where = lines[first.line - 1].strip() if first.line and first.line <= len(lines) else None
    told = [_told(finding.line, finding.evidence) for finding in check.findings[:MAX_EVIDENCE]]
    more = len(check.findings) - len(told)
    evidence = " ".join(told) + (f" And {more} more." if more else "")
    return CriterionFeedback(verdict=check.verdict, where=where, evidence=evidence, hint=first.hint)


def _told(line: int | None, evidence: str) -> str:
    return f"Line {line}: {evidence}" if line else evidence


def _comment(criteria: Mapping[str, CriterionFeedback]) -> str:
    flagged = [NAMES[name] for name, given in criteria.items() if given.verdict.is_flagged]
    right = [NAMES[name] for name, given in criteria.items() if given.verdict is Verdict.right]
    unknown = [NAMES[name] for name, given in criteria.items() if given.verdict is Verdict.cannot_tell]
    sentences = []
    if right:
        sentences.append(f"Checked and fine: {', '.join(right)}.")
    if flagged:
        sentences.append(f"Look again at: {', '.join(flagged)}.")
    if unknown:
        sentences.append(f"Not decided: {', '.join(unknown)}.")
    sentences.append("These checks were computed, without a language model.")
    return " ".join(sentences)
