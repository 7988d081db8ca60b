"""Every kind of evaluation is stored, listed, shown, compared, exported and written as a page by the same code."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.cli.eval.reports import print_parts
from core.errors import InvalidInput
from core.llm.offline import OfflineLLM
from core.store.store import Store
from eval.comparison.compare import ChosenEvaluation, compared, selected
from eval.export import ExportFormat, exported
from eval.kinds import KINDS
from eval.runner import Runner
from eval.stored import listed_evaluations
from tests.eval.samples import SAMPLES
from tests.sweeps import choose

AT = datetime(2026, 1, 2, tzinfo=UTC)


async def store_run(store: Store, kind: str, folder: Path) -> ChosenEvaluation:
    runner = Runner(store.evaluations, OfflineLLM({}), {})
    outcome, report = await SAMPLES[kind](runner, folder)
    await runner.finish(outcome, report)
    stored = await selected(store.evaluations, outcome.evaluation.id)
    assert stored.stored.report == report
    return stored


def test_every_kind_has_a_sample() -> None:
    assert SAMPLES.keys() == KINDS.keys()


@pytest.mark.parametrize("kind", choose(KINDS.keys(), *(kind for kind in KINDS if kind != "attacks")))
async def test_a_kind_goes_from_the_database_to_every_output(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    base, candidate = [await store_run(store, kind, tmp_path) for _ in range(2)]
    report = base.stored.report

    listed = await listed_evaluations(store, None, kind)
    assert {one.id for one in listed} >= {base.stored.row.id, candidate.stored.row.id}

    assert type(report) is KINDS[kind].report
    assert report.conditions.keys() >= {"version", "actors"}
    print_parts(KINDS[kind].tabulate(report))
    assert capsys.readouterr().out.strip()

    comparison = compared(base, candidate)
    assert [actor.base for actor in comparison.actors] == list(report.actors)
    assert all(metric.difference.mean == 0 for actor in comparison.actors for metric in actor.metrics[:1])

    lines = [json.loads(line) for line in exported(base, ExportFormat.JSONL).splitlines()]
    assert len(lines) == len(base.stored.results)
    assert all(line["scores"].keys() == {metric.name for metric in report.metrics} for line in lines)
    assert exported(base, ExportFormat.CSV).count(b"evaluation") == 1
    if KINDS[kind].has_rankings:
        assert exported(base, ExportFormat.TREC)
    else:
        with pytest.raises(InvalidInput, match="no rankings"):
            exported(base, ExportFormat.TREC)

    page = KINDS[kind].html(report, base.stored.results, AT)
    assert page.startswith("<!doctype html>")
    assert report.dataset in page
