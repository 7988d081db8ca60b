"""Databases of earlier versions, brought up to date."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine

import core.store
from core.store.store import Store
from eval.functions.report import FunctionsReport
from eval.measured import measured_pipelines
from eval.nightly import NightlySummary
from eval.stored import listed_evaluations, stored_report

MEAN = {"mean": 0.5, "low": 0.4, "high": 0.6}
USED = {"model_calls": 1, "tokens": 0, "cost_usd": 0, "latency_ms": {"p50": 1.0, "p95": 2.0}, "unscored": 0}
FUNCTIONS = {
    "course": "ds", "n": 2, "seeds": 1, "split": "test", "model": "offline",
    "agreement": {"n": 0}, "best_constant": {"functions": ["qa_retrieval"], "set_f1": 0.4},
    "pipelines": {
        "fc": {"set_f1": MEAN, "micro_f1": 0.5, "macro_f1": 0.5, "confusion": [], **USED,
               "functions": {"qa_retrieval": {"precision": 1.0, "recall": 0.5}}}
    },
    "baseline": "fc", "comparisons": [],
}  # fmt: skip
NIGHTLY = {
    "dataset": "ds", "n": 2, "scores": {"bm25": {"q1": 1.0, "q2": 0.0}},
    "retrievers": {"bm25": {"recall@1": MEAN, "recall@5": MEAN, "mrr@10": MEAN, **USED, "kinds": {}}},
}  # fmt: skip
CONFIG: dict[str, Any] = {"seeds": [0], "n": 2, "version": "0.1.0", "revision": 1, "model": "offline"}


def old_database(path: Path) -> None:
    """As a version with the first two migrations left it."""
    config = Config()
    config.set_main_option("script_location", str(Path(core.store.__file__).parent / "migrations"))
    with create_engine(f"sqlite:///{path}").begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0002")
    rows = [
        ("f", "functions", {**CONFIG, "actors": ["fc"], "split": "test", "configurations": {"fc": "h"}}, FUNCTIONS),
        ("n", "nightly", {**CONFIG, "actors": ["bm25"], "queries": "digest"}, NIGHTLY),
        ("r", "retrieval", {**CONFIG, "actors": ["bm25"], "queries": "digest"}, {}),
    ]
    with sqlite3.connect(path) as database:
        database.execute("INSERT INTO course (id, config, revision) VALUES ('ds', '{}', 1)")
        for name, kind, what, summary in rows:
            state = "done" if summary else "running"
            database.execute(
                "INSERT INTO evaluation VALUES (?, 'ds', ?, 'k', ?, '2026-01-01', '2026-01-02', ?, ?)",
                (name, kind, state, json.dumps(what), json.dumps(summary)),
            )
        database.execute("INSERT INTO result VALUES ('n', 'bm25', 'q1', 0, 'scored', '[\"a\"]', NULL, '{}', 5.0)")


async def test_stored_evaluations_survive_with_their_results_and_are_read_as_reports(tmp_path: Path) -> None:
    old_database(tmp_path / "edumod.db")
    store = await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'edumod.db'}")
    functions = await stored_report(store.evaluations, "f")
    assert isinstance(functions, FunctionsReport)
    assert (functions.dataset, functions.actors["fc"].means["set_f1"].mean) == ("ds", 0.5)
    (measured,) = (await measured_pipelines(store))["fc"]
    assert (measured.course, measured.set_f1.mean, measured.model) == ("ds", 0.5, "offline")
    nightly = await stored_report(store.evaluations, "n")
    assert isinstance(nightly, NightlySummary)
    assert nightly.scores["bm25"] == {"q1": 1.0, "q2": 0.0}
    assert [one.name for one in nightly.metrics] == ["recall@1", "recall@5", "mrr@10", "latency_ms"]
    assert (await store.evaluations.find("n")).config["digest"] == "digest"
    (row,) = await store.evaluations.results("n")
    assert (row.output, row.ms, row.scores) == (["a"], 5.0, {})
    assert {one.kind for one in await listed_evaluations(store, "ds", None)} == {"functions", "nightly", "retrieval"}
    await store.aclose()


async def test_the_migration_can_be_undone(tmp_path: Path) -> None:
    path = tmp_path / "edumod.db"
    old_database(path)
    await (await Store.open(f"sqlite+aiosqlite:///{path}")).aclose()
    config = Config()
    config.set_main_option("script_location", str(Path(core.store.__file__).parent / "migrations"))
    with create_engine(f"sqlite:///{path}").begin() as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys=ON")
        config.attributes["connection"] = connection
        command.downgrade(config, "0002")
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT count(*) FROM result").fetchone() == (1,)
