"""URLs of databases: which ones are supported, and how one is shown without its password."""

from __future__ import annotations

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from core.errors import SetupError

SUPPORTED = "sqlite:///path/to/edumod.db or postgresql://user:password@host:5432/name"
DRIVERS = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
"""SQLAlchemy's name of the driver that EduMod uses, by the kind of database, whatever driver a URL names."""
HIDDEN = "***"
SECRETS = ("password", "sslpassword")
"""Parameters of a PostgreSQL URL that are shown to nobody."""


def parse_url(url: str) -> URL:
    """The URL with the driver that EduMod uses. Raises `SetupError`, without a word of the URL: it may hold a password
    in the wrong position."""
    try:
        read = make_url(url)
    except (ArgumentError, ValueError) as error:
        raise SetupError(
            f"The URL of the database cannot be read. It looks like {SUPPORTED}, in EDUMOD_DATABASE_URL; special "
            "characters of user and password are percent-encoded, such as %40 for @."
        ) from (error if isinstance(error, ArgumentError) else None)
    if (driver := DRIVERS.get(read.drivername.partition("+")[0])) is None:
        raise SetupError(f"There is no support for {read.drivername} databases. The URL looks like {SUPPORTED}.")
    return read.set(drivername=driver)


def display_url(url: URL) -> str:
    """The URL for messages: a path for a SQLite file, else without driver and secrets."""
    if is_file(url):
        return url.database or ""
    query = {name: HIDDEN if name in SECRETS else value for name, value in url.query.items()}
    plain = url.set(drivername=url.get_backend_name(), query=query)
    return plain.render_as_string(hide_password=True).replace("%2A%2A%2A", HIDDEN).replace("%2F", "/")


def is_file(url: URL) -> bool:
    """True for a SQLite database in a file that the URL names by its path."""
    name = url.database or ""
    return url.get_backend_name() == "sqlite" and name not in ("", ":memory:") and not name.startswith("file:")
