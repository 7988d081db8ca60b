"""A course, its documents, their trees and vectors, and what staff corrected in them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, Index, LargeBinary, Text
from sqlmodel import Field, SQLModel

from core.store.tables.columns import UTCDateTime, json_or_null, now, owner
from core.types import Source, Visibility


class CourseRow(SQLModel, table=True):
    """A tenant. `config` is its validated course file; `revision` grows with every change of its material."""

    __tablename__ = "course"

    id: str = Field(primary_key=True)
    config: dict[str, Any] = Field(sa_type=JSON)
    revision: int = 0
    embedding: dict[str, Any] | None = Field(
        default=None,
        sa_column=json_or_null(),
        description="What made the vectors that are searched (`core.embedding`); None where it has none.",
    )


class DocumentState(StrEnum):
    INDEXED = "indexed"
    EMPTY = "empty"
    FAILED = "failed"


class DocumentRow(SQLModel, table=True):
    """One ingested file. `build` identifies how it was built, so that a changed prompt or model rebuilds it."""

    __tablename__ = "document"
    __table_args__ = (Index("ix_document_name", "course_id", "source", "name", unique=True),)

    id: str = Field(primary_key=True)
    course_id: str = Field(sa_column=owner("course.id"))
    source: Source = Field(sa_type=Text)
    name: str
    title: str
    sha256: str
    build: str
    state: DocumentState = Field(sa_type=Text)
    error: str | None = None
    visibility: Visibility = Field(sa_type=Text)
    pair: str | None = Field(default=None, description="Name shared by an assignment and its solution document.")
    is_solution: bool = False
    release_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    variant_of: str | None = Field(
        default=None, description="Id of the document that holds the same work, and is read instead of this one."
    )
    pages: int = 0
    warnings: list[str] = Field(default_factory=list, sa_type=JSON)
    ingested_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)


class NodeKind(StrEnum):
    DOCUMENT = "document"
    SECTION = "section"
    GROUP = "group"
    BLOCK = "block"


class NodeRow(SQLModel, table=True):
    """A node of a document's tree. Blocks are the leaves and have text; inner nodes have a summary."""

    __tablename__ = "node"

    id: str = Field(primary_key=True)
    course_id: str = Field(sa_column=owner("course.id"))
    document_id: str = Field(sa_column=owner("document.id"))
    parent_id: str | None = Field(default=None, sa_column=owner("node.id", nullable=True))
    ordinal: int = Field(description="Position in the document's tree, depth first, from 0.")
    kind: NodeKind = Field(sa_type=Text)
    title: str
    heading_path: list[str] = Field(default_factory=list, sa_type=JSON)
    label: str | None = Field(default=None, description="Question number in one spelling, such as 3a.")
    text: str = ""
    solution: str = ""
    summary: str = ""
    visibility: Visibility | None = Field(default=None, sa_type=Text, description="Corrected; else the document's.")
    position: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    cost: dict[str, Any] = Field(default_factory=dict, sa_type=JSON, description="Usage of the node's summary.")


class EmbeddingRow(SQLModel, table=True):
    """The vector of one chunk of a block: `text[start:end]` of that block, under its heading path."""

    __tablename__ = "embedding"

    node_id: str = Field(sa_column=owner("node.id", is_key=True))
    ordinal: int = Field(primary_key=True)
    course_id: str = Field(sa_column=owner("course.id"))
    model: str = Field(primary_key=True, description="Id of the embedding that made it.")
    start: int
    end: int
    vector: bytes = Field(sa_type=LargeBinary, description="float32, little endian.")


class CorrectionRow(SQLModel, table=True):
    """What staff decided about a block; it holds again after the document is ingested anew.

    The block is named by its document and headings, since its text may change. No foreign key: replacing a document
    deletes its rows for a moment.
    """

    __tablename__ = "correction"

    course_id: str = Field(sa_column=owner("course.id", is_key=True))
    document_id: str = Field(primary_key=True)
    heading: str = Field(primary_key=True, description="Heading path and label as JSON.")
    visibility: Visibility | None = Field(default=None, sa_type=Text)
    is_question: bool = True
    label: str | None = Field(default=None, description="Number of the question that the block asks or answers.")
    corrected_by: str = Field(description="`Person.id`.")
    corrected_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)


class PairingRow(SQLModel, table=True):
    """The assignment that staff gave a solution document to; it holds again after either is ingested anew.

    No foreign key to the document: replacing it deletes its row for a moment.
    """

    __tablename__ = "pairing"

    course_id: str = Field(sa_column=owner("course.id", is_key=True))
    document_id: str = Field(primary_key=True, description="Of the solution.")
    pair: str | None = Field(default=None, description="`DocumentRow.pair` of the assignment; None for no assignment.")
    paired_by: str = Field(description="`Person.id`.")
    paired_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)


class SettingChangeRow(SQLModel, table=True):
    """A setting of a course that somebody changed in the browser. While it `holds`, it comes before the course file."""

    __tablename__ = "setting_change"
    __table_args__ = (Index("ix_setting_change_course", "course_id", "changed_at"),)

    id: str = Field(primary_key=True)
    course_id: str = Field(sa_column=owner("course.id", is_indexed=False))
    key: str = Field(description="Its keys in the course file, joined by dots.")
    before: Any = Field(default=None, sa_column=json_or_null())
    value: Any = Field(default=None, sa_column=json_or_null())
    file_value: Any = Field(
        default=None, sa_column=json_or_null(), description="What the course file says, as loaded last."
    )
    holds: bool = True
    changed_by: str = Field(description="`Person.id`.")
    changed_by_name: str
    changed_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)
