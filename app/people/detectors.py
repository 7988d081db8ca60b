"""What finds personal data in the questions of each course."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.course import Course
from core.privacy.masks import Detector
from core.privacy.names import KnownPerson, Names
from core.store.people.rosters import Rosters


@dataclass(frozen=True)
class Detectors:
    rosters: Rosters
    _names: dict[str, Names] = field(default_factory=dict, init=False, repr=False)

    async def of(self, course: Course, people: tuple[KnownPerson, ...]) -> Detector:
        """A detector of the course's student ids, of the names in its roster, and of those `people` of a request.

        Raises `StorageUnavailable`.
        """
        roster = await self.rosters.get(course.id)
        names = self._names.get(course.id)
        if names is None or names.people is not roster:
            # The pattern of a large roster takes a while to compile.
            names = self._names[course.id] = Names(roster)
        return Detector((names, Names(people)) if people else (names,), course.privacy.student_id)
