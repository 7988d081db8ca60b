"""Compares a submission's final answers with the official ones."""

from __future__ import annotations

from collections.abc import Sequence

from core.homework import Verdict
from homework.checks.conclusions import Conclusion
from homework.findings import Check, Finding

_SEVERAL = "Several final answers are given where one is asked for. State one, marked as the answer."
_HINT = "Go back through your steps from here: does each follow from the one before, and do you use what is given?"


def check_final_answer(conclusions: Sequence[Conclusion], parts: int, *, incomplete: bool) -> Check:
    """Right if every official answer is given, wrong if none is; without an official answer nothing can be told.

    `parts` is how many the task names. In an `incomplete` submission a part without an answer counts as not right.
    """
    if not conclusions:
        return Check(Verdict.CANNOT_TELL, evidence="There is no official answer to compare with.")
    right = sum(conclusion.is_right is True for conclusion in conclusions)
    wrong = [c for c in conclusions if c.is_right is False or (incomplete and c.is_right is None and c.line is None)]
    if right and not incomplete:
        # Each part has a result, and this number is none of them.
        wrong += [c for c in conclusions if c.is_right is None and c.line is None and c.official.values]
    if right == len(conclusions):
        return Check(Verdict.RIGHT, evidence="The final answer agrees with the official one.")
    if any(conclusion.is_list for conclusion in conclusions):
        return Check(Verdict.CANNOT_TELL, evidence=_SEVERAL)
    if not wrong:
        return Check(
            Verdict.CANNOT_TELL, evidence="No final answer was found that can be compared with the official one."
        )
    findings = tuple(_finding(conclusion, parts) for conclusion in wrong)
    return Check(Verdict.PARTLY if right else Verdict.WRONG, findings)


def _finding(conclusion: Conclusion, parts: int) -> Finding:
    where = f" for part ({chr(ord('a') + conclusion.part)})" if parts > 1 else ""
    if conclusion.line is None:
        return Finding(
            "final_answer", None, f"The final answer{where} was not found.", "State the result that is asked for."
        )
    shown = f" {conclusion.given.text}" if conclusion.given and len(conclusion.given.text) <= 80 else ""
    evidence = f"The final answer{where}{shown} does not agree with the official one."
    return Finding("final_answer", conclusion.line.number, evidence, _HINT)
