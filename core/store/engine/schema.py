"""The state of a database's schema, and the migrations that bring it up to date."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from core.errors import SetupError
from core.store.engine.postgresql import lock, take_time

MIGRATIONS = Path(__file__).parents[1] / "migrations"
HEAD = "0019"
"""The newest migration. A test compares it with the migrations folder."""
VERSION_TABLE = "alembic_version"
MIGRATION_LOCK = "migration"
MAX_NAMED = 5
"""Tables of another program that a message names."""

_OWN_TABLES = text(
    "SELECT c.relname FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace "
    "AND c.relkind IN ('r', 'p') AND NOT EXISTS (SELECT FROM pg_depend d "
    "WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e') ORDER BY c.relname"
)
"""Tables that belong to no extension."""


class SchemaState(StrEnum):
    CURRENT = "current"
    OLDER = "older"
    EMPTY = "empty"
    NEWER = "newer"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class Schema:
    """What a database holds: our schema at `revision`, or another program's `tables`."""

    state: SchemaState
    revision: str | None = None
    tables: tuple[str, ...] = ()


def schema_of(connection: Connection, newest: str = HEAD) -> Schema:
    """The schema, compared with the newest revision that this version knows. Changes nothing."""
    if (current := revision(connection)) == newest:
        return Schema(SchemaState.CURRENT, current)
    tables = tuple(name for name in _tables(connection) if name != VERSION_TABLE)
    if current is None and not tables:
        return Schema(SchemaState.EMPTY)
    if current is None or not (current.isascii() and current.isdigit()) or "course" not in tables:
        return Schema(SchemaState.FOREIGN, current, tables)
    return Schema(SchemaState.NEWER if current > newest else SchemaState.OLDER, current, tables)


def revision(connection: Connection) -> str | None:
    """The migration that was applied last; none in a database without any."""
    if not connection.dialect.has_table(connection, VERSION_TABLE):
        return None
    applied: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return applied


def _tables(connection: Connection) -> list[str]:
    if connection.dialect.name == "postgresql":
        return list(connection.execute(_OWN_TABLES).scalars())
    return inspect(connection).get_table_names()


def refuse_others(schema: Schema, where: str) -> None:
    """Raises `SetupError` for a schema that this version cannot bring up to date. `where` is the database's URL."""
    if schema.state is SchemaState.FOREIGN:
        named = ", ".join(schema.tables[:MAX_NAMED]) + (", …" if len(schema.tables) > MAX_NAMED else "")
        raise SetupError(
            f"The database {where} holds another program's tables ({named}). Name a database of EduMod's own, in "
            "EDUMOD_DATABASE_URL or by EDUMOD_HOME."
        )
    if schema.state is SchemaState.NEWER:
        raise SetupError(
            f"The database {where} was written by a newer version of EduMod: its schema is {schema.revision}, and this "
            f"version knows those up to {HEAD}. Install the newest version."
        )


def upgrade(connection: Connection, where: str, to: str = "head") -> Schema:
    """Bring the schema up to date, or up to the revision `to`; what it was before. Other processes that want to do so
    too wait.

    Raises `SetupError` where that is not possible.
    """
    take_time(connection)
    lock(connection, MIGRATION_LOCK)
    before = schema_of(connection)
    refuse_others(before, where)
    demand_unicode(connection, where)
    migrate(connection, to)
    return before


def migrate(connection: Connection, to: str) -> None:
    """Run the migrations up to a revision, in the connection's transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, to)


def demand_unicode(connection: Connection, where: str) -> None:
    """Raises `SetupError` for a database that cannot hold every character. `where` is its URL."""
    if connection.dialect.name != "postgresql":
        return
    encoding = connection.execute(text("SHOW server_encoding")).scalar_one()
    if encoding != "UTF8":
        raise SetupError(
            f"The database {where} has the encoding {encoding}, which lacks characters. Create one with UTF8: "
            "createdb --encoding=UTF8 --template=template0 NAME"
        )
