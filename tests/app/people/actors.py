"""Those who may or may not: a key for each role, and a server that needs keys."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

from core.access import LOCAL, ROLE_PERMISSIONS, Permission
from core.store.people.keys import NewKey
from core.store.quizzes import NewQuestion
from core.store.store import Store
from core.store.tables import DraftRow, DraftState, EvaluationRow, EvaluationState, TraceRow
from core.types import Role, Source
from tests.servers.homes import database_of

THROUGH_A_PROXY = {"X-Forwarded-For": "203.0.113.7"}
"""What makes a key necessary, also on the server's own machine."""
ACTORS: dict[str, tuple[Permission, ...]] = {
    **{role.value: tuple(sorted(ROLE_PERMISSIONS[role])) for role in Role},
    "operator": (Permission.OPERATE,),
}


async def key(home: Path, *scopes: Permission, courses: tuple[str, ...] | None = ("small",), name: str = "bot") -> str:
    """A new key in the home's database."""
    store = await Store.open(database_of(home))
    bound = None if Permission.OPERATE in scopes else courses
    _, made = await store.keys.create(NewKey(name, scopes, bound))
    await store.aclose()
    return made


def made_key(home: Path, *scopes: Permission, courses: tuple[str, ...] | None = ("small",), name: str = "bot") -> str:
    """The same where nothing is awaited."""
    return asyncio.run(key(home, *scopes, courses=courses, name=name))


def sign_in_path(home: Path, name: str, role: Role, courses: tuple[str, ...] = ("small",)) -> str:
    """The address that signs a new person in, once. Made in a thread: a browser may run an event loop in this one."""

    async def invite() -> str:
        store = await Store.open(database_of(home))
        member = await store.members.add(name, None, dict.fromkeys(courses, role))
        token = await store.sessions.invite(member.id, timedelta(hours=1))
        await store.aclose()
        return f"/sign-in/link/{token}"

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(invite())).result()


def headers(made: str | None) -> dict[str, str]:
    """The headers of a request through a proxy, with that key."""
    return THROUGH_A_PROXY | ({} if made is None else {"Authorization": f"Bearer {made}"})


def stored_draft(home: Path, course: str) -> tuple[str, str]:
    """The ids of a failed draft with a question, and of its trace."""
    draft = DraftRow(
        id=uuid4().hex,
        course_id=course,
        state=DraftState.WORKING,
        request={"course": course, "question": {"title": "", "body": f"the secret of {course}"}},
    )
    trace = TraceRow(id=uuid4().hex, course_id=course, draft_id=draft.id)

    async def store() -> None:
        opened = await Store.open(database_of(home))
        await opened.drafts.begin(draft)
        draft.state, draft.error = DraftState.FAILED, {"code": "model-unavailable", "detail": "down"}
        await opened.drafts.end(draft, trace)
        await opened.aclose()

    asyncio.run(store())
    return draft.id, trace.id


def stored_evaluation(home: Path, course: str) -> str:
    """The id of an evaluation of the course that has not ended."""
    config = {"dataset": f"the secret of {course}", "actors": ["fc"], "n": 1, "seeds": [0]}
    row = EvaluationRow(
        id=uuid4().hex, course_id=course, kind="answers", key="k", state=EvaluationState.RUNNING, config=config
    )

    async def store() -> None:
        opened = await Store.open(database_of(home))
        await opened.evaluations.open(row, [])
        await opened.aclose()

    asyncio.run(store())
    return row.id


def stored_quiz(home: Path, course: str) -> str:
    """The id of a quiz of the course with one question."""
    made = NewQuestion("secret.md", (), "b", "", "definition", "rules", f"the secret of {course}", "No.")

    async def store() -> str:
        opened = await Store.open(database_of(home))
        quiz = await opened.quizzes.open(course, Source.TEXTBOOK, uuid4().hex, LOCAL)
        await opened.quizzes.add(quiz, [made], 1)
        await opened.aclose()
        return quiz.id

    return asyncio.run(store())
