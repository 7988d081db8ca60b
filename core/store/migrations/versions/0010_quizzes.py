"""Quizzes of courses with their questions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0008"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "quiz",
        sa.Column("id", sa.String(), nullable=False),
        _course(),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("document", sa.String(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_quiz_course_id", "quiz", ["course_id"])
    op.create_index("ix_quiz_material", "quiz", ["course_id", "source", "document"], unique=True)
    texts = ("document", "block_id", "quote", "kind", "made_by", "made_question", "made_answer", "question", "answer")
    op.create_table(
        "quiz_question",
        sa.Column("quiz_id", sa.Text(), sa.ForeignKey("quiz.id", ondelete="CASCADE"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        _course(),
        *(sa.Column(name, sa.String(), nullable=False) for name in texts),
        sa.Column("heading_path", sa.JSON(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("reviewed_by", sa.String(), nullable=True),
        sa.Column("reviewed_at", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("quiz_id", "number"),
    )
    op.create_index("ix_quiz_question_course_id", "quiz_question", ["course_id"])


def _course() -> sa.Column[str]:
    return sa.Column("course_id", sa.Text(), sa.ForeignKey("course.id", ondelete="CASCADE"), nullable=False)


def downgrade() -> None:
    op.drop_table("quiz_question")
    op.drop_table("quiz")
