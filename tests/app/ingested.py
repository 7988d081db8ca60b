"""Homes as ingestion left them: the same files are ingested once, and the database copied for each home after that."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from sqlalchemy import URL, create_engine, text

from core.course import Course
from core.settings import Settings
from core.store.engine.urls import parse_url
from tests.servers.homes import BLOCKING


@dataclass
class IngestedHomes:
    """Databases to copy: as SQLite files in a folder, or on the PostgreSQL server that the home's database is on."""

    _files: dict[str, Path] = field(default_factory=dict)
    _databases: dict[str, str] = field(default_factory=dict)
    _folder: tempfile.TemporaryDirectory[str] = field(default_factory=tempfile.TemporaryDirectory)

    def fill(self, settings: Settings, key: str) -> bool:
        """Copy what was kept under the key over the home's database, which has no rows yet; whether there was any."""
        url = parse_url(settings.url)
        if url.get_backend_name() == "sqlite":
            if key not in self._files:
                return False
            settings.home.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self._files[key], _file(url))
            return True
        if key not in self._databases:
            return False
        _on_server(url, f"DROP DATABASE {url.database} WITH (FORCE)")
        _on_server(url, f"CREATE DATABASE {url.database} TEMPLATE {self._databases[key]}")
        return True

    def keep(self, settings: Settings, key: str) -> None:
        """Keep the home's database, which nobody uses at this moment, under the key."""
        url = parse_url(settings.url)
        name = f"ingested_{uuid4().hex}"
        if url.get_backend_name() == "sqlite":
            self._files[key] = Path(self._folder.name) / name
            shutil.copyfile(_file(url), self._files[key])
        else:
            _on_server(url, f"CREATE DATABASE {name} TEMPLATE {url.database}")
            self._databases[key] = name


def key_of(settings: Settings, material: Path, courses: tuple[Course, ...]) -> str:
    """What decides what ingestion stores: the settings but for the places, the courses, and the files as they are."""
    values = settings.model_dump_json(exclude={"home", "database_url"})
    files = [(str(path), path.read_bytes()) for path in sorted(material.rglob("*")) if path.is_file()]
    return repr((values, [course.model_dump_json() for course in courses], files))


def is_empty(settings: Settings) -> bool:
    """Whether the home's database has no course."""
    url = parse_url(settings.url)
    if url.get_backend_name() == "sqlite" and not _file(url).exists():
        return True
    engine = create_engine(url.set(drivername=BLOCKING[url.get_backend_name()]))
    with engine.connect() as connection:
        count = connection.execute(text("SELECT count(*) FROM course")).scalar_one()
    engine.dispose()
    return int(count) == 0


def _file(url: URL) -> Path:
    assert url.database
    return Path(url.database)


def _on_server(url: URL, statement: str) -> None:
    engine = create_engine(url.set(drivername=BLOCKING["postgresql"], database="postgres"))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(statement))
    engine.dispose()
