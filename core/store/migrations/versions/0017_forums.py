"""Forums: how far each was read, its threads, and what is posted there; drafts whose question has changed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("draft", sa.Column("stale", sa.String(), nullable=True))
    op.create_table(
        "forum",
        _course(),
        sa.Column("cursor", sa.String()),
        sa.Column("next_at", MOMENT, nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("error", sa.String()),
        sa.Column("shows_drafts", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("course_id"),
    )
    op.create_table(
        "forum_thread",
        _course(),
        sa.Column("thread_id", sa.String(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("hint", sa.String()),
        sa.Column("due_at", MOMENT),
        sa.Column("digest", sa.String()),
        sa.Column("draft_id", sa.String()),
        sa.Column("drafts", sa.Integer(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("learned_from", sa.String()),
        sa.Column("reason", sa.String()),
        sa.PrimaryKeyConstraint("course_id", "thread_id"),
    )
    op.create_index("ix_forum_thread_due", "forum_thread", ["due_at"])
    op.create_index("ix_forum_thread_draft", "forum_thread", ["draft_id"])
    op.create_table(
        "forum_post",
        sa.Column("mark", sa.String(), nullable=False),
        _course(),
        sa.Column("thread_id", sa.String(), nullable=False),
        sa.Column("draft_id", sa.Text(), sa.ForeignKey("draft.id", ondelete="CASCADE"), nullable=False),
        sa.Column("decision_id", sa.String(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("post_id", sa.String()),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("sent_at", MOMENT),
        sa.Column("next_at", MOMENT, nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("looks", sa.Integer(), nullable=False),
        sa.Column("error", sa.String()),
        sa.PrimaryKeyConstraint("mark"),
    )
    op.create_index("ix_forum_post_course_id", "forum_post", ["course_id"])
    op.create_index("ix_forum_post_draft_id", "forum_post", ["draft_id"])
    op.create_index("ix_forum_post_due", "forum_post", ["state", "next_at"])
    op.create_index("ix_forum_post_decision", "forum_post", ["decision_id", "kind"], unique=True)


def _course() -> sa.Column[str]:
    return sa.Column("course_id", sa.Text(), sa.ForeignKey("course.id", ondelete="CASCADE"), nullable=False)


def downgrade() -> None:
    for table in ("forum_post", "forum_thread", "forum"):
        op.drop_table(table)
    op.drop_column("draft", "stale")
