"""Which process works on a draft, and what its request chose; drafts that were left at work are interrupted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

INTERRUPTED = {"code": "interrupted", "detail": "The server was stopped before the answer was there."}


def upgrade() -> None:
    op.create_table(
        "process",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.add_column("draft", sa.Column("parameters", sa.JSON(), nullable=True))
    op.add_column("draft", sa.Column("owner", sa.String(), nullable=True))
    op.create_index("ix_draft_state", "draft", ["state", "created_at"])
    draft = sa.table("draft", sa.column("state", sa.Text()), sa.column("error", sa.JSON()))
    op.execute(draft.update().where(draft.c.state == "working").values(state="failed", error=INTERRUPTED))


def downgrade() -> None:
    op.drop_index("ix_draft_state", table_name="draft")
    with op.batch_alter_table("draft") as batch_op:
        batch_op.drop_column("owner")
        batch_op.drop_column("parameters")
    op.drop_table("process")
