"""What `GET /pipelines` says was measured."""

from __future__ import annotations

from uuid import uuid4

import pytest

from core.store.store import Store
from core.store.tables import EvaluationRow, EvaluationState
from eval.datasets.questions import KIND
from eval.measured import measured_pipelines
from pipelines import PIPELINES
from tests.eval.reports import figures, report


@pytest.fixture
async def store(store: Store) -> Store:
    for course in ("ds", "other"):
        await store.courses.put(course, {})
    return store


async def finish(
    store: Store,
    course: str,
    state: EvaluationState = EvaluationState.DONE,
    model: str = "offline",
    **f1s: float | None,
) -> None:
    found = report({name: figures(f1) for name, f1 in f1s.items()}, dataset=course, course=course, model=model)
    row = EvaluationRow(
        id=uuid4().hex, course_id=course, kind=KIND, key=repr(f1s), state=EvaluationState.RUNNING, config={}
    )
    await store.evaluations.open(row, ())
    await store.evaluations.finish(row.id, state, found.model_dump(mode="json"))


async def test_the_latest_evaluation_of_each_pipeline_and_course_counts(store: Store) -> None:
    await finish(store, "ds", fc=0.5, edison=0.4)
    await finish(store, "ds", fc=0.8)
    await finish(store, "other", fc=0.7)
    await finish(store, "ds", EvaluationState.CAPPED, fc=0.9)
    found = await measured_pipelines(store)
    assert list(found) == [pipeline.name for pipeline in PIPELINES]
    assert [(one.course, one.set_f1.mean) for one in found["fc"]] == [("ds", 0.8), ("other", 0.7)]
    assert [(one.course, one.set_f1.mean) for one in found["edison"]] == [("ds", 0.4)]
    assert found["fc_feedback"] == []
    (fc, _) = found["fc"]
    assert (fc.n, fc.seeds, fc.split, fc.model, fc.model_calls, fc.cost_usd) == (20, 2, "test", "offline", 2.0, 0.0)
    assert (fc.latency_ms.p50, fc.latency_ms.p95, fc.unscored) == (30.0, 60.0, 0)


async def test_what_could_not_be_scored_has_no_score(store: Store) -> None:
    await finish(store, "ds", fc=None)
    (fc,) = (await measured_pipelines(store))["fc"]
    assert (fc.set_f1.mean, fc.unscored) == (None, 40)


async def test_an_evaluation_in_which_all_failed_replaces_no_score(store: Store) -> None:
    await finish(store, "ds", fc=0.8, edison=0.4)
    await finish(store, "ds", fc=None, edison=0.5)
    found = await measured_pipelines(store)
    assert [one.set_f1.mean for one in found["fc"]] == [0.8]
    assert [one.set_f1.mean for one in found["edison"]] == [0.5]


async def test_each_model_keeps_what_was_measured_with_it_the_latest_first(store: Store) -> None:
    await finish(store, "ds", fc=0.8)
    await finish(store, "ds", model="large", fc=0.9)
    await finish(store, "ds", model="small", fc=None)
    found = (await measured_pipelines(store))["fc"]
    assert [(one.model, one.set_f1.mean) for one in found] == [("small", None), ("large", 0.9), ("offline", 0.8)]


async def test_combinations_of_an_experiment_are_not_pipelines(store: Store) -> None:
    await finish(store, "ds", **{"pipeline=fc": 0.9})
    assert not any((await measured_pipelines(store)).values())
