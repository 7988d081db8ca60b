"""`edumod ask`."""

from __future__ import annotations

from typing import Annotated

import typer
from pydantic import ValidationError
from rich.markdown import Markdown
from rich.markup import escape

from app.cli.output import AsJson, CourseOption, cost, output, print_json, with_services
from app.parameters import check_parameters
from app.schemas import AnswerParameters, AnswerRequest, AnswerResponse
from app.wiring import Services
from core.errors import InvalidInput


def ask(
    question: Annotated[str, typer.Argument(help="The student's question.")],
    course: CourseOption,
    pipeline: Annotated[str | None, typer.Option(help="How to choose functions.")] = None,
    retriever: Annotated[str | None, typer.Option(help="How to search.")] = None,
    model: Annotated[str | None, typer.Option(help="Which model.")] = None,
    top_k: Annotated[int | None, typer.Option(help="Passages per function call.")] = None,
    seed: Annotated[int | None, typer.Option(help="Sampling seed.")] = None,
    as_json: AsJson = False,
) -> None:
    """Ask a question as a student would and print the draft with its citations."""
    try:
        request = AnswerRequest.model_validate({"course": course, "question": {"body": question}})
        parameters = AnswerParameters(pipeline=pipeline, retriever=retriever, model=model, top_k=top_k, seed=seed)
    except ValidationError as error:
        complaints = (f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        raise InvalidInput("; ".join(complaints)) from error

    async def work(services: Services) -> AnswerResponse:
        await check_parameters(services.answering, request, parameters)
        return await services.answering.answer(request, parameters)

    response = with_services(work)
    print_json(response) if as_json else _show(response)


def _show(response: AnswerResponse) -> None:
    output.print(f"[bold]{response.status.value}[/] [dim](confidence {response.confidence:.2f})[/]\n")
    output.print(Markdown(response.answer))
    output.print()
    for one in response.citations:
        page = f", page {one.page}" if one.page else ""
        mark = "" if one.verified else " [yellow](quote not verified)[/]"
        output.print(rf"\[{one.number}] {escape(one.place)}{page}{mark}", highlight=False)
    calls = ", ".join(call.name for call in response.function_calls) or "none"
    shown = response.configuration
    output.print(
        f"\n[dim]functions {calls}; pipeline {shown.pipeline}, retriever {shown.retriever}, model {shown.model}; "
        f"cost {cost(response.usage.cost_usd)}; draft {response.draft_id}[/]"
    )
