"""`edumod keys`: keys for programs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from app.cli.output import AsJson, output, print_json, with_store
from app.people.keys import DEFAULT_DAYS, KeyOut, describe_keys, new_key
from core.access import Permission
from core.errors import InvalidInput
from core.quotas import MAX_QUOTA, KeyQuotas
from core.store.people.keys import masked_key
from core.store.store import Store
from core.store.tables import KeyRow

commands = typer.Typer(help="Keys for programs: create, list and revoke them.", no_args_is_help=True)


class NewKeyOut(KeyOut):
    """A new key, which is shown once."""

    key: str


@commands.command()
def create(
    name: Annotated[str, typer.Argument(help="Who or what uses it, such as `forum bot`.")],
    scopes: Annotated[
        list[Permission] | None,
        typer.Option("--scope", "-s", help="What it may do; several are possible.", show_default=False),
    ] = None,
    courses: Annotated[
        list[str] | None, typer.Option("--course", "-c", help="Course that it is bound to; several are possible.")
    ] = None,
    every_course: Annotated[
        bool, typer.Option("--all-courses", help="Bind it to no course: it is for those that come later, too.")
    ] = False,
    days: Annotated[int, typer.Option(min=0, help="Days until it ends; 0 for no end.")] = DEFAULT_DAYS,
    requests_a_day: Annotated[
        int | None, typer.Option(min=0, max=MAX_QUOTA, help="Requests of any kind on one day (UTC).")
    ] = None,
    questions_a_day: Annotated[
        int | None, typer.Option(min=0, max=MAX_QUOTA, help="Questions answered on one day (UTC).")
    ] = None,
    dollars_a_month: Annotated[
        float | None, typer.Option(min=0, max=MAX_QUOTA, help="What models may cost in one month (UTC), in US dollars.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create a key and print it. Only a hash is stored, so it cannot be shown again.

    A key with the scope `operator` may do everything, in every course. A key made here belongs to the operator, and
    lasts until it ends or is revoked; one made on the page of settings belongs to whoever made it.
    """
    is_unbound = every_course or Permission.OPERATE in (scopes or ())
    if is_unbound and courses:
        raise InvalidInput("Bind the key to courses with --course, or to none with --all-courses (or as `operator`).")
    quotas = KeyQuotas(requests_a_day=requests_a_day, questions_a_day=questions_a_day, dollars_a_month=dollars_a_month)
    new = new_key(name, scopes or (), None if is_unbound else courses or (), quotas, days)

    async def work(store: Store) -> tuple[KeyRow, str]:
        for course in new.courses or ():
            await store.courses.get(course)
        return await store.keys.create(new)

    row, key = with_store(work)
    if as_json:
        print_json(NewKeyOut(**KeyOut.of(row).model_dump(), key=key))
        return
    output.print(key, highlight=False, soft_wrap=True)
    output.print("Copy it now: it is shown once. Programs send it as `Authorization: Bearer KEY`.")


@commands.command(name="list")
def list_keys(
    courses: Annotated[list[str] | None, typer.Option("--course", "-c", help="Only keys of this course.")] = None,
    as_json: AsJson = False,
) -> None:
    """List keys with their owners, newest first, without their secret parts."""

    async def work(store: Store) -> list[KeyOut]:
        return await describe_keys(await store.keys.all(courses), store)

    keys = with_store(work)
    if as_json:
        print_json(keys)
        return
    table = Table("key", "name", "owner", "may", "courses", "last use", "ends", "state")
    for key in keys:
        bound = "all" if key.courses is None else ", ".join(key.courses)
        times = [_day(key.used_at, "never"), _day(key.expires_at, "never")]
        table.add_row(
            key.shown, escape(key.name), escape(key.belongs_to), ", ".join(key.scopes), bound, *times, key.state
        )
    output.print(table)


@commands.command()
def revoke(
    key_id: Annotated[
        str, typer.Argument(metavar="ID", help="The id from `edumod keys list`, or the key's beginning.")
    ],
    as_json: AsJson = False,
) -> None:
    """Revoke a key: from now on it is refused."""
    part = key_id.removeprefix("edm_").split("_")[0]

    async def work(store: Store) -> KeyRow:
        return await store.keys.revoke(part)

    row = with_store(work)
    print_json(KeyOut.of(row)) if as_json else output.print(
        f"The key {masked_key(row.id)} ({escape(row.name)}) is revoked."
    )


def _day(moment: datetime | None, otherwise: str) -> str:
    return otherwise if moment is None else f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
