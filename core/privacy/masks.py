"""Placeholders in place of personal data, and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from threading import Lock
from typing import TypeVar

import regex

from core.code import CodeTest, LintMessage
from core.privacy.contacts import IdSearch, emails, phones
from core.privacy.names import KnownPerson, Names
from core.privacy.spans import Kind, Span, without_overlaps
from core.text.normal import NormalText, readings
from core.types import Question

Part = TypeVar("Part", CodeTest, LintMessage)

_WORDS = {Kind.NAME: "PERSON", Kind.EMAIL: "EMAIL", Kind.PHONE: "PHONE", Kind.STUDENT_ID: "STUDENT_ID"}
SLOW_PATTERN = (
    "The course's pattern of student ids (`privacy.student_id`) took too long on this question, so every word with "
    "four digits or more was hidden from the model. Simplify the pattern; `edumod course check` tells if it is slow."
)
_PLACEHOLDER = regex.compile(r"(?:PERSON|EMAIL|PHONE|STUDENT\\?_ID)\\?_\d++")
"""A model that writes Markdown may escape the underscore. It stands within a word where a name does (`JaneDoeHW3`)."""


@dataclass(frozen=True)
class Detector:
    """Finds personal data in the texts of a course."""

    names: tuple[Names, ...] = ()
    student_id: str | None = None
    """The course's pattern of student ids."""

    @classmethod
    def of(cls, people: Iterable[KnownPerson], student_id: str | None = None) -> Detector:
        """A detector of these people's names."""
        return cls((Names(tuple(people)),), student_id)

    def find(self, text: str, ids: IdSearch | None = None) -> list[Span]:
        """In the order of the text, without overlaps; `ids` has the time that is left for the course's pattern.

        Linear time, but for that pattern.
        """
        forms = readings(text)
        read = forms[0]
        ids = ids or IdSearch(self.student_id)
        spans = [*_written((*emails(read.text), *phones(read.text), *ids.find(read.text)), read)]
        if read.text != text:
            spans += ids.find(text)
        return without_overlaps([*spans, *(span for names in self.names for span in names.find(text, forms))])


def _written(spans: Iterable[Span], form: NormalText) -> Iterator[Span]:
    """Spans of a reading, where they stand in the text that was written."""
    return (Span(*form.written(span.start, span.end), span.kind, span.of) for span in spans)


def _with_digits(text: str, end: int) -> int:
    """The end of what is replaced: digits behind it would change the number of the placeholder."""
    while end < len(text) and text[end].isdecimal():
        end += 1
    return end


@dataclass
class Masks:
    """The placeholders of one question: equal names and addresses get equal ones, in all of its texts."""

    detector: Detector = Detector()
    taken: frozenset[str] = frozenset()
    """Placeholders that the texts contain already: they are words of the student's."""
    _by_value: dict[tuple[Kind, str], str] = field(default_factory=dict, init=False)
    _originals: dict[str, str] = field(default_factory=dict, init=False)
    _numbers: Counter[Kind] = field(default_factory=Counter, init=False)
    _ids: IdSearch = field(init=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._ids = IdSearch(self.detector.student_id)

    @property
    def problems(self) -> tuple[str, ...]:
        """What the reviewer of an answer should know of how the texts were masked."""
        return (SLOW_PATTERN,) if self._ids.is_too_slow else ()

    def hide(self, text: str) -> str:
        """The text with placeholders. May be called in several threads."""
        with self._lock:
            return self._hide(text)

    def _hide(self, text: str) -> str:
        pieces, end = [], 0
        for span in self.detector.find(text, self._ids):
            before = text[end : span.start]
            end = _with_digits(text, span.end)
            pieces += [before, self._placeholder(span, text[span.start : end], text[span.end : end])]
        return "".join(pieces) + text[end:]

    def restore(self, text: str) -> str:
        """The text with what the placeholders stand for, as it was written first."""
        if not self._originals:
            return text
        return _PLACEHOLDER.sub(lambda match: self._originals.get(match[0].replace("\\", ""), match[0]), text)

    def __len__(self) -> int:
        """How many different names, addresses and numbers were replaced."""
        return len(self._originals)

    def _placeholder(self, span: Span, written: str, digits: str) -> str:
        key = (span.kind, span.of + digits)
        if key not in self._by_value:
            made = ""
            while not made or made in self.taken:
                self._numbers[span.kind] += 1
                made = f"{_WORDS[span.kind]}_{self._numbers[span.kind]}"
            self._by_value[key] = made
            self._originals[made] = written
        return self._by_value[key]


QUICK_CHARS = 4_000
"""Characters of texts that are masked in about a millisecond."""
QUICK_PEOPLE = 20
"""People whose names are prepared in that time."""


def is_quick(question: Question, detector: Detector) -> bool:
    """True where `masked` takes no longer than a change of threads under load."""
    is_prepared = all(names.is_prepared or len(names.people) <= QUICK_PEOPLE for names in detector.names)
    return detector.student_id is None and is_prepared and sum(map(len, _texts(question))) <= QUICK_CHARS


def masked(question: Question, detector: Detector) -> tuple[Question, Masks]:
    """The question with placeholders in all of its texts, and what they stand for."""
    masks = Masks(detector, frozenset(placeholders(_texts(question))))
    hidden = question.model_copy(
        update={
            "title": masks.hide(question.title),
            "body": masks.hide(question.body),
            **{name: _hidden(getattr(question, name), masks) for name in _OPTIONAL},
            "tests": tuple(_hidden_in(test, masks) for test in question.tests),
            "linting": tuple(_hidden_in(message, masks) for message in question.linting),
            "thread": tuple(
                message.model_copy(update={"body": masks.hide(message.body)}) for message in question.thread
            ),
        }
    )
    return (hidden if len(masks) else question), masks


def _texts(question: Question) -> list[str]:
    """Everything that somebody wrote in a question."""
    more = [question.code, question.category, question.language, question.exercise, question.programming_language]
    tested = [text for test in question.tests for text in (test.name, test.expected, test.got, test.message)]
    said = [message.message for message in question.linting]
    written = filter(None, (*more, *tested, *said))
    return [question.title, question.body, *written, *(message.body for message in question.thread)]


_OPTIONAL = ("code", "category", "language", "exercise", "programming_language")


def _hidden(text: str | None, masks: Masks) -> str | None:
    return None if text is None else masks.hide(text)


def _hidden_in(part: Part, masks: Masks) -> Part:
    """What a test or a linter said, with placeholders in its texts."""
    texts = {name: value for name, value in part if isinstance(value, str)}
    return part.model_copy(update={name: masks.hide(text) for name, text in texts.items()})


_STAND_INS = {Kind.NAME: "[name]", Kind.EMAIL: "[e-mail]", Kind.PHONE: "[phone]", Kind.STUDENT_ID: "[student id]"}


def without_personal(text: str, detector: Detector) -> str:
    """The text for others to read: pseudonyms in place of names, and a word in place of addresses and numbers."""
    pseudonyms = {person.name: person.pseudonym for names in detector.names for person in names.people}
    pieces, end = [], 0
    for span in detector.find(text):
        pieces += [text[end : span.start], pseudonyms.get(span.of) or _STAND_INS[span.kind]]
        end = span.end
    return "".join(pieces) + text[end:]


def placeholders(texts: Iterable[str]) -> set[str]:
    """The placeholders in texts."""
    return {match[0].replace("\\", "") for text in texts for match in _PLACEHOLDER.finditer(text)}
