"""A database with something in every table."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from sqlalchemy import select
from sqlmodel import SQLModel

from core.access import LOCAL, Permission, Person
from core.facts import FactKind
from core.review import Complaint, EditPurpose, Outcome
from core.store.copies.rows import NOT_COPIED
from core.store.facts import CourseFacts
from core.store.people.audit import AuditEntry
from core.store.people.keys import NewKey
from core.store.quizzes import NewQuestion
from core.store.store import Store
from core.store.tables import (
    CorrectionRow,
    DecisionRow,
    DeliveryRow,
    DeliveryState,
    DraftRow,
    DraftState,
    EditRow,
    EmbeddingRow,
    EvaluationRow,
    EvaluationState,
    EventRow,
    ItemRow,
    JobState,
    JudgementRow,
    LtiLinkRow,
    LtiNonceRow,
    LtiPlatformRow,
    PairingRow,
    PictureRow,
    PresenceRow,
    ResultRow,
    ResultState,
    RosterRow,
    SavedFilterRow,
    SecretRow,
    SessionRow,
    SettingChangeRow,
    SignInLinkRow,
    SnippetRow,
    StaffRow,
    TraceRow,
    UsageRow,
    VoteRow,
    WaitingFileRow,
    WebhookRow,
    WorkRow,
)
from core.store.tables.forums import ForumPostKind, ForumPostRow, ForumRow, ForumThreadRow
from core.types import Role, Source
from tests.core.store.test_store import document, tree

EVENING = datetime(2026, 3, 1, 20, 30, tzinfo=timezone(timedelta(hours=5)))
REQUEST = {"question": {"body": "Why does “≤” matter?\n\0 \ud83d\ude00 1e400"}, "n": [1, 2.5, None, True]}


async def fill(url: str) -> None:
    """Store a course with everything that belongs to one."""
    store = await Store.open(url)
    await store.courses.put("ds101", {"id": "ds101", "title": "Données"})
    await store.courses.put("empty", {"id": "empty"})
    row = document("b.md", release_at=EVENING, warnings=["two"])
    vector = EmbeddingRow(
        node_id=f"{row.id}/1", ordinal=0, course_id="ds101", model="m", start=0, end=6, vector=bytes(range(256))
    )
    key = {"node_id": f"{row.id}/1", "ordinal": 0, "course_id": "ds101"}
    facts = CourseFacts(
        [
            WorkRow(
                **key, kind="homework", number="3", due={"month": 2, "day": 19, "time": "23:59"}, points=2.5, quote="≤"
            )
        ],
        [EventRow(**key, kind=FactKind.EXAM, title="Midterm", at={"month": 3, "day": 5}, week=4, quote="≤")],
        [StaffRow(**key, name="Ada", hours="Monday 10:00", quote="≤")],
    )
    await store.material.replace(row, tree(row, blocks=3), [vector], facts=facts)
    await _answer(store)
    job = await store.jobs.start("ds101", "ingest qa")
    await store.jobs.finish(job, JobState.DONE, {"files": 3})
    await store.evaluations.put_labels("ds101", "retrieval", {"q1": {"text": "?"}})
    await _evaluate(store)
    await _people(store)
    await _review(store)
    await store.aclose()


async def _people(store: Store) -> None:
    """People, keys and what is recorded of them; and what is of this installation alone."""
    member = await store.members.add("Ada", "ada@example.edu", {"ds101": Role.TA})
    row, _ = await store.keys.create(NewKey("bot", [Permission.ANSWER], ["ds101"], EVENING))
    await store.audit.add(AuditEntry(Person(member.id, "Ada"), "draft.read", "ds101", "d1"))
    rows = (
        UsageRow(subject=f"key:{row.id}", period="2026-03", requests=3, dollars=0.25),
        RosterRow(course_id="ds101", pseudonym="s1", name="Grace", aliases=["G."]),
        SessionRow(digest="s", person_id=member.id, expires_at=EVENING),
        SignInLinkRow(digest="l", person_id=member.id, expires_at=EVENING),
        SecretRow(name="cookies", value="secret"),
        LtiPlatformRow(id="p1", issuer="https://lms", client_id="c", auth_url="a", token_url="t", jwks_url="k"),
        LtiNonceRow(digest="n", expires_at=EVENING),
    )
    await _insert(store, *rows)
    await store.lti.put_link(LtiLinkRow(platform_id="p1", deployment_id="1", course_id="ds101"))


async def _review(store: Store) -> None:
    """What people made of a draft and a block, and who hears of it."""
    decision = DecisionRow(
        id="c1", draft_id="d1", course_id="ds101", outcome=Outcome.EDITED, text="Yes.", reasons=["tone"],
        scores={"correct": 4}, kept=["b1"], decided_by="p", decided_by_name="Ada", final_at=EVENING, seconds=12.5,
    )  # fmt: skip
    block = CorrectionRow(
        course_id="ds101", document_id="b", heading='["A"]', is_question=False, label="3a", corrected_by="p"
    )
    await store.waiting_files.put(
        WaitingFileRow(course_id="ds101", source=Source.TEXTBOOK, name="late.md", sha256="0", content=b"# Late\0")
    )
    await store.failed_jobs.add("ingest", "ds101 textbook bad.pdf", {"course": "ds101"}, 1, "bad.pdf is damaged.")
    webhook = WebhookRow(id="w", course_id="ds101", url="https://forum.example.edu/", secret="secret")
    delivery = DeliveryRow(
        id="v", course_id="ds101", draft_id="d1", webhook_id="w", url=webhook.url, event="draft.decided",
        next_at=EVENING, state=DeliveryState.WAITING,
    )  # fmt: skip
    judgement = JudgementRow(draft_id="d1", judge="grounded", course_id="ds101", score=0.5, parts={"supported": 1.0})
    vote = VoteRow(draft_id="d1", voter="p", course_id="ds101", is_helpful=False, reason=Complaint.UNCLEAR, note="?")
    pairing = PairingRow(course_id="ds101", document_id="b", pair="hw3", paired_by="p")
    edit = EditRow(draft_id="d1", person="p", purpose=EditPurpose.DECISION, course_id="ds101", fields={"note": ["?"]})
    presence = PresenceRow(draft_id="d1", person="p", name="Ada", seen_at=EVENING)
    picture = PictureRow(draft_id="d1", number=1, media_type="image/png", data=b"\x89PNG")
    snippet = SnippetRow(id="s", course_id="ds101", name="Slip days", text="See the syllabus.", created_by_name="Ada")
    kept = SavedFilterRow(person="p", name="Mine", query="by=me")
    rows = (decision, block, webhook, delivery, judgement, vote, pairing, edit, presence, picture, snippet, kept)
    change = SettingChangeRow(
        id="g", course_id="ds101", key="title", before="Data", value="Données", changed_by="p", changed_by_name="Ada"
    )
    thread = ForumThreadRow(course_id="ds101", thread_id="t1", draft_id="d1")
    post = ForumPostRow(
        mark="m",
        course_id="ds101",
        thread_id="t1",
        draft_id="d1",
        decision_id="d",
        kind=ForumPostKind.ANSWER,
        digest="q",
    )
    await _insert(store, *rows, change, ForumRow(course_id="ds101"), thread, post)
    quiz = await store.quizzes.open("ds101", Source.TEXTBOOK, "", LOCAL)
    asked = NewQuestion("b.md", ("A",), "b1", "It is “≤”.", "definition", "rules", "What is ≤?", "It is “≤”.")
    await store.quizzes.add(quiz, [asked], 1)


async def _insert(store: Store, *rows: SQLModel) -> None:
    async with store.database.write() as connection:
        for one in rows:
            await connection.execute(SQLModel.metadata.tables[str(one.__tablename__)].insert(), one.model_dump())


async def _answer(store: Store) -> None:
    draft = DraftRow(id="d1", course_id="ds101", state=DraftState.WORKING, request=REQUEST, idempotency_key="key")
    await store.drafts.begin(draft)
    draft.state, draft.response = DraftState.PENDING, {"answer": "yes"}
    await store.drafts.end(draft, TraceRow(id="t1", course_id="ds101", draft_id="d1", steps=[{"kind": "write"}]))
    await store.drafts.begin(DraftRow(id="d2", course_id="ds101", state=DraftState.WORKING, request=REQUEST))


async def _evaluate(store: Store) -> None:
    row = EvaluationRow(id="e", kind="functions", key="k", state=EvaluationState.RUNNING)
    await store.evaluations.open(row, [ItemRow(evaluation_id="e", item="q1", digest="d", text="Where?")])
    results = [
        ResultRow(evaluation_id="e", actor=actor, item="q1", seed=0, state=ResultState.SCORED, output=["a"], ms=ms)
        for actor, ms in (("fc", 5.25), ("file", None))
    ]
    await store.evaluations.save(results)
    await store.evaluations.finish("e", EvaluationState.DONE, {"mean": 0.1}, results)


async def contents(url: str) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of the database, but those that are not copied."""
    store = await Store.open(url)
    found = {}
    async with store.database.read() as connection:
        for table in SQLModel.metadata.sorted_tables:
            if table.name not in NOT_COPIED:
                rows = (await connection.execute(select(table))).all()
                found[table.name] = sorted((tuple(row) for row in rows), key=repr)
    await store.aclose()
    return found


def utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)
