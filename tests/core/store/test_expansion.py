"""A schema is expanded first and contracted a version later, so that processes of two versions run side by side."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.store.engine.schema import HEAD
from core.store.store import Store
from tests.core.store.test_migrations import MIGRATIONS, rows

ROOT = Path(__file__).parents[3]
EXPANDING = {"create_table", "create_index", "add_column", "get_bind", "execute"}
FIRST = "0015"
"""The first migration that running processes survive."""


def migrations() -> list[Path]:
    return [path for path in sorted((MIGRATIONS / "versions").glob("*.py")) if path.name >= FIRST]


@pytest.mark.parametrize("path", migrations(), ids=lambda path: path.stem)
def test_a_migration_adds_and_takes_nothing_away(path: Path) -> None:
    (upgrade,) = (
        node
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name == "upgrade"
    )
    operations = {
        node.func.attr
        for node in ast.walk(upgrade)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name) and node.func.value.id == "op"
    }  # fmt: skip
    assert operations <= EXPANDING


def git(*arguments: str) -> bytes:
    try:
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no history of the project: {error}")


@pytest.fixture(scope="module")
def previous_version(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The code as it was before the newest migration."""
    (newest,) = (MIGRATIONS / "versions").glob(f"{HEAD}_*.py")
    added = git("log", "--first-parent", "-m", "--diff-filter=A", "--format=%H", "--", str(newest)).decode().split()
    if not added:
        pytest.skip("the newest migration is not committed")
    folder = tmp_path_factory.mktemp("previous")
    archive = git("archive", f"{added[-1]}^", "core", "retrievers")
    subprocess.run(["tar", "--extract", "--directory", str(folder)], input=archive, check=True)
    return folder


async def test_a_running_process_of_the_previous_version_survives_the_migration(
    empty_database_url: str, previous_version: Path
) -> None:
    script = Path(__file__).with_name("older_process.py")
    environment = {**os.environ, "PYTHONPATH": str(previous_version)}
    command = [sys.executable, "-P", str(script), empty_database_url]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True) as older:  # noqa: ASYNC220
        assert older.stdout is not None
        assert older.stdout.readline() == "ready\n"
        before = await rows(empty_database_url, "SELECT version_num FROM alembic_version")
        store = await Store.open(empty_database_url)
        assert before != [(HEAD,)]
        output, _ = older.communicate("go\n", timeout=60)
    assert (older.returncode, output) == (0, "done\n")
    assert len(await store.material.documents("ds")) == 2
    await store.aclose()
