"""`edumod sandbox`."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files

from pydantic import BaseModel

from app.cli.course import load_file
from app.cli.output import AsJson, output, print_json, with_store
from app.people.keys import new_key
from core.access import Permission
from core.errors import InvalidInput
from core.quotas import KeyQuotas
from core.settings import read_settings
from core.store.store import Store

SCOPES = (Permission.ANSWER, Permission.DRAFTS_READ, Permission.DRAFTS_DECIDE)
"""What a bot does: ask, read drafts; and decide, to try what follows a decision."""
QUOTAS = KeyQuotas(questions_a_day=2_000, dollars_a_month=1)
"""Of models that a request names; by default none that costs anything is asked."""
DAYS = 30
COURSE = "sandbox"


class SandboxOut(BaseModel):
    """The course and a new key to it, which is shown once."""

    course: str
    key: str
    days: int


async def _demand_no_other_course(store: Store) -> None:
    """Raises `InvalidInput`: what is asked in a sandbox is deleted."""
    stored = await store.courses.find(COURSE)
    if stored is not None and not stored.course.sandbox:
        raise InvalidInput(f"This installation has a course {COURSE} that is none for trying out. Nothing was changed.")


def sandbox(as_json: AsJson = False) -> None:
    """Set up a small course for who writes a bot, and print a new key to it.

    Answers come from the offline backend and cost nothing. What was asked is deleted after an hour or two, teaches
    nothing, and is posted in no forum.
    """
    with_store(_demand_no_other_course)
    path = read_settings().home / "sandbox" / "course.yaml"
    with as_file(files("app.sandbox") / "course") as folder:
        shutil.copytree(folder, path.parent, dirs_exist_ok=True)
    course = load_file(path)
    new = new_key("sandbox", SCOPES, (course.id,), QUOTAS, DAYS)

    async def work(store: Store) -> str:
        return (await store.keys.create(new))[1]

    key = with_store(work)
    if as_json:
        print_json(SandboxOut(course=course.id, key=key, days=DAYS))
        return
    output.print(key, highlight=False, soft_wrap=True)
    output.print(f"Copy it now: it is shown once. It asks the course {course.id} alone, for {DAYS} days:")
    body = f'{{"course": "{course.id}", "question": {{"body": "When is homework 2 due?"}}}}'
    output.print(
        f"curl -H 'Authorization: Bearer KEY' -H 'Content-Type: application/json' -d '{body}' "
        "http://127.0.0.1:8000/v1/answer",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )
