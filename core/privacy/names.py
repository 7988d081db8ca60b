"""Names of listed people in a text, in time linear in the text and in the names (decision 0055).

A name of several parts is looked for in the letters of the text, whatever stands between its parts; a part alone is
looked for as a word, and counts where the text speaks of a person.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import regex

from core.privacy.letters import Letters, letters_of
from core.privacy.spans import Kind, Span, longest
from core.privacy.spellings import KnownPerson, Spelling, parts_of, pieces_of, spellings_of
from core.privacy.words import EPONYMS, MIN_PART_CHARS, WORDS
from core.text.normal import NormalText, readings

__all__ = ["KnownPerson", "Names"]

_PREFIX = 2
"""Letters by which spellings are looked up."""
_WORD = re.compile(r"(?<![\w./\\])(?<![\w.]@)[^\W\d_]+(?![\w/\\(]|\.\w)")
_BEFORE = regex.compile(
    r"(?:\b(?:hi|hey|hello|dear|thanks|thank you|cheers|regards|best|sincerely|prof|professor|dr|mr|mrs|ms|ta|tutor|"
    r"instructor|lecturer|partner|teammate|classmate|friend|roommate|with|and|or|from|by|ask(?:ed)?|told|tell|met|saw|"
    r"emailed|messaged|named|called|cc|@|i am|i'm|name is|this is|for|to|to:|from:)[.,:!]?\s+|[-–—~@]\s?)$",
    regex.IGNORECASE,
)
_AFTER = regex.compile(
    r"(?:['’]s\b|\s+(?:said|says|told|tells|asked|asks|thinks|thought|wrote|writes|mentioned|explained|suggested|showed|"
    r"replied|answered|and i\b|helped|sent|got|did|has|had|was|is|gave|posted|from my)\b"
    r"|\s*(?:here|again)\b|,?\s*$|\s*\()",
    regex.IGNORECASE,
)
_AROUND = 24


@dataclass(frozen=True)
class Names:
    """Finds the names of these people, in any spelling that a person reads as the name, whole or in parts."""

    people: tuple[KnownPerson, ...]

    def find(self, text: str, forms: Iterable[NormalText] | None = None) -> Iterator[Span]:
        """The names in a text; `Span.of` is the person's name as it was listed. `forms` are its readings."""
        if not self.people:
            return
        spans = [span for form in forms or readings(text) for span in self._in_reading(form)]
        last: Span | None = None
        for span in longest(spans):
            if last and last.of == span.of and not text[last.end : span.start].strip():
                span = Span(last.start, span.end, Kind.NAME, span.of)
            elif last:
                yield last
            last = span
        if last:
            yield last

    @property
    def is_prepared(self) -> bool:
        """True once their spellings were worked out, which takes a while for many people."""
        return "_spellings" in self.__dict__

    def _in_reading(self, form: NormalText) -> Iterator[Span]:
        for start, end, name in (*self._whole_names(letters_of(form.text)), *self._parts(form.text)):
            yield Span(*form.written(start, end), Kind.NAME, name)

    def _whole_names(self, letters: Letters) -> Iterator[tuple[int, int, str]]:
        """Names of several parts; at each place the longest."""
        start = 0
        while start < len(letters.text) - 1:
            spelling = self._spelling_at(letters, start)
            if spelling is None:
                start += 1
            else:
                end = start + len(spelling.letters)
                yield *letters.extent(start, end), spelling.name
                start = end

    def _spelling_at(self, letters: Letters, start: int) -> Spelling | None:
        for length in self._lengths.get(letters.text[start : start + _PREFIX], ()):
            for spelling in self._spellings.get(letters.text[start : start + length], ()):
                if spelling.fits(letters, start):
                    return spelling
        return None

    def _parts(self, text: str) -> Iterator[tuple[int, int, str]]:
        owners = self._owners
        for match in _WORD.finditer(text):
            if (name := owners.get(key := match[0].casefold())) and _is_name(key, text, *match.span()):
                yield *match.span(), name

    @cached_property
    def _owners(self) -> dict[str, str]:
        """Names of one word, and parts of longer ones -> the person that they stand for, in this order."""
        owners: dict[str, str] = {}
        for person in self.people:
            for pieces in pieces_of(person):
                if len(pieces) == 1:
                    owners.setdefault(pieces[0], person.name)
        for person in self.people:
            for part in parts_of(person):
                if len(part) >= MIN_PART_CHARS:
                    owners.setdefault(part, person.name)
        return owners

    @cached_property
    def _spellings(self) -> dict[str, list[Spelling]]:
        """The letters of names of several parts -> how they may be written; the first person who has one owns it."""
        by_letters: defaultdict[str, dict[Spelling, None]] = defaultdict(dict)
        for person in self.people:
            for spelling in spellings_of(person):
                by_letters[spelling.letters].setdefault(spelling)
        return {letters: list(spellings) for letters, spellings in by_letters.items()}

    @cached_property
    def _lengths(self) -> dict[str, tuple[int, ...]]:
        """The lengths of spellings by their first letters, longest first."""
        lengths: defaultdict[str, set[int]] = defaultdict(set)
        for letters in self._spellings:
            lengths[letters[:_PREFIX]].add(len(letters))
        return {prefix: tuple(sorted(known, reverse=True)) for prefix, known in lengths.items()}


def _is_name(key: str, text: str, start: int, end: int) -> bool:
    """True unless the characters are a word or a term in this place."""
    written = text[start:end]
    if key in EPONYMS:
        return _is_addressed(text, start)
    is_capital = written[:1].isupper()
    if key not in WORDS and len(key) > MIN_PART_CHARS:
        return True
    if not is_capital or (written.isupper() and len(written) > 1):
        return False
    return not _begins_sentence(text, start) or _is_addressed(text, start) or bool(_AFTER.match(text, end))


def _is_addressed(text: str, start: int) -> bool:
    return bool(_BEFORE.search(text[max(0, start - _AROUND) : start]))


def _begins_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - _AROUND) : start].rstrip(" \t\"'“(*_#>-")
    return not before or before[-1] in ".!?:\n"
