"""`edumod elmes run` killed at work (SIGKILL): the next run holds what is missing, and repeats no finished dialogue."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.app.commands import EDUMOD, edumod, environment
from tests.eval.scenarios.samples import OLD, written
from tests.servers.faults import FaultServer, said, serving

pytestmark = pytest.mark.slow

DIALOGUES, CONCURRENCY, TURNS, KILLED_AFTER = 60, 4, 6, 120


async def asked_often(server: FaultServer, times: int) -> None:
    while len(server.requests) < times:
        server.asked.clear()
        await server.asked.wait()


def held(home: Path) -> set[str]:
    with closing(sqlite3.connect(home / "edumod.db")) as database:
        return {item for (item,) in database.execute("SELECT item FROM result")}


def calls_by_task(requests: Iterable[dict[str, Any]]) -> Counter[str]:
    """Every task is named by the last word of its system message."""
    return Counter(f"task_{request['messages'][0]['content'].split()[-1]}" for request in requests)


async def test_a_killed_run_repeats_no_finished_dialogue(tmp_path: Path) -> None:
    judge = OLD.index("evaluation:")
    text = OLD[:judge].replace(" {unknown}", "").replace('"Bye"', '"never"')
    text = text.replace("[joins, 3, true, null]", str(list(range(DIALOGUES))))
    home = tmp_path / "home"
    async with serving(replace(said("A join."), wait=0.05)) as server:
        path = written(tmp_path, text, server.base_url)
        command = ["elmes", "run", str(path), "--json"]
        process = await asyncio.create_subprocess_exec(
            EDUMOD, *command, env=environment(home), cwd=tmp_path, stdout=asyncio.subprocess.DEVNULL
        )
        async with asyncio.timeout(60):
            await asked_often(server, KILLED_AFTER)
        process.kill()
        await process.wait()
        finished, earlier = held(home), len(server.requests)
        assert KILLED_AFTER / TURNS - 2 * CONCURRENCY <= len(finished) < DIALOGUES

        again = await asyncio.to_thread(edumod, home, *command)
        assert again.returncode == 0, again.stderr
        later = calls_by_task(server.requests[earlier:])
    assert later == {f"task_{n}": TURNS for n in range(DIALOGUES) if f"task_{n}" not in finished}
    figures = json.loads(again.stdout)["scenarios"]["lesson"]["models"]["one"]
    assert (figures["unscored"], figures["partial"]) == (0, DIALOGUES)
