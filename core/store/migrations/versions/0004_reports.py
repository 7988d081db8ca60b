"""Evaluations without a course, their items, scores of results, and summaries in the shape of reports."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

ACTORS = {"retrieval": "retrievers", "nightly": "retrievers", "functions": "pipelines"}
"""What a summary calls its actors, by kind."""

evaluations = sa.table(
    "evaluation",
    *(sa.column(name, sa.String()) for name in ("id", "course_id", "kind")),
    sa.column("config", sa.JSON()),
    sa.column("summary", sa.JSON()),
)


def upgrade() -> None:
    _alter_evaluation(course_nullable=True)
    with op.batch_alter_table("result") as result:
        result.alter_column("ms", existing_type=sa.Float(), nullable=True)
        result.add_column(sa.Column("scores", sa.JSON(), nullable=False, server_default=sa.text("'{}'")))
    op.create_table(
        "item",
        sa.Column("evaluation_id", sa.Text(), nullable=False),
        sa.Column("item", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["evaluation_id"], ["evaluation.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("evaluation_id", "item"),
    )
    connection = op.get_bind()
    for row in connection.execute(sa.select(evaluations)).all():
        config = _config(row.course_id, row.config)
        summary = _report(row.id, row.course_id, row.kind, config, row.summary) if row.summary else {}
        connection.execute(
            evaluations.update().where(evaluations.c.id == row.id).values(config=config, summary=summary)
        )


def downgrade() -> None:
    """Evaluations without a course and results without a time are deleted, since there is no room for them; reports
    stay as they are, and data sets and digests get their earlier names."""
    op.drop_table("item")
    op.execute("DELETE FROM result WHERE ms IS NULL")
    op.execute("DELETE FROM result WHERE evaluation_id IN (SELECT id FROM evaluation WHERE course_id IS NULL)")
    op.execute("DELETE FROM evaluation WHERE course_id IS NULL")
    connection = op.get_bind()
    for row in connection.execute(sa.select(evaluations)).all():
        connection.execute(
            evaluations.update().where(evaluations.c.id == row.id).values(config=_earlier_config(row.config))
        )
    with op.batch_alter_table("result") as result:
        result.drop_column("scores")
        result.alter_column("ms", existing_type=sa.Float(), nullable=False)
    _alter_evaluation(course_nullable=False)


def _alter_evaluation(*, course_nullable: bool) -> None:
    """SQLite alters a table by copying and dropping it, which deletes the results that belong to its rows."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    if is_sqlite:
        op.execute("CREATE TABLE result_aside AS SELECT * FROM result")
    with op.batch_alter_table("evaluation") as evaluation:
        evaluation.alter_column("course_id", existing_type=sa.Text(), nullable=course_nullable)
    if is_sqlite:
        op.execute("DELETE FROM result")
        op.execute("INSERT INTO result SELECT * FROM result_aside")
        op.execute("DROP TABLE result_aside")


def _config(course: str, config: dict[str, Any]) -> dict[str, Any]:
    """The data set and the digest of its labels under their names of today."""
    kept = {name: value for name, value in config.items() if name not in ("queries", "configurations")}
    return {**kept, "dataset": course, "digest": config.get("queries"), "identities": config.get("configurations", {})}


def _earlier_config(config: dict[str, Any]) -> dict[str, Any]:
    """The reverse of `_config`."""
    kept = {name: value for name, value in config.items() if name not in ("dataset", "digest", "identities")}
    named = {"queries": config.get("digest"), "configurations": config.get("identities")}
    return {**kept, **{name: value for name, value in named.items() if value}}


def _report(evaluation: str, course: str, kind: str, config: dict[str, Any], summary: dict[str, Any]) -> dict[str, Any]:
    """The summary with what a report has besides."""
    actors = summary.get(ACTORS.get(kind, ""), {})
    names = [name for name in next(iter(actors.values()), {}) if "@" in name or name == "set_f1"]
    measures = [{"name": name, "version": "1", "unit": "share", "direction": "higher"} for name in names] + [
        {"name": "latency_ms", "version": "1", "unit": "ms", "direction": "lower"}
    ]
    added = {
        "evaluation": evaluation,
        "kind": kind,
        "dataset": course,
        "course": course,
        "digest": config["digest"],
        "seeds": len(config.get("seeds", [0])),
        "model": config.get("model"),
        "metrics": measures,
        "comparisons": [],
    }
    return {**added, **summary}
