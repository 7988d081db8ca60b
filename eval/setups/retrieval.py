"""The data of a retrieval evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.dataset import Dataset
from core.llm.models import NamedModel
from core.store.store import Store
from core.types import Audience
from eval.datasets.queries import LocationOf, Query, course_location, labelled_queries
from eval.setups.conditions import conditions
from retrievers.index.indexes import Indexes
from retrievers.tasks import RETRIEVAL_TASKS


@dataclass(frozen=True)
class RetrievalSetup:
    """Labelled queries, and the ingested course `course_id` in which to search."""

    dataset: Dataset[Query]
    indexes: Indexes
    course_id: str
    location_of: LocationOf
    facts: Mapping[str, Any]
    """See `eval.plan.Plan.facts`."""
    owner: str | None
    """The course that the queries belong to; None if they have their own corpus."""
    audience: Audience = Audience.STUDENTS


async def course_setup(
    store: Store,
    indexes: Indexes,
    embedding_model: str,
    model: NamedModel,
    course_id: str,
    audience: Audience = Audience.STUDENTS,
) -> RetrievalSetup:
    """A course's own labelled queries. Raises `InvalidInput` if it has none."""
    dataset = await labelled_queries(store, course_id)
    facts = await conditions(store, course_id, embedding_model, model, RETRIEVAL_TASKS, audience)
    return RetrievalSetup(dataset, indexes, course_id, course_location, facts, course_id, audience)
