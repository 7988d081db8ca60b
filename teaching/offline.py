"""What the offline backend says to tasks about quizzes that only a model can do."""

from __future__ import annotations

from typing import NoReturn

from core.errors import MissingCapability
from teaching.tasks import GradeQuestion, WriteQuiz


def needs_model(task: WriteQuiz | GradeQuestion) -> NoReturn:
    """Raises `MissingCapability`: without a model questions are made by rules, and nothing is graded."""
    raise MissingCapability("writing", f"The offline backend cannot do {task.name()}. Name a model with --model.")
