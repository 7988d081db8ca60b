"""An answer, or what it is when decoded, in the forms in which its parts are compared with secrets."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from itertools import accumulate

import numpy as np

from safeguards.leaks.alignment import Positions
from safeguards.leaks.ciphers import rot13
from safeguards.leaks.course import CourseSecrets
from safeguards.leaks.letters import (
    BREAK,
    apart,
    dressed_and_bare,
    folded,
    leet_forms,
    letter_forms,
    together,
    tokens,
    with_symbols_as_letters,
    words,
)
from safeguards.leaks.prepared import HEAD, SHINGLE, PreparedText, Words, shingles
from safeguards.leaks.prints import NO_HASHES, Hashes, grams, windows
from safeguards.leaks.streams import margin_spans
from safeguards.leaks.work import Work

SEARCHED = 5000
"""Letters that are searched in one unit of work."""


class Spelling:
    """The letters of all parts in one form. `is_folded` where its digits are read as letters."""

    def __init__(self, parts: Sequence[str], *, is_folded: bool) -> None:
        self.letters = "".join(parts)
        self.is_folded = is_folded
        self._ends = list(accumulate(map(len, parts)))

    @cached_property
    def heads(self) -> frozenset[str]:
        """All the `HEAD` letters in a row there are."""
        letters = self.letters
        return frozenset([letters[start : start + HEAD] for start in range(len(letters) - HEAD + 1)])

    def has(self, letters: str) -> bool:
        """True where the letters stand in a row; the last `HEAD` of them are looked up first, which is quicker."""
        return letters[-HEAD:] in self.heads and letters in self.letters

    def part(self, position: int) -> int:
        """Number of the part to which the letter at a position belongs."""
        return bisect_right(self._ends, position)


class Reading:
    """The parts of an answer; a form is made when it is first needed."""

    def __init__(self, parts: Sequence[str]) -> None:
        self.parts = parts

    @cached_property
    def plain(self) -> str:
        return together(self.parts)

    @cached_property
    def tokens(self) -> list[list[str]]:
        """The tokens of each part."""
        return [tokens(part) for part in apart(self.plain)]

    @cached_property
    def flat(self) -> list[str]:
        """The tokens of all parts."""
        return tokens(self.plain.replace(BREAK, "\n"))

    @cached_property
    def spellings(self) -> list[Spelling]:
        """With digits as digits, and with digits and symbols read as letters."""
        exact = dict.fromkeys(_letters(form) for form in dressed_and_bare(self.plain))
        symbols = with_symbols_as_letters(self.plain)
        both = exact if symbols == self.plain else [*exact, *map(_letters, dressed_and_bare(symbols))]
        leet = dict.fromkeys(tuple(map(folded, parts)) for parts in both)
        return [Spelling(parts, is_folded=False) for parts in exact] + [
            Spelling(parts, is_folded=True) for parts in leet
        ]

    @cached_property
    def windows(self) -> Hashes:
        """Fingerprints of tokens in a row."""
        return windows(self.flat, SHINGLE)

    @cached_property
    def leet_forms(self) -> Sequence[str]:
        """The text of all parts with digits in words read as letters."""
        return leet_forms(self.plain)

    @cached_property
    def leet_windows(self) -> Hashes:
        """Fingerprints of tokens in a row of those forms."""
        forms = (tokens(form.replace(BREAK, "\n")) for form in self.leet_forms)
        return np.concatenate([NO_HASHES, *(windows(form, SHINGLE) for form in forms)])

    @cached_property
    def grams(self) -> Hashes:
        """Fingerprints of letters in a row, in every form in which they may be read."""
        return grams_of(self.letters)

    @cached_property
    def ciphered_grams(self) -> Hashes:
        """The same of what the letters say by rot13, and backwards."""
        return grams_of([other for one in self.letters for other in (rot13(one), one[::-1])])

    @cached_property
    def arranged_grams(self) -> Hashes:
        """The same of what words and letters say by `arrangements`."""
        text = self.plain.replace(BREAK, "")
        found = words(text)
        read = [rot13("".join(found))[::-1], "".join(word[::-1] for word in found), "".join(reversed(found))]
        margins = ("".join(text[start:end] for start, end in spans) for spans in margin_spans(text))
        return grams_of([*read, *margins])

    @cached_property
    def letters(self) -> list[str]:
        """The letters and digits, in every form in which they may be read."""
        return letter_forms(self.plain)

    def without(self, gone: Collection[int]) -> Reading:
        """The reading with nothing in some parts."""
        if not gone:
            return self
        left = Reading(["" if number in gone else part for number, part in enumerate(self.parts)])
        left.tokens = [[] if number in gone else found for number, found in enumerate(self.tokens)]
        left.flat = [token for part in left.tokens for token in part]
        return left


class OpenTexts:
    """Texts that are no secret, prepared on first use, since they are rarely needed.

    What the `asker` wrote excuses only what repeats it in a row: else a list of words would excuse all their sentences.
    """

    def __init__(
        self,
        make: Callable[[], Sequence[PreparedText]],
        course: CourseSecrets,
        work: Work,
        asker: Callable[[], Sequence[PreparedText]] = tuple,
    ) -> None:
        self._make = make
        self._make_askers = asker
        self._course = course
        self._work = work
        self._asked: dict[tuple[str, bool], bool] = {}

    @cached_property
    def texts(self) -> Sequence[PreparedText]:
        """Those of the asker included."""
        return [*self._open, *self._askers]

    @cached_property
    def _open(self) -> Sequence[PreparedText]:
        return self._make()

    @cached_property
    def _askers(self) -> Sequence[PreparedText]:
        return self._make_askers()

    @cached_property
    def words(self) -> frozenset[str]:
        """Those of texts by others than the asker."""
        return frozenset[str]().union(*(text.positions.words for text in self._open))

    @cached_property
    def positions(self) -> list[Positions]:
        """Of each text by others than the asker."""
        return [text.positions for text in self._open]

    def repeated(self, tokens: Sequence[str]) -> set[int]:
        """Positions of the tokens that the asker wrote as well, `SHINGLE` in a row at least."""
        starts = (
            start
            for start, shingle in enumerate(shingles(tokens))
            if any(shingle in text.shingles for text in self._askers)
        )
        return {position for start in starts for position in range(start, start + SHINGLE)}

    @cached_property
    def decoded(self) -> OpenTexts:
        """These and what they say when encodings are undone."""
        return OpenTexts(
            lambda: [other for text in self._open for other in text.decoded],
            self._course,
            self._work,
            lambda: [other for text in self._askers for other in text.decoded],
        )

    @cached_property
    def in_letters(self) -> OpenTexts:
        """These without their digits."""
        return OpenTexts(
            lambda: [text.in_letters for text in self._open],
            self._course,
            self._work,
            lambda: [text.in_letters for text in self._askers],
        )

    def unknown_shingles(self, found: set[Words]) -> set[Words]:
        """Those of the shingles that no text has."""
        left = found - self._course.open_shingles(found)
        return left.difference(*(text.shingles for text in self.texts)) if left else left

    def have_line(self, line: str) -> bool:
        """True where one of the texts has the line, its tokens joined."""
        return self.is_open(line.split()) or any(line in text.joined for text in self.texts)

    def is_open(self, tokens: Sequence[str]) -> bool:
        """True where the texts that all students of the course may read have the tokens in a row."""
        return self._course.has_open_line(tokens)

    def have_run(self, run: Words, *, is_folded: bool) -> bool:
        """True where one of the texts has the words' letters in a row. The result is cached, as decoders ask again."""
        key = letters, is_folded = "".join(run), is_folded
        if key not in self._asked:
            self._asked[key] = self._course.has_open_run(run) or self._have_letters(letters, is_folded)
        return self._asked[key]

    def _have_letters(self, letters: str, is_folded: bool) -> bool:
        texts = [text.folded_letters if is_folded else text.letters for text in self.texts]
        self._work.spend(sum(map(len, texts)) // SEARCHED)
        return any(letters in text for text in texts)


def grams_of(letters: Iterable[str]) -> Hashes:
    """Fingerprints of letters in a row of several texts; folded, as those of staff texts are."""
    return np.concatenate([NO_HASHES, *(grams(folded(one)) for one in letters)])


def _letters(form: str) -> tuple[str, ...]:
    return tuple("".join(words(part)) for part in apart(form))
