"""What no answer in a course may repeat: the texts for its staff, wherever a run has searched."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

import numpy as np

from core.concurrency import SingleFlight, in_thread
from core.types import Visibility
from retrievers.index.indexes import Indexes
from retrievers.index.released import CoursePassages, Version
from safeguards.audience import staff_texts
from safeguards.leaks.letters import folded, letter_forms, plain, plain_letters, spelt_forms
from safeguards.leaks.prepared import SHINGLE, WHOLE_WORDS, PreparedText, Words
from safeguards.leaks.prints import (
    GRAM,
    NO_HASHES,
    Hashes,
    HashSet,
    Owned,
    grams_apart,
    runs,
    windows,
    word_starts,
)

MAX_BYTES = 256 * 2**20
"""Memory for the secrets of all courses together; the least recently used go first, the last one used stays."""


@dataclass(frozen=True)
class _Prints:
    """Fingerprints of one text: tokens and letters in a row, and the letters of whole words in a row."""

    tokens: Hashes
    letters: Hashes
    runs: Hashes

    @classmethod
    def of(cls, text: str, *, is_open: bool) -> _Prints:
        prepared = PreparedText(text)
        readings = dict.fromkeys((plain(text), plain_letters(text)))
        forms = [form for reading in readings for form in spelt_forms(reading)]
        lines = dict.fromkeys(chain(prepared.lines, prepared.in_letters.lines))
        ends = [folded(form)[-GRAM:] for line in lines for form in letter_forms(line) if len(form) >= GRAM]
        lengths = (SHINGLE, WHOLE_WORDS) if is_open else ()
        return cls(
            windows(prepared.tokens, SHINGLE),
            _all((*map(word_starts, forms), grams_apart(ends))),
            _all(runs(words, length) for length in lengths for words in forms),
        )


@dataclass(frozen=True)
class CourseSecrets:
    """The staff texts of a course, with the fingerprints that they have and no text for students has.

    In memory are the staff texts, about 30 bytes for each of their words, and about 30 for each word of open texts.
    """

    staff: tuple[str, ...] = ()
    beside: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The texts for staff that stand in a passage or solve it, by the passage's block id."""
    _tokens: Owned = Owned.of((), HashSet(NO_HASHES))  # noqa: RUF009  (frozen)
    _letters: Owned = Owned.of((), HashSet(NO_HASHES))  # noqa: RUF009  (frozen)
    _open_tokens: HashSet = HashSet(NO_HASHES)  # noqa: RUF009  (frozen)
    _open_runs: HashSet = HashSet(NO_HASHES)  # noqa: RUF009  (frozen)

    @classmethod
    def of(
        cls, staff: Iterable[str], open_texts: Iterable[str], beside: Mapping[str, Sequence[str]] | None = None
    ) -> CourseSecrets:
        """Prepares the texts. Blocks: about a second for a thousand passages."""
        secret = tuple(dict.fromkeys(staff))
        if not secret:
            return cls()
        known = [_Prints.of(text, is_open=True) for text in dict.fromkeys(open_texts)]
        open_tokens = HashSet(_all(one.tokens for one in known))
        open_letters = HashSet(_all(one.letters for one in known))
        secrets = [_Prints.of(text, is_open=False) for text in secret]
        return cls(
            secret,
            beside or {},
            Owned.of((one.tokens for one in secrets), open_tokens),
            Owned.of((one.letters for one in secrets), open_letters),
            open_tokens,
            HashSet(_all(one.runs for one in known)),
        )

    @property
    def nbytes(self) -> int:
        """Bytes in memory, about."""
        texts = sum(map(len, self.staff))
        return texts + sum(one.nbytes for one in (self._tokens, self._letters, self._open_tokens, self._open_runs))

    def __bool__(self) -> bool:
        return bool(self.staff)

    def holds(self, text: str) -> bool:
        """True of one of the staff texts."""
        return text in self._known

    def near(self, tokens: Hashes, letters: Hashes) -> list[str]:
        """The staff texts that have one of the fingerprints, and no open text has it. Mostly none."""
        found = self._tokens.owners(tokens) | self._letters.owners(letters)
        return [self.staff[number] for number in sorted(found)]

    def open_shingles(self, shingles: Iterable[Words]) -> set[Words]:
        """Those of the shingles that an open text has."""
        return {one for one in shingles if self._open_tokens.has_all(windows(one, SHINGLE))}

    def has_open_line(self, tokens: Sequence[str]) -> bool:
        """True where open texts have all of the line, `SHINGLE` tokens at a time."""
        return self._open_tokens.has_all(windows(tokens, SHINGLE))

    def has_open_run(self, words: Words) -> bool:
        """True where open texts have the letters of the words, `SHINGLE` at a time, or all if there are less."""
        return self._open_runs.has_all(runs([folded(word) for word in words], min(SHINGLE, len(words))))

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


def _all(found: Iterable[Hashes]) -> Hashes:
    return np.concatenate([NO_HASHES, *found])
