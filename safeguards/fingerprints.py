"""Fingerprints of texts: 64-bit hashes of letters in a row, looked up in a sorted array, and of whole lines."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.text.sentences import units
from safeguards.readings import letter_forms, words

Hashes = NDArray[np.uint64]

GRAM = 16
"""Letters in a row that make a fingerprint."""
MIN_COPIED = 48
"""Letters in a row that count as copied: about nine words."""
MIN_LINE_WORDS = 4
"""Words of a line that counts as copied where all of it is, from `GRAM` letters on."""
_LABEL = re.compile(r"^\W*(solution|answer)s?\W*:\W*", re.IGNORECASE)
NO_HASHES: Hashes = np.empty(0, np.uint64)
_WEIGHTS: Hashes = np.random.default_rng(16).integers(1, 2**64 - 1, GRAM, np.uint64) | np.uint64(1)


def grams(letters: str) -> Hashes:
    """The hashes of all `GRAM` letters in a row there are, from the first on."""
    codes = np.frombuffer(letters.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    count = max(len(codes) - GRAM + 1, 0)
    hashes = np.zeros(count, np.uint64)
    for offset, weight in enumerate(_WEIGHTS):
        hashes += codes[offset : offset + count] * weight
    return hashes


def ordered(hashes: Iterable[Hashes]) -> Hashes:
    """The hashes in order, each once."""
    return np.unique(np.concatenate([NO_HASHES, *hashes]))


def among(hashes: Hashes, in_order: Hashes) -> NDArray[np.bool_]:
    """Which of the hashes are in an array of ordered ones."""
    if not len(in_order):
        return np.zeros(len(hashes), np.bool_)
    positions = np.minimum(np.searchsorted(in_order, hashes), len(in_order) - 1)
    return np.equal(in_order[positions], hashes)


def fingerprints_of(texts: Iterable[str]) -> Hashes:
    """The fingerprints of all forms of the texts, in order."""
    return ordered(grams(form) for text in texts for form in letter_forms(text))


def lines(text: str) -> Iterator[str]:
    """Sentences and lines, without the label before them."""
    return (_LABEL.sub("", line) for unit in units(text) for line in unit.text.splitlines())


@dataclass(frozen=True, eq=False)
class Fingerprints:
    """The fingerprints of secret texts, and their whole lines.

    A line is listed by the hash of its first letters, with the hash of its last and the positions between the two.
    """

    grams: Hashes = field(default_factory=NO_HASHES.copy)
    by_head: Mapping[int, Collection[tuple[int, int]]] = field(default_factory=dict)

    @classmethod
    def of(cls, texts: Iterable[str], known: Hashes = NO_HASHES) -> Fingerprints:
        """Those of the texts that are not `known`."""
        secret = list(texts)
        own = fingerprints_of(secret)
        by_head = defaultdict[int, set[tuple[int, int]]](set)
        for line in dict.fromkeys(
            line for text in secret for line in lines(text) if len(words(line)) >= MIN_LINE_WORDS
        ):
            for hashes in map(grams, letter_forms(line)):
                if not among(hashes, known).all():
                    by_head[int(hashes[0])].add((int(hashes[-1]), len(hashes) - 1))
        return cls(own[~among(own, known)], dict(by_head))

    @property
    def nbytes(self) -> int:
        """Bytes in memory, about."""
        return self.grams.nbytes + 200 * len(self.by_head)

    def copied(self, letters: str, known: Callable[[], Hashes]) -> list[tuple[int, int]]:
        """Start and end of each stretch of letters that is copied. What is `known` is asked only where there is one."""
        hashes = grams(letters)
        is_secret = among(hashes, self.grams)
        runs = _long_runs(is_secret)
        whole = list(self._whole_lines(hashes))
        if not (runs or whole):
            return []
        is_known = among(hashes, known())
        left = ((start, end) for start, end in whole if not is_known[start : end - GRAM + 1].all())
        return [*_long_runs(is_secret & ~is_known), *left]

    def _whole_lines(self, hashes: Hashes) -> Iterator[tuple[int, int]]:
        for start in np.flatnonzero(among(hashes, self._heads)).tolist():
            for last, positions in self.by_head[int(hashes[start])]:
                if start + positions < len(hashes) and int(hashes[start + positions]) == last:
                    yield start, start + positions + GRAM

    @cached_property
    def _heads(self) -> Hashes:
        return np.sort(np.fromiter(self.by_head, np.uint64, len(self.by_head)))


def _long_runs(is_secret: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Start and end of each stretch of letters, long enough, that secret fingerprints cover."""
    starts = np.flatnonzero(is_secret)
    groups = np.split(starts, np.flatnonzero(np.diff(starts) > GRAM) + 1) if len(starts) else []
    spans = ((int(group[0]), int(group[-1]) + GRAM) for group in groups)
    return [(start, end) for start, end in spans if end - start >= MIN_COPIED]
