"""`edumod people`: who may sign in, and as what."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import typer
from pydantic import BaseModel
from rich.markup import escape
from rich.table import Table

from app.cli.output import AsJson, output, print_done, print_json, with_store
from core.errors import InvalidInput
from core.store.people.members import Member
from core.store.store import Store
from core.types import Role

commands = typer.Typer(help="People: invite them to sign in, list and remove them.", no_args_is_help=True)

DEFAULT_HOURS = 72


class PersonOut(BaseModel):
    """A person with their roles by course."""

    id: str
    name: str
    email: str | None
    is_operator: bool
    roles: dict[str, Role]


class InvitedOut(PersonOut):
    """A person with the link that signs them in once."""

    link: str


@commands.command()
def invite(
    name: Annotated[str, typer.Argument(help="The person's name, or the e-mail address or id of someone known.")],
    email: Annotated[
        str | None, typer.Option(help="Identifies the person: with it, an account elsewhere can be used too.")
    ] = None,
    courses: Annotated[list[str] | None, typer.Option("--course", "-c", help="Course; several are possible.")] = None,
    role: Annotated[Role, typer.Option(help="Role in these courses.")] = Role.TA,
    operator: Annotated[bool, typer.Option("--operator", help="Everything, in every course.")] = False,
    hours: Annotated[int, typer.Option(min=1, help="Hours for which the link can be used, once.")] = DEFAULT_HOURS,
    url: Annotated[str, typer.Option(help="Address of the service.")] = "http://127.0.0.1:8000",
    as_json: AsJson = False,
) -> None:
    """Print a link that signs someone in once; who is not known yet is added, with the role in the courses."""

    async def work(store: Store) -> tuple[Member, str]:
        known = await store.members.known(name)
        if known is None and not courses and not operator:
            raise InvalidInput(
                f"{name!r} is not known yet. Say what they are: --course COURSE --role ROLE, or --operator."
            )
        roles = dict.fromkeys(courses or (), role)
        member = await store.members.add(
            known.id if known else name, None if known else email, roles, is_operator=operator
        )
        return member, await store.sessions.invite(member.id, timedelta(hours=hours))

    member, token = with_store(work)
    link = f"{url.rstrip('/')}/sign-in/link/{token}"
    if as_json:
        print_json(InvitedOut(**_out(member).model_dump(), link=link))
        return
    output.print(link, highlight=False, soft_wrap=True)
    output.print(f"It signs {escape(member.name)} ({_roles(member)}) in once, within {hours} hours.", soft_wrap=True)


@commands.command(name="list")
def list_people(
    course: Annotated[str | None, typer.Option("--course", "-c", help="Only members of this course.")] = None,
    as_json: AsJson = False,
) -> None:
    """List people with their roles."""

    async def work(store: Store) -> list[Member]:
        return await store.members.all(course)

    members = with_store(work)
    if as_json:
        print_json([_out(member) for member in members])
        return
    table = Table("id", "name", "e-mail", "roles")
    for member in members:
        table.add_row(member.id, escape(member.name), escape(member.email or ""), _roles(member))
    output.print(table)


@commands.command()
def remove(
    who: Annotated[str, typer.Argument(metavar="PERSON", help="Id or e-mail address.")],
    course: Annotated[str | None, typer.Option("--course", "-c", help="End the role in this course alone.")] = None,
    as_json: AsJson = False,
) -> None:
    """Sign a person out everywhere and delete them, or end their role in a course. Their decisions are kept."""

    async def work(store: Store) -> Member:
        member = await store.members.find(who)
        await store.members.remove(member.id, course)
        return member

    member = with_store(work)
    what = "is removed" if course is None else f"has no role in {course} any more"
    print_done(f"{member.name} {what}.", as_json, id=member.id, course=course)


def _out(member: Member) -> PersonOut:
    return PersonOut(
        id=member.id, name=member.name, email=member.email, is_operator=member.is_operator, roles=member.roles
    )


def _roles(member: Member) -> str:
    roles = [f"{role.value} of {course}" for course, role in member.roles.items()]
    return ", ".join(["operator"] * member.is_operator + roles) or "no role"
