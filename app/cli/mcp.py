"""`edumod mcp`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from app.cli.output import with_services
from app.wiring import Services
from core.access import ROLE_PERMISSIONS, Access, Person
from core.types import Role

PERSON = Person("mcp", "an MCP client on this machine")
ADDRESS = "http://127.0.0.1:8000"


class ReadingAs(StrEnum):
    """Whose texts the client reads."""

    STUDENT = "student"
    STAFF = "staff"


def mcp(
    as_: Annotated[ReadingAs, typer.Option("--as", help="Whose texts the tools show.")] = ReadingAs.STUDENT,
    address: Annotated[str, typer.Option(help="Address of the service, for links.")] = ADDRESS,
) -> None:
    """Serve the courses to an MCP client that starts this command, over stdin and stdout.

    Tools: search_course, read_block, answer. With `--as staff` they show texts for staff; drafts then hold them too.
    """
    from app.doors.mcp import CourseTools, build_server

    role = Role.TA if as_ is ReadingAs.STAFF else Role.STUDENT
    access = Access(PERSON, everywhere=ROLE_PERMISSIONS[role])

    async def work(services: Services) -> None:
        await build_server(CourseTools(services, access, address.rstrip("/"))).run_stdio_async()

    with_services(work)
