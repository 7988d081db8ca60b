"""A homework task: its text, and what only staff may know of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class HomeworkTask:
    """A task that students submit work for.

    `solution` is the official solution and `final` its final answers, one for each part, as LaTeX or text; both are
    for checks without a model, and for prompts of runs for staff. `parts` is how many answers the task asks for.
    """

    text: str
    solution: str | None = None
    final: tuple[str, ...] = ()
    parts: int = 1
