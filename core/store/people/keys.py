"""Keys for programs: made, found, listed and revoked."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, select

from core.access import Permission
from core.errors import NotFound
from core.store.engine.topic import Topic
from core.store.tables import KeyRow, now, table_of

_keys = table_of(KeyRow)
_BY_ID = select(_keys).where(_keys.c.id == bindparam("key_id"))
_KEY = re.compile(r"edm_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")

USED_EVERY = timedelta(minutes=1)
"""How often the time of the last use is written."""


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key to be made. `courses` is None for one that is bound to no course, `expires_at` for one without an end.

    `owner` is the `Person.id` of who makes it; None for the operator.
    """

    name: str
    scopes: Sequence[Permission]
    courses: Sequence[str] | None
    expires_at: datetime | None = None
    limits: dict[str, Any] = field(default_factory=dict)
    owner: str | None = None


class Keys(Topic):
    """Only hashes are stored: a key has 256 random bits, so a quick hash is enough. It is looked up by its id."""

    async def create(self, new: NewKey) -> tuple[KeyRow, str]:
        """The stored key, and the key itself, which cannot be shown again."""
        key_id, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
        key = f"edm_{key_id}_{secret}"
        row = KeyRow(
            id=key_id,
            name=new.name,
            digest=digest(key),
            scopes=[scope.value for scope in new.scopes],
            courses=None if new.courses is None else list(new.courses),
            limits=new.limits,
            expires_at=new.expires_at,
            owner=new.owner,
        )
        await self._change(_keys.insert().values(row.model_dump()))
        return row, key

    async def find(self, key: str) -> KeyRow | None:
        """The stored key, expired and revoked ones too; None if the text is no key that was made here."""
        if (parts := _KEY.fullmatch(key)) is None:
            return None
        row = await self.get(parts[1])
        return row if row is not None and hmac.compare_digest(row.digest, digest(key)) else None

    async def get(self, key_id: str) -> KeyRow | None:
        """The stored key of that id."""
        return await self._find(KeyRow, _BY_ID, {"key_id": key_id})

    async def all(self, courses: Iterable[str] | None = None) -> list[KeyRow]:
        """All keys, newest first; with `courses`, those that are bound to one of them."""
        keys = await self._all(KeyRow, select(_keys).order_by(_keys.c.created_at.desc(), _keys.c.id))
        if courses is None:
            return keys
        wanted = set(courses)
        return [key for key in keys if key.courses is not None and wanted & set(key.courses)]

    async def revoke(self, key_id: str) -> KeyRow:
        """From now on the key is refused. Raises `NotFound`."""
        mine = (_keys.c.id == key_id, _keys.c.revoked_at.is_(None))
        await self._change(_keys.update().where(*mine).values(revoked_at=now()))
        if (row := await self.get(key_id)) is None:
            raise NotFound(f"There is no key {key_id!r}. `edumod keys list` shows them.")
        return row

    async def note_use(self, key_id: str) -> None:
        """Note that the key was used now."""
        await self._change(_keys.update().where(_keys.c.id == key_id).values(used_at=now()))

    async def exist(self) -> bool:
        """True if any key was ever made."""
        return await self._scalar(select(_keys.c.id).limit(1)) is not None


def is_stale(row: KeyRow) -> bool:
    """True if its last use should be written again."""
    return row.used_at is None or now() - row.used_at >= USED_EVERY


def masked_key(key_id: str) -> str:
    """How a key is shown to people."""
    return f"edm_{key_id}_…"


def digest(key: str) -> str:
    """What is stored of a key or token."""
    return hashlib.sha256(key.encode()).hexdigest()
