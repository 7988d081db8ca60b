"""Labelled queries, and the locations in the material that answer them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import InvalidInput
from core.store.store import Store
from core.types import Passage
from eval.datasets.dataset import Dataset
from retrievers.index.course_index import Indexes

KIND = "retrieval"
"""Kind of evaluations and labels."""
MAX_RANK = 20
"""Maximum number of stored locations of a ranking."""
SEPARATOR = " > "
"""Separates the headings of a location."""
MAX_NAMED = 5
"""Maximum number of missing locations that a message names."""


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


async def demand_locations(indexes: Indexes, course_id: str, queries: Sequence[Query]) -> None:
    """Raises `InvalidInput` naming labelled locations that the course's material does not have."""
    missing = missing_locations(queries, (await indexes.get(course_id)).passages)
    if missing:
        shown = "; ".join(missing[:MAX_NAMED]) + ("; …" if len(missing) > MAX_NAMED else "")
        raise InvalidInput(
            f"{len(missing)} labelled locations are not in the material of {course_id!r}: {shown}. "
            "Correct the labels (a location is DOCUMENT > Heading > Sub-heading), or ingest what is missing."
        )


def missing_locations(queries: Sequence[Query], passages: Collection[Passage]) -> list[str]:
    """Judged locations that a course's material does not have."""
    judged = {location for query in queries for location in query.relevant}
    return sorted(judged - {location for passage in passages for location in _locations(passage)})


def course_location(query: Query, passage: Passage) -> str:
    """The labelled location of the query that contains the passage; if there is none, the passage's own location."""
    locations = _locations(passage)
    return next((one for one in locations if one in query.relevant), locations[0])


def _locations(passage: Passage) -> list[str]:
    """The locations that contain a passage, deepest first."""
    path = (passage.document, *passage.heading_path)
    return [SEPARATOR.join(path[:depth]) for depth in range(len(path), 0, -1)]
