"""A course remembers which embedding made its vectors, and has those of two while it changes to another."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

BUILTIN = "all-MiniLM-L6-v2-int8"
FLOAT_BYTES = 4
MAX_TOKENS = 254

courses = sa.table("course", sa.column("id", sa.Text()), sa.column("embedding", sa.JSON()))
vectors = sa.table(
    "embedding",
    *(sa.column(name, sa.Text()) for name in ("node_id", "course_id", "model")),
    sa.column("vector", sa.LargeBinary()),
)


def upgrade() -> None:
    op.add_column("course", sa.Column("embedding", sa.JSON(), nullable=True))
    _change_key(["node_id", "ordinal", "model"])
    connection = op.get_bind()
    length = sa.func.max(sa.func.length(vectors.c.vector))
    found = sa.select(vectors.c.course_id, vectors.c.model, length.label("length"))
    rows = connection.execute(found.group_by(vectors.c.course_id, vectors.c.model)).all()
    # The built-in model last: of a course with vectors of several, those of no other can be searched.
    for row in sorted(rows, key=lambda row: row.model == BUILTIN):
        record = _record(row.model, row.length // FLOAT_BYTES)
        connection.execute(courses.update().where(courses.c.id == row.course_id).values(embedding=record))


def downgrade() -> None:
    """Vectors beside those that are searched are deleted: there is room for one embedding only."""
    connection = op.get_bind()
    for course_id, model in _fullest(connection).items():
        others = (vectors.c.course_id == course_id) & (vectors.c.model != model)
        connection.execute(vectors.delete().where(others))
    _change_key(["node_id", "ordinal"])
    # Not by a batch, in which SQLite drops the table and all that belongs to its rows.
    op.drop_column("course", "embedding")


def _fullest(connection: sa.Connection) -> dict[str, str]:
    """By course, the model that most blocks have vectors of: the one that is searched."""
    blocks = sa.func.count(vectors.c.node_id.distinct())
    counted = sa.select(vectors.c.course_id, vectors.c.model).group_by(vectors.c.course_id, vectors.c.model)
    return {row.course_id: row.model for row in connection.execute(counted.order_by(blocks)).all()}


def _record(model: str, dimension: int) -> dict[str, Any]:
    """What made vectors that are stored under that name."""
    return {
        "source": "minilm" if model == BUILTIN else model,
        "name": model,
        "weights": "",
        "dimension": dimension,
        "query_prefix": "",
        "passage_prefix": "",
        "max_tokens": MAX_TOKENS,
    }


def _change_key(columns: list[str]) -> None:
    """The table's primary key. SQLite changes it by copying the table."""
    if op.get_bind().dialect.name != "sqlite":
        op.drop_constraint("embedding_pkey", "embedding", type_="primary")
        op.create_primary_key("embedding_pkey", "embedding", columns)
        return
    names = '"node_id", "ordinal", "course_id", "model", "start", "end", "vector"'
    op.create_table(
        "embedding_copy",
        sa.Column("node_id", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("course_id", sa.Text(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["course_id"], ["course.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["node_id"], ["node.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint(*columns),
    )
    op.execute(f"INSERT INTO embedding_copy ({names}) SELECT {names} FROM embedding")  # noqa: S608 - our own names
    op.drop_table("embedding")
    op.rename_table("embedding_copy", "embedding")
    op.create_index("ix_embedding_course_id", "embedding", ["course_id"])
