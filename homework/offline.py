"""Feedback made of computed checks alone, in fixed sentences, which say so."""

from __future__ import annotations

from collections.abc import Mapping

from core.homework import CRITERIA, CRITERION_NAMES, Verdict
from homework.findings import Check
from tasks import WriteFeedback, WrittenCriterion, WrittenFeedback


def write_feedback(task: WriteFeedback) -> WrittenFeedback:
    """The offline rule: what was computed is the feedback, and nothing else is decided."""
    checks: Mapping[str, Check] = task.checks
    return WrittenFeedback(
        **{name: _criterion(checks[name]) for name in CRITERIA},
        comment=_comment({name: check.verdict for name, check in checks.items()}),
    )


def _criterion(check: Check) -> WrittenCriterion:
    first = next((one for one in check.findings if one.line), next(iter(check.findings), None))
    if first is None:
        return WrittenCriterion(reasons="", verdict=check.verdict)
    return WrittenCriterion(reasons="", verdict=check.verdict, line=first.line, hint=first.hint)


def _comment(verdicts: Mapping[str, Verdict]) -> str:
    flagged = [CRITERION_NAMES[name] for name, verdict in verdicts.items() if verdict.is_flagged]
    right = [CRITERION_NAMES[name] for name, verdict in verdicts.items() if verdict is Verdict.RIGHT]
    unknown = [CRITERION_NAMES[name] for name, verdict in verdicts.items() if verdict is Verdict.CANNOT_TELL]
    sentences = [
        f"Checked and fine: {', '.join(right)}." if right else "",
        f"Look again at: {', '.join(flagged)}." if flagged else "",
        f"Not decided: {', '.join(unknown)}." if unknown else "",
        "These checks were computed, without a language model.",
    ]
    return " ".join(filter(None, sentences))
