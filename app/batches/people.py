"""Names of the people who handed in, which no model is to see."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.batches.layouts import Submitted
from app.batches.worksheet import EMAIL, IDENTIFIER, NAME, Row
from app.people.detectors import Detectors
from app.schemas import PersonIn
from core.course import Course
from core.privacy.masks import Detector
from core.privacy.names import KnownPerson, Names
from core.privacy.spans import Span
from core.text.normal import NormalText
from homework.mathematics.tokens import FUNCTIONS, GREEK
from homework.mathematics.units import unit_of_word

IDENTITY = ("first name", "last name", "surname", "username", "user name", "id number", "student id", "login")
"""Further columns of a worksheet that say who somebody is, in lower case."""
MIN_ALIAS_CHARS = 4
MIN_DIGITS = 6
"""Of an id of digits alone: a shorter one may be a number of the work."""
MIN_WORD_CHARS = 3
MAX_ALIASES = 20
_WORD = re.compile(r"[^\W\d_]+")
_MATHEMATICAL = frozenset((*FUNCTIONS, *GREEK))
_WORDS_TEXT = """
ans answer answers assignment attempt code copy draft exam exercise final group hand homework lab notes number page
part photo picture problem question report result scan sheet solution student submission task team test the work
"""
_WORDS_OF_WORK = frozenset(_WORDS_TEXT.split())
"""Words by which files and folders are called that are nobody's name."""


def people_of(submissions: Sequence[Submitted], rows: Iterable[Row], task: str) -> dict[str, PersonIn]:
    """Everybody by identifier; words of the task are no names."""
    by_id = {row[IDENTIFIER]: row for row in rows}
    known = frozenset(word.casefold() for word in _WORD.findall(task)) | _WORDS_OF_WORK
    people = {identifier: _person(row.get(NAME, ""), row) for identifier, row in by_id.items()}
    for submitted in submissions:
        row = by_id.get(submitted.identifier, {})
        name = row.get(NAME) or (submitted.name if submitted.is_listed else _name_in(submitted.name, known))
        people[submitted.identifier] = _person(name, row, submitted.name if submitted.is_listed else "")
    return {identifier: person for identifier, person in people.items() if person is not None}


def _name_in(name: str, known: frozenset[str]) -> str:
    words = [word for word in _WORD.findall(name) if len(word) >= MIN_WORD_CHARS and word.casefold() not in known]
    return " ".join(words)


def _person(name: str, row: Mapping[str, str], called: str = "") -> PersonIn | None:
    email = row.get(EMAIL, "").strip()
    own = [value for column, value in row.items() if column.strip().casefold() in IDENTITY]
    aliases = [called, called.replace("_", " "), email, email.partition("@")[0], *own]
    wanted = [alias.strip() for alias in aliases if _is_telling(alias.strip())]
    name = name.replace("_", " ").strip() or next(iter(wanted), "")
    if not name:
        return None
    others = [alias for alias in dict.fromkeys(wanted) if alias != name]
    return PersonIn(name=name[:200], aliases=[alias[:200] for alias in others[:MAX_ALIASES]])


def _is_telling(alias: str) -> bool:
    return len(alias) >= (MIN_DIGITS if alias.isdigit() else MIN_ALIAS_CHARS)


@dataclass(frozen=True)
class BatchDetectors(Detectors):
    """Detectors of the roster and of everybody in a batch, compiled once."""

    everybody: Names = field(default_factory=lambda: Names(()))

    async def of(self, course: Course, people: tuple[KnownPerson, ...]) -> Detector:
        """A detector of the roster and of all of the batch, `people` among them."""
        detector = await super().of(course, ())
        return replace(detector, names=(*detector.names, self.everybody))


@dataclass(frozen=True)
class NamesInWork(Names):
    """Finds names in mathematics, where `tan 30` and `5 Watt` name nobody."""

    def find(self, text: str, forms: Iterable[NormalText] | None = None) -> Iterator[Span]:
        """As in any text, without functions and units."""
        return (span for span in super().find(text, forms) if not _is_mathematics(text, span))


def _is_mathematics(text: str, span: Span) -> bool:
    word = text[span.start : span.end]
    if word.lower() not in _MATHEMATICAL and unit_of_word(word) is None and unit_of_word(word.lower()) is None:
        return False
    return word.islower() or text[: span.start].rstrip()[-1:].isdigit()


def names_of(people: Iterable[PersonIn]) -> Names:
    """What finds these people in a text."""
    return NamesInWork(tuple(KnownPerson.model_validate(person.model_dump()) for person in people))
