"""Rules for single documents of a course: who may see them, from when, and what is left out."""

from __future__ import annotations

from datetime import datetime
from fnmatch import fnmatchcase

from pydantic import (
    Field,
    field_validator,
)

from core.types import Value, Visibility


class DocumentRule(Value):
    """Settings for the files whose name matches a pattern such as `assignments/*/*_sol.*`."""

    match: str = Field(description="Pattern of names as `edumod ingest` reports them; `*` matches any characters.")
    visibility: Visibility | None = Field(
        default=None,
        description="Who may see the text: students, or only staff. Without a rule, a file of an assignment is for "
        "staff where its name, or what it repeats of another file, says that it may be a solution.",
    )
    release_at: datetime | None = Field(
        default=None,
        description="Time, with a time zone, before which no question finds the document. It also holds back the "
        "solutions of an assignment, whatever rules they match.",
    )
    is_text: bool | None = Field(default=None, description="True to ingest a text file although it looks like data.")
    exclude: bool | None = Field(default=None, description="True to leave the file out of ingestion.")
    notes: Visibility | None = Field(
        default=None,
        description="Who may see the speaker notes in a deck of slides. Without a rule, they are for staff; those of "
        "hidden slides always are.",
    )

    @field_validator("release_at")
    @classmethod
    def _has_time_zone(cls, value: datetime | None) -> datetime | None:
        if value is not None and value.tzinfo is None:
            raise ValueError("needs a time zone, as in 2026-02-19T23:59:00-08:00")
        return value


def matches(name: str, pattern: str) -> bool:
    """Whether a file's name matches a pattern from its beginning or from any of its folders on; `*` is anything."""
    return fnmatchcase(name, pattern) or fnmatchcase(name, f"*/{pattern}")
