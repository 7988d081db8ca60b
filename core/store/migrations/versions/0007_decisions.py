"""Decisions on drafts, claims, corrections of blocks, and an outbox of webhooks."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
DRAFT_COLUMNS = (
    "kind",
    "category",
    "confidence",
    "version",
    "claimed_by",
    "claimed_by_name",
    "claimed_until",
    "callback_url",
    "alternative",
)
drafts = sa.table(
    "draft",
    sa.column("id", sa.Text()),
    sa.column("request", sa.JSON()),
    sa.column("response", sa.JSON()),
    sa.column("category", sa.Text()),
    sa.column("confidence", sa.Float()),
)


def upgrade() -> None:
    op.add_column("draft", sa.Column("kind", sa.String(), nullable=True))
    op.add_column("draft", sa.Column("category", sa.String(), nullable=True))
    op.add_column("draft", sa.Column("confidence", sa.Float(), nullable=True))
    op.add_column("draft", sa.Column("version", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("draft", sa.Column("claimed_by", sa.String(), nullable=True))
    op.add_column("draft", sa.Column("claimed_by_name", sa.String(), nullable=True))
    op.add_column("draft", sa.Column("claimed_until", MOMENT, nullable=True))
    op.add_column("draft", sa.Column("callback_url", sa.String(), nullable=True))
    op.add_column("draft", sa.Column("alternative", sa.JSON(), nullable=True))
    op.add_column("node", sa.Column("visibility", sa.Text(), nullable=True))
    op.create_index("ix_draft_queue", "draft", ["course_id", "state", "created_at"])
    _fill_drafts()
    _create_decisions()
    op.create_table(
        "correction",
        _course(),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("heading", sa.String(), nullable=False),
        sa.Column("visibility", sa.Text(), nullable=True),
        sa.Column("is_question", sa.Boolean(), nullable=False),
        sa.Column("corrected_by", sa.String(), nullable=False),
        sa.Column("corrected_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("course_id", "document_id", "heading"),
    )
    _create_webhooks()


def _course() -> sa.Column[str]:
    return sa.Column("course_id", sa.Text(), sa.ForeignKey("course.id", ondelete="CASCADE"), nullable=False)


def _draft() -> sa.Column[str]:
    return sa.Column("draft_id", sa.Text(), sa.ForeignKey("draft.id", ondelete="CASCADE"), nullable=False)


def _fill_drafts() -> None:
    """The columns to filter by, from what is stored as JSON."""
    connection = op.get_bind()
    for row in connection.execute(sa.select(drafts.c.id, drafts.c.request, drafts.c.response)).all():
        asked = (row.request or {}).get("question") or {}
        values = {"category": asked.get("category"), "confidence": (row.response or {}).get("confidence")}
        if any(value is not None for value in values.values()):
            connection.execute(drafts.update().where(drafts.c.id == row.id).values(values))


def _create_decisions() -> None:
    op.create_table(
        "decision",
        sa.Column("id", sa.String(), nullable=False),
        _draft(),
        _course(),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("reasons", sa.JSON(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("scores", sa.JSON(), nullable=False),
        sa.Column("struck", sa.JSON(), nullable=False),
        sa.Column("kept", sa.JSON(), nullable=True),
        sa.Column("decided_by", sa.String(), nullable=False),
        sa.Column("decided_by_name", sa.String(), nullable=False),
        sa.Column("decided_at", MOMENT, nullable=False),
        sa.Column("final_at", MOMENT, nullable=False),
        sa.Column("undone_at", MOMENT, nullable=True),
        sa.Column("is_second", sa.Boolean(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("edit_distance", sa.Integer(), nullable=False),
        sa.Column("share_deleted", sa.Float(), nullable=False),
        sa.Column("share_added", sa.Float(), nullable=False),
        sa.Column("pipeline", sa.String(), nullable=True),
        sa.Column("promoted_at", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_decision_draft_id", "decision", ["draft_id"])
    op.create_index("ix_decision_time", "decision", ["course_id", "decided_at"])


def _create_webhooks() -> None:
    op.create_table(
        "webhook",
        sa.Column("id", sa.String(), nullable=False),
        _course(),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("secret", sa.String(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_webhook_course_id", "webhook", ["course_id"])
    op.create_table(
        "delivery",
        sa.Column("id", sa.String(), nullable=False),
        _course(),
        _draft(),
        sa.Column("webhook_id", sa.String(), nullable=True),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("event", sa.String(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("next_at", MOMENT, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("last_status", sa.Integer(), nullable=True),
        sa.Column("last_error", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_delivery_course_id", "delivery", ["course_id"])
    op.create_index("ix_delivery_draft_id", "delivery", ["draft_id"])
    op.create_index("ix_delivery_due", "delivery", ["state", "next_at"])


def downgrade() -> None:
    """Decisions are deleted: their drafts wait again."""
    for table in ("delivery", "webhook", "correction", "decision"):
        op.drop_table(table)
    state = sa.table("draft", sa.column("state", sa.Text()), sa.column("response", sa.JSON()))
    answered = sa.cast(state.c.response, sa.Text()).not_in(("null", "")) & state.c.response.is_not(None)
    op.execute(state.update().where(state.c.state == "decided", answered).values(state="pending"))
    op.execute(state.update().where(state.c.state == "decided").values(state="failed"))
    op.drop_index("ix_draft_queue", table_name="draft")
    # One by one, not by a batch, in which SQLite drops the table and all that belongs to its rows.
    for name in DRAFT_COLUMNS:
        op.drop_column("draft", name)
    op.drop_column("node", "visibility")
