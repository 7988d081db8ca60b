"""`edumod lti`: learning platforms that people enter from."""

from __future__ import annotations

from typing import Annotated

import typer
from pydantic import BaseModel

from app.cli.output import AsJson, output, print_done, print_json, print_table, with_store
from app.doors.lti.registration import new_platform, tool_addresses
from core.errors import InvalidInput
from core.store.lti import named_platform
from core.store.store import Store
from core.store.tables import LtiLinkRow, LtiPlatformRow
from core.store.tables.lti import ANY_CONTEXT

commands = typer.Typer(
    help="Learning platforms (LTI 1.3): register Canvas, Moodle and others, and link their courses.",
    no_args_is_help=True,
)

Platform = Annotated[str, typer.Argument(help="Id, issuer or client id of a registered platform.")]


class LtiLinkOut(BaseModel):
    """A course that a deployment of the tool leads to; `context` is null for all courses of the deployment."""

    deployment: str
    context: str | None
    course: str


class LtiPlatformOut(BaseModel):
    """A registered platform with its links."""

    id: str
    issuer: str
    client_id: str
    auth_url: str
    token_url: str
    jwks_url: str
    links: list[LtiLinkOut]

    @classmethod
    def of(cls, row: LtiPlatformRow, links: list[LtiLinkRow]) -> LtiPlatformOut:
        own = [
            LtiLinkOut(deployment=link.deployment_id, context=link.context_id or None, course=link.course_id)
            for link in links
            if link.platform_id == row.id
        ]
        return cls(**row.model_dump(exclude={"created_at"}), links=own)


@commands.command()
def add(
    issuer: Annotated[str, typer.Argument(help="The platform's issuer, such as https://canvas.instructure.com.")],
    client_id: Annotated[str, typer.Argument(help="The client id that the platform gave this tool.")],
    auth_url: Annotated[str, typer.Option(help="Where the platform takes requests for authentication.")],
    token_url: Annotated[str, typer.Option(help="Where the platform gives access tokens.")],
    jwks_url: Annotated[str, typer.Option(help="The address of the platform's public keys.")],
    url: Annotated[str, typer.Option(help="Address of this service.")] = "http://127.0.0.1:8000",
    as_json: AsJson = False,
) -> None:
    """Register a platform, and print the addresses that its administrator enters there."""
    row = new_platform(issuer, client_id, auth_url, token_url, jwks_url)

    async def work(store: Store) -> list[LtiLinkRow]:
        await store.lti.put(row)
        return await store.lti.links()

    links = with_store(work)
    if as_json:
        print_json({**LtiPlatformOut.of(row, links).model_dump(), "tool": tool_addresses(url)})
        return
    output.print(f"The platform {row.id} is registered. Enter there:", highlight=False)
    names = {"login": "OpenID Connect login", "launch": "launch and redirect", "choose": "deep linking and redirect"}
    rows = ((names.get(name, "public keys"), address) for name, address in tool_addresses(url).items())
    print_table(("what", "address"), rows)


@commands.command()
def link(
    platform: Platform,
    course: Annotated[str, typer.Option("--course", "-c", help="Course that its people enter.")],
    deployment: Annotated[str, typer.Option(help="Deployment id that the platform gave this tool.")],
    context: Annotated[
        str, typer.Option(help="The platform's id of one of its courses; without it, all courses of the deployment.")
    ] = ANY_CONTEXT,
    as_json: AsJson = False,
) -> None:
    """Lead a platform's course to a course. Ids of one that is not linked are in the log once somebody tries to enter.

    With --context, who left the platform's course also loses the role here.
    """

    async def work(store: Store) -> LtiPlatformRow:
        row = named_platform(await store.lti.all(), platform)
        new = LtiLinkRow(platform_id=row.id, deployment_id=deployment, context_id=context, course_id=course)
        await store.lti.put_link(new)
        return row

    row = with_store(work)
    what = f"The course {context!r}" if context else "Every course"
    said = f"{what} of deployment {deployment!r} at {row.issuer} leads to {course}."
    print_done(said, as_json, platform=row.id, deployment=deployment, context=context or None, course=course)


@commands.command(name="list")
def list_platforms(as_json: AsJson = False) -> None:
    """List registered platforms with the courses that they lead to."""

    async def work(store: Store) -> list[LtiPlatformOut]:
        links = await store.lti.links()
        return [LtiPlatformOut.of(row, links) for row in await store.lti.all()]

    platforms = with_store(work)
    if as_json:
        print_json(platforms)
        return
    rows = (
        (platform.id, platform.issuer, platform.client_id, link.deployment, link.context or "any", link.course)
        for platform in platforms
        for link in platform.links or [LtiLinkOut(deployment="", context="", course="no course")]
    )
    print_table(("id", "issuer", "client id", "deployment", "context", "course"), rows)


@commands.command()
def remove(platform: Platform, as_json: AsJson = False) -> None:
    """Forget a platform: nobody enters from it any more. Roles that its people have stay until they are ended."""

    async def work(store: Store) -> LtiPlatformRow:
        row = named_platform(await store.lti.all(), platform)
        await store.lti.remove(row.id)
        return row

    row = with_store(work)
    print_done(f"{row.issuer} is not registered any more.", as_json, id=row.id)


@commands.command()
def roster(
    course: Annotated[str, typer.Argument(help="The course whose members are read.")], as_json: AsJson = False
) -> None:
    """Read a course's members from its platforms now: their names become pseudonyms, and who left loses the role.

    The service does so once an hour while people enter.
    """
    from app.doors.lti.roster import RosterRead, read_roster

    async def work(store: Store) -> list[RosterRead]:
        links = await store.lti.links(course)
        if not links:
            raise InvalidInput(f"No platform leads to {course}. `edumod lti link` links one.")
        return [
            await read_roster(store, await store.lti.get(link.platform_id), link, link.roster_url) for link in links
        ]

    reads = with_store(work)
    members, left = sum(read.members for read in reads), sum(read.left for read in reads)
    print_done(f"{members} members; {left} have left.", as_json, course=course, members=members, left=left)
