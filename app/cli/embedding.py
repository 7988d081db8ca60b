"""`edumod course embed`, and messages about embedding a course again."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from app.cli.output import AsJson, errors, output, print_json, progress_bar, with_services
from app.wiring import Services
from ingestion.reembedding import ReembeddingPlan


def embed(
    course: Annotated[str, typer.Argument(help="Course id.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan and stop.")] = False,
    as_json: AsJson = False,
) -> None:
    """Embed a course again with EDUMOD_EMBEDDING, from what is stored; its files are not needed.

    Searches use the earlier embedding until all is done. A run that was killed continues.
    """

    async def work(services: Services) -> ReembeddingPlan | None:
        await services.store.courses.get(course)
        async with services.ingestion() as ingestion:
            plan = await ingestion.reembedding.plan(course)
            if plan is not None and not as_json:
                errors.print(reembedding_ahead(plan), soft_wrap=True)
            if plan is None or dry_run:
                return plan
            with progress_bar("blocks") as progress:
                return await ingestion.reembedding.run(course, progress)

    plan = with_services(work)
    if as_json:
        print_json(plan or {})
    elif plan is None:
        output.print(f"Nothing to do: {escape(course)} is embedded with the configured embedding.", soft_wrap=True)
    elif not dry_run:
        output.print(reembedding_done(plan), soft_wrap=True)


def reembedding_ahead(plan: ReembeddingPlan) -> str:
    """What embedding the course again will do."""
    done = f", {plan.done:,} of them already by a run before" if plan.done else ""
    return (
        f"[bold]{escape(plan.course)}[/] is embedded with {escape(plan.before or 'an unknown embedding')}; "
        f"EDUMOD_EMBEDDING is {escape(plan.after)}{_differing(plan)}. "
        f"All {plan.blocks:,} blocks are embedded again{done}. Until that is "
        f"done, searches use the earlier vectors; then {plan.deleted:,} vectors of other embeddings are deleted. "
        "A run that is interrupted can be continued."
    )


def _differing(plan: ReembeddingPlan) -> str:
    if plan.before != plan.after or not plan.differences:
        return ""
    return f" with other {escape(', '.join(plan.differences))}, by which texts are read and cut"


def reembedding_done(plan: ReembeddingPlan) -> str:
    """What was done."""
    blocks = plan.blocks - plan.done
    return (
        f"{escape(plan.course)}: {blocks:,} blocks embedded with {escape(plan.after)}, which it is searched with now."
    )
