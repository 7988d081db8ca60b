"""People who may sign in, and their roles in courses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from sqlalchemy import ColumnElement, Connection, or_, select

from core.access import Access, Person, access_of_roles
from core.errors import NotFound, UnknownName
from core.store.engine.topic import Topic, transaction
from core.store.engine.upsert import upsert
from core.store.tables import (
    CourseRow,
    EditRow,
    MemberRow,
    PersonRow,
    PresenceRow,
    SavedFilterRow,
    SessionRow,
    SignInLinkRow,
    table_of,
)
from core.types import Role

_people = table_of(PersonRow)
_members = table_of(MemberRow)
_sessions = table_of(SessionRow)
_links = table_of(SignInLinkRow)
_courses = table_of(CourseRow)
_edits, _presence, _filters = table_of(EditRow), table_of(PresenceRow), table_of(SavedFilterRow)


@dataclass(frozen=True)
class Member:
    """A person with their roles by course."""

    id: str
    name: str
    email: str | None
    is_operator: bool
    roles: dict[str, Role]

    @property
    def access(self) -> Access:
        """What they may do."""
        return access_of_roles(Person(self.id, self.name), self.roles, is_operator=self.is_operator)


class Members(Topic):
    async def add(
        self, name: str, email: str | None = None, roles: dict[str, Role] | None = None, *, is_operator: bool = False
    ) -> Member:
        """Create the person, or give these roles to the one with that e-mail address or id. Raises `UnknownName`."""
        email = email.strip().lower() if email else None
        return await self.get(await self._add(name, email, roles or {}, is_operator))

    @transaction
    def _add(
        self, connection: Connection, name: str, email: str | None, roles: dict[str, Role], is_operator: bool
    ) -> str:
        demand_courses(connection, roles)
        known = connection.execute(select(_people).where(_is(email or name))).one_or_none()
        row = PersonRow(id=f"person-{uuid4().hex}", name=name, email=email, is_operator=is_operator)
        person_id: str = known.id if known else row.id
        if known is None:
            connection.execute(_people.insert(), row.model_dump())
        elif is_operator and not known.is_operator:
            connection.execute(_people.update().where(_people.c.id == person_id).values(is_operator=True))
        for course_id, role in roles.items():
            member = {"person_id": person_id, "course_id": course_id, "role": role}
            connection.execute(upsert(connection.dialect, _members, member, {"role": role}))
        return person_id

    async def get(self, person_id: str) -> Member:
        """Raises `NotFound`."""
        if not (people := await self._where(_people.c.id == person_id)):
            raise _nobody(person_id)
        return people[0]

    async def known(self, text: str) -> Member | None:
        """The person with that id or e-mail address, if there is one."""
        return next(iter(await self._where(_is(text))), None)

    async def find(self, text: str) -> Member:
        """The person with that id or e-mail address. Raises `NotFound`."""
        if (person := await self.known(text)) is None:
            raise _nobody(text)
        return person

    async def sign_in(self, issuer: str, subject: str, email: str | None) -> Member | None:
        """The person with that account elsewhere, at first the one invited by the (verified) address; or None."""
        has_account = (_people.c.issuer == issuer, _people.c.subject == subject)
        people = await self._where(*has_account)
        if not people and email:
            is_invited = (_people.c.email == email.strip().lower(), _people.c.subject.is_(None))
            await self._change(_people.update().where(*is_invited).values(issuer=issuer, subject=subject))
            people = await self._where(*has_account)
        return people[0] if people else None

    async def all(self, course_id: str | None = None) -> list[Member]:
        """Everybody, or the members of a course, by name."""
        if course_id is None:
            return await self._where()
        return await self._where(
            _people.c.id.in_(select(_members.c.person_id).where(_members.c.course_id == course_id))
        )

    @transaction
    def remove(self, connection: Connection, person_id: str, course_id: str | None = None) -> None:
        """End the membership in a course, or delete the person with all roles and sessions; with what they typed and
        did not send."""
        if course_id is not None:
            for table, person in ((_members, _members.c.person_id), (_edits, _edits.c.person)):
                connection.execute(table.delete().where(person == person_id, table.c.course_id == course_id))
            return
        for table in (_edits, _presence, _filters):
            connection.execute(table.delete().where(table.c.person == person_id))
        for table in (_members, _sessions, _links):
            connection.execute(table.delete().where(table.c.person_id == person_id))
        connection.execute(_people.delete().where(_people.c.id == person_id))

    async def _where(self, *conditions: ColumnElement[bool]) -> list[Member]:
        people = select(_people).where(*conditions).order_by(_people.c.name, _people.c.id)
        async with self._database.read() as connection:
            rows = (await connection.execute(people)).all()
            query = select(_members).where(_members.c.person_id.in_([row.id for row in rows]))
            roles = (await connection.execute(query)).all() if rows else ()
        return [member_of(row, roles) for row in rows]


def member_of(row: Any, members: Sequence[Any]) -> Member:
    """The person of a row, with those of the memberships that are theirs."""
    roles = {member.course_id: Role(member.role) for member in members if member.person_id == row.id}
    return Member(row.id, row.name, row.email, bool(row.is_operator), roles)


def _nobody(text: str) -> NotFound:
    return NotFound(f"There is no person {text!r}. `edumod people list` shows them.")


def _is(text: str) -> ColumnElement[bool]:
    return or_(_people.c.id == text, _people.c.email == text.strip().lower())


def demand_courses(connection: Connection, wanted: Iterable[str]) -> None:
    """Raises `UnknownName` for a course that there is not."""
    known = set(connection.execute(select(_courses.c.id)).scalars())
    for course_id in wanted:
        if course_id not in known:
            raise UnknownName("course", course_id, sorted(known))
