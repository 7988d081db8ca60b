"""The data of an evaluation of function selection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.course import Course
from core.store.store import Store
from eval.datasets.dataset import Dataset
from eval.datasets.questions import LabelledQuestion, labelled_questions
from eval.setups.conditions import conditions
from eval.setups.experiment import Resolve
from pipelines.assistant import Assistant
from pipelines.configuration import PROMPTS

ALL = "all"
"""Every split of the labelled questions."""


@dataclass(frozen=True)
class FunctionsSetup:
    """Labelled questions, and the product that answers them."""

    dataset: Dataset[LabelledQuestion]
    assistant: Assistant
    course: Course
    resolve: Resolve
    facts: Mapping[str, Any]
    """See `eval.plan.Plan.facts`."""
    split: str


async def functions_setup(
    store: Store, assistant: Assistant, embedding_model: str, course: Course, resolve: Resolve, split: str
) -> FunctionsSetup:
    """A course's labelled questions of that split. Raises `InvalidInput` if it has none."""
    questions = await labelled_questions(store, course.id, None if split == ALL else split)
    facts = await conditions(store, course.id, embedding_model, assistant.models.default, PROMPTS)
    dataset = Dataset(course.id, tuple(questions))
    return FunctionsSetup(dataset, assistant, course, resolve, {"split": split, **facts}, split)
