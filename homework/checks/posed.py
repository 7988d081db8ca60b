"""What the task itself poses: an equation to solve, or a term to rewrite."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from homework.checks.derivations import equation_of, variable_of
from homework.mathematics.equations import Point, solution_of
from homework.submission import WorkStep, read_submission

MAX_TASK_CHARS = 2_000
_SOLVE = re.compile(r"\b(?:solve|löse)\b(.*)", re.IGNORECASE | re.DOTALL)
_SYSTEM = re.compile(r"\b(?:solv|system|simultaneous|löse|gleichungssystem)", re.IGNORECASE)
_REWRITE = re.compile(r"\b(?:simplif|expand|factor|multiply out|vereinfach|multipliziere aus)", re.IGNORECASE)


@dataclass(frozen=True)
class Posed:
    """The one equation in one variable that is to be solved, or the solution of the system that is, if there is one.

    `is_rewriting` tells that a term is to be rewritten.
    """

    equation: WorkStep | None = None
    is_rewriting: bool = False
    solution: Point | None = None


def posed_by(task: str) -> Posed:
    """What a task poses. Nothing, where it has several parts' worth of equations or none that can be read."""
    if len(task) > MAX_TASK_CHARS:
        return Posed()
    wanted = _SOLVE.search(task)
    posed = [step for step in read_submission(wanted[1]).steps if step.relations] if wanted else []
    is_one = len(posed) == 1 and variable_of(posed[0]) is not None
    given = [step for step in read_submission(task).steps if step.relations] if _SYSTEM.search(task) else []
    equations = [equation for step in given if (equation := equation_of(step)) and step.relations == ("=",)]
    system = [one for one in equations if one.names and not (one.has_units or one.is_ambiguous)]
    return Posed(
        replace(posed[0], line=0, position=0) if is_one else None, bool(_REWRITE.search(task)), solution_of(system)
    )
