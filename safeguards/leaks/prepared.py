"""Texts in the forms in which they are compared, made once: the same secrets are found again and again."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

from core.text.sentences import units
from safeguards.leaks.alignment import Positions
from safeguards.leaks.decoders import arrangements, as_written, ciphers, decoded
from safeguards.leaks.letters import (
    dressed_and_bare,
    folded,
    leet_forms,
    plain,
    plain_letters,
    tokens,
    with_symbols_as_letters,
    words,
)
from safeguards.leaks.scattered import MIN_OWN, Sentences

SHINGLE = 5
"""Tokens in a row that count as copied where a staff-only text has them in that order and no open text has."""
WHOLE, WHOLE_WORDS = 6, 4
"""Tokens, and words among them, from which a whole secret sentence or line makes a leak, however short it is."""
WHOLE_LETTERS = 16
"""Letters from which a whole secret line is looked for letter by letter."""
HEAD = 8
"""Letters that five words in a row have at least, to be looked for letter by letter."""
MOSTLY = 0.6
"""Share of letters among letters and digits from which digits may be read as letters."""
MAX_PREPARED = 512
"""Texts that are kept prepared; the least recently used go first."""

Words = tuple[str, ...]
ByHead = Mapping[str, Collection[Words]]
"""Runs of words by their first `HEAD` letters; those that have fewer are left out."""
_LABEL = re.compile(r"^\W*(solution|answer)s?\W*:\W*", re.IGNORECASE)


class WordRuns(NamedTuple):
    """Runs of words to look for letter by letter, with digits read as letters, and with digits as digits."""

    folded: ByHead
    exact: ByHead


class PreparedText:
    """A text in each form in which it is compared; a form is made when it is first needed.

    All forms are made of what `read` gives.
    """

    def __init__(self, text: str, read: Callable[[str], str] = plain) -> None:
        self.text = text
        self._read = read

    @cached_property
    def in_letters(self) -> PreparedText:
        """The text without its digits."""
        return PreparedText(self.text, plain_letters)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        return tuple(tokens(self._read(self.text)))

    @cached_property
    def shingles(self) -> frozenset[Words]:
        """The tokens, so many in a row as count as copied."""
        return frozenset(shingles(self.tokens))

    @cached_property
    def joined(self) -> str:
        return joined(self.tokens)

    @cached_property
    def telling(self) -> tuple[Words, ...]:
        """The tokens of each sentence and line that tells something."""
        return tuple(line for line in dict.fromkeys(tuple(tokens(one)) for one in self.lines) if _is_telling(line))

    @cached_property
    def whole(self) -> Mapping[Words, Collection[str]]:
        """The sentences and lines that tell something, the tokens of each joined, by their first shingle."""
        found: defaultdict[Words, list[str]] = defaultdict(list)
        for line in self.telling:
            found[line[:SHINGLE]].append(joined(line))
        return dict(found)

    @cached_property
    def sentences(self) -> Sentences:
        """Those that are long enough to be told word by word."""
        return Sentences([line for line in self.telling if len(line) >= MIN_OWN])

    @cached_property
    def positions(self) -> Positions:
        return Positions(self.tokens)

    @cached_property
    def decoded(self) -> tuple[PreparedText, ...]:
        """The text, what it says when encodings are undone, each of them ciphered, and the text read as leet."""
        readings = [as_written([self.text]), *decoded([self.text])]
        ciphered = [*arrangements(readings[0]), *(other for pieces in readings for other in ciphers(pieces))]
        texts = dict.fromkeys(" ".join(piece.text for piece in pieces) for pieces in (*readings[1:], *ciphered))
        return (self, *map(PreparedText, (*texts, *leet_forms(self._read(self.text)))))

    @cached_property
    def forms(self) -> tuple[str, ...]:
        """The words, joined by spaces, in each form."""
        return tuple(dict.fromkeys(" ".join(words(form)) for form in dressed_and_bare(self._read(self.text))))

    @cached_property
    def letters(self) -> str:
        """The letters and digits of all forms."""
        return " ".join(form.replace(" ", "") for form in self.forms)

    @cached_property
    def folded_letters(self) -> str:
        """The same with digits, and symbols too, read as the letters they look like."""
        symbols = with_symbols_as_letters(self._read(self.text))
        others = "" if symbols == self._read(self.text) else "".join(words(symbols))
        return folded(f"{self.letters} {others}")

    @cached_property
    def runs(self) -> WordRuns:
        """The words, so many in a row as count as copied."""
        forms = (words(form) for form in dressed_and_bare(with_symbols_as_letters(self._read(self.text))))
        return _runs(run for form in (*map(str.split, self.forms), *forms) for run in shingles(form))

    @cached_property
    def spelt_lines(self) -> WordRuns:
        """The words of each sentence and line that tells something."""
        telling = (one for one in self.lines if _is_telling(tokens(one)))
        both = (reading for one in telling for reading in dict.fromkeys((one, with_symbols_as_letters(one))))
        lines = (tuple(words(form)) for one in both for form in dressed_and_bare(one))
        return _runs(line for line in lines if len(line) >= WHOLE_WORDS and sum(map(len, line)) >= WHOLE_LETTERS)

    @property
    def lines(self) -> Iterator[str]:
        """The sentences and lines in plain form, without the label before them."""
        return (self._read(_LABEL.sub("", line)) for unit in units(self.text) for line in unit.text.splitlines())


Prepare = Callable[[str], PreparedText]
"""Gives a text prepared: `PreparedText` itself, or a course's part of a `TextCache`."""


class TextCache:
    """Prepared texts of courses, for as long as the cache's owner lives. No course meets a text of another."""

    def __init__(self, size: int = MAX_PREPARED) -> None:
        self._prepared = lru_cache(maxsize=size)(_prepared)

    def of(self, course_id: str) -> Prepare:
        """Prepares texts of a course."""
        return partial(self._prepared, course_id)


def _prepared(course_id: str, text: str) -> PreparedText:
    return PreparedText(text)


def joined(found: Iterable[str]) -> str:
    """Tokens in a form in which whole ones are found."""
    return f" {' '.join(found)} "


def shingles(found: Sequence[str]) -> Iterator[Words]:
    """`SHINGLE` in a row, from each position."""
    return zip(*(found[n:] for n in range(SHINGLE)), strict=False)


def _is_telling(line: Sequence[str]) -> bool:
    return len(line) >= WHOLE and sum(token[0].isalnum() for token in line) >= WHOLE_WORDS


def _runs(found: Iterable[Words]) -> WordRuns:
    by_letters: tuple[list[Words], list[Words]] = ([], [])
    for run in set(found):
        by_letters[not _is_wordy("".join(run))].append(run)
    return WordRuns(_by_head(tuple(map(folded, run)) for run in by_letters[0]), _by_head(by_letters[1]))


def _is_wordy(letters: str) -> bool:
    return sum(map(str.isalpha, letters)) >= MOSTLY * len(letters)


def _by_head(runs: Iterable[Words]) -> ByHead:
    found: defaultdict[str, set[Words]] = defaultdict(set)
    for run in runs:
        if len(head := "".join(run)[:HEAD]) == HEAD:
            found[head].add(run)
    return dict(found)
