"""What is looked for in a text before it is sent: a person confirms once that it is meant so."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.people.detectors import Detectors
from app.review.deciding import mark_of
from app.review.stored_draft import ReadDraft
from core.concurrency import in_thread
from core.errors import EduModError
from core.facts import Moment
from core.privacy.masks import Detector, placeholders
from core.privacy.names import KnownPerson
from core.privacy.spans import Kind
from core.text.dates import read_moments, weekdays_in
from core.text.marks import REPEATS_STAFF, marked_sentences
from core.text.sentences import units
from core.types import Audience, Question
from offline.calendar_answer import moment_text
from offline.phrases import PHRASES
from retrievers.calendar.lookup import says_when_due, works_named_in
from retrievers.calendar.model import Calendar, CourseWork
from retrievers.index.indexes import Indexes
from safeguards import NO_SECRETS, SecretsOfCourses
from safeguards.checks import Checks
from student_code.catalogue import ENGLISH

MAX_CHECKS = 12
MAX_QUOTE_CHARS = 90
_DETAILS = {Kind.EMAIL: "an e-mail address", Kind.PHONE: "a telephone number", Kind.STUDENT_ID: "a student's number"}


@dataclass(frozen=True)
class SendingWarnings:
    """What was noticed, in sentences; `digest` says that these were confirmed."""

    sentences: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        return hashlib.sha256("\n".join(self.sentences).encode()).hexdigest()[:32] if self.sentences else ""


@dataclass(frozen=True)
class FinalChecks:
    """Reads what a text is compared with."""

    indexes: Indexes
    secrets: SecretsOfCourses
    detectors: Detectors

    async def of(self, read: ReadDraft, text: str) -> SendingWarnings:
        """What a person should confirm before the text is sent about this draft."""
        if not text.strip():
            return SendingWarnings()
        course_id = read.course.id
        calendar, _ = await self.indexes.calendar(course_id, Audience.STAFF)
        try:
            secrets = await self.secrets.get(course_id, self.indexes)
        except EduModError:  # What is not indexed cannot be repeated.
            secrets = NO_SECRETS
        known = (read.draft.request or {}).get("people", ())
        detector = await self.detectors.of(read.course, tuple(KnownPerson.model_validate(one) for one in known))
        asked = (read.draft.request or {}).get("question") or {}
        question = Question(title=asked.get("title") or "", body=asked.get("body") or "")
        staff = Checks(question, course=secrets, audience=Audience.STAFF)
        return await in_thread(_warnings, read, text, staff, calendar, detector)


def _warnings(read: ReadDraft, text: str, staff: Checks, calendar: Calendar, detector: Detector) -> SendingWarnings:
    answer = str((read.draft.response or {}).get("answer", ""))
    mark = mark_of(read.draft, read.course)
    repeated = marked_sentences(staff.with_marks(text)[0], REPEATS_STAFF)
    marked = [one for one in marked_sentences(answer, REPEATS_STAFF) if one in text and one not in repeated]
    sentences = [f"{_quoted(one)} repeats a text for staff, such as a solution." for one in (*repeated, *marked)]
    sentences += [f"{_quoted(one)} is verified by no source." for one in marked_sentences(answer, mark) if one in text]
    sentences += against_calendar(text, calendar)
    sentences += _personal(text, detector)
    return SendingWarnings(tuple(dict.fromkeys(sentences))[:MAX_CHECKS])


def against_calendar(text: str, calendar: Calendar) -> Iterator[str]:
    """Sentences with another day than the calendar has for the one work that they name.

    What is quoted is the material's own word.
    """
    for sentence in _own_sentences(text):
        works = works_named_in(calendar, sentence) if says_when_due(sentence) else []
        moments = [calendar.term.place(mention.moment) for mention in read_moments(sentence)]
        for moment in moments:
            if not calendar.term.fits(moment):
                yield f"{_quoted(sentence)}: {_day(moment.model_copy(update={'weekday': None}))} is another weekday."
        if len(works) == 1 and works[0].due and not _agrees(works[0], moments, weekdays_in(sentence)):
            day = _day(calendar.term.place(works[0].due[0].moment))
            yield f"{_quoted(sentence)}: the calendar has {day} for {works[0].label}."


def _own_sentences(text: str) -> Iterator[str]:
    """The sentences outside of quotations."""
    start = 0
    for unit in units(text):
        line = text[text.rfind("\n", 0, start + 1) + 1 : start + len(unit.text)]
        if not line.lstrip().startswith(">"):
            yield unit.text
        start += len(unit.text)


def _agrees(work: CourseWork, moments: Sequence[Moment], weekdays: Sequence[int]) -> bool:
    """True if a day of the sentence is one of the work's, or it names no day."""
    own = [option.moment for option in (*work.due, *work.released)]
    if moments:
        return any(day.agrees_with(moment) for moment in moments for day in own)
    days = {day.on.weekday() if day.on else day.weekday for day in own}
    return not weekdays or None in days or bool(days & set(weekdays))


def _personal(text: str, detector: Detector) -> Iterator[str]:
    yield from (f"“{one}” is a placeholder for something personal." for one in sorted(placeholders([text])))
    for span in detector.find(text):
        yield f"“{text[span.start : span.end]}” is {_DETAILS.get(span.kind, 'the name of a person')}."


def _day(moment: Moment) -> str:
    return moment_text(moment, PHRASES[ENGLISH])


def _quoted(sentence: str) -> str:
    words = " ".join(sentence.split())
    return f"“{words if len(words) <= MAX_QUOTE_CHARS else words[:MAX_QUOTE_CHARS] + '…'}”"
