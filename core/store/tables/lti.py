"""Learning platforms that people enter from (LTI 1.3), and which of their courses is which of ours."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field, SQLModel

from core.store.tables.columns import UTCDateTime, now, owner

ANY_CONTEXT = ""
"""The `context_id` of a link for every course of a deployment."""


class LtiPlatformRow(SQLModel, table=True):
    """A Canvas, Moodle or other platform at which this service is registered as a tool."""

    __tablename__ = "lti_platform"

    id: str = Field(primary_key=True, description="Follows from issuer and client id.")
    issuer: str
    client_id: str
    auth_url: str = Field(description="Where browsers are sent to sign in.")
    token_url: str = Field(description="Where tokens for the platform's services are asked for.")
    jwks_url: str = Field(description="The keys that its messages are signed with.")
    created_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)


class LtiLinkRow(SQLModel, table=True):
    """The course that a deployment of the tool leads to, in one course (`context_id`) of the platform or in any."""

    __tablename__ = "lti_link"

    platform_id: str = Field(sa_column=owner("lti_platform.id", is_key=True))
    deployment_id: str = Field(primary_key=True)
    context_id: str = Field(default=ANY_CONTEXT, primary_key=True)
    course_id: str = Field(sa_column=owner("course.id"))
    roster_url: str | None = Field(default=None, description="Where the platform lists the course's members.")
    roster_at: datetime | None = Field(default=None, sa_type=UTCDateTime, description="When they were last read.")


class LtiNonceRow(SQLModel, table=True):
    """A message that was accepted, so that it is not accepted again."""

    __tablename__ = "lti_nonce"

    digest: str = Field(primary_key=True)
    expires_at: datetime = Field(sa_type=UTCDateTime)
