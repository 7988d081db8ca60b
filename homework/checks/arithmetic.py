"""Checks each equality of a submission by its value, and each equation against the one before by its solutions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from core.homework import Verdict
from homework.answers import base_name
from homework.checks.entries import unequal_entries
from homework.checks.equality import are_equal, is_conversion
from homework.checks.posed import Posed
from homework.checks.rewriting import rewritten
from homework.checks.solutions import (
    follows_as_formula,
    follows_as_line,
    is_factoring,
    is_solved,
    keeps_solutions,
    variable_of,
)
from homework.checks.systems import first_unfulfilled
from homework.findings import Check, Finding
from homework.mathematics.expressions import Expression
from homework.submission import Step, Submission

MAX_BEFORE = 4
NOTHING = Posed()
MAX_LINES_APART = 2

_HINT = "Do this step again and compare it with what you wrote."


def check_arithmetic(submission: Submission, posed: Posed = NOTHING) -> Check:
    """Compare neighbours in each chain of equalities, and each equation in one variable with the next.

    The first one is compared with the equation that the task poses.
    """
    findings: list[Finding] = []
    compared = 0
    chains = list(_chains(submission, posed))
    wrong = {finding.line for holds, finding in chains if holds is False}
    for holds, finding in (*chains, *_steps(submission, posed, wrong), *_entries(submission)):
        compared += holds is not None
        is_named = any(one.line == finding.line and one.evidence == finding.evidence for one in findings)
        if holds is False and not is_named:
            findings.append(finding)
    if posed.solution and not findings:
        findings += [_system_finding(step) for step in first_unfulfilled(submission.steps, posed.solution)]
    if findings:
        return Check(Verdict.WRONG if len(findings) > 2 else Verdict.PARTLY, tuple(findings))
    if not compared:
        return Check(Verdict.CANNOT_TELL, evidence="No equality was found that can be computed.")
    return Check(Verdict.RIGHT, evidence=f"{compared} equalit{'y' if compared == 1 else 'ies'} computed, each holds.")


Compared = tuple[bool | None, Finding]
"""Whether something holds, None where that cannot be said, and what is found if it does not."""


def _chains(submission: Submission, posed: Posed) -> Iterator[Compared]:
    """The neighbours in each chain of equalities."""
    for step in submission.steps:
        for left, relation, right in _neighbours(step, posed):
            holds = are_equal(left, right, relation)
            yield True if holds is False and is_conversion(left, right) else holds, _finding(step, left, right)


def _steps(submission: Submission, posed: Posed, wrong: set[int | None]) -> Iterator[Compared]:
    """Each step after those that it may come from. One mistake is found once, by the first rule that sees it.

    `wrong` are the lines with a mistake so far, to which those found here are added.
    """
    for holds, finding in _derived(submission, posed):
        yield holds if finding.line not in wrong else None, finding
        if holds is False:
            wrong.add(finding.line)


def _derived(submission: Submission, posed: Posed) -> Iterator[Compared]:
    for before, after in (*_first(submission.steps, posed), *_derivations(submission.steps)):
        yield keeps_solutions(before, after), _step_finding(before[-1], after[0])
    for earlier, step in _lines(submission.steps):
        for rule in (follows_as_line, follows_as_formula):
            yield rule(earlier, step), _step_finding(earlier[-1], step)
    for step, left, right in rewritten(submission):
        yield are_equal(left, right, "="), _finding(step, left, right)


def _entries(submission: Submission) -> Iterator[Compared]:
    """Equalities of vectors, matrices and intervals."""
    for line, before, after in unequal_entries(submission):
        yield False, Finding("arithmetic", line, f"{before} is not {after}.", _HINT)


def _first(steps: Sequence[Step], posed: Posed) -> Iterator[tuple[list[Step], list[Step]]]:
    """The first equation of the submission, with its alternatives, after the one of the task."""
    if posed.equation is None:
        return
    first = next((step for step in steps if variable_of(step) == variable_of(posed.equation)), None)
    if first is not None:
        yield [posed.equation], [step for step in steps if step.line == first.line and variable_of(step)]


def _neighbours(step: Step, posed: Posed) -> Iterator[tuple[Expression, str, Expression]]:
    """Neighbours to compare. The first of a chain is compared only if it is a value: `F = ma` defines."""
    for at, ((left, right), relation) in enumerate(zip(pairwise(step.expressions), step.relations, strict=False)):
        if left is None or right is None or relation not in ("=", "≈"):
            continue
        is_rewritten = posed.is_rewriting or _is_transformation(step) or (posed.equation is None and _factors(step))
        if left.is_numeric or at > 0 or (left.names and is_rewritten):
            yield left, relation, right


def _factors(step: Step) -> bool:
    left, right = step.expressions[:2]
    return left is not None and right is not None and len(step.expressions) == 2 and is_factoring(left, right)


def _is_transformation(step: Step) -> bool:
    """Whether a chain begins with a term that it rewrites, `(x+1)^2 = x^2 + 2x + 1 = ...`; it solves nothing then."""
    first = step.expressions[0]
    return len(step.expressions) > 2 and first is not None and first.name is None and all(step.expressions)


def disagreeing(submission: Submission) -> Iterator[tuple[Step, Expression, Expression]]:
    """The neighbours in chains of equalities whose values differ."""
    for step in submission.steps:
        for left, relation, right in _neighbours(step, NOTHING):
            if are_equal(left, right, relation) is False:
                yield step, left, right


def _derivations(steps: Sequence[Step]) -> Iterator[tuple[list[Step], list[Step]]]:
    """Each equation in one variable (with its alternatives: "x = 2 or x = 3") after those that it may come from.

    Those are the ones shortly before it, in the same part and variable: a product that is zero gives several.
    """
    equations: list[list[Step]] = []
    for step in steps:
        if step.is_other_case and equations and step.line != equations[-1][-1].line:
            equations = []
        variable = variable_of(step)
        if variable is None:
            continue
        if step.joined and equations and _is_near(equations[-1][-1], step):
            equations[-1].append(step)
        else:
            equations.append([step])
    for at, after in enumerate(equations):
        before = [step for group in equations[max(0, at - MAX_BEFORE) : at] for step in group]
        is_stated_again = bool(before) and after[0].is_marked and is_solved(before[-1]) and is_solved(after[0])
        if before and _is_near(before[-1], after[0]) and not is_stated_again:
            yield before, after


def _lines(steps: Sequence[Step]) -> Iterator[tuple[list[Step], Step]]:
    """Each step after the few before it in its part, from which an equation in two variables may come."""
    for at, after in enumerate(steps):
        before = [one for one in steps[max(0, at - MAX_BEFORE) : at] if one.part == after.part]
        if before and after.position - before[-1].position <= MAX_LINES_APART:
            yield before, after


def _is_near(before: Step, after: Step) -> bool:
    """Whether a step may be derived from the other: same part and variable, at most two lines apart."""
    same = before.part == after.part and _root_name(before) == _root_name(after)
    return same and 0 <= after.position - before.position <= MAX_LINES_APART


def _root_name(step: Step) -> str | None:
    """The variable of an equation; `x_1` and `x_2` are solutions for x."""
    return base_name(variable_of(step))


def _finding(step: Step, left: Expression, right: Expression) -> Finding:
    evidence = f"{left.text} is not {right.text}."
    return Finding("arithmetic", step.line, evidence, _HINT)


def _step_finding(before: Step, after: Step) -> Finding:
    first, second = (" ".join(_woven(step)) for step in (before, after))
    hint = "Put a solution of the second equation into the first. What was done to both sides?"
    return Finding("arithmetic", after.line, f"{second} does not follow from {first}.", hint)


def _system_finding(step: Step) -> Finding:
    evidence = f"{' '.join(_woven(step))} does not follow from the equations of the task."
    hint = "Which equations did you combine to get it? Do each step on both sides, term by term."
    return Finding("arithmetic", step.line, evidence, hint)


def _woven(step: Step) -> Iterator[str]:
    for at, text in enumerate(step.texts):
        yield text
        if at < len(step.relations):
            yield step.relations[at]
