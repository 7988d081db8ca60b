"""Which process measures a cell of an evaluation, files that wait to be ingested, and jobs that failed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "cell_claim",
        sa.Column("evaluation_id", sa.Text(), sa.ForeignKey("evaluation.id", ondelete="CASCADE"), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("item", sa.String(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("run", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("evaluation_id", "actor", "item", "seed"),
    )
    op.create_table(
        "waiting_file",
        sa.Column("course_id", sa.Text(), sa.ForeignKey("course.id", ondelete="CASCADE"), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("is_accepted", sa.Boolean(), nullable=False),
        sa.Column("stored_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("course_id", "source", "name"),
    )
    op.create_table(
        "failed_job",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("arguments", sa.JSON(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("error", sa.String(), nullable=False),
        sa.Column("failed_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_failed_job_failed_at", "failed_job", ["failed_at"])


def downgrade() -> None:
    for table in ("failed_job", "waiting_file", "cell_claim"):
        op.drop_table(table)
