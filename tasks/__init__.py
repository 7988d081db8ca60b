"""The tasks that pipelines give to a language model."""

from __future__ import annotations

from tasks.choosing import ChooseFunctions, FillArguments, FunctionChoice, SelectFunctions, Selection
from tasks.feedback import MappedAnswer, WriteFeedback, WrittenCriterion, WrittenFeedback
from tasks.images import ReadImage
from tasks.reviewing import MISSING, Review, ReviewDraft, as_cited, as_quoted, as_read
from tasks.writing import MendAnswer, Quoted, Statement, WriteAnswer, WrittenAnswer

PIPELINE_TASKS = (ReadImage, ChooseFunctions, SelectFunctions, FillArguments, WriteAnswer, MendAnswer, ReviewDraft)
FEEDBACK_TASKS = (WriteFeedback,)
"""Every task of a pipeline."""

__all__ = [
    "FEEDBACK_TASKS",
    "MISSING",
    "PIPELINE_TASKS",
    "ChooseFunctions",
    "FillArguments",
    "FunctionChoice",
    "MappedAnswer",
    "MendAnswer",
    "Quoted",
    "ReadImage",
    "Review",
    "ReviewDraft",
    "SelectFunctions",
    "Selection",
    "Statement",
    "WriteAnswer",
    "WriteFeedback",
    "WrittenAnswer",
    "WrittenCriterion",
    "WrittenFeedback",
    "as_cited",
    "as_quoted",
    "as_read",
]  # fmt: skip
