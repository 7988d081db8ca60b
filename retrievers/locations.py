"""Locations in a course's material, as labels name them: `DOCUMENT > Heading > Sub-heading`.

A label covers the passages of its document whose headings start with those of the label.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches

from core.errors import InvalidInput
from core.types import Audience, Passage
from retrievers.index.indexes import Indexes

SEPARATOR = " > "
"""Separates the headings of a location."""
MAX_NAMED = 5
"""Maximum number of missing locations that a message names."""
MIN_LIKENESS = 0.5
"""Minimum similarity (difflib's ratio) of a location that is suggested in place of a missing one."""


def location_of(document: str, heading_path: Sequence[str]) -> str:
    """The location of a passage of that document below these headings."""
    return SEPARATOR.join((document, *heading_path))


def covers(label: str, location: str) -> bool:
    """Whether a labelled location is this one or contains it."""
    return location == label or location.startswith(label + SEPARATOR)


def containing_locations(passage: Passage) -> list[str]:
    """The locations that contain a passage, deepest first."""
    path = passage.heading_path
    return [location_of(passage.document, path[:depth]) for depth in range(len(path), -1, -1)]


def all_locations(passages: Iterable[Passage]) -> list[str]:
    """Every location that a label may name, in the order of the material."""
    return list(dict.fromkeys(one for passage in passages for one in reversed(containing_locations(passage))))


def missing_locations(locations: Iterable[str], passages: Iterable[Passage]) -> list[str]:
    """The labelled locations that the material does not have, sorted."""
    return sorted(set(locations) - set(all_locations(passages)))


def nearest_location(location: str, known: Collection[str]) -> str | None:
    """The known location with the most similar name; None if none is similar."""
    by_case = {one.casefold(): one for one in known}
    near = get_close_matches(location.casefold(), by_case, n=1, cutoff=MIN_LIKENESS)
    return by_case[near[0]] if near else None


async def demand_locations(indexes: Indexes, course_id: str, locations: Iterable[str]) -> None:
    """Raises `InvalidInput` naming labelled locations that the course's material lacks, each with the nearest."""
    passages = (await indexes.get(course_id, audience=Audience.STAFF)).passages
    missing = missing_locations(locations, passages)
    if missing:
        known = all_locations(passages)
        shown = "; ".join(_with_nearest(one, known) for one in missing[:MAX_NAMED])
        more = "; …" if len(missing) > MAX_NAMED else ""
        raise InvalidInput(
            f"{len(missing)} labelled locations are not in the material of {course_id!r}: {shown}{more}. "
            "Correct the labels (a location is DOCUMENT > Heading > Sub-heading), or ingest what is missing."
        )


def _with_nearest(location: str, known: Collection[str]) -> str:
    nearest = nearest_location(location, known)
    return location if nearest is None else f"{location} (the nearest is {nearest})"
