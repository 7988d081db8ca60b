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
from core.store.engine.database import Database
from core.store.tables import KeyRow, now

_keys = KeyRow.__table__  # type: ignore[attr-defined]
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


class Keys:
    """Only hashes of keys are stored: a key has 256 random bits, so a quick hash is enough.

    Its id stands in the key, so that a key is looked up by what is no secret, and compared in constant time.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, new: NewKey) -> tuple[KeyRow, str]:
        """The stored key, and the key itself, which cannot be shown again."""
        key_id, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
        key = f"edm_{key_id}_{secret}"
        row = KeyRow(
            id=key_id,
            name=new.name,
            digest=_digest(key),
            scopes=[one.value for one in new.scopes],
            courses=None if new.courses is None else list(new.courses),
            limits=new.limits,
            expires_at=new.expires_at,
            owner=new.owner,
        )
        async with self._database.write() as connection:
            await connection.execute(_keys.insert(), row.model_dump())
        return row, key

    async def find(self, key: str) -> KeyRow | None:
        """The stored key, expired and revoked ones too; None if the text is no key that was made here."""
        if (parts := _KEY.fullmatch(key)) is None:
            return None
        async with self._database.read() as connection:
            row = (await connection.execute(_BY_ID, {"key_id": parts[1]})).one_or_none()
        if row is None or not hmac.compare_digest(row.digest, _digest(key)):
            return None
        return KeyRow(**row._mapping)

    async def get(self, key_id: str) -> KeyRow | None:
        """The stored key of that id."""
        async with self._database.read() as connection:
            row = (await connection.execute(_BY_ID, {"key_id": key_id})).one_or_none()
        return None if row is None else KeyRow(**row._mapping)

    async def all(self, courses: Iterable[str] | None = None) -> list[KeyRow]:
        """All keys, newest first; with `courses`, those that are bound to one of them."""
        async with self._database.read() as connection:
            rows = await connection.execute(select(_keys).order_by(_keys.c.created_at.desc(), _keys.c.id))
            found = [KeyRow(**row._mapping) for row in rows.all()]
        if courses is None:
            return found
        wanted = set(courses)
        return [one for one in found if one.courses is not None and wanted & set(one.courses)]

    async def revoke(self, key_id: str) -> KeyRow:
        """From now on the key is refused. Raises `NotFound`."""
        mine = _keys.c.id == key_id
        async with self._database.write() as connection:
            await connection.execute(_keys.update().where(mine, _keys.c.revoked_at.is_(None)).values(revoked_at=now()))
            row = (await connection.execute(select(_keys).where(mine))).one_or_none()
        if row is None:
            raise NotFound(f"There is no key {key_id!r}. `edumod keys list` shows them.")
        return KeyRow(**row._mapping)

    async def used(self, key_id: str) -> None:
        """Note that the key was used now."""
        async with self._database.write() as connection:
            await connection.execute(_keys.update().where(_keys.c.id == key_id).values(used_at=now()))

    async def exist(self) -> bool:
        """True if any key was ever made."""
        async with self._database.read() as connection:
            return (await connection.execute(select(_keys.c.id).limit(1))).first() is not None


def is_stale(row: KeyRow) -> bool:
    """True if its last use should be written again."""
    return row.used_at is None or now() - row.used_at >= USED_EVERY


def shown(key_id: str) -> str:
    """How a key is shown to people."""
    return f"edm_{key_id}_…"


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()
