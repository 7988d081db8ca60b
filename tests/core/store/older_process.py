"""What a running process of the previous version does with the store, while the schema is changed under it.

Run with the previous version's code on the path: python older_process.py URL. It waits for a line in between.
"""

from __future__ import annotations

import asyncio
import sys
from datetime import timedelta
from typing import Any

from core.store.store import Store
from core.store.tables import (
    DocumentRow,
    DocumentState,
    DraftRow,
    DraftState,
    EvaluationRow,
    EvaluationState,
    ItemRow,
    JobState,
    NodeKind,
    NodeRow,
    ResultRow,
    ResultState,
    TraceRow,
    now,
)
from core.types import Source, Visibility


async def use(store: Store, name: str) -> None:
    """Write and read tables of every topic that a service and a command use."""
    await store.processes.beat()
    await store.courses.put("ds", {"id": "ds"})
    document = DocumentRow(
        id=f"book-{name}", course_id="ds", source=Source.TEXTBOOK, name=f"book-{name}.md", title="Book", sha256="",
        build="", state=DocumentState.INDEXED, visibility=Visibility.STUDENT,
    )  # fmt: skip
    node = NodeRow(
        id=f"node-{name}", course_id="ds", document_id=document.id, ordinal=0, kind=NodeKind.BLOCK, title="",
        text="Text", position={"start": 0, "end": 4},
    )  # fmt: skip
    await store.material.replace(document, [node], [])
    assert any(block.passage.document_id == document.id for block in await store.material.blocks("ds", None, now()))
    draft = DraftRow(id=f"draft-{name}", course_id="ds", state=DraftState.WORKING, request={"q": 1})
    await store.drafts.begin(draft)
    draft.state, draft.response = DraftState.PENDING, {"a": 1}
    await store.drafts.end(draft, TraceRow(id=f"trace-{name}", course_id="ds", draft_id=draft.id))
    job = await store.jobs.start("ds", "ingest textbook")
    await store.jobs.finish(job, JobState.DONE, {})
    row = EvaluationRow(id=name, course_id="ds", kind="k", key=name, state=EvaluationState.RUNNING)
    await store.evaluations.open(row, [ItemRow(evaluation_id=name, item="q", digest="", text="")])
    result: Any = ResultRow(evaluation_id=name, actor="a", item="q", seed=0, state=ResultState.SCORED, output=1)
    await store.evaluations.save([result])
    await store.evaluations.finish(name, EvaluationState.DONE, {}, [result])
    assert await store.outbox.take_due(now(), timedelta(seconds=1), 10) == []


async def main() -> None:
    store = await Store.open(sys.argv[1])
    await use(store, "before")
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.readline)
    await use(store, "after")
    await store.aclose()
    sys.stdout.write("done\n")


if __name__ == "__main__":
    asyncio.run(main())
