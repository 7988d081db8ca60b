"""The judge of a course scores drafts in the background, and does not sway those who score them too."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx

from app.answering.draft_scoring import MAX_TRIES, DraftScoring
from app.answering.question import asked_in
from app.schemas import AnswerRequest
from app.wiring import Services, build_services
from core.access import LOCAL_ACCESS, Permission
from core.course import Course, Privacy
from core.errors import ModelUnavailable
from core.llm.scripted import ScriptedLLM
from core.review import DraftJudge
from core.store.store import Store
from core.store.tables import JudgementRow, TraceRow
from judging.tasks import CheckedStatement, CheckedStatements, CheckStatements
from tasks import ChooseFunctions, MendAnswer, WriteAnswer
from tests.app.asking import calls, written
from tests.app.conftest import ingest_all
from tests.app.live import settings_in
from tests.app.people.actors import headers, made_key
from tests.app.people.test_privacy import PERSONAL, asked
from tests.app.review.conftest import Ask
from tests.fakes import FakeEmbedder

CLAIMS = CheckedStatements(
    statements=(
        CheckedStatement(statement="It is due on February 19.", quote="Thursday, February 19", verdict="supported"),
        CheckedStatement(statement="It has three parts.", quote="", verdict="absent"),
    )
)


COURSE = Course(id="small", title="Small", judge=DraftJudge.GROUNDED, privacy=Privacy(student_id=r"\bA\d{8}\b"))


def judged(reviewing: httpx.Client, draft: dict[str, Any]) -> dict[str, Any]:
    """The draft as soon as its judge has scored it."""
    tag = f'"{draft["version"]}"'
    found = reviewing.get(f"/drafts/{draft['id']}", params={"wait": 25}, headers={"If-None-Match": tag})
    assert found.headers["etag"] == f'"{draft["version"]}-judged"'
    body: dict[str, Any] = found.json()
    return body


def test_a_draft_is_scored_after_it_is_stored_and_the_queue_is_filtered_by_it(
    reviewing: httpx.Client, ask: Ask
) -> None:
    draft = ask("judged")
    judgement = judged(reviewing, draft)["judgement"]
    assert (judgement["judge"], judgement["unscored"]) == ("grounded", None)
    assert len(judgement["explanation"].splitlines()) == sum(judgement["parts"].values())
    shown = f"grounded {judgement['score']:.2f}"
    wanted = "low" if judgement["score"] < 0.5 else "medium" if judgement["score"] < 0.8 else "high"
    for level in ("low", "medium", "high"):
        page = reviewing.get("/review", params={"course": "judged", "judged": level}).text
        assert (draft["id"] in page, shown in page) == (level == wanted, level == wanted)
    assert shown in reviewing.get(f"/review/{draft['id']}").text


def test_who_scores_drafts_sees_the_judges_score_after_her_own(
    reviewing: httpx.Client, review_home: Path, ask: Ask
) -> None:
    scopes = (Permission.DRAFTS_READ, Permission.DRAFTS_DECIDE)
    ta = headers(made_key(review_home, *scopes, courses=("judged",), name="a scoring TA"))
    first, second = ask("judged"), ask("judged")
    shown = f"grounded {judged(reviewing, first)['judgement']['score']:.2f}"
    judged(reviewing, second)

    def seen(draft: dict[str, Any]) -> tuple[bool, bool]:
        found = reviewing.get(f"/drafts/{draft['id']}", headers=ta).json()["judgement"]
        return found is not None, shown in reviewing.get(f"/review/{draft['id']}", headers=ta).text

    assert (seen(first), seen(second)) == ((True, True), (True, True))
    score = {"scores": {"correct": 4}}
    reviewing.post(f"/drafts/{first['id']}/decision", json=score, headers=ta)
    assert (seen(first), seen(second)) == ((True, True), (False, False))
    assert "once you have scored this draft" in reviewing.get(f"/review/{second['id']}", headers=ta).text
    for level in ("low", "medium", "high"):
        assert second["id"] not in reviewing.get(f"/review?course=judged&judged={level}", headers=ta).text
    reviewing.post(f"/drafts/{second['id']}/decision", json=score, headers=ta)
    assert seen(second) == (True, True)


async def offered(home: Path, draft: dict[str, Any]) -> None:
    """Put another answer in the place of the draft's own."""
    store = await Store.open(settings_in(home).url)
    row = await store.drafts.get(draft["id"])
    await store.drafts.offer(
        row.id, dict(row.response or {}), TraceRow(id=uuid4().hex, course_id="judged", draft_id=row.id)
    )
    await store.drafts.swap(row.id, row.version)
    await store.aclose()


def test_another_answer_is_scored_anew(reviewing: httpx.Client, review_home: Path, ask: Ask) -> None:
    draft = ask("judged")
    first = judged(reviewing, draft)["judgement"]
    asyncio.run(offered(review_home, draft))
    again = judged(reviewing, {**draft, "version": draft["version"] + 1})["judgement"]
    assert again["judged_at"] > first["judged_at"]


def test_a_course_without_a_judge_has_no_scores(reviewing: httpx.Client, ask: Ask) -> None:
    scored, other = ask("judged"), ask()
    judged(reviewing, scored)
    assert reviewing.get(f"/drafts/{other['id']}").json()["judgement"] is None


def replying(*checks: Any) -> ScriptedLLM:
    """A model that answers the question of `asked`, and checks its statements."""
    choice = calls("logistics_retrieval", query="homework 3 due")
    answer = written("Hi PERSON_1, it is due on Thursday, February 19 [1]. It has three parts [1].")
    return ScriptedLLM(
        {ChooseFunctions: [choice], WriteAnswer: [answer], MendAnswer: [answer], CheckStatements: list(checks)}
    )


@asynccontextmanager
async def answered(home: Path, material: Path, llm: ScriptedLLM) -> AsyncIterator[tuple[Services, str]]:
    """Services in which nothing runs in the background, and the draft of a question with names."""
    await ingest_all(settings_in(home), material, COURSE)
    services = await build_services(settings_in(home), llm=llm, embedder=FakeEmbedder())
    question = await asked_in(AnswerRequest.model_validate(asked()), services.settings, LOCAL_ACCESS)
    response = await services.answering.answer(question, {"pipeline": "fc"})
    yield services, response.draft_id
    await services.aclose()


async def judgement_of(services: Services, draft_id: str) -> JudgementRow | None:
    return (await services.store.judgements.of_many([draft_id])).get(draft_id)


async def test_the_judge_sees_placeholders_and_the_passages(
    tmp_path: Path, material: Path, each_database: None
) -> None:
    llm = replying(CLAIMS)
    async with answered(tmp_path, material, llm) as (services, draft_id):
        assert await services.judging.round() == 1
        assert await services.judging.round() == 0
        judgement = await judgement_of(services, draft_id)
    assert judgement is not None
    assert (judgement.score, judgement.parts) == (0.5, {"supported": 1.0, "contradicted": 0.0, "absent": 1.0})
    (task,) = [one for one in llm.tasks if isinstance(one, CheckStatements)]
    assert [one for one in PERSONAL if one in task.model_dump_json()] == ["Grace"]  # Whom nobody listed.
    assert "PERSON_1" in task.answer
    assert any("February 19" in one for one in task.passages)


async def test_a_judge_that_cannot_be_asked_is_asked_again_and_given_up_at_last(tmp_path: Path, material: Path) -> None:
    llm = replying(ModelUnavailable("down"))
    async with answered(tmp_path, material, llm) as (services, draft_id):
        assert (await services.judging.round(), await services.judging.round()) == (1, 0)
        judging = DraftScoring(services.answering, lease=timedelta())
        for _ in range(MAX_TRIES - 2):
            await judging.round()
        assert await judgement_of(services, draft_id) is None
        await judging.round()
        judgement = await judgement_of(services, draft_id)
        assert await judging.round() == 0
    assert judgement is not None
    assert (judgement.score, bool(judgement.unscored)) == (None, True)
