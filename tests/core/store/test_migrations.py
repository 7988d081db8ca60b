"""Databases of earlier versions, brought up to date."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text

import core.store
from core.store.engine.database import Database
from core.store.store import Store
from core.store.tables import EvaluationRow, EvaluationState, ItemRow, ResultRow, ResultState
from eval.functions.report import FunctionsReport
from eval.measured import measured_pipelines
from eval.nightly import NightlySummary
from eval.stored import listed_evaluations, stored_report
from retrievers.embedding.minilm import MiniLM

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


async def migrated(url: str, change: Callable[[Config, str], None], revision: str) -> None:
    """Upgrade or downgrade the database to that revision."""

    def run(connection: Connection) -> None:
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        config.attributes["connection"] = connection
        change(config, revision)

    database = Database(url)
    async with database.write() as connection:
        await connection.run_sync(run)
    await database.aclose()


async def rows(url: str, query: str, **values: object) -> list[Any]:
    """The rows of a query, or of a statement that gives none."""
    database = Database(url)
    async with database.write() as connection:
        result = await connection.execute(text(query), values)
        found = list(result.all()) if result.returns_rows else []
    await database.aclose()
    return found


async def evaluations_in(url: str) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Config and summary of each stored evaluation."""
    found = await rows(url, "SELECT id, CAST(config AS TEXT), CAST(summary AS TEXT) FROM evaluation")
    return {name: (json.loads(config), json.loads(summary)) for name, config, summary in found}


async def nights_of_an_old_version(url: str, labels: str) -> dict[str, float]:
    """Recall by night as the nightly report before reports were typed read it."""
    nights = [
        (name, summary)
        for name, (config, summary) in (await evaluations_in(url)).items()
        if "scores" in summary and config["queries"] == labels
    ]
    return {name: summary["retrievers"]["bm25"]["recall@5"]["mean"] for name, summary in nights}


async def old_database(url: str) -> None:
    """As a version with the first two migrations left it."""
    await migrated(url, command.upgrade, "0002")
    evaluations = [
        ("f", "functions", {**CONFIG, "actors": ["fc"], "split": "test", "configurations": {"fc": "h"}}, FUNCTIONS),
        ("n", "nightly", {**CONFIG, "actors": ["bm25"], "queries": "digest"}, NIGHTLY),
        ("r", "retrieval", {**CONFIG, "actors": ["bm25"], "queries": "digest"}, {}),
    ]
    await rows(url, "INSERT INTO course (id, config, revision) VALUES ('ds', '{}', 1)")
    for name, kind, what, summary in evaluations:
        await rows(
            url,
            "INSERT INTO evaluation VALUES (:name, 'ds', :kind, 'k', :state, '2026-01-01 00:00:00.000000', "
            "'2026-01-02 00:00:00.000000', :what, :summary)",
            name=name, kind=kind, state="done" if summary else "running", what=json.dumps(what),
            summary=json.dumps(summary),
        )  # fmt: skip
    await rows(
        url, "INSERT INTO result VALUES ('n', 'bm25', 'q1', 0, 'scored', :output, NULL, '{}', 5.0)", output='["a"]'
    )


async def test_stored_evaluations_survive_with_their_results_and_are_read_as_reports(empty_database_url: str) -> None:
    await old_database(empty_database_url)
    store = await Store.open(empty_database_url)
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


async def test_the_migration_can_be_undone(empty_database_url: str) -> None:
    await old_database(empty_database_url)
    before = await evaluations_in(empty_database_url)
    await (await Store.open(empty_database_url)).aclose()
    today = await evaluations_in(empty_database_url)
    await migrated(empty_database_url, command.downgrade, "0002")
    assert await rows(empty_database_url, "SELECT count(*) FROM result") == [(1,)]
    undone = await evaluations_in(empty_database_url)
    assert {name: config for name, (config, _) in undone.items()} == {
        name: config for name, (config, _) in before.items()
    }
    assert await nights_of_an_old_version(empty_database_url, "digest") == {"n": 0.5}
    await migrated(empty_database_url, command.upgrade, "head")
    assert await evaluations_in(empty_database_url) == today


async def test_a_version_before_reports_reads_what_was_measured_since(database_url: str) -> None:
    store = await Store.open(database_url)
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
    await migrated(database_url, command.downgrade, "0003")
    assert await nights_of_an_old_version(database_url, "digest") == {"n": 0.5}
    assert (await evaluations_in(database_url))["n"][0]["configurations"] == {"bm25": "bm25, 50 passages"}
    kept = await rows(database_url, "SELECT evaluation_id, actor, ms FROM result")
    assert kept == [("n", "bm25", 5.0)]


def test_migrations_do_not_depend_on_the_tables_of_today() -> None:
    for file in sorted((MIGRATIONS / "versions").glob("*.py")):
        imported = [
            node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.ImportFrom)
        ]
        assert not [node.module for node in imported if (node.module or "").startswith("core")], file.name


async def course_with_vectors(url: str, course: str, *models: str) -> None:
    """A course with a block for each model, as a version without records of embeddings left it."""
    await rows(url, "INSERT INTO course (id, config, revision) VALUES (:course, '{}', 1)", course=course)
    await rows(
        url,
        "INSERT INTO document (id, course_id, source, name, title, sha256, build, state, visibility, is_solution, "
        "pages, warnings, ingested_at) VALUES (:id, :course, 'textbook', 'a', 'a', '', '', 'indexed', 'student', "
        "false, 0, '[]', '2026-01-01')",
        id=course,
        course=course,
    )
    for n, model in enumerate(models):
        await rows(
            url,
            "INSERT INTO node (id, course_id, document_id, ordinal, kind, title, heading_path, text, solution, "
            "summary, position, cost) "
            "VALUES (:block, :course, :course, :n, 'block', '', '[]', 't', '', '', '{}', '{}')",
            course=course,
            block=f"{course}{n}",
            n=n,
        )
        await rows(
            url,
            'INSERT INTO embedding (node_id, ordinal, course_id, model, start, "end", vector) '
            "VALUES (:block, 0, :course, :model, 0, 1, :vector)",
            course=course,
            block=f"{course}{n}",
            model=model,
            vector=bytes(1536),
        )


async def test_courses_remember_what_made_their_vectors_before_there_was_a_choice(empty_database_url: str) -> None:
    url, built_in = empty_database_url, MiniLM.embedding
    await migrated(url, command.upgrade, "0004")
    await course_with_vectors(url, "today", built_in.id, built_in.id)
    await course_with_vectors(url, "earlier", "all-MiniLM-L6-v2")
    await course_with_vectors(url, "mixed", "all-MiniLM-L6-v2", built_in.id)
    await course_with_vectors(url, "empty")
    store = await Store.open(url)
    stored = {course.id: course.embedding for course in await store.courses.all()}
    await store.aclose()
    assert (stored["today"], stored["mixed"], stored["empty"]) == (built_in, built_in, None)
    assert stored["earlier"] is not None
    assert stored["earlier"].id == "all-MiniLM-L6-v2"
    await migrated(url, command.downgrade, "0004")
    assert await rows(url, "SELECT count(*) FROM embedding WHERE course_id = 'today'") == [(2,)]
    assert await rows(url, "SELECT count(*) FROM node") == [(5,)]


async def test_drafts_of_earlier_versions_can_be_filtered_and_decisions_go_with_their_migration(
    empty_database_url: str,
) -> None:
    await migrated(empty_database_url, command.upgrade, "0006")
    await rows(empty_database_url, "INSERT INTO course (id, config, revision) VALUES ('ds', '{}', 1)")
    await rows(
        empty_database_url,
        "INSERT INTO draft (id, course_id, created_at, state, fingerprint, request, response) "
        "VALUES ('d', 'ds', '2026-01-01 00:00:00.000000', 'pending', '', :request, :response)",
        request=json.dumps({"question": {"body": "Why?", "category": "Labs"}}),
        response=json.dumps({"confidence": 0.5}),
    )
    await migrated(empty_database_url, command.upgrade, "head")
    assert await rows(empty_database_url, "SELECT category, confidence, version FROM draft") == [("Labs", 0.5, 0)]
    await rows(empty_database_url, "UPDATE draft SET state = 'decided'")
    await migrated(empty_database_url, command.downgrade, "0006")
    assert await rows(empty_database_url, "SELECT state FROM draft") == [("pending",)]


async def test_keys_of_earlier_versions_belong_to_whoever_the_audit_log_says_made_them(empty_database_url: str) -> None:
    url = empty_database_url
    await migrated(url, command.upgrade, "0010")
    for key, actor in (("by-ann", "person-1"), ("here", "local"), ("command", None)):
        await rows(
            url,
            "INSERT INTO api_key (id, name, digest, scopes, limits, created_at) "
            "VALUES (:key, 'bot', '', '[]', '{}', '2026-01-01 00:00:00.000000')",
            key=key,
        )
        if actor:
            await rows(
                url,
                "INSERT INTO audit (id, at, actor, actor_name, action, subject, details) "
                "VALUES (:key, '2026-01-01 00:00:00.000000', :actor, 'Ann', 'key.create', :key, '{}')",
                key=key,
                actor=actor,
            )
    await migrated(url, command.upgrade, "head")
    owners = await rows(url, "SELECT id, owner FROM api_key ORDER BY id")
    assert owners == [("by-ann", "person-1"), ("command", None), ("here", None)]
    await migrated(url, command.downgrade, "0010")
    assert await rows(url, "SELECT count(*) FROM api_key") == [(3,)]
