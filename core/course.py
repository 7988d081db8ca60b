"""The course file: what an instructor decides, validated, with errors that name the line."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
)
from pydantic_core import PydanticCustomError

from core.rules import Edison, OneOrMore, one_or_more
from core.schema_words import with_article
from core.types import Source, Status, Value, Visibility
from core.yaml_file import YamlFile, read_yaml

CourseId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]

SENTENCES: dict[Status, str] = {
    Status.ABSTAINED: "I could not find an answer in the course material. Please wait for a staff member's response.",
    Status.NEEDS_CLARIFICATION: "Could you add some detail, such as the question number, your code or the error?",
    Status.NO_RESPONSE_NEEDED: "",
    Status.BLOCKED: "This question cannot be answered automatically. Please wait for a staff member's response.",
    Status.CONSENT_REQUIRED: "The student has not agreed to automatic answers. Staff will answer this question.",
}


class Choices(Value):
    """What decides an answer, whatever its pipeline. What is left out, the course's defaults decide."""

    pipeline: str | None = Field(default=None, description="A name or alias from `GET /pipelines`.")
    retriever: str | None = Field(default=None, description="A name from `GET /retrievers`, for every function.")
    model: str | None = Field(default=None, description="One of the models this installation allows.")
    top_k: int | None = Field(default=None, ge=1, le=50, description="Passages per function call.")
    temperature: float | None = Field(default=None, ge=0, le=2, description="Of the model; null is the model's own.")
    seed: int | None = Field(default=None, ge=0, le=2**31 - 1, description="Sampling seed, where the model has one.")
    beam: int | None = Field(
        default=None, ge=1, le=10, description="Places followed at once by a retriever that descends a tree."
    )
    depth: int | None = Field(
        default=None, ge=1, le=20, description="Rounds of model calls of a retriever that descends a tree, at most."
    )

    @field_validator("*", mode="wrap")
    @classmethod
    def _fits(cls, value: Any, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
        """One sentence for whatever does not fit, with both ends of the range and what was given."""
        try:
            return handler(value)
        except ValidationError:
            kind = _kinds(cls)[info.field_name or ""]
            said = {"kind": kind, "given": _short(repr(value))}
            raise PydanticCustomError("unfit", "must be {kind}, not {given}", said) from None


@cache
def _kinds(choices: type[Choices]) -> dict[str, str]:
    """What each field may be, in words."""
    schema = choices.model_json_schema(by_alias=False)
    return {name: with_article(field, schema) for name, field in schema["properties"].items()}


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:60]}…"


class WhenModelFails(StrEnum):
    """What becomes of a question while the model's endpoint is unavailable."""

    ERROR = "error"
    OFFLINE = "offline"


class Defaults(Choices):
    """What a request gets where it says nothing.

    Also `retriever.SOURCE`, for one course function's retriever, and the parameters of pipelines, by their names.
    """

    model_config = ConfigDict(extra="allow")

    pipeline: str = Field(default="fc_forced", description="A name or alias from `GET /pipelines`.")
    retriever: str = Field(default="tree", description="A name from `GET /retrievers`, for every function.")
    top_k: int = Field(default=5, ge=1, le=50, description="Passages per function call.")


class Style(Value):
    """How answers are written, by what is asked. Given to the model that writes; plain sentences."""

    assignments: str = Field(
        default="Give hints: name the idea, the place in the material and the next step, in two to five sentences. "
        "Leave the solution for the student to find.",
        description="Where the question is about a task that students hand in.",
    )
    concepts: str = Field(
        default="Explain fully: the idea in plain words first, then the detail, with a small example where it helps.",
        description="Where it is about the subject.",
    )
    logistics: str = Field(
        default="State the rule or date and where it stands, in two to five sentences.",
        description="Where it is about how the course is run.",
    )
    tone: str = Field(default="Friendly and to the point.", description="Of every answer.")

    @property
    def text(self) -> str:
        """One line per kind of question."""
        return "\n".join(f"{name}: {getattr(self, name).strip()}" for name in type(self).model_fields)


class DocumentRule(Value):
    """Settings for the files whose name matches a pattern such as `assignments/*/*_sol.*`."""

    match: str = Field(description="Pattern of names as `edumod ingest` reports them; `*` stands for any letters.")
    visibility: Visibility | None = Field(
        default=None,
        description="Who may see the text: students, or staff alone. Without a rule, solution documents are for staff.",
    )
    release_at: datetime | None = Field(
        default=None,
        description="Moment, with a time zone, before which no question finds the document, nor the solutions of an "
        "assignment, whatever rule they match themselves.",
    )
    is_text: bool | None = Field(
        default=None, description="True for a text file that is to be ingested although it looks like data."
    )

    @field_validator("release_at")
    @classmethod
    def _has_time_zone(cls, value: datetime | None) -> datetime | None:
        if value is not None and value.tzinfo is None:
            raise ValueError("needs a time zone, as in 2026-02-19T23:59:00-08:00")
        return value


class Course(Value):
    """A validated course file."""

    id: CourseId = Field(description="Short name in requests and on the command line: letters, digits, `-` and `_`.")
    title: str = Field(default="", description="As models and people read it.")
    language: str = Field(default="en", description="Of the material, as a BCP 47 tag.")
    consent_required: bool = Field(
        default=False, description="Whether a question is answered only where its author has agreed to it."
    )
    categories: Annotated[tuple[str, ...], OneOrMore] = Field(
        default=(), description="Those that a student can choose from in the forum."
    )
    defaults: Defaults = Field(default=Defaults(), description="What a request gets where it says nothing.")
    when_model_fails: WhenModelFails = Field(
        default=WhenModelFails.ERROR,
        description="Where the model cannot be reached: `error` fails, to be asked again later; `offline` answers with "
        "extracts of the material and says so in a warning.",
    )
    style: Style = Field(default=Style(), description="How answers are written.")
    edison: Edison = Field(default=Edison(), description="The rules of the pipeline `edison`.")
    sentences: dict[Status, str] = Field(
        default_factory=dict, description="What students read instead of an answer, by the status of the draft."
    )
    material: dict[Source, Annotated[tuple[str, ...], OneOrMore]] = Field(
        default_factory=dict, description="Files and folders per source, relative to the course file."
    )
    documents: tuple[DocumentRule, ...] = Field(
        default=(),
        description="Who sees which documents, from when on, and what is text; of several rules the last one decides.",
    )
    labels: str | None = Field(
        default=None, description="Folder with the course's own labelled questions, relative to the course file."
    )

    def sentence(self, status: Status) -> str:
        """What a student reads for a status that has no answer text of its own."""
        return self.sentences.get(status, SENTENCES.get(status, ""))

    def has_category(self, category: str) -> bool:
        """True for its own, whatever their letter case, and for any where the course names none."""
        return not self.categories or category.strip().casefold() in (one.casefold() for one in self.categories)

    def rules_for(self, name: str, path: Path | None = None) -> list[DocumentRule]:
        """The rules for a document, by its name or, so that no way of ingesting it evades one, by its place on disk."""
        places = [name] if path is None else [name, f"/{path.as_posix().lstrip('/')}"]
        return [
            rule
            for rule in self.documents
            if any(fnmatchcase(place, pattern) for place in places for pattern in (rule.match, f"*/{rule.match}"))
        ]


def read_course(path: Path) -> Course:
    """Read and validate a course file. Raises `InvalidInput` naming file, line and what to mend."""
    return course_in(read_course_yaml(path))


def read_course_yaml(path: Path) -> YamlFile:
    """A course file as it stands, not yet validated. Raises `InvalidInput` naming file and line."""
    return read_yaml(path, "course", "id")


def course_in(file: YamlFile) -> Course:
    """The course of a file that was read. Raises `InvalidInput` naming file, line and what to mend."""
    categories = one_or_more(file.content.get("categories"))
    known = categories if isinstance(categories, (list, tuple)) else ()
    try:
        return Course.model_validate(file.content, context={"categories": known})
    except ValidationError as error:
        raise file.invalid(error, Course) from error
