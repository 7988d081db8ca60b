"""Works, events and staff, as the material of a course says them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _table(
        "course_work",
        *_texts("kind", "number", "title", "late_rule", "quote"),
        sa.Column("is_own", sa.Boolean(), nullable=False),
        sa.Column("is_change", sa.Boolean(), nullable=False),
        sa.Column("released", sa.JSON(), nullable=True),
        sa.Column("due", sa.JSON(), nullable=True),
        sa.Column("points", sa.Float(), nullable=True),
    )
    _table(
        "course_event",
        sa.Column("kind", sa.Text(), nullable=False),
        *_texts("title", "until", "place", "quote"),
        sa.Column("at", sa.JSON(), nullable=True),
        sa.Column("last_day", sa.Integer(), nullable=True),
        sa.Column("week", sa.Integer(), nullable=True),
    )
    _table("course_staff", *_texts("name", "role", "hours", "place", "quote"))


def _table(name: str, *columns: sa.Column[object]) -> None:
    op.create_table(
        name,
        sa.Column("node_id", sa.Text(), sa.ForeignKey("node.id", ondelete="CASCADE"), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("course_id", sa.Text(), sa.ForeignKey("course.id", ondelete="CASCADE"), nullable=False),
        *columns,
        sa.PrimaryKeyConstraint("node_id", "ordinal"),
    )
    op.create_index(f"ix_{name}_course_id", name, ["course_id"])


def _texts(*names: str) -> list[sa.Column[object]]:
    return [sa.Column(name, sa.String(), nullable=False) for name in names]


def downgrade() -> None:
    for name in ("course_staff", "course_event", "course_work"):
        op.drop_table(name)
