"""The staff texts with which one answer is compared."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from safeguards.leaks.course import CourseSecrets
from safeguards.leaks.forms import Reading
from safeguards.leaks.prepared import Prepare, PreparedText, Words
from safeguards.leaks.prints import NO_HASHES, Hashes
from safeguards.leaks.scattered import Sentences
from safeguards.leaks.work import Work


class StaffTexts:
    """The staff texts of a course, and those that the run has found."""

    def __init__(self, found: Sequence[str], course: CourseSecrets, prepare: Prepare, work: Work) -> None:
        self.work = work
        self._course = course
        self._prepare = prepare
        self._found = [prepare(text) for text in dict.fromkeys(found)]
        self._others = [text for text in self._found if not course.holds(text.text)]
        """Found, though not the course's own: they have no fingerprints, and are always compared."""

    def __bool__(self) -> bool:
        return bool(self._found or self._course)

    def near(self, reading: Reading) -> Secrets:
        """Those with which an answer shares words or letters."""
        return self._secrets(self._course.near(reading.windows, reading.grams) if self._course else ())

    def near_letters(self, letters: Hashes) -> Secrets:
        """Those that have one of the fingerprints of letters."""
        return self._secrets(self._course.near(NO_HASHES, letters))

    def near_tokens(self, tokens: Hashes) -> Secrets:
        """Those that have one of the fingerprints of tokens."""
        return self._secrets(self._course.near(tokens, NO_HASHES))

    @property
    def sentences(self) -> list[Sentences]:
        """Those of what the run has found, which may be told word by word."""
        return [text.sentences for text in self._found]

    def _secrets(self, near: Sequence[str]) -> Secrets:
        return Secrets([*self._others, *map(self._prepare, near)])


class Secrets:
    """Texts that no answer may repeat, and what any of them holds."""

    def __init__(self, texts: Sequence[PreparedText]) -> None:
        self.texts = texts

    def __bool__(self) -> bool:
        return bool(self.texts)

    @cached_property
    def in_letters(self) -> Secrets:
        """The texts without their digits."""
        return Secrets([text.in_letters for text in self.texts])

    def shingles(self, among: frozenset[Words]) -> set[Words]:
        """Those of the shingles that one of the texts has."""
        return {shingle for text in self.texts for shingle in among & text.shingles}

    def whole(self, among: frozenset[Words]) -> set[str]:
        """Sentences and lines that tell something and begin with one of the shingles, the tokens of each joined."""
        return {line for text in self.texts for shingle in among & text.whole.keys() for line in text.whole[shingle]}

    @cached_property
    def _heads(self) -> dict[bool, frozenset[str]]:
        heads = frozenset[str]()
        return {
            True: heads.union(*(part.folded for text in self.texts for part in (text.runs, text.spelt_lines))),
            False: heads.union(*(part.exact for text in self.texts for part in (text.runs, text.spelt_lines))),
        }

    def runs_and_lines(self, heads: frozenset[str], *, is_folded: bool) -> tuple[set[Words], set[Words]]:
        """Runs of words, and whole lines, that begin with one of the letters."""
        shared = heads & self._heads[is_folded]
        runs, lines = set[Words](), set[Words]()
        for text in self.texts if shared else ():
            for head in shared:
                runs.update(text.runs[not is_folded].get(head, ()))
                lines.update(text.spelt_lines[not is_folded].get(head, ()))
        return runs, lines
