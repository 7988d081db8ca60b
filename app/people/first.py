"""The first operator of a service that others can reach: made once, so that somebody can get in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from core.access import Permission
from core.concurrency import in_thread
from core.files import write_atomically
from core.store.people.keys import NewKey
from core.store.store import Store

NAME = "operator"
KEY_FILE = "operator.key"
LINK_LASTS = timedelta(days=1)


@dataclass(frozen=True)
class FirstOperator:
    """The token of the link that signs the operator in, and the file with a key for programs."""

    token: str
    key_file: Path


async def first_operator(store: Store, home: Path) -> FirstOperator | None:
    """Make an operator with a key, unless a key or a person was made before; then None.

    The key goes to a file that only this user can read, since what is printed ends up in logs.
    """
    if await store.keys.exist() or await store.members.all():
        return None
    member = await store.members.add(NAME, is_operator=True)
    _, key = await store.keys.create(NewKey(NAME, (Permission.OPERATE,), None))
    path = home / KEY_FILE
    await in_thread(write_atomically, path, f"{key}\n".encode())
    return FirstOperator(await store.sessions.invite(member.id, LINK_LASTS), path)
