"""Signing in: links that work once, sessions of browsers, and the secrets that cookies are signed with."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from sqlalchemy import Connection, select

from core.access import Person
from core.store.engine.database import Database
from core.store.engine.upsert import insert
from core.store.people.members import Member, member_of
from core.store.tables import MemberRow, PersonRow, SecretRow, SessionRow, SignInLinkRow, now

_people = PersonRow.__table__  # type: ignore[attr-defined]
_members = MemberRow.__table__  # type: ignore[attr-defined]
_sessions = SessionRow.__table__  # type: ignore[attr-defined]
_links = SignInLinkRow.__table__  # type: ignore[attr-defined]
_secrets = SecretRow.__table__  # type: ignore[attr-defined]

SESSION_LASTS = timedelta(days=14)


class Sessions:
    """Tokens have 256 random bits, and only their hashes are stored, as with keys."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def invite(self, person_id: str, lasts: timedelta) -> str:
        """The token of a link that signs the person in, once, within that time."""
        token = secrets.token_urlsafe(32)
        row = SignInLinkRow(digest=_digest(token), person_id=person_id, expires_at=now() + lasts)
        async with self._database.write() as connection:
            await connection.execute(_links.insert(), row.model_dump())
        return token

    async def invited(self, token: str) -> Person | None:
        """Whom the link would sign in; None if it is unknown, was used or has expired."""
        query = select(_people.c.id, _people.c.name).join(_links, _links.c.person_id == _people.c.id)
        query = query.where(_links.c.digest == _digest(token), _links.c.used_at.is_(None), _links.c.expires_at > now())
        async with self._database.read() as connection:
            row = (await connection.execute(query)).one_or_none()
        return Person(row.id, row.name) if row else None

    async def redeem(self, token: str) -> str | None:
        """Use the link; the token of the session that it begins. None if it cannot be used (any more).

        Of several requests at once, one succeeds.
        """
        async with self._database.write() as connection:
            return await connection.run_sync(self._redeem, _digest(token))

    def _redeem(self, connection: Connection, digest: str) -> str | None:
        usable = (_links.c.digest == digest, _links.c.used_at.is_(None), _links.c.expires_at > now())
        if not connection.execute(_links.update().where(*usable).values(used_at=now())).rowcount:
            return None
        person_id = connection.execute(select(_links.c.person_id).where(_links.c.digest == digest)).scalar_one()
        return _begin(connection, person_id)

    async def begin(self, person_id: str) -> str:
        """The token of a new session of someone who has proved who they are."""
        async with self._database.write() as connection:
            return await connection.run_sync(_begin, person_id)

    async def member(self, token: str) -> Member | None:
        """Who has signed in; None if the session is unknown or has ended."""
        query = (
            select(_people, _members.c.course_id, _members.c.person_id, _members.c.role)
            .join(_sessions, _sessions.c.person_id == _people.c.id)
            .outerjoin(_members, _members.c.person_id == _people.c.id)
            .where(_sessions.c.digest == _digest(token), _sessions.c.expires_at > now())
        )
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).all()
        return member_of(rows[0], [row for row in rows if row.course_id is not None]) if rows else None

    async def end(self, token: str) -> None:
        """Sign out."""
        async with self._database.write() as connection:
            await connection.execute(_sessions.delete().where(_sessions.c.digest == _digest(token)))

    async def secret(self, name: str) -> str:
        """The secret of that name, the same for all processes; made on first use."""
        query = select(_secrets.c.value).where(_secrets.c.name == name)
        async with self._database.read() as connection:
            found: str | None = (await connection.execute(query)).scalar()
        if found is not None:
            return found
        async with self._database.write() as connection:
            new = insert(connection.dialect.name, _secrets).values(name=name, value=secrets.token_urlsafe(32))
            await connection.execute(new.on_conflict_do_nothing(index_elements=["name"]))
            return str((await connection.execute(query)).scalar_one())


def _begin(connection: Connection, person_id: str) -> str:
    """Begin a session in a transaction, and forget those that have ended."""
    token = secrets.token_urlsafe(32)
    row = SessionRow(digest=_digest(token), person_id=person_id, expires_at=now() + SESSION_LASTS)
    connection.execute(_sessions.insert(), row.model_dump())
    connection.execute(_sessions.delete().where(_sessions.c.expires_at <= now()))
    connection.execute(_links.delete().where(_links.c.expires_at <= now()))
    return token


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
