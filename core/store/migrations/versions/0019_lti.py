"""Learning platforms that people enter from (LTI 1.3)."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "lti_platform",
        *(
            sa.Column(name, sa.String(), nullable=False)
            for name in ("id", "issuer", "client_id", "auth_url", "token_url", "jwks_url")
        ),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "lti_link",
        sa.Column("platform_id", sa.Text(), nullable=False),
        sa.Column("deployment_id", sa.String(), nullable=False),
        sa.Column("context_id", sa.String(), nullable=False),
        sa.Column("course_id", sa.Text(), nullable=False),
        sa.Column("roster_url", sa.String()),
        sa.Column("roster_at", MOMENT),
        sa.ForeignKeyConstraint(["platform_id"], ["lti_platform.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["course_id"], ["course.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("platform_id", "deployment_id", "context_id"),
    )
    op.create_index("ix_lti_link_course_id", "lti_link", ["course_id"])
    op.create_table(
        "lti_nonce",
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )


def downgrade() -> None:
    for table in ("lti_nonce", "lti_link", "lti_platform"):
        op.drop_table(table)
