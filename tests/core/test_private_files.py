"""Files that only their owner can read, on a real file system."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.files import write_atomically
from core.private_files import make_home_private, private_folder
from core.store.store import Store
from retrievers.sealed import write_sealed
from tests.core.modes import mode

pytestmark = pytest.mark.usefixtures("open_umask")


def test_missing_folders_are_created_for_their_owner_alone_and_others_stay_as_they_are(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    private_folder(tmp_path / "home" / "cache")
    assert [mode(path) for path in (tmp_path, tmp_path / "home", tmp_path / "home" / "cache")] == [0o755, 0o700, 0o700]


def test_what_is_written_is_for_its_owner_alone(tmp_path: Path) -> None:
    write_atomically(tmp_path / "home" / "a.md", b"a")
    write_sealed(tmp_path / "index" / "b", b"b")
    assert [mode(tmp_path / name) for name in ("home/a.md", "index", "index/b")] == [0o600, 0o700, 0o600]


def test_a_home_from_before_becomes_private_with_all_that_edumod_wrote(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "cache" / "llm").mkdir(parents=True)
    (home / "cache" / "llm" / "reply.json").write_text("{}")
    (home / "notes.txt").write_text("not ours")
    make_home_private(home)
    assert [mode(home / name) for name in (".", "cache", "cache/llm", "cache/llm/reply.json")] == [
        0o700, 0o700, 0o700, 0o600,
    ]  # fmt: skip
    assert mode(home / "notes.txt") == 0o644


def test_a_folder_that_all_users_share_stays_theirs(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    shared = tmp_path / "tmp"
    (shared / "cache").mkdir(parents=True)
    shared.chmod(0o1777)
    make_home_private(shared)
    assert (shared.stat().st_mode & 0o7777, mode(shared / "cache")) == (0o1777, 0o700)
    assert "a folder of its own" in caplog.text


def test_links_are_not_followed_out_of_the_home(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "models").symlink_to(elsewhere)
    make_home_private(tmp_path / "home")
    assert mode(elsewhere) == 0o755


async def test_a_database_and_the_files_beside_it_are_private_from_the_start(tmp_path: Path) -> None:
    store = await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'data' / 'own.db'}")
    await store.courses.put("c", {"id": "c"})
    modes = {path.name: mode(path) for path in (tmp_path / "data").iterdir()}
    await store.aclose()
    assert modes == {"own.db": 0o600, "own.db-wal": 0o600, "own.db-shm": 0o600}
    assert mode(tmp_path / "data") == 0o700


async def test_a_journal_is_as_private_as_its_database(tmp_path: Path) -> None:
    path = tmp_path / "own.db"
    await (await Store.open(f"sqlite+aiosqlite:///{path}")).aclose()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        # As where the file system has no shared memory, which the write-ahead log needs.
        connection.execute("PRAGMA journal_mode=DELETE")
        connection.execute("BEGIN")
        connection.execute("CREATE TABLE more (id INTEGER)")
        assert mode(tmp_path / "own.db-journal") == 0o600


async def test_a_database_from_before_becomes_private_but_not_the_folder_that_it_was_put_in(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    url = f"sqlite+aiosqlite:///{folder / 'own.db'}"
    await (await Store.open(url)).aclose()
    (folder / "own.db").chmod(0o644)
    await (await Store.open(url)).aclose()
    assert (mode(folder / "own.db"), mode(folder)) == (0o600, 0o755)


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that every user can enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_what_belongs_to_another_user_is_a_warning(public_folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file to another user and become that user")
    home = public_folder / "home"
    home.mkdir()
    os.seteuid(12345)
    try:
        make_home_private(home)
    finally:
        os.seteuid(0)
    assert "permissions cannot be changed" in caplog.text
    assert mode(home) == 0o755
