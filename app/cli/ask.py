"""`edumod ask`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.markdown import Markdown
from rich.markup import escape

from app.answering.question import asked_in
from app.cli.output import AsJson, CourseOption, output, print_json, with_services
from app.response import AnswerResponse
from app.schemas import AnswerParameters, AnswerRequest
from app.wiring import Services
from core.access import LOCAL_ACCESS
from core.costs import cost
from core.errors import InvalidInput, UnknownName
from core.types import Source
from core.validation import problems_in
from pipelines.configuration import PER_FUNCTION


def ask(
    question: Annotated[str, typer.Argument(help="The student's question.")],
    course: CourseOption,
    consent: Annotated[
        bool | None,
        typer.Option("--consent/--no-consent", help="Whether the student agrees to an automatic answer."),
    ] = None,
    category: Annotated[str | None, typer.Option(help="Category chosen by the student.")] = None,
    code: Annotated[
        Path | None, typer.Option(help="The student's code; the file's ending sets the programming language.")
    ] = None,
    line: Annotated[int | None, typer.Option(help="Line of the code that the question is about.")] = None,
    tests: Annotated[
        Path | None, typer.Option(help="Test results: JSON of Dodona or Gradescope, JUnit XML, or pytest's output.")
    ] = None,
    exercise: Annotated[Path | None, typer.Option(help="The exercise's text.")] = None,
    pipeline: Annotated[str | None, typer.Option(help="Name of the pipeline.")] = None,
    retriever: Annotated[str | None, typer.Option(help="Retriever for all sources.")] = None,
    retriever_for: Annotated[
        list[str] | None, typer.Option(help="Retriever for one source, as in textbook=bm25; may be repeated.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="Model name.")] = None,
    top_k: Annotated[int | None, typer.Option(help="Passages per function call.")] = None,
    temperature: Annotated[float | None, typer.Option(help="Sampling temperature.")] = None,
    seed: Annotated[int | None, typer.Option(help="Sampling seed.")] = None,
    beam: Annotated[int | None, typer.Option(help="Beam width of a retriever that descends a tree.")] = None,
    depth: Annotated[int | None, typer.Option(help="Maximum rounds of model calls of that retriever.")] = None,
    max_rounds: Annotated[int | None, typer.Option(help="Maximum rounds of fc_iterative and fc_feedback.")] = None,
    as_json: AsJson = False,
) -> None:
    """Ask a question as a student would and print the draft with its citations."""
    chosen = {
        "pipeline": pipeline,
        "retriever": retriever,
        **_by_source(retriever_for or ()),
        "model": model,
        "top_k": top_k,
        "temperature": temperature,
        "seed": seed,
        "beam": beam,
        "depth": depth,
        "max_rounds": max_rounds,
    }
    body: dict[str, Any] = {
        "course": course,
        "question": {"body": question, "category": category},
        "author": {"consent": consent},
        "line": line,
    }
    if code:
        body |= {"code": _text_of(code), "programming_language": code.suffix.removeprefix(".") or None}
    if tests:
        body["tests"] = _tests_in(tests)
    if exercise:
        body["exercise"] = _text_of(exercise)
    request, parameters = _validate(body, chosen)

    async def work(services: Services) -> AnswerResponse:
        asked = await asked_in(request, services.settings, LOCAL_ACCESS)
        return await services.answering.answer(asked, parameters.choices)

    response = with_services(work)
    print_json(response) if as_json else _show(response)


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not text in UTF-8.") from error


def _tests_in(path: Path) -> str | dict[str, Any] | list[Any]:
    text = _text_of(path)
    if path.suffix != ".json":
        return text
    try:
        report: dict[str, Any] | list[Any] = json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"{path} is not valid JSON: {error}.") from error
    return report


def _validate(asked: dict[str, Any], chosen: dict[str, Any]) -> tuple[AnswerRequest, AnswerParameters]:
    try:
        return AnswerRequest.model_validate(asked), AnswerParameters.model_validate(chosen)
    except ValidationError as error:
        raise InvalidInput(problems_in(error)) from error


def _by_source(choices: Iterable[str]) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for choice in choices:
        source, equals, retriever = choice.partition("=")
        if not equals:
            raise InvalidInput(f"--retriever-for {choice}: write SOURCE=RETRIEVER, as in textbook=bm25.")
        if (name := f"retriever.{source}") not in PER_FUNCTION:
            raise UnknownName("source", source, [one.value for one in Source])
        if name in parameters:
            raise InvalidInput(f"--retriever-for names {source} more than once. Name it once.")
        parameters[name] = retriever
    return parameters


def _show(response: AnswerResponse) -> None:
    output.print(f"[bold]{response.status.value}[/] [dim](confidence {response.confidence:.2f})[/]\n")
    # A terminal gets it rendered, which fills lines up to their width.
    output.print(Markdown(response.answer) if output.is_terminal else escape(response.answer), highlight=False)
    output.print()
    for citation in response.citations:
        mark = "" if citation.verified else " [yellow](quote not verified)[/]"
        output.print(rf"\[{citation.number}] {escape(citation.location)}{citation.pinpoint}{mark}", highlight=False)
    for warning in response.warnings:
        output.print(f"[yellow]{escape(warning)}[/]", soft_wrap=True, highlight=False)
    calls = ", ".join(call.name for call in response.function_calls) or "none"
    chosen = response.configuration
    output.print(
        f"\n[dim]functions {calls}; pipeline {chosen.pipeline}, retriever {chosen.retriever}, model {chosen.model}; "
        f"cost {cost(response.usage.cost_usd)}; draft {response.draft_id}[/]"
    )
