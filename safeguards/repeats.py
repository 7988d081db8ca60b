"""Finds what a text repeats of texts for staff alone, and leaves it out or marks it for a reviewer."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rapidfuzz.distance import LCSseq

from core.text.sentences import units
from safeguards.course_secrets import NO_SECRETS, CourseSecrets
from safeguards.fingerprints import Fingerprints, Hashes, grams, lines, ordered
from safeguards.readings import MAX_KEPT, PartText, all_readings, letter_forms, letter_rows, words

WITHHELD = "(withheld: it repeats a text for staff only)"
"""Stands in place of what would be nothing without a secret text."""
LIKELY, ENOUGH = 0.6, 0.8
"""Shares of a sentence's words in an answer: from which it is looked at, and, in their order, from which it is told."""
MIN_OWN, MIN_NAMED, MIN_NAME = 6, 2, 3
"""Words that a sentence has and no known text, and how many of them have so many letters: the order of fewer, or of
single letters, may be chance."""
MIN_CLOSE, SPREAD = 12, 3
"""Words from which a sentence with fewer of its own counts, if it is told within `SPREAD` times its length."""


@dataclass(frozen=True)
class StaffTexts:
    """The texts with which an answer is compared.

    `secret` are those that belong to what the run has found, besides all those of the `course`. No secret is what
    students may read, the `known` texts, and what the `asker` wrote as far as it is repeated in a row: else a list of
    words would excuse every sentence that they make.
    """

    secret: Sequence[str] = ()
    known: Sequence[str] = ()
    course: CourseSecrets = NO_SECRETS
    asker: Sequence[str] = ()

    def __bool__(self) -> bool:
        return bool(self.secret or self.course)

    def repeated(self, parts: Sequence[str]) -> set[int]:
        """Numbers of the parts that repeat a text for staff. They are compared as one text, in time linear to it."""
        if not self:
            return set()
        return {number for reading in all_readings(parts) for number in self._copied(reading) | self._retold(reading)}

    def _copied(self, parts: Sequence[PartText]) -> set[int]:
        """Numbers of the parts that copy letters of a secret text in a row, whatever stands between them."""
        return {
            number
            for row in letter_rows(parts)
            for prints in (self.course.fingerprints, *self._other_fingerprints)
            for start, end in prints.copied(row.letters, lambda: self._open_fingerprints)
            for number in row.parts(start, end)
        }

    def _retold(self, parts: Sequence[PartText]) -> set[int]:
        """Numbers of the parts that tell a sentence word by word, with others strewn in or in the reverse order."""
        numbered = [(word, part.number) for part in parts for word in words(part.text)]
        told = [word for word, _ in numbered]
        vocabulary = frozenset(told)
        positions: set[int] = set()
        for sentence in (sentence for text in self.secret for sentence in _sentences(text)):
            if sum(map(vocabulary.__contains__, sentence)) < LIKELY * len(sentence):
                continue
            for order in (sentence, sentence[::-1]):
                found = self._positions(order, told)
                if found and not self._is_known(sentence):
                    positions |= found
        return {numbered[position][1] for position in positions}

    def _positions(self, sentence: Sequence[str], told: Sequence[str]) -> set[int]:
        """Where the sentence's own words stand in order, or those of a long sentence close to each other."""
        own = [word for word in sentence if word not in self._known_words]
        if len(own) >= MIN_OWN and sum(len(word) >= MIN_NAME for word in own) >= MIN_NAMED:
            return _in_order(own, told)
        if len(sentence) < MIN_CLOSE:
            return set()
        return {
            start + position
            for start in range(0, len(told), len(sentence))
            for position in _in_order(sentence, told[start : start + SPREAD * len(sentence)])
        }

    def _is_known(self, sentence: Sequence[str]) -> bool:
        """True of a sentence that the asker wrote, or that a known text has in the same order."""
        asked = any("".join(sentence) in form for text in self.asker for form in letter_forms(text))
        return asked or any(_in_order(sentence, words(text)) for text in self.known)

    @cached_property
    def _known_words(self) -> frozenset[str]:
        return frozenset(word for text in self.known for word in words(text))

    @cached_property
    def _other_fingerprints(self) -> list[Fingerprints]:
        """Of each secret text that is none of the course's own."""
        return [_fingerprints(text) for text in self.secret if not self.course.holds(text)]

    @cached_property
    def _open_fingerprints(self) -> Hashes:
        """Of what the run has found for students and the asker has written, as it is and as it may be read."""
        texts = (*self.known, *self.asker)
        readings = (reading for text in texts for reading in all_readings([text]))
        return ordered(grams(row.letters) for reading in readings for row in letter_rows(reading))


def without_leaks(
    markdown: str,
    secret: Sequence[str],
    known: Sequence[str] = (),
    course: CourseSecrets = NO_SECRETS,
    asker: Sequence[str] = (),
) -> tuple[str, int]:
    """The text without the sentences and code that repeat a text for staff, and how many were withheld."""
    (left,), withheld = without_repeats([markdown], StaffTexts(secret, known, course, asker))
    return left, withheld


def without_repeats(texts: Sequence[str], staff: StaffTexts) -> tuple[list[str], int]:
    """Texts that are shown beside each other, without the sentences that repeat a text for staff, and their count.

    They are compared as if they were one text, since a sentence may be spread over several of them.
    """
    parts = [(number, unit.text) for number, text in enumerate(texts) for unit in units(text)]
    repeated = staff.repeated([text for _, text in parts])
    if not repeated:
        return list(texts), 0
    left: dict[int, list[str]] = {parts[number][0]: [] for number in repeated}
    for position, (number, text) in enumerate(parts):
        if number in left and position not in repeated:
            left[number].append(text)
    return [_joined(left[number]) if number in left else text for number, text in enumerate(texts)], len(repeated)


def _joined(parts: Iterable[str]) -> str:
    return re.sub(r"\n{3,}", "\n\n", "".join(parts)).strip()


def _in_order(sentence: Sequence[str], told: Sequence[str]) -> set[int]:
    """Positions of the sentence's words in a text that has `ENOUGH` of them in order; else none."""
    if LCSseq.similarity(sentence, told) < ENOUGH * len(sentence):
        return set()
    blocks = LCSseq.opcodes(sentence, told).as_matching_blocks()
    return {block.b + n for block in blocks for n in range(block.size)}


@lru_cache(maxsize=MAX_KEPT)
def _fingerprints(text: str) -> Fingerprints:
    return Fingerprints.of([text])


@lru_cache(maxsize=MAX_KEPT)
def _sentences(text: str) -> Collection[tuple[str, ...]]:
    """The words of each sentence and line that is long enough to be told word by word."""
    return [line for line in dict.fromkeys(map(words, lines(text))) if len(line) >= MIN_OWN]
