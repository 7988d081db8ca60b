"""`edumod eval judges` killed at work (SIGKILL): the next run judges what is missing, and nothing else."""

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
from tests.judging.judged import ROW, folder
from tests.servers.faults import FaultServer, said, serving

pytestmark = pytest.mark.slow

ANSWERS, CONCURRENCY, KILLED_AFTER = 120, 8, 50
VERDICT = {"reasons": "Because.", "quotes": [], "core": [], "missing": [], "extra": [], "score": 4}


async def asked_often(server: FaultServer, times: int) -> None:
    while len(server.requests) < times:
        server.asked.clear()
        await server.asked.wait()


def judged(home: Path) -> set[str]:
    with closing(sqlite3.connect(home / "edumod.db")) as database:
        return {item for (item,) in database.execute("SELECT item FROM result")}


def requests_by_answer(requests: Iterable[dict[str, Any]]) -> Counter[str]:
    """Every answer has its id as its last word."""
    texts = (request["messages"][1]["content"] for request in requests)
    return Counter(text.partition("\n</answer>")[0].split()[-1] for text in texts)


async def test_a_killed_run_loses_no_score_and_pays_for_none_twice(tmp_path: Path) -> None:
    rows = [{**ROW, "id": f"a{n}", "answer": f"Every row of the left table, a{n}"} for n in range(ANSWERS)]
    dataset, home = folder(tmp_path, *rows), tmp_path / "home"
    command = ["eval", "judges", "--dataset", str(dataset), "--judge", "teaching_points", "--json"]
    command += ["--concurrency", str(CONCURRENCY)]
    async with serving(replace(said(json.dumps(VERDICT)), wait=0.05)) as server:
        settings = {"EDUMOD_LLM_BASE_URL": server.base_url, "EDUMOD_LLM_CACHE": "false"}
        process = await asyncio.create_subprocess_exec(
            EDUMOD, *command, env=environment(home, **settings), stdout=asyncio.subprocess.DEVNULL
        )
        async with asyncio.timeout(60):
            await asked_often(server, KILLED_AFTER)
        process.kill()
        await process.wait()
        stored, earlier = judged(home), len(server.requests)
        assert earlier - 2 * CONCURRENCY <= len(stored) < ANSWERS

        again = await asyncio.to_thread(edumod, home, *command, **settings)
        assert again.returncode == 0, again.stderr
        repeated = set(requests_by_answer(server.requests[earlier:]))
    assert repeated == {row["id"] for row in rows} - stored
    assert len(judged(home)) == ANSWERS
    report = json.loads(again.stdout)
    assert (report["n"], report["unscored"]) == (ANSWERS, 0)
