"""First tables: course, document, node, embedding, draft, trace, job."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "course",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("config", sa.JSON(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "document",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("course_id", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("build", sa.String(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("error", sa.String(), nullable=True),
        sa.Column("visibility", sa.Text(), nullable=False),
        sa.Column("pair", sa.String(), nullable=True),
        sa.Column("is_solution", sa.Boolean(), nullable=False),
        sa.Column("release_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("warnings", sa.JSON(), nullable=False),
        sa.Column("ingested_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["course_id"], ["course.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("document", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_document_course_id"), ["course_id"], unique=False)
        batch_op.create_index("ix_document_name", ["course_id", "source", "name"], unique=True)

    op.create_table(
        "draft",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("course_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("idempotency_key", sa.String(), nullable=True),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.Column("request", sa.JSON(), nullable=True),
        sa.Column("response", sa.JSON(), nullable=True),
        sa.Column("error", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(["course_id"], ["course.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("draft", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_draft_course_id"), ["course_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_draft_created_at"), ["created_at"], unique=False)
        batch_op.create_index("ix_draft_idempotency", ["course_id", "idempotency_key"], unique=True)

    op.create_table(
        "job",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("course_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("report", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["course_id"], ["course.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("job", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_job_course_id"), ["course_id"], unique=False)

    op.create_table(
        "node",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("course_id", sa.Text(), nullable=False),
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("parent_id", sa.Text(), nullable=True),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("heading_path", sa.JSON(), nullable=False),
        sa.Column("label", sa.String(), nullable=True),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("solution", sa.String(), nullable=False),
        sa.Column("summary", sa.String(), nullable=False),
        sa.Column("position", sa.JSON(), nullable=False),
        sa.Column("cost", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["course_id"], ["course.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["document_id"], ["document.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["parent_id"], ["node.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("node", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_node_course_id"), ["course_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_node_document_id"), ["document_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_node_parent_id"), ["parent_id"], unique=False)

    op.create_table(
        "trace",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("course_id", sa.Text(), nullable=False),
        sa.Column("draft_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("steps", sa.JSON(), nullable=False),
        sa.Column("usage", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["course_id"], ["course.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["draft_id"], ["draft.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("trace", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_trace_course_id"), ["course_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_trace_draft_id"), ["draft_id"], unique=False)

    op.create_table(
        "embedding",
        sa.Column("node_id", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("course_id", sa.Text(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["course_id"], ["course.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["node_id"], ["node.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("node_id", "ordinal"),
    )
    with op.batch_alter_table("embedding", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_embedding_course_id"), ["course_id"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("embedding", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_embedding_course_id"))

    op.drop_table("embedding")
    with op.batch_alter_table("trace", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_trace_draft_id"))
        batch_op.drop_index(batch_op.f("ix_trace_course_id"))

    op.drop_table("trace")
    with op.batch_alter_table("node", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_node_parent_id"))
        batch_op.drop_index(batch_op.f("ix_node_document_id"))
        batch_op.drop_index(batch_op.f("ix_node_course_id"))

    op.drop_table("node")
    with op.batch_alter_table("job", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_job_course_id"))

    op.drop_table("job")
    with op.batch_alter_table("draft", schema=None) as batch_op:
        batch_op.drop_index("ix_draft_idempotency")
        batch_op.drop_index(batch_op.f("ix_draft_created_at"))
        batch_op.drop_index(batch_op.f("ix_draft_course_id"))

    op.drop_table("draft")
    with op.batch_alter_table("document", schema=None) as batch_op:
        batch_op.drop_index("ix_document_name")
        batch_op.drop_index(batch_op.f("ix_document_course_id"))

    op.drop_table("document")
    op.drop_table("course")
