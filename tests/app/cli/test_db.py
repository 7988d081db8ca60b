"""`edumod db`, `backup` and `restore`, as processes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.doctor.installation import check_database
from tests.app.commands import edumod
from tests.app.live import settings_in
from tests.core.store.copies.filled import contents, fill
from tests.servers.postgresql import PostgreSQLServer


@pytest.fixture
def new_url(postgresql: PostgreSQLServer) -> Iterator[str]:
    """An empty PostgreSQL database."""
    url = postgresql.create()
    yield url
    postgresql.drop(url)


def test_a_new_database_is_checked_upgraded_and_checked_again(tmp_path: Path) -> None:
    empty = edumod(tmp_path, "db", "check")
    assert (empty.returncode, "empty" in empty.stdout) == (1, True)
    assert list(tmp_path.iterdir()) == []
    assert "(none) → " in edumod(tmp_path, "db", "upgrade").stdout
    assert "Up to date" in edumod(tmp_path, "db", "upgrade").stdout
    assert "courses: 0, drafts: 0, running processes: 0" in edumod(tmp_path, "db", "check").stdout
    today = edumod(tmp_path, "db", "check", "--json")
    found = json.loads(today.stdout)
    assert (today.returncode, found["state"], found["courses"]) == (0, "current", 0)


def test_a_database_goes_to_postgresql_into_a_file_and_back(tmp_path: Path, new_url: str) -> None:
    here = f"sqlite:///{tmp_path / 'edumod.db'}"
    asyncio.run(fill(here))
    copied = edumod(tmp_path, "db", "copy", "--to", new_url)
    assert (copied.returncode, "course 2" in copied.stdout) == (0, True), copied.stderr
    again = edumod(tmp_path, "db", "copy", "--to", new_url)
    assert (again.returncode, "--replace" in again.stderr) == (2, True)
    written = edumod(tmp_path, "backup", str(tmp_path / "backup.gz"), "--json", EDUMOD_DATABASE_URL=new_url)
    assert json.loads(written.stdout)["rows"]["draft"] == 2
    restored = edumod(tmp_path / "other", "restore", str(tmp_path / "backup.gz"))
    assert restored.returncode == 0, restored.stderr
    assert asyncio.run(contents(f"sqlite:///{tmp_path / 'other' / 'edumod.db'}")) == asyncio.run(contents(here))


def test_a_server_that_is_not_there_ends_a_check_with_a_sentence(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    url = "postgresql://bot:s3cret@127.0.0.1:1/edumod"
    for command in ("check", "upgrade"):
        done = edumod(tmp_path, "db", command, EDUMOD_DATABASE_URL=url)
        assert (done.returncode, "127.0.0.1:1/edumod cannot be opened" in done.stderr) == (5, True)
        assert "s3cret" not in done.stdout + done.stderr
        assert "Traceback" not in done.stderr


def test_doctor_names_the_database(tmp_path: Path, postgresql_url: str) -> None:
    check = asyncio.run(check_database(settings_in(tmp_path, database_url=postgresql_url)))
    assert check.finding.startswith("PostgreSQL 18")
    assert "no course" in check.finding
