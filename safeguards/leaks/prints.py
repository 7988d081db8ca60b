"""Fingerprints: 64-bit hashes of words and letters in a row, kept in sorted arrays and looked up all at once.

A look-up costs the same for a course of ten texts and for one of thousands. A match is only a reason to compare texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Numbers = NDArray[np.intp]

GRAM = 16
"""Letters in a row that make a fingerprint; the shortest line that is looked for letter by letter has as many."""
MAX_OWNERS = 4
"""Texts that are named for one fingerprint: what more of them share is a phrase, and tells little."""
SLOTS_PER_HASH = 8
"""Slots of the table that is looked at first; most hashes that are not there are found to be missing by it."""
_BASE, _INVERSE = 0x9E3779B97F4A7C15, pow(0x9E3779B97F4A7C15, -1, 1 << 64)
_MIX = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
NO_HASHES: Hashes = np.empty(0, np.uint64)


def spans(letters: str, starts: Numbers, ends: Numbers) -> Hashes:
    """The hash of each stretch of letters from a start to before an end."""
    sums = _sums(letters)
    return _mixed((sums[ends] - sums[starts]) * _powers(_INVERSE, len(sums))[starts])


def grams(letters: str) -> Hashes:
    """The hashes of all `GRAM` letters in a row there are."""
    if (count := len(letters) - GRAM + 1) <= 0:
        return NO_HASHES
    sums = _sums(letters)
    return _mixed((sums[GRAM:] - sums[:-GRAM]) * _powers(_INVERSE, count))


def grams_apart(texts: Sequence[str]) -> Hashes:
    """The hashes of texts of `GRAM` letters each."""
    starts = np.arange(0, GRAM * len(texts), GRAM)
    return spans("".join(texts), starts, starts + GRAM)


def runs(words: Sequence[str], length: int) -> Hashes:
    """The hashes of the letters of so many words in a row, from each word."""
    if len(words) < length:
        return NO_HASHES
    ends = np.cumsum([0, *map(len, words)])
    return spans("".join(words), ends[:-length], ends[length:])


def word_starts(words: Sequence[str]) -> Hashes:
    """The hashes of the `GRAM` letters from the start of each word on, whatever words they belong to."""
    letters = "".join(words)
    starts = np.cumsum([0, *map(len, words)])
    starts = starts[starts <= len(letters) - GRAM]
    return spans(letters, starts, starts + GRAM) if len(starts) else NO_HASHES


def windows(tokens: Sequence[str], length: int) -> Hashes:
    """The hashes of so many tokens in a row, from each token. They differ between processes."""
    count = len(tokens) - length + 1
    if count <= 0:
        return NO_HASHES
    each = np.fromiter(map(hash, tokens), np.int64, len(tokens)).view(np.uint64)
    found = np.zeros(count, np.uint64)
    for offset in range(length):
        found = found * np.uint64(_BASE) + each[offset : offset + count]
    return _mixed(found)


def distinct(hashes: Hashes) -> Hashes:
    """The hashes in order, each once. For some thousand of them several times as quick as `np.unique`."""
    ordered = np.sort(hashes)
    is_first = np.ones(len(ordered), np.bool_)
    is_first[1:] = ordered[1:] != ordered[:-1]
    found: Hashes = ordered[is_first]
    return found


class HashSet:
    """Hashes that can be looked up many at a time: 8 bytes for each, and a table of one bit for each slot."""

    def __init__(self, hashes: Hashes) -> None:
        self.sorted = distinct(hashes)
        bits = max(len(self.sorted) * SLOTS_PER_HASH, 64).bit_length()
        self._shift = np.uint64(64 - bits)
        self._table = np.zeros(1 << (bits - 3), np.uint8)
        slots = self.sorted >> self._shift
        np.bitwise_or.at(self._table, slots >> np.uint64(3), _bit(slots))

    def __len__(self) -> int:
        return len(self.sorted)

    @property
    def nbytes(self) -> int:
        return self.sorted.nbytes + self._table.nbytes

    def find(self, hashes: Hashes) -> Hashes:
        """Those of the hashes that are here."""
        slots: Hashes = hashes >> self._shift
        likely: Hashes = hashes[(self._table[slots >> np.uint64(3)] & _bit(slots)) != 0]
        found: Hashes = likely[self._has(likely)]
        return found

    def without(self, hashes: Hashes) -> Hashes:
        """Those of the hashes that are not here."""
        left: Hashes = hashes[~self._has(hashes)]
        return left

    def _has(self, hashes: Hashes) -> NDArray[np.bool_]:
        if not len(self.sorted):
            return np.zeros(len(hashes), np.bool_)
        at = np.minimum(np.searchsorted(self.sorted, hashes), len(self.sorted) - 1)
        return np.equal(self.sorted[at], hashes)

    def has_all(self, hashes: Hashes) -> bool:
        """True where there are hashes, and all of them are here."""
        return len(hashes) > 0 and len(self.find(hashes)) == len(hashes)


@dataclass(frozen=True)
class Owned:
    """Hashes, and for each of them the numbers of a few texts that have it."""

    hashes: HashSet
    _all: Hashes
    _owners: NDArray[np.int32]

    @classmethod
    def of(cls, by_text: Iterable[Hashes], known: HashSet) -> Owned:
        """The hashes of texts in their order, but for those that are `known`."""
        each = [known.without(distinct(hashes)) for hashes in by_text]
        found = np.concatenate([NO_HASHES, *each])
        owners = np.repeat(np.arange(len(each), dtype=np.int32), [len(one) for one in each])
        order = np.argsort(found, kind="stable")
        found, owners = found[order], owners[order]
        # The position within the hashes that are equal.
        rank = np.arange(len(found)) - np.searchsorted(found, found)
        return cls(HashSet(found), found[rank < MAX_OWNERS], owners[rank < MAX_OWNERS])

    @property
    def nbytes(self) -> int:
        return self.hashes.nbytes + self._all.nbytes + self._owners.nbytes

    def owners(self, hashes: Hashes) -> set[int]:
        """The numbers of texts that have one of the hashes."""
        found = self.hashes.find(hashes)
        if not len(found):
            return set()
        return set(self._ranges(distinct(found)))

    def _ranges(self, found: Hashes) -> Iterator[int]:
        firsts, ends = np.searchsorted(self._all, found), np.searchsorted(self._all, found, "right")
        for first, end in zip(firsts, ends, strict=True):
            yield from self._owners[first:end].tolist()


def _sums(letters: str) -> Hashes:
    """The sums of the letters' codes up to each position, every code with a weight of its position."""
    codes = np.frombuffer(letters.encode("utf-32-le", "surrogatepass"), np.uint32)
    sums = np.zeros(len(codes) + 1, np.uint64)
    np.cumsum((codes + np.uint64(1)) * _powers(_BASE, len(codes)), out=sums[1:])
    return sums


def _bit(slots: Hashes) -> NDArray[np.uint8]:
    return (np.uint64(1) << (slots & np.uint64(7))).astype(np.uint8)


def _mixed(hashes: Hashes) -> Hashes:
    """The hashes with every bit depending on all others."""
    hashes = (hashes ^ (hashes >> _HALF)) * _MIX
    return hashes ^ (hashes >> _HALF)


def _powers(base: int, count: int) -> Hashes:
    """The first so many powers of a base, from 1 on."""
    return _power_table(base, 1 << max(count - 1, 1).bit_length())[:count]


@cache
def _power_table(base: int, count: int) -> Hashes:
    table = np.full(count, base, np.uint64)
    table[0] = 1
    return np.cumprod(table, dtype=np.uint64)
