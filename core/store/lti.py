"""Learning platforms: registered ones, their courses, and the messages that were accepted (LTI 1.3)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, select

from core.access import Person
from core.errors import NotFound, UnknownName
from core.store.engine.topic import Topic, transaction
from core.store.engine.upsert import insert, upsert
from core.store.people.keys import digest
from core.store.people.members import demand_courses
from core.store.tables import LtiLinkRow, LtiNonceRow, LtiPlatformRow, MemberRow, PersonRow, now, table_of
from core.store.tables.lti import ANY_CONTEXT
from core.types import Role

_platforms = table_of(LtiPlatformRow)
_links = table_of(LtiLinkRow)
_nonces = table_of(LtiNonceRow)
_people = table_of(PersonRow)
_members = table_of(MemberRow)


class LtiPlatforms(Topic):
    async def put(self, row: LtiPlatformRow) -> None:
        """Register a platform, or change the addresses of the one with that id."""
        values = row.model_dump()
        changed = {name: values[name] for name in ("auth_url", "token_url", "jwks_url")}
        async with self._database.write() as connection:
            await connection.execute(upsert(connection.dialect, _platforms, values, changed))

    async def of(self, issuer: str) -> list[LtiPlatformRow]:
        """The platforms with that issuer: one for each client id that it gave us."""
        query = select(_platforms).where(_platforms.c.issuer == issuer)
        return await self._all(LtiPlatformRow, query.order_by(_platforms.c.client_id))

    async def get(self, platform_id: str) -> LtiPlatformRow:
        """Raises `NotFound`."""
        query = select(_platforms).where(_platforms.c.id == platform_id)
        if (row := await self._find(LtiPlatformRow, query)) is None:
            raise NotFound(f"There is no platform {platform_id!r}. `edumod lti list` shows them.")
        return row

    async def all(self) -> list[LtiPlatformRow]:
        query = select(_platforms).order_by(_platforms.c.issuer, _platforms.c.client_id)
        return await self._all(LtiPlatformRow, query)

    async def links(self, course_id: str | None = None) -> list[LtiLinkRow]:
        """The links of all platforms, or those to one course."""
        query = select(_links).order_by(_links.c.platform_id, _links.c.deployment_id, _links.c.context_id)
        return await self._all(LtiLinkRow, query if course_id is None else query.where(_links.c.course_id == course_id))

    async def link(self, platform_id: str, deployment_id: str, context_id: str) -> LtiLinkRow | None:
        """The link of a course of the platform: its own, or else that of its deployment."""
        query = select(_links).where(
            _links.c.platform_id == platform_id,
            _links.c.deployment_id == deployment_id,
            _links.c.context_id.in_((context_id, ANY_CONTEXT)),
        )
        return await self._find(LtiLinkRow, query.order_by(_links.c.context_id.desc()))

    @transaction
    def put_link(self, connection: Connection, row: LtiLinkRow) -> None:
        """Lead a deployment, or one course in it, to a course. Raises `UnknownName` for a course that there is not."""
        demand_courses(connection, [row.course_id])
        new = upsert(connection.dialect, _links, row.model_dump(), {"course_id": row.course_id, "roster_at": None})
        connection.execute(new)

    async def remove(self, platform_id: str) -> None:
        """Forget a platform with its links. Whoever entered from it keeps their roles until they are ended."""
        await self._change(_platforms.delete().where(_platforms.c.id == platform_id))

    @transaction
    def spend(self, connection: Connection, nonce: str, expires_at: datetime) -> bool:
        """Note that a message was accepted; False if it was before. Of several at once, one is the first."""
        connection.execute(_nonces.delete().where(_nonces.c.expires_at <= now()))
        row = LtiNonceRow(digest=digest(nonce), expires_at=expires_at)
        new = insert(connection.dialect, _nonces).values(row.model_dump()).on_conflict_do_nothing()
        return connection.execute(new.returning(_nonces.c.digest)).first() is not None

    @transaction
    def take_roster(self, connection: Connection, link: LtiLinkRow, url: str, every: timedelta) -> bool:
        """Note where the members are listed; whether they are to be read now, which one of several callers does."""
        mine = (
            _links.c.platform_id == link.platform_id,
            _links.c.deployment_id == link.deployment_id,
            _links.c.context_id == link.context_id,
        )
        is_due = _links.c.roster_at.is_(None) | (_links.c.roster_at <= now() - every)
        taken = _links.update().where(*mine, is_due).values(roster_url=url, roster_at=now())
        return bool(connection.execute(taken).rowcount)

    @transaction
    def enter(
        self, connection: Connection, platform_id: str, subject: str, name: str, course_id: str, role: Role
    ) -> Person:
        """The person of an account at the platform, who has that role in the course from now on."""
        issuer = issuer_of(platform_id)
        has_account = (_people.c.issuer == issuer, _people.c.subject == subject)
        new = PersonRow(id=f"person-{digest(f'{issuer} {subject}')[:32]}", name=name, issuer=issuer, subject=subject)
        stored = insert(connection.dialect, _people).values(new.model_dump())
        connection.execute(stored.on_conflict_do_nothing())
        connection.execute(_people.update().where(*has_account, _people.c.name != name).values(name=name))
        person = connection.execute(select(_people.c.id, _people.c.name).where(*has_account)).one()
        member = {"person_id": person.id, "course_id": course_id, "role": role}
        connection.execute(upsert(connection.dialect, _members, member, {"role": role}))
        return Person(person.id, person.name)

    @transaction
    def leave(self, connection: Connection, platform_id: str, course_id: str, staying: Collection[str]) -> int:
        """End the roles in the course of those who entered from the platform and are not listed there any more."""
        query = select(_people.c.id, _people.c.subject).join(_members, _members.c.person_id == _people.c.id)
        rows = connection.execute(
            query.where(_people.c.issuer == issuer_of(platform_id), _members.c.course_id == course_id)
        ).all()
        gone = [row.id for row in rows if row.subject not in staying]
        ended = delete(_members).where(_members.c.course_id == course_id, _members.c.person_id.in_(gone))
        return int(connection.execute(ended).rowcount) if gone else 0


def issuer_of(platform_id: str) -> str:
    """What stands for the issuer in the account of a person: no account of another kind has one that begins so."""
    return f"lti:{platform_id}"


def named_platform(platforms: Collection[LtiPlatformRow], text: str) -> LtiPlatformRow:
    """The platform with that id, issuer or client id. Raises `UnknownName`."""
    named = [row for row in platforms if text in (row.id, row.issuer, row.client_id)]
    if len(named) != 1:
        raise UnknownName("platform", text, [row.id for row in named or platforms])
    return named[0]
