"""An answer, or what it is when decoded, in the forms in which its parts are compared with secrets."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from itertools import accumulate

from pipelines.safeguards.alignment import Positions
from pipelines.safeguards.letters import (
    apart,
    dressed_and_bare,
    folded,
    together,
    tokens,
    with_symbols_as_letters,
    words,
)
from pipelines.safeguards.prepared import HEAD, PreparedText
from pipelines.safeguards.work import Work

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
    def spellings(self) -> list[Spelling]:
        """With digits as digits, and with digits and symbols read as letters."""
        exact = dict.fromkeys(_letters(form) for form in dressed_and_bare(self.plain))
        symbols = with_symbols_as_letters(self.plain)
        both = exact if symbols == self.plain else [*exact, *map(_letters, dressed_and_bare(symbols))]
        leet = dict.fromkeys(tuple(map(folded, parts)) for parts in both)
        return [Spelling(parts, is_folded=False) for parts in exact] + [
            Spelling(parts, is_folded=True) for parts in leet
        ]

    def without(self, gone: Collection[int]) -> Reading:
        """The reading with nothing in some parts."""
        left = Reading(["" if number in gone else part for number, part in enumerate(self.parts)])
        left.tokens = [[] if number in gone else found for number, found in enumerate(self.tokens)]
        return left


class OpenTexts:
    """What is no secret, prepared when it is first asked for: mostly nothing is copied, and nobody asks."""

    def __init__(self, make: Callable[[], Sequence[PreparedText]], work: Work) -> None:
        self._make = make
        self._work = work
        self._asked: dict[tuple[str, bool], bool] = {}

    @cached_property
    def texts(self) -> Sequence[PreparedText]:
        return self._make()

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset[str]().union(*(text.positions.words for text in self.texts))

    @cached_property
    def positions(self) -> list[Positions]:
        """Of each text."""
        return [text.positions for text in self.texts]

    @cached_property
    def decoded(self) -> OpenTexts:
        """These and what they say when encodings are undone."""
        return OpenTexts(lambda: [other for text in self.texts for other in text.decoded], self._work)

    def have_letters(self, letters: str, *, is_folded: bool) -> bool:
        """True where one of the texts has the letters in a row. The answer is kept: decoders give the same again."""
        key = letters, is_folded
        if key not in self._asked:
            texts = [text.folded_letters if is_folded else text.letters for text in self.texts]
            self._work.spend(sum(map(len, texts)) // SEARCHED)
            self._asked[key] = any(letters in text for text in texts)
        return self._asked[key]


def _letters(form: str) -> tuple[str, ...]:
    return tuple("".join(words(part)) for part in apart(form))
