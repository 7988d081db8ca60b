"""`edumod search`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from app.cli.output import AsJson, CourseOption, output, print_json, with_services
from app.wiring import Services
from core.types import Audience, Passage, Source, pinpoint

SHOWN_CHARS = 240


def search(
    query: Annotated[str, typer.Argument(help="Search query.")],
    course: CourseOption,
    source: Annotated[Source | None, typer.Option("--source", "-s", help="Search only this source.")] = None,
    retriever: Annotated[str, typer.Option("--retriever", "-r", help="Retriever.")] = "tree",
    k: Annotated[int, typer.Option("--k", "-k", min=1, max=100, help="Number of passages.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Search a course's material, best passage first. Shows staff-only passages too."""

    async def work(services: Services) -> list[Passage]:
        await services.store.courses.get(course)
        return await services.assistant.retrieve(course, source, retriever, query, k, Audience.STAFF)

    passages = with_services(work)
    if as_json:
        print_json({"query": query, "passages": [passage.model_dump(mode="json") for passage in passages]})
        return
    for number, passage in enumerate(passages, 1):
        where = pinpoint(passage.position.first_page, passage.position.time)
        staff = " [red](staff only)[/]" if passage.visibility == "staff" else ""
        output.print(f"[bold]{number}. {escape(passage.location)}[/]{staff}  [dim]{passage.score:.4f}[/]")
        output.print(f"   [dim]{passage.source.value}, {escape(passage.document)}{where}[/]")
        if passage.path:
            output.print(f"   [dim]found by {escape(' → '.join(passage.path))}[/]", highlight=False)
        output.print(f"   {escape(' '.join(passage.text.split())[:SHOWN_CHARS])}\n")
    if not passages:
        output.print("Nothing was found. Is the material ingested? See: edumod course list")
