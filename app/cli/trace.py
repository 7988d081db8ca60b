"""`edumod trace`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer
from rich.markup import escape
from rich.tree import Tree

from app.cli.output import AsJson, output, print_json, with_services
from app.schemas import TraceOut
from app.traces import duration, trace_or_draft
from app.wiring import Services
from core.costs import cost
from core.types import FoundPassage, FunctionCall, Step, Usage

SHOWN_CHARS = 400


def trace(
    some_id: Annotated[str, typer.Argument(metavar="ID", help="Id of a trace, or of a draft for its latest trace.")],
    as_json: AsJson = False,
) -> None:
    """Print the steps of a run: calls, passages, models, tokens, cost and times."""

    async def work(services: Services) -> TraceOut:
        return await trace_or_draft(services.store, some_id)

    found = with_services(work)
    print_json(found) if as_json else output.print(_tree(found), highlight=False)


def _tree(found: TraceOut) -> Tree:
    tree = Tree("\n".join(_header(found)), highlight=False)
    for step in found.steps:
        branch = tree.add(_heading(step), highlight=False)
        for leaf in _leaves(step):
            branch.add(leaf, highlight=False)
    return tree


def _header(found: TraceOut) -> Iterator[str]:
    question = " ".join(f"{found.question.title} {found.question.body}".split())
    shortened = question if len(question) <= SHOWN_CHARS else f"{question[:SHOWN_CHARS].rstrip()} …"
    yield f"[bold]{escape(shortened)}[/]"
    if found.error:
        yield f"[red]{escape(found.error.code)}: {escape(found.error.detail)}[/]"
    if chosen := found.configuration:
        yield escape(f"pipeline {chosen.pipeline}, retriever {chosen.retriever}, model {chosen.model}, {chosen.hash}")
    status = (found.status or found.state).value.replace("_", " ")
    yield f"{status}; {duration(found.ms)}, {_spent(found.usage)}"
    yield f"[dim]trace {found.id}, draft {found.draft_id}, course {escape(found.course_id)}[/]"


def _heading(step: Step) -> str:
    parts = [f"[bold]{step.kind.value}[/]"]
    if step.function:
        parts.append(f"{escape(step.function)} {escape(_arguments(step.arguments or {}))}")
    if step.retriever:
        parts.append(f"[dim]by {escape(step.retriever)}[/]")
    if step.task:
        parts.append(escape(f"{step.task} v{step.prompt_version}"))
    if step.model:
        parts.append(f"[dim]{escape(step.model)}[/]")
    spent = f", {_spent(step.usage)}" if step.usage else ""
    return f"{' '.join(parts)} [dim]at {duration(step.started_ms)}, {duration(step.ms)}{spent}[/]"


def _leaves(step: Step) -> Iterator[str]:
    if step.error:
        yield f"[red]error[/] {escape(step.error)}"
    if step.note:
        yield f"[yellow]note[/] {escape(step.note)}"
    yield from map(_call, step.calls)
    yield from map(_passage, step.passages)


def _call(call: FunctionCall) -> str:
    return f"[cyan]{escape(call.name)}[/] {escape(_arguments(call.arguments))}"


def _passage(passage: FoundPassage) -> str:
    location = escape(" › ".join((passage.document, *passage.heading_path)))
    path = f"\n[dim]by way of {escape(' › '.join(passage.path))}[/]" if passage.path else ""
    score = "" if passage.score is None else f" [dim]{passage.score:.3f}[/]"
    return f"{location}{score}{path}"


def _arguments(arguments: dict[str, object]) -> str:
    """The query in quotes, other arguments with their names."""
    others = [f"{name}={value}" for name, value in arguments.items() if name != "query"]
    return " ".join([f"“{arguments['query']}”", *others] if "query" in arguments else others)


def _spent(usage: Usage) -> str:
    cached = f" and {usage.cached_calls} from the cache" if usage.cached_calls else ""
    calls = f"{usage.calls} model call{'' if usage.calls == 1 else 's'}{cached}"
    return f"{calls}, {usage.prompt_tokens} + {usage.completion_tokens} tokens, {cost(usage.cost_usd)}"
