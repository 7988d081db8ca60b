"""A question that the service answers, independent of the interface it came by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from core.concurrency import in_thread_if
from core.course import Course
from core.privacy.masks import Detector, Masks, is_quick, masked
from core.privacy.names import KnownPerson
from core.quotas import Charge, Subject, charges_of_question, subject_of_course
from core.types import Question
from pipelines.images.reading import Pictures


@dataclass(frozen=True)
class AskedQuestion:
    """A question with its image files, the request as a draft stores it, and notes for the reviewer of the draft.

    `asked_by` is the `Person.id` of who sent it, `key` the key that was sent with its quotas, `limited_as` whose
    attempts at homework are counted (None: nobody's), `people` are those whom the texts may name, `pseudonym` is the
    author and `thread_id` the thread on the forum. `masks` is what the placeholders in the question stand for.
    `asker_is_staff` is true of an asker who may read drafts, and so texts for staff, in the course.
    `callback_url` hears of the decision on the draft.
    """

    course_id: str
    question: Question
    stored: Mapping[str, Any]
    asked_by: str | None = None
    key: Subject | None = None
    limited_as: str | None = None
    asker_is_staff: bool = False
    people: tuple[KnownPerson, ...] = ()
    pseudonym: str | None = None
    thread_id: str | None = None
    callback_url: str | None = None
    consent: bool | None = None
    images: tuple[bytes, ...] = ()
    notes: tuple[str, ...] = ()
    masks: Masks = field(default_factory=Masks)

    async def mask(self, detector: Detector) -> AskedQuestion:
        """The same with placeholders for personal data in the question."""
        is_long = not is_quick(self.question, detector)
        question, masks = await in_thread_if(is_long, masked, self.question, detector)
        return replace(self, question=question, masks=masks, notes=(*self.notes, *masks.problems))

    @property
    def pictures(self) -> Pictures:
        """The image files, and how personal data in their texts is hidden: as in the question."""
        return Pictures(self.images, self.masks.hide)

    def lacks_consent(self, course: Course) -> bool:
        """True if consent is denied, or required by the course and absent."""
        return self.consent is False or (course.consent_required and self.consent is not True)

    def charges(self, course: Course, dollars: float) -> list[Charge]:
        """What the question is compared with: the quotas of its course, and those of the key that was sent.

        `dollars` is what it may cost.
        """
        return charges_in(course, self.key, dollars)


def charges_in(course: Course, key: Subject | None, dollars: float = 0.0) -> list[Charge]:
    """What a question or a search in a course is compared with; `key` is the one that was sent."""
    subjects = [Subject(subject_of_course(course.id), f"The course {course.id}", course.quotas)]
    subjects += [key] if key is not None else []
    return [charge for subject in subjects for charge in charges_of_question(subject, dollars)]


@dataclass(frozen=True)
class IdempotencyKey:
    """A client's key, and a hash of the request that it belongs to."""

    value: str
    fingerprint: str
