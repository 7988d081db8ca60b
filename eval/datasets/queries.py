"""Labelled queries, and the locations in the material that answer them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from core.dataset import Dataset
from core.errors import InvalidInput
from core.store.store import Store
from core.types import Passage
from retrievers.locations import containing_locations

KIND = "retrieval"
"""Kind of evaluations and labels."""
MAX_RANK = 20
"""Maximum number of stored locations of a ranking."""


@dataclass(frozen=True, slots=True)
class Query:
    id: str
    text: str
    kind: str
    relevant: frozenset[str]
    """Locations that answer it."""

    @property
    def contents(self) -> tuple[Any, ...]:
        return (self.id, self.text, self.kind, sorted(self.relevant))


LocationOf = Callable[[Query, Passage], str]
"""Maps a query and a passage to the passage's location, in the form used by the labels."""


async def labelled_queries(store: Store, course_id: str) -> Dataset[Query]:
    """A course's own labelled queries. Raises `InvalidInput` if it has none."""
    await store.courses.get(course_id)
    labels = await store.evaluations.labels(course_id, KIND)
    if not labels:
        raise InvalidInput(
            f"The course {course_id!r} has no labelled queries. Name their folder under `labels` in the course file "
            "(queries.jsonl and qrels.tsv in retrieval/), then run `edumod course load` on it."
        )
    queries = (
        Query(name, content["text"], content["kind"], frozenset(content["relevant"]))
        for name, content in labels.items()
    )
    return Dataset(course_id, tuple(queries))


def judged_locations(queries: Iterable[Query]) -> set[str]:
    """All locations that answer any of the queries."""
    return {location for query in queries for location in query.relevant}


def course_location(query: Query, passage: Passage) -> str:
    """The labelled location of the query that contains the passage; if there is none, the passage's own location."""
    locations = containing_locations(passage)
    return next((one for one in locations if one in query.relevant), locations[0])
