"""What reviewers type before they decide, who has a draft open, and the pictures of questions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "edit",
        _draft(),
        sa.Column("person", sa.String(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("course_id", sa.Text(), sa.ForeignKey("course.id", ondelete="CASCADE"), nullable=False),
        sa.Column("base", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("fields", sa.JSON(), nullable=False),
        sa.Column("saved_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("draft_id", "person", "purpose"),
    )
    op.create_index("ix_edit_course_id", "edit", ["course_id"])
    op.create_index("ix_edit_saved_at", "edit", ["saved_at"])
    op.create_table(
        "presence",
        _draft(),
        sa.Column("person", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("seen_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("draft_id", "person"),
    )
    op.create_index("ix_presence_seen_at", "presence", ["seen_at"])
    op.create_table(
        "picture",
        _draft(),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("media_type", sa.String(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("draft_id", "number"),
    )


def _draft() -> sa.Column[str]:
    return sa.Column("draft_id", sa.Text(), sa.ForeignKey("draft.id", ondelete="CASCADE"), nullable=False)


def downgrade() -> None:
    for table in ("picture", "presence", "edit"):
        op.drop_table(table)
