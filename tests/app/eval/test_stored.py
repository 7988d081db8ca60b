"""`edumod eval list`, `show`, `compare` and `export` on stored runs, and runs that are interrupted, as processes."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from tests.app.commands import EDUMOD, edumod
from tests.app.eval.conftest import BOOK
from tests.servers.faults import Act, serving

MEASURE = ("eval", "retrieval", "--course", "small")


def measured(home: Path, *options: str) -> Any:
    ended = edumod(home, *MEASURE, *options, "--json")
    assert ended.returncode in (0, 1), ended.stderr
    return {**json.loads(ended.stdout), "stderr": ended.stderr}


@pytest.fixture(scope="module")
def base(home: Path) -> str:
    return str(measured(home, "--retriever", "bm25,tree", "--metric", "recall@10")["evaluation"])


@pytest.fixture(scope="module")
def worse(home: Path, base: str, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A run file that finds nothing for queries about rows, lacks one query and has one in excess."""
    file = tmp_path_factory.mktemp("runs") / "other.run"
    exported = edumod(home, "eval", "export", f"{base}:tree", "--format", "trec")
    assert exported.returncode == 0, exported.stderr
    lines = [line.split() for line in exported.stdout.splitlines()]
    changed = [
        (query, zero, "nowhere" if query.startswith("rows") else location, rank, score, "other")
        for query, zero, location, rank, score, _ in lines
        if rank == "1" and query != "joins0"
    ]
    file.write_text("".join(" ".join(line) + "\n" for line in [*changed, ("extra", "Q0", "x", "1", "1", "other")]))
    return measured(home, "--actor", f"run:{file}")


def test_a_run_file_is_measured_and_what_it_lacks_is_unscored(worse: Any) -> None:
    figures = worse["retrievers"]["run:other.run"]
    assert list(worse["retrievers"]) == ["run:other.run"]
    assert (worse["n"], figures["unscored"]) == (30, 1)
    assert figures["recall@1"]["mean"] == pytest.approx(19 / 29, abs=1e-4)
    assert figures["latency_ms"] == {"p50": None, "p95": None}
    assert "lacks 1 id (joins0)" in worse["stderr"]
    assert "has 1 id (extra)" in worse["stderr"]


def test_stored_evaluations_are_listed_and_shown_as_they_were_measured(home: Path, base: str) -> None:
    listed = json.loads(edumod(home, "eval", "list", "--course", "small", "--json").stdout)
    (one,) = [one for one in listed if one["id"] == base]
    assert (one["kind"], one["dataset"], one["actors"], one["n"], one["state"]) == (
        "retrieval", "small", ["bm25", "tree"], 30, "done",
    )  # fmt: skip
    assert base[:8] in edumod(home, "eval", "list").stdout
    shown = json.loads(edumod(home, "eval", "show", base[:10], "--json").stdout)
    assert (shown["evaluation"], shown["retrievers"]["tree"]["recall@10"]["mean"]) == (base, 1.0)
    table = edumod(home, "eval", "show", base, COLUMNS="80").stdout
    assert all(name in table for name in ("recall@1", "recall@10", "mrr@10", "latency_ms", "bm25"))


def test_two_runs_are_compared_and_a_loss_beyond_the_limit_ends_with_three(home: Path, base: str, worse: Any) -> None:
    sides = ("eval", "compare", f"{base}:tree", worse["evaluation"])
    table = edumod(home, *sides, "--fail-on", "recall@1:-0.02")
    assert table.returncode == 3, table.stderr
    assert "10 worse" in table.stdout
    assert "1 missing" in table.stdout
    assert "how do I select some rows" in table.stdout
    assert "recall@1 went from 1 to" in table.stderr
    assert "1 item that the base scored by recall@1 is missing" in table.stderr
    allowed = edumod(home, *sides, "--fail-on", "recall@1:-0.5")
    assert (allowed.returncode, "went from" in allowed.stderr, "1 item" in allowed.stderr) == (3, False, True)
    ended = edumod(home, *sides, "--json")
    assert ended.returncode == 0, ended.stderr
    (actor,) = json.loads(ended.stdout)["actors"]
    assert (actor["base"], actor["candidate"]) == ("tree", "run:other.run")
    recall = actor["metrics"][0]
    assert recall["difference"]["high"] < 0
    assert recall["p"] < 0.05
    assert actor["items"]["shown"]["worse"][0]["text"] == "how do I select some rows"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("compare", "{base}", "nope"), "no evaluation 'nope'"),
        (("compare", "{base}", "{base}", "--fail-on", "recall@1:+1"), "recall@1:-1"),
        (("show", "nope"), "eval list"),
        (("list", "--kind", "nope"), "nightly"),
        (("list", "--course", "nope"), "small"),
        (("export", "{base}:nope", "--format", "csv"), "bm25, tree"),
    ],
)
def test_wrong_input_exits_with_two(home: Path, base: str, arguments: tuple[str, ...], complaint: str) -> None:
    ended = edumod(home, "eval", *(one.format(base=base) for one in arguments))
    assert (ended.returncode, ended.stdout, complaint in ended.stderr) == (2, "", True), ended.stderr


def test_every_format_has_a_row_per_actor_and_item(home: Path, base: str, tmp_path: Path) -> None:
    exported = edumod(home, "eval", "export", base, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(exported.stdout)))
    assert len(rows) == 60
    assert {row["actor"] for row in rows} == {"bm25", "tree"}
    assert float(rows[-1]["recall@5"]) == 1.0
    lines = edumod(home, "eval", "export", f"{base}:tree", "--format", "jsonl").stdout.splitlines()
    first = json.loads(lines[0])
    assert (len(lines), first["scores"]["recall@5"], first["error"]) == (30, 1.0, None)
    assert first["explanations"]["recall@1"].startswith("1 of 1 relevant")
    file = tmp_path / "rows.parquet"
    assert edumod(home, "eval", "export", base, "--format", "parquet", "--out", str(file)).returncode == 0
    assert parquet.read_table(file).num_rows == 60
    assert edumod(home, "eval", "export", base, "--format", "trec", "--out", str(tmp_path)).returncode == 0
    assert (tmp_path / "tree.run").read_text().split()[0] == f"{min(BOOK)}0"


@pytest.mark.slow
async def test_an_interrupted_run_says_how_far_it_got_and_how_to_continue(home: Path) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("EDUMOD_")}
    async with serving(Act(wait=100)) as server:
        process = await asyncio.create_subprocess_exec(
            EDUMOD, *MEASURE, "--retriever", "bm25,vector_gen",
            env={**clean, "EDUMOD_HOME": str(home), "EDUMOD_LLM_BASE_URL": server.base_url},
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        async with asyncio.timeout(120):
            await server.asked.wait()
            process.send_signal(signal.SIGINT)
            _, told = await process.communicate()
    assert process.returncode == 130
    said = "1 of 60 done. Continue with: edumod eval retrieval --course small --retriever bm25,vector_gen"
    assert said in told.decode()
    listed = json.loads(edumod(home, "eval", "list", "--json").stdout)
    (running,) = [one for one in listed if one["state"] == "running"]
    assert "not finished" in edumod(home, "eval", "list").stdout
    shown = edumod(home, "eval", "show", running["id"])
    assert (shown.returncode, "has not ended: 1 of 60 done" in shown.stderr) == (2, True)
