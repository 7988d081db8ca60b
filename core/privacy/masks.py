"""Placeholders in place of personal data, and back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

import regex

from core.code import CodeTest, LintMessage
from core.privacy.contacts import emails, phones, student_ids
from core.privacy.names import KnownPerson, Names
from core.privacy.spans import Kind, Span, without_overlaps
from core.types import Question

Part = TypeVar("Part", CodeTest, LintMessage)

_WORDS = {Kind.NAME: "PERSON", Kind.EMAIL: "EMAIL", Kind.PHONE: "PHONE", Kind.STUDENT_ID: "STUDENT_ID"}
_PLACEHOLDER = regex.compile(r"\b(?:PERSON|EMAIL|PHONE|STUDENT\\?_ID)\\?_\d+\b")
"""A model that writes Markdown may escape the underscore."""


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

    def find(self, text: str) -> list[Span]:
        """In the order of the text, without overlaps."""
        found = [*emails(text), *phones(text), *student_ids(text, self.student_id)]
        return without_overlaps([*found, *(span for names in self.names for span in names.find(text))])


@dataclass
class Masks:
    """The placeholders of one question: equal names and addresses get equal ones, in all of its texts."""

    detector: Detector = Detector()
    taken: frozenset[str] = frozenset()
    """Placeholders that the texts contain already: they are words of the student's."""
    _by_value: dict[tuple[Kind, str], str] = field(default_factory=dict, init=False)
    _originals: dict[str, str] = field(default_factory=dict, init=False)

    def hide(self, text: str) -> str:
        """The text with placeholders."""
        pieces, end = [], 0
        for span in self.detector.find(text):
            pieces += [text[end : span.start], self._placeholder(span, text[span.start : span.end])]
            end = span.end
        return "".join(pieces) + text[end:]

    def restore(self, text: str) -> str:
        """The text with what the placeholders stand for, as it was written first."""
        if not self._originals:
            return text
        return _PLACEHOLDER.sub(lambda found: self._originals.get(found[0].replace("\\", ""), found[0]), text)

    def __len__(self) -> int:
        """How many different names, addresses and numbers were replaced."""
        return len(self._originals)

    def _placeholder(self, span: Span, written: str) -> str:
        key = (span.kind, span.of)
        if key not in self._by_value:
            number = 1 + sum(kind is span.kind for kind, _ in self._by_value)
            while (made := f"{_WORDS[span.kind]}_{number}") in self.taken or made in self._originals:
                number += 1
            self._by_value[key] = made
            self._originals[made] = written
        return self._by_value[key]


def masked(question: Question, detector: Detector) -> tuple[Question, Masks]:
    """The question with placeholders in all of its texts, and what they stand for."""
    more = [question.code, question.category, question.language, question.exercise, question.programming_language]
    tested = [text for one in question.tests for text in (one.name, one.expected, one.got, one.message)]
    said = [one.message for one in question.linting]
    texts = [
        question.title,
        question.body,
        *filter(None, (*more, *tested, *said)),
        *(one.body for one in question.thread),
    ]
    masks = Masks(detector, frozenset(placeholders(texts)))
    hidden = question.model_copy(
        update={
            "title": masks.hide(question.title),
            "body": masks.hide(question.body),
            **{name: _hidden(getattr(question, name), masks) for name in _OPTIONAL},
            "tests": tuple(_hidden_in(one, masks) for one in question.tests),
            "linting": tuple(_hidden_in(one, masks) for one in question.linting),
            "thread": tuple(one.model_copy(update={"body": masks.hide(one.body)}) for one in question.thread),
        }
    )
    return (hidden if len(masks) else question), masks


_OPTIONAL = ("code", "category", "language", "exercise", "programming_language")


def _hidden(text: str | None, masks: Masks) -> str | None:
    return None if text is None else masks.hide(text)


def _hidden_in(one: Part, masks: Masks) -> Part:
    """What a test or a linter said, with placeholders in its texts."""
    texts = {name: value for name, value in one if isinstance(value, str)}
    return one.model_copy(update={name: masks.hide(text) for name, text in texts.items()})


_STAND_INS = {Kind.NAME: "[name]", Kind.EMAIL: "[e-mail]", Kind.PHONE: "[phone]", Kind.STUDENT_ID: "[student id]"}


def without_personal(text: str, detector: Detector) -> str:
    """The text for others to read: pseudonyms in place of names, and a word in place of addresses and numbers."""
    pseudonyms = {one.name: one.pseudonym for names in detector.names for one in names.people}
    pieces, end = [], 0
    for span in detector.find(text):
        pieces += [text[end : span.start], pseudonyms.get(span.of) or _STAND_INS[span.kind]]
        end = span.end
    return "".join(pieces) + text[end:]


def placeholders(texts: Iterable[str]) -> set[str]:
    """The placeholders in texts."""
    return {found[0].replace("\\", "") for text in texts for found in _PLACEHOLDER.finditer(text)}
