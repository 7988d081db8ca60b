"""The setting that names the database."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from core.errors import SetupError
from core.settings import Settings, read_settings

SECRET = "s3cret"


@pytest.mark.parametrize(
    "url",
    ["postgresql://bot:pw@host/db", "postgres://host/db", "postgresql+psycopg://host/db", "sqlite:////var/edumod.db",
     "sqlite+aiosqlite:///edumod.db"],
)  # fmt: skip
def test_sqlite_and_postgresql_are_supported(url: str) -> None:
    assert Settings(database_url=url).url == url


def test_without_it_sqlite_in_the_home_is_used(tmp_path: Path) -> None:
    assert Settings(home=tmp_path, database_url=None).url == f"sqlite:///{tmp_path / 'edumod.db'}"


@pytest.mark.parametrize("url", [f"mysql://bot:{SECRET}@host/db", f"bot:{SECRET}@host/db", "", "postgresql:/host"])
def test_another_kind_of_database_is_refused_with_the_supported_ones(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDUMOD_DATABASE_URL", url)
    with pytest.raises(SetupError, match=r"EDUMOD_DATABASE_URL: .*sqlite:/// .*postgresql://user") as raised:
        read_settings()
    cause = raised.value.__cause__
    assert isinstance(cause, ValidationError)
    assert SECRET not in f"{raised.value} {cause}"


def test_its_password_is_not_in_the_settings_as_they_are_shown() -> None:
    assert SECRET not in repr(Settings(database_url=f"postgresql://bot:{SECRET}@host/db"))
