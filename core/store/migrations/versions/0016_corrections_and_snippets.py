"""Corrections of decisions, reminders of drafts that wait, snippets of courses, and saved filters of the queue."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("decision", sa.Column("corrects", sa.String(), nullable=True))
    op.add_column("decision", sa.Column("replaced_at", MOMENT, nullable=True))
    op.add_column("draft", sa.Column("reminded_at", MOMENT, nullable=True))
    op.create_table(
        "snippet",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("course_id", sa.Text(), sa.ForeignKey("course.id", ondelete="CASCADE"), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("created_by_name", sa.String(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_snippet_course_id", "snippet", ["course_id"])
    op.create_table(
        "saved_filter",
        sa.Column("person", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("query", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("person", "name"),
    )


def downgrade() -> None:
    for table in ("saved_filter", "snippet"):
        op.drop_table(table)
    op.drop_column("draft", "reminded_at")
    for column in ("replaced_at", "corrects"):
        op.drop_column("decision", column)
