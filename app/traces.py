"""Stored traces, joined with their drafts."""

from __future__ import annotations

from typing import Any

from app.response import ConfigurationOut
from app.schemas import AskedOut, FailureOut, TraceOut
from core.access import EVERYTHING, Reach
from core.errors import NotFound
from core.store.store import Store
from core.store.tables import DraftRow, TraceRow
from core.types import Status, Step, Usage


async def read_trace(store: Store, trace_id: str, reach: Reach) -> TraceOut:
    """The trace of that id. Raises `NotFound`."""
    trace = await store.drafts.trace(trace_id, reach)
    return _trace_out(trace, await store.drafts.get(trace.draft_id))


async def trace_or_draft(store: Store, some_id: str) -> TraceOut:
    """The trace of that id, or the latest one of the draft of that id. Raises `NotFound`."""
    try:
        return await read_trace(store, some_id, EVERYTHING)
    except NotFound:
        return _trace_out(await store.drafts.latest_trace(some_id), await store.drafts.get(some_id))


def _trace_out(trace: TraceRow, draft: DraftRow) -> TraceOut:
    steps = sorted((Step.model_validate(step) for step in trace.steps), key=lambda step: (step.started_ms, step.ms))
    return TraceOut(
        id=trace.id,
        course_id=trace.course_id,
        draft_id=trace.draft_id,
        created_at=trace.created_at,
        question=AskedOut.model_validate((draft.request or {}).get("question", {"body": ""})),
        state=draft.state,
        ms=max((step.started_ms + step.ms for step in steps), default=0.0),
        usage=Usage.model_validate(trace.usage),
        steps=tuple(steps),
        **_outcome(trace, draft),
    )


def _outcome(trace: TraceRow, draft: DraftRow) -> dict[str, Any]:
    """The outcome of the run. If a draft had several runs, its answer belongs only to the last one."""
    if draft.response is None:
        failure = draft.error or {}
        return {
            "error": FailureOut.model_validate(failure) if failure else None,
            "configuration": failure.get("configuration"),
        }
    if draft.response["trace_id"] != trace.id:
        return {}
    configuration = ConfigurationOut.model_validate(draft.response["configuration"])
    return {"status": Status(draft.response["status"]), "configuration": configuration}


def duration(ms: float) -> str:
    """Milliseconds for people: `0.4 ms`, `85 ms`, `2.10 s`."""
    if ms < 10:
        return f"{ms:.1f} ms"
    return f"{ms:.0f} ms" if ms < 1000 else f"{ms / 1000:.2f} s"
