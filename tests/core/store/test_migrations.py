"""Databases of earlier versions, brought up to date."""

from __future__ import annotations

import ast
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine

import core.store
from core.store.store import Store
from core.store.tables import EvaluationRow, EvaluationState, ItemRow, ResultRow, ResultState
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


MIGRATIONS = Path(core.store.__file__).parent / "migrations"


def migrated(path: Path, change: Callable[[Config, str], None], revision: str) -> None:
    """Upgrade or downgrade the database to that revision."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with create_engine(f"sqlite:///{path}").begin() as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys=ON")
        config.attributes["connection"] = connection
        change(config, revision)


def evaluations_in(path: Path) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Config and summary of each stored evaluation."""
    with sqlite3.connect(path) as database:
        rows = database.execute("SELECT id, config, summary FROM evaluation").fetchall()
    return {name: (json.loads(config), json.loads(summary)) for name, config, summary in rows}


def nights_of_an_old_version(path: Path, labels: str) -> dict[str, float]:
    """Recall by night as the nightly report before reports were typed read it."""
    nights = [
        (name, summary)
        for name, (config, summary) in evaluations_in(path).items()
        if "scores" in summary and config["queries"] == labels
    ]
    return {name: summary["retrievers"]["bm25"]["recall@5"]["mean"] for name, summary in nights}


def old_database(path: Path) -> None:
    """As a version with the first two migrations left it."""
    migrated(path, command.upgrade, "0002")
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
    before = evaluations_in(path)
    await (await Store.open(f"sqlite+aiosqlite:///{path}")).aclose()
    today = evaluations_in(path)
    migrated(path, command.downgrade, "0002")
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT count(*) FROM result").fetchone() == (1,)
    undone = evaluations_in(path)
    assert {name: config for name, (config, _) in undone.items()} == {
        name: config for name, (config, _) in before.items()
    }
    assert nights_of_an_old_version(path, "digest") == {"n": 0.5}
    migrated(path, command.upgrade, "head")
    assert evaluations_in(path) == today


async def test_a_version_before_reports_reads_what_was_measured_since(tmp_path: Path) -> None:
    path = tmp_path / "edumod.db"
    store = await Store.open(f"sqlite+aiosqlite:///{path}")
    await store.courses.put("ds", {})
    measured = {"dataset": "ds", "digest": "digest", "material": "m", "identities": {"bm25": "bm25, 50 passages"}}
    for name, course, summary in (("n", "ds", NIGHTLY), ("lone", None, {})):
        config = {**CONFIG, **measured, "actors": ["bm25", "run:other.run"]}
        row = EvaluationRow(
            id=name, course_id=course, kind="nightly", key=name, state=EvaluationState.RUNNING, config=config
        )
        await store.evaluations.open(row, [ItemRow(evaluation_id=name, item="q1", digest="d", text="Where?")])
        results = [
            ResultRow(evaluation_id=name, actor=actor, item="q1", seed=0, state=ResultState.SCORED, output=["a"], ms=ms)
            for actor, ms in (("bm25", 5.0), ("run:other.run", None))
        ]
        await store.evaluations.save(results)
        await store.evaluations.finish(name, EvaluationState.DONE, summary, results)
    await store.aclose()
    migrated(path, command.downgrade, "0003")
    assert nights_of_an_old_version(path, "digest") == {"n": 0.5}
    assert evaluations_in(path)["n"][0]["configurations"] == {"bm25": "bm25, 50 passages"}
    with sqlite3.connect(path) as database:
        kept = database.execute("SELECT evaluation_id, actor, ms FROM result").fetchall()
    assert kept == [("n", "bm25", 5.0)]


def test_migrations_do_not_depend_on_the_tables_of_today() -> None:
    for file in sorted((MIGRATIONS / "versions").glob("*.py")):
        imported = [
            node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.ImportFrom)
        ]
        assert not [node.module for node in imported if (node.module or "").startswith("core")], file.name
