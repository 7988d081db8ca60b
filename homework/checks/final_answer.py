"""Compares a submission's final answers with the official ones."""

from __future__ import annotations

from collections.abc import Sequence

from core.homework import Verdict
from homework.checks.carrying import slip_behind
from homework.checks.conclusions import Conclusion
from homework.findings import Check, HomeworkFinding
from homework.submission import Submission

_SEVERAL = "Several final answers are given where one is asked for. State one, marked as the answer."
_UNKNOWN = "No final answer was found of which it is sure that it is meant for the part and has its kind and unit."
_HINT = "Go back through your steps from here: does each follow from the one before, and do you use what is given?"
_HINT_CARRIED = "Mend that line and repeat the steps behind it with the new number; they need no other change."


def check_final_answer(submission: Submission, conclusions: Sequence[Conclusion], parts: int) -> Check:
    """Right if the answers that are stated are official ones; an answer that is missing is a matter of completeness.

    `parts` is how many the task names. Without an official answer nothing can be told.
    """
    if not conclusions:
        return Check(Verdict.CANNOT_TELL, evidence="There is no official answer to compare with.")
    right = sum(conclusion.is_right is True for conclusion in conclusions)
    wrong = [conclusion for conclusion in conclusions if conclusion.is_right is False]
    if right == len(conclusions):
        return Check(Verdict.RIGHT, evidence="The final answer agrees with the official one.")
    if any(conclusion.is_list for conclusion in conclusions):
        return Check(Verdict.CANNOT_TELL, evidence=_SEVERAL)
    if not wrong:
        stated = f"{right} of {len(conclusions)} final answers agree with the official ones. {_UNKNOWN}"
        return Check(Verdict.CANNOT_TELL, evidence=stated if right else _UNKNOWN)
    findings = tuple(_finding(submission, conclusion, parts) for conclusion in wrong)
    return Check(Verdict.PARTLY if right else Verdict.WRONG, findings)


def _finding(submission: Submission, conclusion: Conclusion, parts: int) -> HomeworkFinding:
    where = f" for part ({chr(ord('a') + conclusion.part)})" if parts > 1 else ""
    if conclusion.line is None:
        return HomeworkFinding(
            "final_answer", None, f"The final answer{where} was not found.", "State the result that is asked for."
        )
    shown = f" {conclusion.given.text}" if conclusion.given and len(conclusion.given.text) <= 80 else ""
    evidence = f"The final answer{where}{shown} does not agree with the official one."
    if slip := slip_behind(submission, conclusion):
        evidence += f" It is consistent with the slip in line {slip}, and no mistake of its own."
        return HomeworkFinding("final_answer", conclusion.line.number, evidence, _HINT_CARRIED)
    return HomeworkFinding("final_answer", conclusion.line.number, evidence, _HINT)
