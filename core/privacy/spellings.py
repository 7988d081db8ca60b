"""The spellings of a person's name, as letters in a row with the places at which they may be apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import accumulate

from core.privacy.letters import Edge, Letters
from core.privacy.words import EPONYMS, PARTICLES, WORDS
from core.text.normal import readings
from core.types import Value

MIN_GLUED = 6
"""Letters from which a name is found where its parts are written as one word."""
MIN_GLUED_WORD = 9
"""The same where one of its parts is a word of the language: "Mark Down"."""
MIN_WITHIN = 7
"""Letters from which it is found within a longer word."""
MIN_SPELT = 4
"""Letters from which it is found where they stand apart, one by one."""
MIN_ID_DIGITS = 5
"""Digits from which an id is found whatever groups it is written in."""
MIN_ACCOUNT = 5
"""Letters and digits from which the name of an account is found with something between them."""
MAX_LETTERS = 80
"""Of a spelling; a longer one is looked for by its beginning."""
_JOINT = re.compile(r"[-_./\\+*~`|'’\"<>]{1,4}")
"""What joins the parts of a name in an address, a path or an identifier."""
_MARKS = re.compile(r"[*_~`|'\"()\[\]]*\s+[*_~`|'\"()\[\]]*|\s?-\s?")
_COMMA = re.compile(r"[*_~`'\"]*\s?,\s*[*_~`'\"]*")
_DOT = re.compile(r"\.\s?|[_-]")
_MARKUP = re.compile(r"[*~`\\|]{1,4}")
_GROUPED = re.compile(r"[ .\-_/]{1,2}")
_MAX_GAP = 6
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_APOSTROPHE = re.compile(r"(?<=\w)['’`](?=\w)")
_PIECE = re.compile(r"[^\W_]+")
_RUNS = re.compile(r"\d+|[^\W\d_]+")
_CASELESS = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")


class KnownPerson(Value):
    """Someone whose name must not reach a model; `pseudonym` is what they are called where names are left out."""

    name: str
    aliases: tuple[str, ...] = ()
    pseudonym: str = ""


class Form(StrEnum):
    """How a spelling is built, which decides what may stand between its parts."""

    WHOLE = "whole"
    REVERSED = "reversed"
    """Last name first."""
    INITIAL = "initial"
    """One of two parts is a letter."""
    WORD = "word"
    """One word, which is found by its letters where they stand apart."""
    JOINED = "joined"
    """One word with an apostrophe or hyphen, which may be left out."""
    ID = "id"
    """With many digits."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """The letters of a name; `cuts` are the positions at which a part begins, 0 aside."""

    letters: str
    cuts: frozenset[int]
    form: Form
    has_only_words: bool
    """True if all of its parts are words of the language, too."""
    has_word: bool
    """True if one of them is."""
    name: str = field(compare=False)
    """Of the person. The first of those who share a spelling owns it."""

    def fits(self, letters: Letters, start: int) -> bool:
        """True if the letters at a position are written so that a person reads the name."""
        end = start + len(self.letters)
        if self._is_spelt(letters, start, end):
            return True
        if self.form is Form.WORD or not self._has_edges(letters, start, end):
            return False
        if not all(self._may_part(letters, start, cut) for cut in letters.apart(start, end)):
            return False
        seams = [letters.edges[start + cut] for cut in self.cuts]
        if self.form is Form.INITIAL:
            return self._is_initial(letters, start, end, seams)
        if self.form in (Form.JOINED, Form.ID) or (Edge.NONE not in seams and not self.has_only_words):
            return True
        if self.has_only_words:
            return all(seam == Edge.HARD for seam in seams) or self._is_pascal(letters, start)
        return len(self.letters) >= (MIN_GLUED_WORD if self.has_word else MIN_GLUED)

    def _has_edges(self, letters: Letters, start: int, end: int) -> bool:
        if letters.edges[start] and letters.edges[end]:
            return True
        return self.form in (Form.WHOLE, Form.REVERSED) and len(self.letters) >= MIN_WITHIN and not self.has_only_words

    def _is_spelt(self, letters: Letters, start: int, end: int) -> bool:
        """True if each letter stands alone, with little between them."""
        return (
            len(self.letters) >= MIN_SPELT
            and letters.edges[start] == letters.edges[end] == Edge.HARD
            and letters.edges.count(Edge.HARD, start + 1, end) == len(self.letters) - 1
            and all(len(letters.gap(start + cut)) <= _MAX_GAP for cut in letters.apart(start, end))
        )

    def _may_part(self, letters: Letters, start: int, cut: int) -> bool:
        gap = letters.gap(start + cut)
        if self.form is Form.ID:
            return _GROUPED.fullmatch(gap) is not None or cut in self.cuts
        if cut not in self.cuts:
            is_spelt = letters.edges[start + cut + 1] == letters.edges[start + cut - 1] == Edge.HARD
            return len(self.letters) >= MIN_GLUED and (
                _MARKUP.fullmatch(gap) is not None or (is_spelt and len(gap) <= _MAX_GAP)
            )
        if self.form is Form.REVERSED and _COMMA.fullmatch(gap):
            return True
        if self.form is Form.INITIAL:
            return _DOT.fullmatch(gap) is not None or (gap.isspace() and self._dot_follows(letters, start))
        if _MARKS.fullmatch(gap):
            return True
        return _JOINT.fullmatch(gap) is not None and not (self.has_only_words and gap[0] in "./+")

    def _is_initial(self, letters: Letters, start: int, end: int, seams: Sequence[int]) -> bool:
        """`J. Doe`, `Jane D.`, `JDoe`, and `jdoe` where it is the name of an account."""
        if Edge.HARD in seams:
            return True
        if self.has_only_words:
            return False
        first, last = letters.extent(start, end)
        if Edge.SOFT in seams:
            return letters.source[first].isupper()
        return letters.source[last : last + 1] == "@" or letters.source[first - 1 : first] == "@"

    def _dot_follows(self, letters: Letters, start: int) -> bool:
        _, last = letters.extent(start, start + len(self.letters))
        return max(self.cuts) == len(self.letters) - 1 and letters.source[last : last + 1] == "."

    def _is_pascal(self, letters: Letters, start: int) -> bool:
        """True for `GraceHall`."""
        beginnings = (letters.source[letters.at[start + cut]] for cut in (0, *self.cuts))
        return all(letters.edges[start + cut] for cut in self.cuts) and all(map(str.isupper, beginnings))


def pieces_of(person: KnownPerson) -> Iterator[tuple[str, ...]]:
    """Name and aliases in small letters, each in its parts, in every reading."""
    for name in (person.name, *person.aliases):
        for variant in dict.fromkeys((name, name.translate(_UMLAUTS))):
            for form in readings(_APOSTROPHE.sub("", variant)):
                if pieces := tuple(piece.casefold() for piece in _PIECE.findall(form.text)):
                    yield pieces


def parts_of(person: KnownPerson) -> Iterator[str]:
    """Parts of the names that stand for the person alone."""
    for pieces in pieces_of(person):
        yield from (piece for piece in pieces if piece not in PARTICLES and piece.isalpha())


def spellings_of(person: KnownPerson) -> Iterator[Spelling]:
    """The spellings that are found by their letters."""
    for pieces in dict.fromkeys(pieces_of(person)):
        if sum(char.isdigit() for piece in pieces for char in piece) >= MIN_ID_DIGITS:
            yield _spelling(pieces, Form.ID, person)
        elif len(pieces) == 1:
            yield from _of_one_word(pieces[0], person)
        else:
            yield from _of_parts(pieces, person)
    for name in (person.name, *person.aliases):
        yield from _with_apostrophes(name, person)


def _of_one_word(word: str, person: KnownPerson) -> Iterator[Spelling]:
    if _CASELESS.fullmatch(word):
        yield _spelling(tuple(word), Form.WHOLE, person)
    elif not word.isalpha():
        yield _spelling(_RUNS.findall(word) if len(word) >= MIN_ACCOUNT else (word,), Form.JOINED, person)
    elif word not in WORDS and word not in EPONYMS:
        yield _spelling((word,), Form.WORD, person)


def _of_parts(pieces: Sequence[str], person: KnownPerson) -> Iterator[Spelling]:
    first, last = pieces[0], pieces[-1]
    yield _spelling(pieces, Form.WHOLE, person)
    if len(pieces) > 2:
        yield _spelling((first, last), Form.WHOLE, person)
        yield _spelling((*pieces[1:], first), Form.REVERSED, person)
    yield _spelling((last, first), Form.REVERSED, person)
    yield from (_spelling(both, Form.INITIAL, person) for both in ((first[0], last), (first, last[0])))
    for piece in pieces:
        if piece not in PARTICLES and piece.isalpha():
            yield from _of_one_word(piece, person)


def _with_apostrophes(name: str, person: KnownPerson) -> Iterator[Spelling]:
    """Words of a name with an apostrophe or hyphen: `O'Neil`, `Jean-Luc`."""
    for form in readings(name):
        for word in form.text.split():
            pieces = tuple(piece.casefold() for piece in _PIECE.findall(word))
            if len(pieces) > 1 and all(map(str.isalpha, pieces)):
                yield _spelling(pieces, Form.JOINED if _APOSTROPHE.search(word) else Form.WHOLE, person)


def _spelling(pieces: Sequence[str], form: Form, person: KnownPerson) -> Spelling:
    cuts = [*accumulate(map(len, pieces))][:-1]
    letters = "".join(pieces)
    return Spelling(
        letters[:MAX_LETTERS],
        frozenset(cut for cut in cuts if cut < MAX_LETTERS),
        form,
        name=person.name,
        has_word=any(piece in WORDS for piece in pieces),
        has_only_words=all(piece in WORDS or (len(piece) == 1 and piece.isascii()) for piece in pieces),
    )
