"""Kills a command that ingests real files, runs it again, and compares what is stored then."""

from __future__ import annotations

import json
import signal
import sqlite3
import time
from pathlib import Path

from tests.real.conftest import edumod, new_home

CONTENT = {
    "document": "SELECT id, name, title, sha256, build, state, error, visibility, pair, is_solution, pages, warnings",
    "node": "SELECT *",
    "embedding": "SELECT *",
}


def content(home: Path) -> dict[str, list[tuple[object, ...]]]:
    with sqlite3.connect(home / "edumod.db") as database:
        return {
            table: sorted(database.execute(f"{select} FROM {table}"), key=repr) for table, select in CONTENT.items()
        }


def kill_and_run_again(folder: Path, arguments: tuple[str, ...], stored_at_kill: int, total: int) -> Path:
    """The home in which a command was killed once so many documents of all were stored, and then run to its end."""
    home = new_home(folder / "home")
    process = edumod(home, *arguments)
    while process.poll() is None and documents(home) < stored_at_kill:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert documents(home) < total, "The run had ended before it was killed."
    again = edumod(home, *arguments)
    report = json.loads(again.communicate()[0])
    states = {file["outcome"] for file in report["files"] if not file["name"].endswith("SOURCE.md")}
    assert states <= {"indexed", "unchanged", "skipped"}
    return home


def assert_same_content(home: Path, whole: Path) -> None:
    """What the home holds is stored in the other, which holds more, in the same form."""
    expected, found = content(whole), content(home)
    ids = {row[0] for row in found["document"]}
    assert found["document"] == [row for row in expected["document"] if row[0] in ids]
    nodes = {row[0] for row in found["node"]}
    assert found["node"] == [row for row in expected["node"] if row[0] in nodes]
    assert found["embedding"] == [row for row in expected["embedding"] if row[0] in nodes]


def documents(home: Path) -> int:
    if not (home / "edumod.db").exists():
        return 0
    try:
        with sqlite3.connect(f"file:{home / 'edumod.db'}?mode=ro", uri=True) as database:
            count: int = database.execute("SELECT count(*) FROM document").fetchone()[0]
            return count
    except sqlite3.OperationalError:
        return 0
