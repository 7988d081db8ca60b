"""People, their roles and sessions, the keys of programs, and names that are kept from models."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Index, Text
from sqlmodel import Field, SQLModel

from core.store.tables.columns import UTCDateTime, json_or_null, now, owner
from core.types import Role


class PersonRow(SQLModel, table=True):
    """Someone who may sign in, by a link or by an account elsewhere (`issuer` and `subject`)."""

    __tablename__ = "person"
    __table_args__ = (Index("ix_person_subject", "issuer", "subject", unique=True),)

    id: str = Field(primary_key=True)
    name: str
    email: str | None = Field(default=None, unique=True, description="In lower case.")
    issuer: str | None = None
    subject: str | None = None
    is_operator: bool = False
    created_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)


class MemberRow(SQLModel, table=True):
    """The role of a person in a course."""

    __tablename__ = "member"

    course_id: str = Field(sa_column=owner("course.id", is_key=True))
    person_id: str = Field(sa_column=owner("person.id", is_key=True))
    role: Role = Field(sa_type=Text)


class KeyRow(SQLModel, table=True):
    """A key for programs. Only the hash of it is stored; `id` is the part that may be shown."""

    __tablename__ = "api_key"

    id: str = Field(primary_key=True)
    name: str
    digest: str = Field(description="SHA-256 of the key, in hexadecimal digits.")
    scopes: list[str] = Field(sa_type=JSON)
    courses: list[str] | None = Field(
        default=None,
        sa_column=json_or_null(),
        description="The courses that it is bound to; None for all.",
    )
    limits: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    created_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)
    expires_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    revoked_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    used_at: datetime | None = Field(default=None, sa_type=UTCDateTime, description="Accurate to a minute.")
    owner: str | None = Field(
        default=None,
        description="`Person.id` of the person, or of the key, that made it; None for one of the operator's.",
    )


class SignInLinkRow(SQLModel, table=True):
    """A link that signs a person in once. Only the hash of its token is stored."""

    __tablename__ = "sign_in_link"

    digest: str = Field(primary_key=True)
    person_id: str = Field(sa_column=owner("person.id"))
    expires_at: datetime = Field(sa_type=UTCDateTime)
    used_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class SessionRow(SQLModel, table=True):
    """A browser in which a person has signed in. Only the hash of its token is stored."""

    __tablename__ = "session"

    digest: str = Field(primary_key=True)
    person_id: str = Field(sa_column=owner("person.id"))
    created_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)
    expires_at: datetime = Field(sa_type=UTCDateTime)


class RosterRow(SQLModel, table=True):
    """A member of a course whose name is replaced by a pseudonym before a question goes to a model."""

    __tablename__ = "roster"

    course_id: str = Field(sa_column=owner("course.id", is_key=True))
    pseudonym: str = Field(primary_key=True)
    name: str
    aliases: list[str] = Field(default_factory=list, sa_type=JSON)
