"""An answer, or what it is when decoded, in the forms in which its parts are compared with secrets."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import accumulate

from pipelines.safeguards.decoders import as_written, ciphers, decoded
from pipelines.safeguards.letters import (
    apart,
    dressed_and_bare,
    folded,
    together,
    tokens,
    with_symbols_as_letters,
    words,
)
from pipelines.safeguards.prepared import HEAD, Prepare, PreparedText


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

    def __init__(self, texts: Sequence[str], prepare: Prepare) -> None:
        self.raw = texts
        self._prepare = prepare

    @cached_property
    def texts(self) -> list[PreparedText]:
        return [self._prepare(text) for text in self.raw]

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(token for text in self.texts for token in text.tokens)

    @cached_property
    def decoded(self) -> OpenTexts:
        """These and what they say when encodings are undone."""
        plain = [as_written([text]) for text in self.raw]
        readings = [*plain, *(pieces for text in self.raw for pieces in decoded([text]))]
        readings += [ciphered for pieces in readings for ciphered in ciphers(pieces)]
        return OpenTexts([" ".join(piece.text for piece in pieces) for pieces in readings], PreparedText)

    def have_letters(self, letters: str, *, is_folded: bool) -> bool:
        """True where one of the texts has the letters in a row."""
        return any(letters in (text.folded_letters if is_folded else text.letters) for text in self.texts)


def _letters(form: str) -> tuple[str, ...]:
    return tuple("".join(words(part)) for part in apart(form))
