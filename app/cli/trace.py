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

    stored = with_services(work)
    print_json(stored) if as_json else output.print(_tree(stored), highlight=False)


def _tree(trace: TraceOut) -> Tree:
    tree = Tree("\n".join(_header(trace)), highlight=False)
    for step in trace.steps:
        branch = tree.add(_heading(step), highlight=False)
        for leaf in _leaves(step):
            branch.add(leaf, highlight=False)
    return tree


def _header(trace: TraceOut) -> Iterator[str]:
    question = " ".join(f"{trace.question.title} {trace.question.body}".split())
    shortened = question if len(question) <= SHOWN_CHARS else f"{question[:SHOWN_CHARS].rstrip()} …"
    yield f"[bold]{escape(shortened)}[/]"
    if trace.error:
        yield f"[red]{escape(trace.error.code)}: {escape(trace.error.detail)}[/]"
    if chosen := trace.configuration:
        yield escape(f"pipeline {chosen.pipeline}, retriever {chosen.retriever}, model {chosen.model}, {chosen.hash}")
    status = (trace.status or trace.state).value.replace("_", " ")
    yield f"{status}; {duration(trace.ms)}, {_usage_text(trace.usage)}"
    yield f"[dim]trace {trace.id}, draft {trace.draft_id}, course {escape(trace.course_id)}[/]"


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
    spent = f", {_usage_text(step.usage)}" if step.usage else ""
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
    others = [f"{name}={value}" for name, value in arguments.items() if name != "query"]
    return " ".join([f"“{arguments['query']}”", *others] if "query" in arguments else others)


def _usage_text(usage: Usage) -> str:
    cached = f" and {usage.cached_calls} from the cache" if usage.cached_calls else ""
    calls = f"{usage.calls} model call{'' if usage.calls == 1 else 's'}{cached}"
    return f"{calls}, {usage.prompt_tokens} + {usage.completion_tokens} tokens, {cost(usage.cost_usd)}"
