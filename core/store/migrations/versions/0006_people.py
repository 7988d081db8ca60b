"""People, keys, quotas, the audit log and rosters; drafts know who asked, whose question it is and where it stands."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
drafts = sa.table(
    "draft", sa.column("id", sa.Text()), sa.column("request", sa.JSON()), sa.column("pseudonym", sa.Text())
)
READ_AT_ONCE = 500


def upgrade() -> None:
    _people()
    _keys()
    _records()
    _drafts()


def _people() -> None:
    op.create_table(
        "person",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("email", sa.String(), nullable=True),
        sa.Column("issuer", sa.String(), nullable=True),
        sa.Column("subject", sa.String(), nullable=True),
        sa.Column("is_operator", sa.Boolean(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("email"),
    )
    op.create_index("ix_person_subject", "person", ["issuer", "subject"], unique=True)
    op.create_table(
        "member",
        sa.Column("course_id", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["course_id"], ["course.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("course_id", "person_id"),
    )
    for name, times in (("sign_in_link", ("expires_at", "used_at")), ("session", ("created_at", "expires_at"))):
        op.create_table(
            name,
            sa.Column("digest", sa.String(), nullable=False),
            sa.Column("person_id", sa.Text(), nullable=False),
            *(sa.Column(time, TIME, nullable=time == "used_at") for time in times),
            sa.ForeignKeyConstraint(["person_id"], ["person.id"], ondelete="CASCADE"),
            sa.PrimaryKeyConstraint("digest"),
        )
        op.create_index(f"ix_{name}_person_id", name, ["person_id"])


def _keys() -> None:
    op.create_table(
        "api_key",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("courses", sa.JSON(), nullable=True),
        sa.Column("limits", sa.JSON(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=True),
        sa.Column("revoked_at", TIME, nullable=True),
        sa.Column("used_at", TIME, nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "secret",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "quota_usage",
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("period", sa.String(), nullable=False),
        sa.Column("requests", sa.Integer(), nullable=False),
        sa.Column("questions", sa.Integer(), nullable=False),
        sa.Column("dollars", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("subject", "period"),
    )


def _records() -> None:
    op.create_table(
        "audit",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("course_id", sa.String(), nullable=True),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("actor_name", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=True),
        sa.Column("request_id", sa.String(), nullable=True),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_audit_course", "audit", ["course_id", "at"])
    op.create_table(
        "roster",
        sa.Column("course_id", sa.Text(), nullable=False),
        sa.Column("pseudonym", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("aliases", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["course_id"], ["course.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("course_id", "pseudonym"),
    )


def _drafts() -> None:
    for name in ("asked_by", "pseudonym", "thread_id"):
        op.add_column("draft", sa.Column(name, sa.String(), nullable=True))
    op.create_index("ix_draft_asked_by", "draft", ["asked_by"])
    op.create_index("ix_draft_pseudonym", "draft", ["course_id", "pseudonym"])
    op.create_index("ix_draft_thread", "draft", ["course_id", "thread_id"])
    connection = op.get_bind()
    last = ""
    while rows := connection.execute(
        sa.select(drafts.c.id, drafts.c.request).where(drafts.c.id > last).order_by(drafts.c.id).limit(READ_AT_ONCE)
    ).all():
        last = rows[-1].id
        for row in rows:
            if pseudonym := ((row.request or {}).get("author") or {}).get("pseudonym"):
                connection.execute(drafts.update().where(drafts.c.id == row.id).values(pseudonym=pseudonym))


def downgrade() -> None:
    for name in ("ix_draft_thread", "ix_draft_pseudonym", "ix_draft_asked_by"):
        op.drop_index(name, table_name="draft")
    # Not by a batch, in which SQLite drops the table and all that belongs to its rows.
    for name in ("thread_id", "pseudonym", "asked_by"):
        op.drop_column("draft", name)
    for name in ("roster", "audit", "quota_usage", "secret", "api_key", "session", "sign_in_link", "member", "person"):
        op.drop_table(name)
