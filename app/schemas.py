"""Requests and responses of the HTTP API (design, section 7)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from app.response import CONFIDENCE, ConfigurationOut
from core.access import Access, Permission
from core.code import CodeIssue
from core.course import Choices
from core.homework import Feedback
from core.review import QuestionKind
from core.store.tables import DraftState
from core.types import BodyFormat, Citation, Role, Status, Step, Usage
from eval.measured import Measured
from pipelines import ALIASES
from pipelines.configuration import pipeline_parameters, retriever_parameters


def _well_formed(text: Any) -> Any:
    # A forum that cuts a text inside an emoji leaves a lone surrogate, which cannot be encoded in UTF-8.
    return text.encode(errors="ignore").decode() if isinstance(text, str) else text


def _without_nul(text: str) -> str:
    # PostgreSQL stores no NUL in text; no question needs one.
    return text.replace("\0", "")


MAX_TEST_CHARS = 5_000
"""Of each text of a test's result."""
Text = Annotated[str, BeforeValidator(_well_formed), AfterValidator(_without_nul)]


class Body(BaseModel):
    """Part of a request. Unknown fields are errors, so that a misspelt field is not ignored."""

    model_config = ConfigDict(extra="forbid")


class ImageIn(Body):
    """An image in the question: PNG, JPEG, WebP, GIF (first frame) or BMP, whatever its media type says."""

    media_type: str = Field(pattern=r"^image/[a-z0-9.+-]+$", examples=["image/png"])
    data: str = Field(description="The file, base64-encoded, without a `data:` prefix.")


class QuestionIn(Body):
    title: Text = Field(default="", max_length=500)
    body: Text = Field(min_length=1, examples=["When is homework 3 due and can I hand it in late?"])
    body_format: BodyFormat = BodyFormat.MARKDOWN
    category: Text | None = Field(default=None, max_length=200, examples=["Logistics"])
    images: list[ImageIn] = Field(default_factory=list, max_length=10)
    asked_at: AwareDatetime | None = Field(
        default=None, description='When it was asked, from which "tomorrow" is counted; now if left out.'
    )


class MessageIn(Body):
    """A message that follows the question in its thread."""

    role: Role = Role.STUDENT
    body: Text = Field(min_length=1)
    body_format: BodyFormat = BodyFormat.MARKDOWN
    endorsed: bool = False


class AuthorIn(Body):
    """The author of the question. If `consent` is false, nothing is sent to a model and nothing is stored."""

    pseudonym: Text | None = Field(default=None, max_length=200)
    role: Role = Role.STUDENT
    consent: bool | None = None


class PersonIn(Body):
    """Someone whom the question may name. Models see a placeholder instead."""

    name: Text = Field(min_length=1, max_length=200)
    aliases: list[Annotated[Text, Field(max_length=200)]] = Field(default_factory=list, max_length=20)
    pseudonym: Text = Field(default="", max_length=200, description="What the forum calls them.")


class CodeTestIn(Body):
    """The result of one test of the student's code."""

    name: Text = Field(max_length=MAX_TEST_CHARS, description="What it tests, often the call.", examples=["total([1])"])
    accepted: bool
    expected: Text | None = Field(default=None, max_length=MAX_TEST_CHARS)
    got: Text | None = Field(default=None, max_length=MAX_TEST_CHARS)
    message: Text | None = Field(default=None, max_length=MAX_TEST_CHARS, description="An error with its traceback.")


class LintIn(Body):
    """What a linter says of one line."""

    line: int = Field(ge=1)
    code: Text = Field(default="", max_length=100, examples=["F821"])
    message: Text = Field(max_length=MAX_TEST_CHARS)


class AnswerRequest(Body):
    course: str = Field(max_length=200, examples=["ds101"])
    question: QuestionIn
    thread: list[MessageIn] = Field(default_factory=list, max_length=200)
    thread_id: Text | None = Field(
        default=None, max_length=200, description="The forum's own id of the thread, to find what is stored about it."
    )
    callback_url: Text | None = Field(
        default=None,
        max_length=2000,
        description="Told of the decision on this draft; its host is on the operator's list.",
    )
    author: AuthorIn = AuthorIn()
    people: list[PersonIn] = Field(
        default_factory=list, max_length=500, description="People whom question and thread may name, beside the roster."
    )
    code: Text | None = Field(default=None, description="The student's code, if the forum sends it separately.")
    language: Text | None = Field(
        default=None, max_length=35, description="Language to answer in, as a BCP 47 tag.", examples=["en", "es"]
    )
    exercise: Text | None = Field(
        default=None, max_length=20_000, description="The exercise: the id of an assignment's block, or its text."
    )
    line: int | None = Field(default=None, ge=1, description="Line of the code that the question is about, from 1.")
    tests: list[CodeTestIn] | Text | dict[str, Any] = Field(
        default_factory=list,
        description="What the tests said of the code: a list, JSON of Dodona or Gradescope, JUnit XML, or the output "
        "of pytest or unittest.",
    )
    linting: list[LintIn] = Field(default_factory=list, max_length=500, description="What a linter said of the code.")
    programming_language: Text | None = Field(default=None, max_length=50, examples=["python", "java"])


class FileIn(Body):
    """A submission as a file: PDF, notebook, Markdown, LaTeX, plain text, or a picture of handwriting."""

    name: Text = Field(
        min_length=1, max_length=255, examples=["homework2.pdf"], description="Its ending tells the format."
    )
    data: str = Field(description="The file, base64-encoded, without a `data:` prefix.")


class FeedbackRequest(Body):
    course: str = Field(max_length=200, examples=["ds101"])
    assignment: Text = Field(min_length=1, max_length=200, examples=["hw2"], description="Its title or file name.")
    question: Text = Field(min_length=1, max_length=50, examples=["3", "2c"], description="The question's number.")
    submission: Text | FileIn = Field(description="The student's work as Markdown, LaTeX or plain text, or a file.")
    author: AuthorIn = AuthorIn()
    people: list[PersonIn] = Field(default_factory=list, max_length=500, description="People whom the work may name.")
    thread_id: Text | None = Field(
        default=None, max_length=200, description="The id that the course's system gives it."
    )
    callback_url: Text | None = Field(default=None, max_length=2000, description="Told of the decision on this draft.")


class AnswerParameters(retriever_parameters(), pipeline_parameters(), Choices):  # type: ignore[misc]
    """Query parameters of a request. The course file sets those that are left out."""

    model_config = ConfigDict(extra="forbid")

    pipeline: str | None = Field(
        default=None, description=f"A name from `GET /pipelines`, or one of its aliases there: {', '.join(ALIASES)}."
    )

    @property
    def choices(self) -> dict[str, Any]:
        """The given parameters, by `pipelines.configuration.NAMES`."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


class PipelineOut(BaseModel):
    name: str
    aliases: tuple[str, ...] = Field(description="Other names for it in requests.")
    summary: str
    model_calls: str = Field(
        description="Number of model calls, at most, if nothing has to be repaired: a choice that cannot be run or a "
        "prompt that is too long is asked again. Calls of retrievers, for reading images and for a second look at a "
        "doubtful draft are extra."
    )
    parameters: dict[str, dict[str, Any]] = Field(
        description="Its own query parameters, by name, each as JSON Schema with default, range and description."
    )
    measured: list[Measured] = Field(
        description="By course and model, the latest `edumod eval functions` with this pipeline and the course's "
        "defaults that has scores; if none has, the latest."
    )


class RetrieverOut(BaseModel):
    name: str
    summary: str


class SourceOut(BaseModel):
    source: str
    documents: int
    blocks: int


class CourseOut(BaseModel):
    id: str
    title: str
    consent_required: bool
    categories: tuple[str, ...]
    material: list[SourceOut]


class MeOut(BaseModel):
    """Who sends a request, and what they may do."""

    id: str | None = Field(description="Null where nobody has signed in.")
    name: str | None
    everywhere: list[Permission] = Field(description="Permissions for every course.")
    courses: dict[str, list[Permission]] = Field(description="Permissions by course.")

    @classmethod
    def of(cls, access: Access) -> MeOut:
        by_course = {course: sorted(allowed) for course, allowed in access.by_course.items()}
        person = access.person
        return cls(
            id=person.id if person else None,
            name=person.name if person else None,
            everywhere=sorted(access.everywhere),
            courses=by_course,
        )


class HealthOut(BaseModel):
    status: str = "ok"


class ReadyOut(BaseModel):
    ready: bool
    checks: dict[str, str] = Field(description="For each part `ok`, or what is wrong.")


class Problem(BaseModel):
    """An error, as RFC 9457 (application/problem+json)."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(examples=["urn:edumod:problem:unknown-name"])
    title: str
    status: int
    detail: str
    instance: str | None = None
    request_id: str | None = Field(
        default=None, description="The same as in the header X-Request-ID and in the server's log."
    )
    errors: list[dict[str, str]] | None = Field(
        default=None, description="The first invalid fields, each with its problem."
    )
    draft_id: str | None = Field(
        default=None, description="The draft in which the question is stored although it has no answer."
    )


class AskedOut(BaseModel):
    """The question as the student wrote it."""

    title: str = ""
    body: str

    @classmethod
    def of(cls, request: dict[str, Any] | None) -> AskedOut:
        return cls.model_validate((request or {}).get("question", {"body": ""}))


class FailureOut(BaseModel):
    """Why a run ended without an answer."""

    code: str
    detail: str


class TraceOut(BaseModel):
    """Every step of the run behind a draft, and its outcome. Steps contain no text of the course's material."""

    id: str
    course_id: str
    draft_id: str
    created_at: datetime
    question: AskedOut
    state: DraftState = Field(description="State of the draft, which a later run may have changed.")
    status: Status | None = Field(default=None, description="Status of the answer; null if this run gave none.")
    configuration: ConfigurationOut | None = Field(default=None, description="Null for work that has not ended.")
    error: FailureOut | None = None
    ms: float = Field(description="Milliseconds from the run's start to the end of its last step.")
    usage: Usage
    steps: tuple[Step, ...] = Field(description="In order of their start.")


class AnswerOut(BaseModel):
    """A stored answer, as its reader may see it: `status` is null before a person has decided about a draft that the
    reader may not see, and the answer is the decided text afterwards."""

    id: str
    course_id: str
    created_at: datetime
    question: AskedOut
    code: str | None = Field(default=None, description="The student's code, if the question came with some.")
    state: DraftState
    status: Status | None = Field(default=None, description="How the answer ended; null where there is none.")
    answer: str = Field(default="", description="Markdown, with [n] referring to citation n.")
    confidence: float = Field(default=0.0, description=CONFIDENCE)
    citations: tuple[Citation, ...] = ()
    warnings: tuple[str, ...] = Field(default=(), description="What the reviewer of the draft should know.")
    trace_id: str | None = None
    trace_url: str | None = Field(default=None, description="Address of the trace; null where nothing was run.")
    issue: CodeIssue | None = Field(default=None, description="What was found in the student's code, if anything.")
    feedback: Feedback | None = Field(default=None, description="Feedback on homework; null for an answer.")
    error: FailureOut | None = Field(default=None, description="Why there is no answer; null where nothing failed.")
    corrected_at: datetime | None = Field(
        default=None, description="When the decided text took the place of an earlier one; null if it did not."
    )


class ListedDraftOut(BaseModel):
    """A draft without anything that a student wrote."""

    id: str
    course_id: str
    state: DraftState
    created_at: datetime
    kind: QuestionKind | None = Field(description="A rough kind of question; null for drafts of earlier versions.")
    category: str | None
    confidence: float | None = Field(description="Of the answer, from 0 to 1; null where there is none.")
    claimed_by: str | None = Field(description="Who is reviewing it; null if nobody is.")
    error: FailureOut | None = Field(description="Why there is no answer; null unless the draft has failed.")


class DraftsOut(BaseModel):
    """Drafts, newest first."""

    drafts: tuple[ListedDraftOut, ...]
    next: str | None = Field(description="Send it as `before` for the next page; null on the last page.")
