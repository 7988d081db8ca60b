"""Scores of drafts by judges, votes of students on answers, and solutions that staff gave to assignments."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "judgement",
        _draft(),
        sa.Column("judge", sa.String(), nullable=False),
        _course(),
        sa.Column("rubric", sa.String(), nullable=False),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("unscored", sa.String(), nullable=True),
        sa.Column("explanation", sa.String(), nullable=False),
        sa.Column("parts", sa.JSON(), nullable=False),
        sa.Column("taken_at", MOMENT, nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("judged_at", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("draft_id", "judge"),
    )
    op.create_index("ix_judgement_course_id", "judgement", ["course_id"])
    op.create_table(
        "vote",
        _draft(),
        sa.Column("voter", sa.String(), nullable=False),
        _course(),
        sa.Column("is_helpful", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("voted_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("draft_id", "voter"),
    )
    op.create_index("ix_vote_course_id", "vote", ["course_id"])
    op.create_table(
        "pairing",
        _course(),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("pair", sa.String(), nullable=True),
        sa.Column("paired_by", sa.String(), nullable=False),
        sa.Column("paired_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("course_id", "document_id"),
    )
    op.add_column("correction", sa.Column("label", sa.String(), nullable=True))
    op.create_index("ix_decision_person", "decision", ["decided_by"])


def _course() -> sa.Column[str]:
    return sa.Column("course_id", sa.Text(), sa.ForeignKey("course.id", ondelete="CASCADE"), nullable=False)


def _draft() -> sa.Column[str]:
    return sa.Column("draft_id", sa.Text(), sa.ForeignKey("draft.id", ondelete="CASCADE"), nullable=False)


def downgrade() -> None:
    op.drop_index("ix_decision_person", table_name="decision")
    op.drop_column("correction", "label")
    for table in ("pairing", "vote", "judgement"):
        op.drop_table(table)
