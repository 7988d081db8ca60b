"""What no answer in a course may repeat: the texts for its staff, wherever a run has searched."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from core.concurrency import SingleFlight, in_thread
from core.types import Visibility
from retrievers.index.indexes import Indexes
from retrievers.index.released import CoursePassages, Version
from safeguards.audience import staff_texts
from safeguards.fingerprints import Fingerprints, fingerprints_of

MAX_BYTES = 256 * 2**20
"""Memory for the secrets of all courses together; the least recently used go first, the last one used stays."""


@dataclass(frozen=True)
class CourseSecrets:
    """The staff texts of a course, with the fingerprints that they have and no text for students has.

    In memory are the staff texts and about 50 bytes for each of their words.
    """

    staff: tuple[str, ...] = ()
    beside: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The texts for staff that stand in a passage or solve it, by the passage's block id."""
    fingerprints: Fingerprints = field(default_factory=Fingerprints, repr=False, compare=False)

    @classmethod
    def of(
        cls, staff: Iterable[str], open_texts: Iterable[str], beside: Mapping[str, Sequence[str]] | None = None
    ) -> CourseSecrets:
        """Prepares the texts. Blocks: about a second for a thousand passages."""
        secret = tuple(dict.fromkeys(staff))
        if not secret:
            return cls()
        return cls(secret, beside or {}, Fingerprints.of(secret, fingerprints_of(dict.fromkeys(open_texts))))

    @property
    def nbytes(self) -> int:
        """Bytes in memory, about."""
        return sum(map(len, self.staff)) + self.fingerprints.nbytes

    def __bool__(self) -> bool:
        return bool(self.staff)

    def holds(self, text: str) -> bool:
        """True of one of the staff texts."""
        return text in self._known

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.staff)


NO_SECRETS = CourseSecrets()


class SecretsOfCourses:
    """The secrets of each course, prepared once for a version of its material. Used from one event loop."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._prepared: OrderedDict[str, tuple[Version, CourseSecrets]] = OrderedDict()
        self._preparing: SingleFlight[CourseSecrets] = SingleFlight()

    async def get(self, course_id: str, indexes: Indexes) -> CourseSecrets:
        """The secrets as of now. Raises `UnknownName` for an unknown course."""
        prepared = self._prepared.get(course_id)
        if prepared is not None and await indexes.is_current(course_id, prepared[0]):
            self._prepared.move_to_end(course_id)
            return prepared[1]
        return await self._preparing.do(course_id, lambda: self._prepare(course_id, indexes))

    async def _prepare(self, course_id: str, indexes: Indexes) -> CourseSecrets:
        passages = await indexes.passages(course_id)
        secrets = await in_thread(_secrets_of, passages)
        self._prepared[course_id] = (passages.version, secrets)
        self._prepared.move_to_end(course_id)
        while len(self._prepared) > 1 and self._nbytes > self._max_bytes:
            self._prepared.popitem(last=False)
        return secrets

    @property
    def _nbytes(self) -> int:
        return sum(secrets.nbytes for _, secrets in self._prepared.values())


def _secrets_of(passages: CoursePassages) -> CourseSecrets:
    unreleased = (text for one in passages.unreleased for text in (one.text, one.solution) if text)
    readable = (one.text for one in passages.released if one.visibility is Visibility.STUDENT)
    beside = {one.block_id: staff_texts([one]) for one in passages.released}
    texts = {block_id: found for block_id, found in beside.items() if found}
    return CourseSecrets.of(chain(*beside.values(), unreleased), readable, texts)
