"""Several judges' scores of one answer: a panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from core.score import Score

MEMBER = "panel "
"""Begins the names of the parts of a panel's score that are its members' scores."""


def of_panel(scores: Mapping[str, Score]) -> Score:
    """The mean of the members' scores and parts, with each member's score as a part and its reasons."""
    if unscored := too_few_usable(list(scores.values())):
        return unscored
    usable = {name: score for name, score in scores.items() if score.value is not None}
    first = next(iter(usable.values()))
    parts = {name: fmean(score.parts[name] for score in usable.values()) for name in first.parts}
    members = {f"{MEMBER}{name}": score.value or 0.0 for name, score in usable.items()}
    return Score(
        value=fmean(members.values()),
        explanation="\n".join(f"{name}: {score.explanation or score.unscored}" for name, score in scores.items()),
        parts={**parts, **members},
        quotes=tuple(dict.fromkeys(quote for score in usable.values() for quote in score.quotes)),
    )


def members_of(score: Score) -> dict[str, float]:
    """The members' scores by name; empty where no panel judged."""
    return {name.removeprefix(MEMBER): value for name, value in score.parts.items() if name.startswith(MEMBER)}


def too_few_usable(scores: Sequence[Score]) -> Score | None:
    """An unscored one, if they are more than half or all; otherwise None."""
    unscored = [score for score in scores if score.value is None]
    return unscored[0] if 2 * len(unscored) > len(scores) or len(unscored) == len(scores) else None
