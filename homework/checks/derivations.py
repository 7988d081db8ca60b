"""Whether each step follows from those shortly before it: by solutions, by values at points, or as a quantity anew."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from homework.answers import base_name
from homework.mathematics.equality import are_equal
from homework.mathematics.equations import Equation, Point, has_solutions, hold_together
from homework.mathematics.parser import Expression
from homework.mathematics.tokens import FUNCTIONS, GREEK
from homework.mathematics.trees import has_operator
from homework.submission import Submission, WorkStep

MAX_BEFORE = 4
"""Steps before one that it may come from."""
MAX_LINES_APART = 2
_INEQUALITIES = "<>≤≥"
_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}")
_SIGNS = re.compile(r"[-+±]")

Derived = tuple[bool | None, Sequence[WorkStep], WorkStep]
"""Whether a step follows, None where that cannot be said, the steps that it may come from, and the step."""


def derived(submission: Submission, posed: Equation | None, first: WorkStep | None) -> Iterator[Derived]:
    """Each step with those before it. `posed` is the equation of the task as the step `first`."""
    if posed is not None and first is not None:
        start = next((step for step in submission.steps if variable_of(step) == variable_of(first)), None)
        if start is not None:
            after = [step for step in submission.steps if step.line == start.line and variable_of(step)]
            yield _keeps_solutions([first], after), [first], after[0]
    for before, after in _derivations(submission.steps):
        yield _keeps_solutions(before, after), before, after[0]
    for at, step in enumerate(submission.steps):
        before = [one for one in submission.steps[max(0, at - MAX_BEFORE) : at] if one.part == step.part]
        if before and step.position - before[-1].position <= MAX_LINES_APART:
            yield _follows(before, step), before, step
    for before_step, step in pairwise(one for one in submission.steps if not one.is_aside):
        if _is_written_anew(before_step, step, submission):
            yield _is_same_quantity(before_step, step), [before_step], step


def equation_of(step: WorkStep) -> Equation | None:
    """A step as an equation; of a chain that ends with a number, `x^2 - 4 = (x-2)(x+2) = 0`, its ends."""
    if len(step.expressions) < 2 or step.relations[-1] not in ("=", "≈", *_INEQUALITIES):
        return None
    sides = _sides(step)
    return Equation(*sides, step.relations[-1]) if sides else None


def _sides(step: WorkStep) -> tuple[Expression, Expression] | None:
    first, (left, right) = step.expressions[0], step.expressions[-2:]
    if left is None or right is None:
        return None
    if len(step.expressions) == 2:
        return left, right
    says_what_is = first is not None and first.names and not left.names
    is_joined = first is not None and not first.names and left.names and right.names
    if first is not None and (says_what_is or is_joined):
        # "v^2 = 2 * 9.8 * 10 = 196" says what v^2 is, "58 = 3x - x = 2x" what 2x is.
        # Of "T = 5547 s = 1.54 h" the first value is in the units of the step before.
        value = next((one for one in step.expressions[1:] if one is not None and one.units and one.number), None)
        return first, value if says_what_is and value and right.units else right
    return None if right.names or not left.names else (left, right)


def variable_of(step: WorkStep) -> str | None:
    """The variable of a step that is an equation or inequality in one variable."""
    equation = _in_one_variable(step)
    return next(iter(equation.names)) if equation else None


def _in_one_variable(step: WorkStep) -> Equation | None:
    equation = equation_of(step)
    has_readings = equation is not None and max(len(equation.left.readings), len(equation.right.readings)) > 1
    return equation if equation is not None and len(equation.names) == 1 and not has_readings else None


def is_solved(step: WorkStep) -> bool:
    """Whether the step gives a variable its value, `x = 3`."""
    equation = _in_one_variable(step)
    return equation is not None and equation.is_assignment


def _keeps_solutions(before: Sequence[WorkStep], after: Sequence[WorkStep]) -> bool | None:
    """Whether the steps `after`, alternatives of each other, solve any of the steps `before`; None if unknown."""
    stated = {step.texts[-1] for step in before if is_solved(step)}
    results = [equation for step in after if (equation := _in_one_variable(step)) and step.texts[-1] not in stated]
    if not results:
        return None
    (name,) = results[0].names
    verdicts = [
        verdict
        for step in before
        if (equation := _in_one_variable(step)) is not None
        and equation.names & {name, base_name(name)}
        and not equation.is_assignment
        and (verdict := has_solutions(equation, results)) is not None
    ]
    return any(verdicts) if verdicts else None


def _derivations(steps: Sequence[WorkStep]) -> Iterator[tuple[list[WorkStep], list[WorkStep]]]:
    """Each equation in one variable (with its alternatives: "x = 2 or x = 3") after those that it may come from.

    Those are the ones shortly before it, in the same part and variable: a product that is zero gives several.
    """
    equations: list[list[WorkStep]] = []
    for step in steps:
        if variable_of(step) is None:
            continue
        if step.joined and equations and _is_near(equations[-1][-1], step):
            equations[-1].append(step)
        else:
            equations.append([step])
    for at, after in enumerate(equations):
        before = [step for group in equations[max(0, at - MAX_BEFORE) : at] for step in group]
        is_stated_again = bool(before) and after[0].is_marked and is_solved(before[-1]) and is_solved(after[0])
        begins_anew = bool(before) and is_solved(before[-1]) and not is_solved(after[0])
        if before and _is_near(before[-1], after[0]) and not (is_stated_again or begins_anew):
            yield before, after


def _is_near(before: WorkStep, after: WorkStep) -> bool:
    """Whether a step may be derived from the other: same part and variable, `x_1` for x, and close by."""
    same = before.part == after.part and base_name(variable_of(before)) == base_name(variable_of(after))
    return same and 0 <= after.position - before.position <= MAX_LINES_APART


def _follows(before: Sequence[WorkStep], after: WorkStep) -> bool | None:
    """Whether an equation in several variables follows from any of those before that have the same ones."""
    equation = _formula(after)
    if equation is None:
        return None
    verdicts = [
        verdict
        for step in before
        if (other := _formula(step)) and other.names == equation.names and other.left.text != equation.left.text
        if (verdict := _agree(other, equation)) is not None
    ]
    return any(verdicts) if verdicts else None


def _agree(before: Equation, after: Equation) -> bool | None:
    """Two equations in two variables may be a system unless only the later one is solved for a variable."""
    if len(after.names) == 2 and (before.solved_for or not after.solved_for):
        return None
    solved, other = (before, after) if before.solved_for else (after, before)
    return hold_together(solved, other) if solved.solved_for else None


def _formula(step: WorkStep) -> Equation | None:
    equation = equation_of(step)
    if equation is None or len(equation.names) < 2 or step.relations[-1] != "=" or equation.has_units:
        return None
    is_open = equation.left.has_two_values or equation.right.has_two_values
    return None if is_open or (len(equation.names) > 2 and len(step.expressions) > 2) else equation


def _is_written_anew(before: WorkStep, after: WorkStep, submission: Submission) -> bool:
    """Whether the later step is the next line and writes a quantity again, `I = 8/2 - (2 - 1)` and `I = 4 - 2 - 1`."""
    is_next = before.part == after.part and 0 < after.position - before.position <= 1 and not after.joined
    are_equations = all(len(step.expressions) > 1 and set(step.relations) <= {"=", "≈"} for step in (before, after))
    if not (is_next and are_equations and all(_is_alone(step, submission) for step in (before, after))):
        return False
    left = after.expressions[0]
    return before.name == after.name is not None or (
        before.texts[0] == after.texts[0] and left is not None and bool(left.names)
    )


def _is_same_quantity(before: WorkStep, after: WorkStep) -> bool | None:
    left, right = before.expressions[-1], after.expressions[1]
    if left is None or right is None or left.has_two_values or right.has_two_values:
        return None
    result = after.result
    if left.units and result is not None and result.units and are_equal(left, result):
        return True  # Converted: the numbers in between have no units.
    is_result = not has_operator(left.tree, "+", "-", "*", "^", "sqrt") and not left.decimals
    if is_result or _SIGNS.sub("", left.text) == _SIGNS.sub("", right.text):
        return None
    return are_equal(left, right)


def _is_alone(step: WorkStep, submission: Submission) -> bool:
    """Whether the step is all that stands on its line: no words, which could tell of another case."""
    others = [one for one in submission.steps if one.line == step.line]
    words = [word.lower() for word in _WORD.findall(submission.line(step.line))]
    return len(others) == 1 and all(word in FUNCTIONS or word in GREEK or word == "sqrt" for word in words)


def unfulfilled(steps: Sequence[WorkStep], solution: Point) -> WorkStep | None:
    """The first step that is an equation in the variables of a system and does not hold for its solution."""
    for step in steps:
        equation = equation_of(step)
        is_plain = equation is not None and len(step.expressions) == 2 and step.relations == ("=",)
        if equation is None or not is_plain or step.is_aside or is_solved(step):
            continue
        is_read = not (equation.has_units or equation.is_ambiguous)
        if is_read and equation.names and equation.names <= solution.keys() and equation.holds_at(solution) is False:
            return step
    return None
