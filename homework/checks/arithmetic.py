"""Checks each equality of a submission by its value, and each step against those before it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from core.homework import Verdict
from homework.checks.derivations import derived, equation_of, unfulfilled
from homework.checks.posed import Posed
from homework.findings import Check, HomeworkFinding
from homework.mathematics.equality import are_equal, are_quantities
from homework.mathematics.parser import Expression
from homework.mathematics.trees import has_operator
from homework.submission import Submission, WorkStep

NOTHING = Posed()
_BINARY = re.compile(r"-?(?:0[01 ]{3,}|1[01 ]{5,})")
_HINT = "Do this step again and compare it with what you wrote."
_HINT_STEP = "Put a solution of the second equation into the first. What was done to both sides?"
_HINT_SYSTEM = "Which equations did you combine to get it? Do each step on both sides, term by term."


def check_arithmetic(submission: Submission, posed: Posed = NOTHING) -> Check:
    """Compare neighbours in each chain of equalities, and each equation with those before and with the task's.

    One mistake is found once, by the first rule that sees it.
    """
    findings: dict[tuple[int | None, str], HomeworkFinding] = {}
    compared = 0
    for step, left, right, holds in _chains(submission, posed):
        compared += holds is not None
        if holds is False and not (are_quantities(left, right) or _is_numeral(left) or _is_numeral(right)):
            findings[step.line, left.text] = HomeworkFinding(
                "arithmetic", step.line, f"{left.text} is not {right.text}.", _HINT
            )
    wrong = {line for line, _ in findings}
    task = equation_of(posed.equation) if posed.equation else None
    for holds, before, after in derived(submission, task, posed.equation):
        if after.line in wrong:
            continue
        compared += holds is not None
        if holds is False:
            wrong.add(after.line)
            evidence = f"{_text(after)} does not follow from {_text(before[-1])}."
            findings[after.line, evidence] = HomeworkFinding("arithmetic", after.line, evidence, _HINT_STEP)
    if posed.solution and not findings and (amiss := unfulfilled(submission.steps, posed.solution)):
        evidence = f"{_text(amiss)} does not follow from the equations of the task."
        findings[amiss.line, evidence] = HomeworkFinding("arithmetic", amiss.line, evidence, _HINT_SYSTEM)
    if findings:
        return Check(Verdict.WRONG if len(findings) > 2 else Verdict.PARTLY, tuple(findings.values()))
    if not compared:
        return Check(Verdict.CANNOT_TELL, evidence="No equality was found that can be computed.")
    return Check(Verdict.RIGHT, evidence=f"{compared} equalit{'y' if compared == 1 else 'ies'} computed, each holds.")


Compared = tuple[WorkStep, Expression, Expression, bool | None]
"""Two neighbours in a chain, and whether they are equal, None where that cannot be said."""


def _chains(submission: Submission, posed: Posed) -> Iterator[Compared]:
    """Neighbours that must be equal. The first of a chain is compared only if it is a value: `F = ma` defines."""
    for step in submission.steps:
        for at, ((left, right), relation) in enumerate(zip(pairwise(step.expressions), step.relations, strict=False)):
            if left is None or right is None or relation not in ("=", "≈"):
                continue
            if not left.names or at > 0 or posed.is_rewriting or _rewrites(step):
                holds = are_equal(left, right, relation)
                yield step, left, right, None if holds is False and at == 0 and _is_equation(step) else holds


def _is_numeral(number: Expression) -> bool:
    """Whether a number may be a binary one, whose value is another."""
    return bool(_BINARY.fullmatch(number.text))


def _rewrites(step: WorkStep) -> bool:
    """Whether a chain begins with a term that it rewrites, `(x+1)^2 = x^2 + 2x + 1 = ...`; it solves nothing then."""
    first = step.expressions[0]
    if first is None or first.name is not None or not all(step.expressions):
        return False
    return len(step.expressions) > 2


def _is_equation(step: WorkStep) -> bool:
    """Whether a chain is an equation to be solved, whose right side is expanded: `4x^2 = (2 - x)^2 = 4 - 4x + x^2`.

    A left side that is a sum is a term that is rewritten itself.
    """
    left, *others = step.expressions
    if left is None or not left.names or len(others) < 2 or has_operator(left.tree, "+", "-"):
        return False
    return all(
        first is not None and second is not None and bool(first.names) and are_equal(first, second) is True
        for first, second in pairwise(others)
    )


def disagreeing(submission: Submission) -> Iterator[tuple[WorkStep, Expression, Expression]]:
    """The neighbours in chains of equalities whose values differ."""
    for step, left, right, holds in _chains(submission, NOTHING):
        if holds is False:
            yield step, left, right


def _text(step: WorkStep) -> str:
    relations = (*(f" {relation} " for relation in step.relations), "")
    return "".join(text + relation for text, relation in zip(step.texts, relations, strict=True))
