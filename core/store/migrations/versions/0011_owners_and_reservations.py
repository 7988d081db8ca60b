"""Keys belong to who made them, and dollars are reserved for questions under way."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

keys = sa.table("api_key", sa.column("id", sa.String()), sa.column("owner", sa.String()))
audit = sa.table(
    "audit", sa.column("action", sa.String()), sa.column("subject", sa.String()), sa.column("actor", sa.String())
)
LOCAL = "local"
"""The actor of whoever used the service on its own machine: the operator, to whom keys without an owner belong."""


def upgrade() -> None:
    op.add_column("api_key", sa.Column("owner", sa.String(), nullable=True))
    made = (audit.c.action == "key.create") & (audit.c.subject == keys.c.id) & (audit.c.actor != LOCAL)
    maker = sa.select(sa.func.min(audit.c.actor)).where(made).scalar_subquery()
    op.get_bind().execute(keys.update().values(owner=maker))
    op.create_table(
        "quota_reservation",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("dollars", sa.Float(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", "subject"),
    )
    op.create_index("ix_quota_reservation_subject", "quota_reservation", ["subject"])


def downgrade() -> None:
    op.drop_table("quota_reservation")
    op.drop_column("api_key", "owner")
