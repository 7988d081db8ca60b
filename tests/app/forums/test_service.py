"""The whole way through the service: a post, its draft, the decision, the answer in the forum."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.forums.desk import access_of
from app.review.deciding import Reviewer
from app.review.schemas import DecisionIn
from app.wiring import build_services
from core.access import LOCAL
from core.course import Course, ForumCategory, ForumRules, ReviewRules
from core.review import Outcome
from core.store.drafts.filter import DraftFilter
from core.store.tables import now
from tests.app.conftest import ingest_all
from tests.app.live import settings_in
from tests.doubles.discourse import DiscourseDouble
from tests.fakes import FakeEmbedder

RULES = ForumRules.model_validate(
    {"kind": "discourse", "url": DiscourseDouble.url, "account": "edumod", "poll_seconds": 1, "learn": True,
     "categories": (ForumCategory(name="7"),)}
)  # fmt: skip


async def test_a_post_becomes_a_draft_and_a_decision_becomes_one_post(tmp_path: Path, material: Path) -> None:
    course = Course(id="small", title="Small", forum=RULES, review=ReviewRules(undo_seconds=0))
    settings = settings_in(tmp_path, forum_hosts=("forum.example.edu",))
    await ingest_all(settings, material, course)
    double = DiscourseDouble()
    services = await build_services(settings, embedder=FakeEmbedder(), forum_transport=double)
    services.forums._variables = lambda: {"EDUMOD_FORUM_SMALL_TOKEN": "t", "EDUMOD_FORUM_SMALL_SECRET": "s"}
    try:
        engine = await services.forums.engine(course)
        await engine.step()
        ada = double.board.user("ada_b", "Ada Byronson")
        asked = double.board.ask(ada, "Homework 3", "When is homework 3 due? I am Ada Byronson.")
        await engine.notice(str(asked.thread))
        await engine.step()
        page = await services.store.drafts.page(DraftFilter(now(), ("small",)), None, 10)
        draft = await services.store.drafts.get(page.drafts[0].id)
        assert "Byronson" not in str(draft.request)
        assert len(double.board.thread(asked.thread)) == 1
        await services.review.decide(draft.id, DecisionIn(outcome=Outcome.APPROVED), Reviewer(LOCAL))
        while await engine.step():
            pass
        (_, answer) = double.board.thread(asked.thread)
        assert "19 February" in answer.text
        assert "edm-" in answer.text
        # Staff answer another one themselves: it becomes a past question.
        other = double.board.ask(ada, "Laptops", "May I bring a laptop to the zeppelin exam?")
        ta = double.board.user("ta", "Grace Teachington", is_staff=True)
        double.board.reply(other.thread, ta, "No laptops are allowed in the zeppelin exam, Ada Byronson, sorry.")
        await engine.notice(str(other.thread))
        await engine.step()
        texts = [row.text for row in await _blocks(services) if "zeppelin" in row.text]
        assert len(texts) == 1
        assert "Byronson" not in texts[0]
    finally:
        await services.aclose()


async def _blocks(services: Any) -> Any:
    from sqlalchemy import select

    from core.store.tables import NodeRow, table_of

    return await services.store.material._all(NodeRow, select(table_of(NodeRow)))


def test_a_forum_may_ask_and_nothing_else() -> None:
    access = access_of("small")
    assert {str(one) for one in access.by_course["small"]} == {"answer"}
    assert not access.everywhere
