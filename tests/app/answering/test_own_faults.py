"""A fault of the service itself ends a draft too, so that its question can be asked again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.answering.asked_question import AskedQuestion, IdempotencyKey
from app.answering.service import Answering
from app.wiring import build_services
from core.course import Course
from core.store.drafts.filter import DraftFilter
from core.store.tables import DraftState, now
from core.types import Question, Step
from pipelines.assistant import Assistant
from pipelines.run import Run
from tests.app.conftest import ingest_all
from tests.app.live import settings_in
from tests.fakes import FakeEmbedder

BODY = "When is homework 3 due?"
ASKED = AskedQuestion("small", Question(body=BODY), {"course": "small", "question": {"body": BODY}})
KEY = IdempotencyKey("key", "fingerprint")


class NeverStarting(Assistant):
    """Trips before the first step."""

    async def start(self, *_given: Any, **_more: Any) -> Run:
        raise RuntimeError("a fault of ours")


class Unshowable(Run):
    """Answers, but nobody can be shown how."""

    @property
    def steps(self) -> list[Step]:
        raise RuntimeError("a fault of ours")


class NeverShowing(Assistant):
    async def start(self, *given: Any, **more: Any) -> Run:
        run = await super().start(*given, **more)
        run.__class__ = Unshowable
        return run


async def answering(home: Path, material: Path, kind: type[Assistant]) -> tuple[Answering, Any]:
    await ingest_all(settings_in(home), material, Course(id="small", title="Small"))
    services = await build_services(settings_in(home), embedder=FakeEmbedder())
    await services.sweeper.serve()
    assistant = kind(**{name: getattr(services.assistant, name) for name in services.assistant.__dataclass_fields__})
    return replace(services.answering, assistant=assistant), services


async def test_a_run_that_cannot_start_leaves_a_failed_draft_whose_key_can_be_used_again(
    tmp_path: Path, material: Path
) -> None:
    broken, services = await answering(tmp_path, material, NeverStarting)
    for _ in range(2):
        with pytest.raises(RuntimeError):
            await broken.answer(ASKED, {}, KEY)
    (draft,) = (await services.store.drafts.page(DraftFilter(now(), ("small",)), None, 10)).drafts
    assert (draft.state, draft.error and draft.error["code"]) == (DraftState.FAILED, "interrupted")
    await services.aclose()


async def test_an_answer_whose_trace_cannot_be_shown_is_given_without_one(tmp_path: Path, material: Path) -> None:
    broken, services = await answering(tmp_path, material, NeverShowing)
    response = await broken.answer(ASKED, {}, KEY)
    assert (response.status, response.trace) == ("answered", ())
    assert (await services.store.drafts.get(response.draft_id)).state == DraftState.PENDING
    await services.aclose()
