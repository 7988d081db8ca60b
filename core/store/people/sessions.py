"""Signing in: links that work once, sessions of browsers, and the secrets that cookies are signed with."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import timedelta

from sqlalchemy import ColumnElement, Connection, select

from core.access import Person
from core.concurrency import in_thread
from core.store.engine.topic import Topic, transaction
from core.store.engine.upsert import insert
from core.store.people.keys import digest
from core.store.people.members import Member, member_of
from core.store.tables import MemberRow, PersonRow, SecretRow, SessionRow, SignInLinkRow, now, table_of

_people = table_of(PersonRow)
_members = table_of(MemberRow)
_sessions = table_of(SessionRow)
_links = table_of(SignInLinkRow)
_secrets = table_of(SecretRow)

SESSION_LASTS = timedelta(days=14)


def new_secret() -> str:
    """A secret of 256 random bits."""
    return secrets.token_urlsafe(32)


class Sessions(Topic):
    """Tokens have 256 random bits, and only their hashes are stored, as with keys."""

    async def invite(self, person_id: str, lasts: timedelta) -> str:
        """The token of a link that signs the person in, once, within that time."""
        token = secrets.token_urlsafe(32)
        row = SignInLinkRow(digest=digest(token), person_id=person_id, expires_at=now() + lasts)
        await self._change(_links.insert().values(row.model_dump()))
        return token

    async def invitee(self, token: str) -> Person | None:
        """Whom the link would sign in; None if it is unknown, was used or has expired."""
        query = select(_people.c.id, _people.c.name).join(_links, _links.c.person_id == _people.c.id)
        rows = await self._rows(query.where(*_usable(digest(token))))
        return Person(rows[0].id, rows[0].name) if rows else None

    @transaction
    def redeem(self, connection: Connection, token: str) -> str | None:
        """Use the link; the token of the session that it begins. None if it cannot be used (any more).

        Of several requests at once, one succeeds.
        """
        token_digest = digest(token)
        if not connection.execute(_links.update().where(*_usable(token_digest)).values(used_at=now())).rowcount:
            return None
        person_id = connection.execute(select(_links.c.person_id).where(_links.c.digest == token_digest)).scalar_one()
        return _begin(connection, person_id)

    async def begin(self, person_id: str) -> str:
        """The token of a new session of someone who has proved who they are."""
        return await self._transact(_begin, person_id)

    async def member(self, token: str) -> Member | None:
        """Who has signed in; None if the session is unknown or has ended."""
        query = (
            select(_people, _members.c.course_id, _members.c.person_id, _members.c.role)
            .join(_sessions, _sessions.c.person_id == _people.c.id)
            .outerjoin(_members, _members.c.person_id == _people.c.id)
            .where(_sessions.c.digest == digest(token), _sessions.c.expires_at > now())
        )
        rows = await self._rows(query)
        return member_of(rows[0], [row for row in rows if row.course_id is not None]) if rows else None

    async def end(self, token: str) -> None:
        """Sign out."""
        await self._change(_sessions.delete().where(_sessions.c.digest == digest(token)))

    async def secret(self, name: str, make: Callable[[], str] = new_secret) -> str:
        """The secret of that name, the same for all processes; made on first use, in a thread."""
        query = select(_secrets.c.value).where(_secrets.c.name == name)
        secret: str | None = await self._scalar(query)
        if secret is not None:
            return secret
        value = await in_thread(make)
        async with self._database.write() as connection:
            new = insert(connection.dialect, _secrets).values(name=name, value=value)
            await connection.execute(new.on_conflict_do_nothing(index_elements=["name"]))
            return str((await connection.execute(query)).scalar_one())


def _usable(hashed: str) -> tuple[ColumnElement[bool], ...]:
    return (_links.c.digest == hashed, _links.c.used_at.is_(None), _links.c.expires_at > now())


def _begin(connection: Connection, person_id: str) -> str:
    """Begin a session in a transaction, and forget those that have ended."""
    token = secrets.token_urlsafe(32)
    row = SessionRow(digest=digest(token), person_id=person_id, expires_at=now() + SESSION_LASTS)
    connection.execute(_sessions.insert(), row.model_dump())
    connection.execute(_sessions.delete().where(_sessions.c.expires_at <= now()))
    connection.execute(_links.delete().where(_links.c.expires_at <= now()))
    return token
