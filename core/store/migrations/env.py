"""Alembic's entry point. Migrations run on the connection that `core.store.engine.database.Database.migrate` opened."""

from __future__ import annotations

from alembic import context
from sqlmodel import SQLModel

from core.store import tables  # noqa: F401  (fills SQLModel.metadata)

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=SQLModel.metadata,
    render_as_batch=True,
    compare_type=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
