"""The course file: what an instructor decides, validated, with errors that name the line."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import regex
from pydantic import (
    Field,
    StringConstraints,
    ValidationError,
    field_validator,
    model_validator,
)

from core.attempts import HomeworkRules
from core.course.calendar import MAX_ENTRIES, CalendarEntry, EntryKey
from core.course.choices import Defaults
from core.course.documents import DocumentRule, matches
from core.course.forum import ForumRules
from core.course.sentences import NOTICES, SENTENCES, base_language, sentence_in
from core.course.widget import WidgetRules
from core.course.writing import Style, Writing
from core.edison import EdisonRules, OneOrMore, one_or_more
from core.quotas import Quotas
from core.review import DraftJudge, Notice, Posting
from core.types import Source, Status, Value
from core.yaml_file import YamlFile, read_yaml

CourseId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]


class SentenceName(StrEnum):
    """The statuses and notices of which a course may have its own words."""

    ANSWERED = Status.ANSWERED.value
    ABSTAINED = Status.ABSTAINED.value
    NEEDS_CLARIFICATION = Status.NEEDS_CLARIFICATION.value
    NO_RESPONSE_NEEDED = Status.NO_RESPONSE_NEEDED.value
    BLOCKED = Status.BLOCKED.value
    CONSENT_REQUIRED = Status.CONSENT_REQUIRED.value
    WAITING = Notice.WAITING.value
    DISCARDED = Notice.DISCARDED.value


class WhenModelFails(StrEnum):
    """What happens to a question while the model's endpoint is unavailable."""

    ERROR = "error"
    OFFLINE = "offline"


class Privacy(Value):
    """What is personal in the course, and how long it is kept."""

    student_id: str | None = Field(
        default=None,
        description="Regular expression of student ids, such as `\\bA\\d{8}\\b`. Models see a placeholder instead.",
    )
    keep_days: int | None = Field(
        default=None,
        ge=1,
        description="Days after which questions, answers and traces are deleted; without it, they are kept.",
    )

    @field_validator("student_id")
    @classmethod
    def _is_pattern(cls, value: str | None) -> str | None:
        if value is not None:
            try:
                regex.compile(value)
            except regex.error as error:
                raise ValueError(f"is no regular expression: {error}") from error
        return value


class ReviewRules(Value):
    """How drafts are reviewed."""

    undo_seconds: int = Field(
        default=10, ge=0, le=3600, description="Time in which a decision can be undone; then its text is posted."
    )
    claim_minutes: int = Field(
        default=15, ge=1, le=24 * 60, description="Time after which a draft that somebody claimed is free again."
    )
    due_hours: float = Field(default=24.0, gt=0, le=24 * 30, description="Time in which students expect an answer.")
    remind: bool = Field(
        default=True, description="Whether webhooks hear of a draft that waits longer than `due_hours`."
    )
    correct_days: int = Field(
        default=30, ge=0, le=365, description="Days in which a final text can still be corrected; 0 for never."
    )
    close_thanks: bool = Field(
        default=True, description="Whether a message that asks for nothing, such as thanks, is closed without a person."
    )
    weekly: bool = Field(
        default=True,
        description="Whether instructors get an e-mail on Mondays with what students asked, where the installation "
        "names a mail server.",
    )
    threshold: float = Field(
        default=0.8,
        ge=0,
        le=1,
        description="Confidence from which on a draft counts as sure, and is posted at once with `posting: auto`.",
    )


class Course(Value):
    """A validated course file."""

    id: CourseId = Field(description="Short name in requests and on the command line: letters, digits, `-` and `_`.")
    title: str = Field(default="", description="Title shown to models and people.")
    language: str = Field(default="en", description="Language of the material, as a BCP 47 tag.")
    time_zone: str = Field(
        default="UTC",
        description='Where the course is, as an IANA name such as `Europe/Vienna`: what "tomorrow" means there.',
    )
    consent_required: bool = Field(
        default=False, description="Whether a question is answered only if its author has agreed to it."
    )
    categories: Annotated[tuple[str, ...], OneOrMore] = Field(
        default=(), description="Categories that a student can choose in the forum."
    )
    defaults: Defaults = Field(default=Defaults(), description="Values of request parameters that are left out.")
    privacy: Privacy = Field(default=Privacy(), description="What is personal in the course, and how long it is kept.")
    quotas: Quotas = Field(default=Quotas(), description="How much may be asked and spent, over all who ask.")
    homework: HomeworkRules = Field(default=HomeworkRules(), description="How homework is checked.")
    when_model_fails: WhenModelFails = Field(
        default=WhenModelFails.ERROR,
        description="What happens if the model cannot be reached: `error` fails the request, which can be repeated "
        "later; `offline` answers with extracts of the material and adds a warning.",
    )
    abstain_below: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Confidence below which the offline backend gives no answer, from 0 (always answer) to 1. Without "
        "it, the measured value that comes with EduMod.",
    )
    style: Style = Field(default=Style(), description="How answers are written.")
    writing: Writing = Field(default=Writing(), description="How drafts that a model wrote are checked.")
    posting: Posting = Field(
        default=Posting.REVIEW,
        description="What happens to a draft: `review` waits for a person, `auto` approves sure ones at once, `shadow` "
        "shows it to nobody who asks or reviews until a person has answered, to compare both.",
    )
    review: ReviewRules = Field(default=ReviewRules(), description="How drafts are reviewed.")
    judge: DraftJudge | None = Field(
        default=None,
        description="Judge that scores each draft after it is stored: `grounded` gives the share of its statements "
        "that the passages support. Its model's cost counts for the course. Without it, drafts are not scored.",
    )
    forum: ForumRules | None = Field(
        default=None, description="The forum where questions are asked and answers are posted; see docs/forums.md."
    )
    sandbox: bool = Field(
        default=False,
        description="Whether the course is for trying out a bot: what was asked is deleted after an hour or two, with "
        "what was learned from it, and it has no forum.",
    )
    widget: WidgetRules = Field(default=WidgetRules(), description="The ask box on pages of the course's own site.")
    edison: EdisonRules = Field(default=EdisonRules(), description="The rules of the pipeline `edison`.")
    sentences: dict[SentenceName, str] = Field(
        default_factory=dict,
        description="Text shown to students instead of an answer, by the status of the draft; `waiting` until a person "
        "has decided about it, `discarded` if the draft was discarded.",
    )
    material: dict[Source, Annotated[tuple[str, ...], OneOrMore]] = Field(
        default_factory=dict,
        description="Files and folders per source, relative to the course file. An export of a platform (.imscc, .mbz, "
        ".zip, ...) may stand under any of them: it says itself what its files are.",
    )
    documents: tuple[DocumentRule, ...] = Field(
        default=(),
        description="Who may see which documents, from when, and which files are text; the last matching rule decides.",
    )
    calendar: dict[EntryKey, CalendarEntry] = Field(
        default_factory=dict,
        max_length=MAX_ENTRIES,
        description="What is so of works, exams, holidays and staff, by name. It holds over what other documents say, "
        "and answers cite it.",
    )
    labels: str | None = Field(
        default=None, description="Folder with the course's own labelled questions, relative to the course file."
    )

    @field_validator("time_zone")
    @classmethod
    def _is_time_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ValueError("is no IANA time zone; write one such as America/New_York or Europe/Vienna") from error
        return value

    @field_validator("sentences", "calendar", mode="before")
    @classmethod
    def _without_empty(cls, value: Any) -> Any:
        """A sentence without a text, or an entry without content, is as if it were not named."""
        return {name: text for name, text in value.items() if text} if isinstance(value, dict) else value

    @model_validator(mode="after")
    def _sandbox_posts_nothing(self) -> Course:
        if self.sandbox and self.forum is not None:
            raise ValueError("a course with `sandbox: true` has no `forum`: nothing of it is posted")
        return self

    def sentence(self, status: Status | Notice, language: str | None = None) -> str:
        """The text shown to a student for a status without an answer, or in place of a draft.

        For a student who writes in another language than the course, ours in it comes before the course's own.
        """
        own = self.sentences.get(SentenceName(status.value), "")
        if language and language != base_language(self.language) and (ours := sentence_in(status, language)):
            return f"{ours}\n\n{own}" if own else ours
        usual = NOTICES[status] if isinstance(status, Notice) else SENTENCES.get(status, "")
        return self.sentences.get(SentenceName(status.value), usual)

    def has_category(self, category: str) -> bool:
        """True for one of the course's categories, ignoring case, and for any if the course names none."""
        return not self.categories or category.strip().casefold() in (known.casefold() for known in self.categories)

    def rules_for(self, name: str, path: Path | None = None) -> list[DocumentRule]:
        """The rules that match a document's name or its path on disk: its name depends on how it is ingested."""
        spellings = [name] if path is None else [name, f"/{path.as_posix().lstrip('/')}"]
        return [rule for rule in self.documents if any(matches(spelling, rule.match) for spelling in spellings)]


def read_course(path: Path) -> Course:
    """Read and validate a course file. Raises `InvalidInput` naming the file, the line and the correction."""
    return course_in(read_course_yaml(path))


def read_course_yaml(path: Path) -> YamlFile:
    """Read a course file without validating it. Raises `InvalidInput` naming the file and the line."""
    return read_yaml(path, "course", "id")


def course_in(file: YamlFile) -> Course:
    """Validate a course file's content. Raises `InvalidInput` naming the file, the line and the correction."""
    categories = one_or_more(file.content.get("categories"))
    known = categories if isinstance(categories, (list, tuple)) else ()
    try:
        return Course.model_validate(file.content, context={"categories": known})
    except ValidationError as error:
        raise file.invalid(error, Course) from error
