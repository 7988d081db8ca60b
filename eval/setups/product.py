"""The data of an evaluation in which the product answers labelled messages of a course."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from core.course import Course
from core.dataset import Dataset, I
from core.store.store import Store
from eval.setups.conditions import conditions
from eval.setups.experiment import Resolve
from pipelines.assistant import Assistant
from pipelines.configuration import PROMPTS

ALL = "all"
"""Every split of the labelled messages."""


@dataclass(frozen=True)
class ProductSetup(Generic[I]):
    """Labelled messages, and the product that answers them."""

    dataset: Dataset[I]
    assistant: Assistant
    course: Course
    resolve: Resolve
    facts: Mapping[str, Any]
    """See `eval.plan.Plan.facts`."""
    split: str


async def product_setup(
    store: Store,
    assistant: Assistant,
    embedding_model: str,
    course: Course,
    resolve: Resolve,
    split: str,
    items: Sequence[I],
) -> ProductSetup[I]:
    """The labelled messages of that split, and the conditions under which they are answered."""
    facts = await conditions(store, course.id, embedding_model, assistant.models.default, PROMPTS)
    return ProductSetup(Dataset(course.id, tuple(items)), assistant, course, resolve, {"split": split, **facts}, split)
