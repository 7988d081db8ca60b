"""A quantity that is written anew on the next line: `I = 8/2 - (2 - 1)`, and below it `I = 4 - 2 - 1`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from homework.mathematics.expressions import Expression
from homework.mathematics.tokens import FUNCTIONS, GREEK
from homework.submission import Step, Submission

MAX_LINES_APART = 1
_UNFINISHED = re.compile(r"(?<=[\w)}\]°])\s*[-+*^(]|√|sqrt|\d\.\d+\)?/|/\(?\d+\.\d")
"""A sign between two operands: what has none is a result, after which another one may follow."""
_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}")
_SIGNS = re.compile(r"[-+±]")


def rewritten(submission: Submission) -> Iterator[tuple[Step, Expression, Expression]]:
    """The later of two steps, with what the quantity was on the line before and what it is said to be now."""
    for before, after in pairwise(step for step in submission.steps if not step.is_aside):
        if not _is_same_quantity(before, after) or not all(_is_alone(step, submission) for step in (before, after)):
            continue
        left, right = before.expressions[-1], after.expressions[1]
        if left is None or right is None or len(left.trees) > 1 or len(right.trees) > 1:
            continue
        if _UNFINISHED.search(left.text) and _SIGNS.sub("", left.text) != _SIGNS.sub("", right.text):
            yield after, left, right


def _is_same_quantity(before: Step, after: Step) -> bool:
    is_next = before.part == after.part and 0 < after.position - before.position <= MAX_LINES_APART
    are_equations = all(len(step.expressions) > 1 and set(step.relations) <= {"=", "≈"} for step in (before, after))
    is_same = before.name == after.name is not None or (before.texts[0] == after.texts[0] and _is_named(after))
    return is_next and are_equations and is_same and not after.joined


def _is_named(step: Step) -> bool:
    """Whether the left side has a variable: `t^2 = ...`."""
    left = step.expressions[0]
    return left is not None and bool(left.names)


def _is_alone(step: Step, submission: Submission) -> bool:
    """Whether the step is all that stands on its line: no words, which could tell of another case."""
    others = [one for one in submission.steps if one.line == step.line]
    words = [word.lower() for word in _WORD.findall(submission.line(step.line))]
    return len(others) == 1 and all(word in FUNCTIONS or word in GREEK or word == "sqrt" for word in words)
