"""Models that judge badly on purpose, each in one way, as functions from the task to the reply."""

from __future__ import annotations

from random import Random

from judging.tasks import CompareAnswers, JudgeTeachingPoints, Preference, TeachingPoints


def points(score: float) -> TeachingPoints:
    return TeachingPoints(reasons="Scripted.", quotes=(), core=(), missing=(), extra=(), score=score)


def lenient(task: JudgeTeachingPoints) -> TeachingPoints:
    """Finds everything good."""
    return points(Random(task.answer[::-1]).choice((4.5, 5)))


def constant(_task: JudgeTeachingPoints) -> TeachingPoints:
    return points(4)


def random(task: JudgeTeachingPoints) -> TeachingPoints:
    return points(Random(task.answer + task.question).randint(0, 5))


def long_is_good(task: JudgeTeachingPoints) -> TeachingPoints:
    return points(min(5.0, len(task.answer.split()) / 4))


def first_is_better(_task: CompareAnswers) -> Preference:
    return Preference(reasons="Scripted.", quotes=(), choice="a")
