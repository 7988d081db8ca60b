"""A document may be a variant of another: the same work in another format."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("document", sa.Column("variant_of", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("document", "variant_of")
