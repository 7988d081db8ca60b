"""The nouns of EduMod (design, section 2), one meaning each in code, API, documents and database."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from core.code import CodeIssue, CodeTest, LintMessage
from core.facts import Fact
from core.homework import Feedback
from core.text.clock import clock


class Value(BaseModel):
    """A frozen value: compared by content, safe to share between concurrent requests."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Source(StrEnum):
    """The kind of course material; each kind has its own course function."""

    # To add one, add a member here and its entry in `retrievers.functions.COURSE_FUNCTIONS`.
    QA = "qa"
    TEXTBOOK = "textbook"
    ASSIGNMENT = "assignment"
    LOGISTICS = "logistics"


class Visibility(StrEnum):
    """Who may read a text: everyone, or only course staff (solutions)."""

    STUDENT = "student"
    STAFF = "staff"


class Audience(StrEnum):
    """Whom a search or an answer is for. What is for students never holds a text for staff (decision 0056)."""

    STUDENTS = "students"
    STAFF = "staff"


class Role(StrEnum):
    """Who wrote a message on the forum."""

    STUDENT = "student"
    TA = "ta"
    INSTRUCTOR = "instructor"

    @property
    def is_staff(self) -> bool:
        return self is not Role.STUDENT


class BodyFormat(StrEnum):
    """The markup of a text that came from a forum."""

    MARKDOWN = "md"
    HTML = "html"
    TEXT = "text"


class Status(StrEnum):
    """The outcome of a question. The course file holds the sentence that students read for each."""

    ANSWERED = "answered"
    ABSTAINED = "abstained"
    NEEDS_CLARIFICATION = "needs_clarification"
    NO_RESPONSE_NEEDED = "no_response_needed"
    BLOCKED = "blocked"
    CONSENT_REQUIRED = "consent_required"


class Box(Value):
    """A rectangle on a PDF page, in points from the upper left corner."""

    page: int = Field(ge=1, description="Page number, from 1.")
    x0: float
    y0: float
    x1: float
    y1: float


class Position(Value):
    """Where a text stands in its document."""

    start: int = Field(ge=0, description="First character in the document's text, from 0.")
    end: int = Field(ge=0, description="Character after the last one.")
    first_page: int | None = Field(default=None, description="First page, from 1; null if the format has no pages.")
    last_page: int | None = None
    boxes: tuple[Box, ...] = Field(default=(), description="One box per page of the text.")
    cells: tuple[str, ...] = Field(default=(), description="Notebook cell ids.")
    start_second: float | None = Field(
        default=None, description="Where the text begins in a recording, in seconds; null if it is no transcript."
    )
    end_second: float | None = None

    @property
    def time(self) -> str | None:
        """Where the text begins in a recording ("12:34")."""
        return None if self.start_second is None else clock(self.start_second)


def location(title: str, heading_path: tuple[str, ...]) -> str:
    """A location in the material, for people: document title and headings, each once."""
    return " › ".join(dict.fromkeys((title, *heading_path)))


class Match(Value):
    """How well a passage matches the query that found it, comparable between queries."""

    words: float = Field(description="BM25 score, as a share of what all words of the query could give (from 0 to 1).")
    meaning: float = Field(description="Cosine similarity of the query and the passage's nearest chunk.")


def pinpoint(page: int | None, time: str | None) -> str:
    """Where to look in a document, for people: ", page 3", ", at 12:34", or nothing."""
    if time is not None:
        return f", at {time}"
    return f", page {page}" if page else ""


class Passage(Value):
    """What retrieval returns: a block of a document with its score.

    Students may read `text` unless `visibility` says otherwise; `solution` is always for staff only.
    """

    block_id: str
    document_id: str
    document: str = Field(description="The document's name, a path relative to what was ingested.")
    title: str = Field(description="The document's title.")
    variants: tuple[str, ...] = Field(default=(), description="Names of the same work in other formats, and of copies.")
    source: Source
    visibility: Visibility
    heading_path: tuple[str, ...]
    label: str = Field(default="", description="The question's number, such as 2c; empty if it is not a question.")
    text: str
    solution: str = ""
    position: Position
    score: float
    match: Match | None = Field(default=None, description="Null if the retriever compares no words and meanings.")
    facts: tuple[Fact, ...] = Field(default=(), description="What it says of the dates or people that were asked for.")
    path: tuple[str, ...] = Field(
        default=(), description="Nodes from the table of contents down to the passage, each with its score."
    )

    @property
    def location(self) -> str:
        """Document title and headings, for people."""
        return location(self.title, self.heading_path)

    def with_facts_of(self, other: Passage) -> Passage:
        """This one, with what another search knows of it where its own knew nothing: not all ask for facts."""
        return self if self.facts or not other.facts else self.model_copy(update={"facts": other.facts})


class Message(Value):
    """One message of a forum thread."""

    role: Role = Role.STUDENT
    body: Annotated[str, Field(min_length=1)]
    body_format: BodyFormat = BodyFormat.MARKDOWN
    endorsed: bool = Field(default=False, description="True if a TA or the instructor approved of the message.")


class Question(Value):
    """A student's question with its attachments, as plain text or Markdown."""

    title: str = ""
    body: str
    category: str | None = None
    code: str | None = None
    line: int | None = Field(default=None, ge=1, description="Line of the code that it is about, from 1.")
    tests: tuple[CodeTest, ...] = Field(default=(), description="What the exercise's tests said of the code.")
    linting: tuple[LintMessage, ...] = Field(default=(), description="What a linter said of the code.")
    programming_language: str | None = None
    language: str | None = Field(
        default=None, description="Language to answer in (BCP 47), the question's own if none."
    )
    thread: tuple[Message, ...] = ()
    images: tuple[str, ...] = Field(default=(), description="The text of each attached image that was read.")
    asked_at: datetime | None = Field(default=None, description="When it was asked; now if it does not say.")
    exercise: str | None = Field(
        default=None,
        description="What it is about: an id of an assignment's block, or the text; for homework the body is the work.",
    )

    @property
    def text(self) -> str:
        """Title and body as one text, the title left out where the body repeats it."""
        return self.body if not self.title or self.body.startswith(self.title) else f"{self.title}\n\n{self.body}"

    @property
    def is_about_code(self) -> bool:
        """Whether it comes with code in a field of its own."""
        return bool(self.code)

    @property
    def has_code_context(self) -> bool:
        """Whether something says what its code is to do, where it fails, or what language it is in."""
        return bool(self.exercise or self.tests or self.linting or self.line or self.programming_language)


class FunctionSpec(Value):
    """A course function as the model sees it."""

    name: str
    description: str
    parameters: dict[str, Any] = Field(description="JSON Schema of the arguments.")


class FunctionCall(Value):
    """One call of a course function that a model asked for, its arguments already valid."""

    id: str
    name: str
    arguments: dict[str, Any]
    opaque: dict[str, Any] = Field(default_factory=dict, exclude=True, repr=False)
    """Further fields with which the server sent it, such as a signature, and wants it back; never shown or stored."""


class Usage(Value):
    """Calls, tokens, cost and time of model calls; add usages with `+`."""

    calls: int = 0
    cached_calls: int = 0
    replayed_calls: int = Field(default=0, description="Of the calls, those whose reply is from a recording.")
    other_excerpts_calls: int = Field(
        default=0,
        description="Of the replayed calls, those that were recorded with other excerpts of the same passages.",
    )
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = Field(default=0.0, description="None if the price of a used model is not known.")
    model_ms: float = Field(default=0.0, description="Milliseconds spent waiting for the model, summed over calls.")

    def __add__(self, other: Usage) -> Usage:
        unknown = self.cost_usd is None or other.cost_usd is None
        return Usage(
            calls=self.calls + other.calls,
            cached_calls=self.cached_calls + other.cached_calls,
            replayed_calls=self.replayed_calls + other.replayed_calls,
            other_excerpts_calls=self.other_excerpts_calls + other.other_excerpts_calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cost_usd=None if unknown else (self.cost_usd or 0.0) + (other.cost_usd or 0.0),
            model_ms=self.model_ms + other.model_ms,
        )


class DroppedQuote(StrEnum):
    """Why a citation has no quote."""

    NOT_GIVEN = "not-given"
    TOO_SHORT = "too-short"
    IN_ANOTHER_PASSAGE = "in-another-passage"
    NOT_FOUND = "not-found"


class Citation(Value):
    """A location in the course material that supports an answer."""

    number: int = Field(ge=1, description="The answer's Markdown refers to it as [number].")
    block_id: str
    document: str
    title: str
    variants: tuple[str, ...] = Field(default=(), description="Names of the same work in other formats, and of copies.")
    source: Source
    visibility: Visibility
    heading_path: tuple[str, ...]
    page: int | None = None
    time: str | None = Field(default=None, description="Time in a recording, as `12:34` or `1:02:03`; else null.")
    quote: str = Field(default="", description="Words of the passage; empty if none could be verified.")
    more_quotes: tuple[str, ...] = Field(default=(), description="Further words of the passage, for other statements.")
    verified: bool = Field(description="True if the quote was found in the passage.")
    dropped: DroppedQuote | None = Field(
        default=None, description="Why its quote was dropped; null if it was verified."
    )

    @property
    def quotes(self) -> tuple[str, ...]:
        """All verified words of the passage."""
        return tuple(filter(None, (self.quote, *self.more_quotes)))

    @property
    def location(self) -> str:
        """Document title and headings, for people."""
        return location(self.title, self.heading_path)

    @property
    def pinpoint(self) -> str:
        """Page or time, for people: ", page 3", ", at 12:34", or nothing."""
        return pinpoint(self.page, self.time)


class Doubt(StrEnum):
    """Why an answer is not posted before a person has read it."""

    CUT = "cut"
    """A part was removed: hidden or staff-only text, a link, a reference to nothing."""
    UNVERIFIED = "unverified"
    """A statement or a quote is not backed by the material."""
    UNSURE = "unsure"
    """Its confidence is below the one from which answers of its model are posted."""
    UNCLEAR_CONFIDENCE = "unclear_confidence"
    """The model's confidence was no number from 0 to 1."""
    CONTRADICTION = "contradiction"
    """It claims to answer, with no confidence at all."""
    INCOMPLETE = "incomplete"
    """A question of the post is left open."""
    STAFF_TEXT = "staff_text"
    """It repeats a text for staff, such as a solution; the places are marked."""
    TASK = "task"
    """It repeats a task's wording, or shows code for it."""
    WARNING = "warning"
    """There is a warning for the reviewer."""


class Answer(Value):
    """A pipeline's result: a status, Markdown with [n] references, and the citations that they refer to."""

    status: Status
    markdown: str
    citations: tuple[Citation, ...] = ()
    confidence: float = Field(default=0.0, ge=0.0, le=1.0)
    warnings: tuple[str, ...] = Field(default=(), description="What the reviewer of the draft should know.")
    reviewed: bool | None = Field(
        default=None, description="Whether a judging model reviewed the draft; None if its pipeline has no review."
    )
    doubts: tuple[Doubt, ...] = Field(default=(), description="Why a person must read it before it is posted.")
    mark: str = Field(default="", description="What stands behind unverified statements, for the reviewer alone.")
    feedback: Feedback | None = Field(default=None, description="Feedback on homework; None for answers to questions.")
    issue: CodeIssue | None = Field(default=None, description="What was found in the student's code, if anything.")


class FoundPassage(Value):
    """A student-visible passage in a trace: enough to find it again, without its text."""

    block_id: str
    document: str
    heading_path: tuple[str, ...]
    score: float | None = Field(description="Null for those who may not read drafts.")
    facts: tuple[Fact, ...] = Field(default=(), description="What it says of the dates or people that were asked for.")
    path: tuple[str, ...] = Field(
        default=(), description="Nodes from the table of contents down to it, with their scores; empty likewise."
    )


class StepKind(StrEnum):
    """The kind of a step of a run."""

    READ = "read"
    CHECK = "check"
    CHOOSE = "choose"
    SEARCH = "search"
    WRITE = "write"
    REVIEW = "review"


class Step(Value):
    """One step of a run, as stored in its trace. Times are milliseconds, `started_ms` from the run's start."""

    kind: StepKind
    started_ms: float
    ms: float
    function: str | None = None
    arguments: dict[str, Any] | None = None
    retriever: str | None = None
    passages: tuple[FoundPassage, ...] = ()
    calls: tuple[FunctionCall, ...] = ()
    task: str | None = None
    prompt_version: str | None = None
    model: str | None = None
    usage: Usage | None = None
    note: str | None = Field(default=None, description="What this step left out or shortened, or a review's verdict.")
    error: str | None = None
