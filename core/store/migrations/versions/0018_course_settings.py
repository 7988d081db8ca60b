"""Settings of courses that people changed in the browser."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "setting_change",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("course_id", sa.Text(), sa.ForeignKey("course.id", ondelete="CASCADE"), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("before", sa.JSON(), nullable=True),
        sa.Column("value", sa.JSON(), nullable=True),
        sa.Column("file_value", sa.JSON(), nullable=True),
        sa.Column("holds", sa.Boolean(), nullable=False),
        sa.Column("changed_by", sa.String(), nullable=False),
        sa.Column("changed_by_name", sa.String(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_setting_change_course", "setting_change", ["course_id", "changed_at"])


def downgrade() -> None:
    op.drop_table("setting_change")
