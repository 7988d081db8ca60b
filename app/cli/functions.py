"""`edumod eval functions`."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.table import Table

from app.cli.output import AsJson, CourseOption, cost, output, print_json, progress_bar, with_services
from app.cli.recall import MaxCost, interval, plain_table
from app.schemas import AnswerParameters
from app.wiring import Services
from eval.functions import FunctionsReport, functions_plan, functions_report, labelled_questions
from eval.retrieval import retrieval_facts
from eval.runner import Runner
from pipelines import PIPELINES

ALL = "all"


def functions(
    course: CourseOption,
    pipeline: Annotated[str, typer.Option("--pipeline", "-p", help="Pipelines by commas, or `all`.")] = ALL,
    seeds: Annotated[int, typer.Option(min=1, max=100, help="Seeds under which each question is asked.")] = 1,
    split: Annotated[str, typer.Option(help="Split of the labelled questions, or `all`.")] = "test",
    concurrency: Annotated[int, typer.Option(min=1, help="Questions at once; latency is measured at that load.")] = 1,
    max_cost: MaxCost = None,
    as_json: AsJson = False,
) -> None:
    """Measure whether pipelines call the functions that a teaching assistant would: set F1 with 95 % intervals.

    A run that was interrupted goes on where it stopped.
    """
    names = [spec.name for spec in PIPELINES] if pipeline == ALL else [name.strip() for name in pipeline.split(",")]

    async def work(services: Services) -> tuple[FunctionsReport, bool]:
        loaded = await services.answering.course(course)
        questions = await labelled_questions(services.store, course, None if split == ALL else split)
        configurations = {
            name: services.answering.configuration(loaded, AnswerParameters(pipeline=name)) for name in names
        }
        facts = await retrieval_facts(services.store, services.embedder.model, services.llm.model, course)
        plan = functions_plan(services.assistant, loaded, questions, configurations, seeds, {"split": split, **facts})
        runner = Runner(services.store.evaluations, services.llm, services.settings.llm_prices, concurrency, max_cost)
        with progress_bar("answers") as progress:
            outcome = await runner.run(plan, progress)
        report = functions_report(course, questions, outcome, seeds)
        await runner.finish(outcome, report.summary)
        return report, outcome.capped

    report, capped = with_services(work)
    if as_json:
        print_json(report.summary)
    else:
        show(report.summary)
    if capped or any(figures["unscored"] for figures in report.summary["pipelines"].values()):
        raise typer.Exit(1)


def show(summary: dict[str, Any]) -> None:
    """On stdout: a line per pipeline as in the paper's Table 2, then precision and recall per function."""
    constant = summary["best_constant"]
    table = plain_table(f"{summary['course']}: {summary['n']} questions, {summary['seeds']} seeds", "pipeline")
    for name in ("set F1", "micro F1", "macro F1", "calls", "cost", "ms 50/95 %", "unscored"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, figures in summary["pipelines"].items():
        latency = "/".join("–" if ms is None else f"{ms:.0f}" for ms in figures["latency_ms"].values())
        table.add_row(
            name,
            interval(figures["set_f1"]),
            *(_share(figures[f1]) for f1 in ("micro_f1", "macro_f1")),
            "–" if figures["model_calls"] is None else f"{figures['model_calls']:.2g}",
            cost(figures["cost_usd"]),
            latency,
            str(figures["unscored"] or ""),
        )
    output.print(table)
    called = ", ".join(constant["functions"]) or "nothing"
    output.print(f"Calling {called} every time scores {_share(constant['set_f1'])}.")
    output.print(_by_function(summary["pipelines"]))


def _by_function(pipelines: dict[str, Any]) -> Table:
    table = plain_table("precision / recall per function", "pipeline")
    for name in next(iter(pipelines.values()))["functions"]:
        table.add_column(name.removesuffix("_retrieval"), justify="right", no_wrap=True)
    for name, figures in pipelines.items():
        pairs = figures["functions"].values()
        table.add_row(name, *(f"{_share(pair['precision'])} / {_share(pair['recall'])}" for pair in pairs))
    return table


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}".removeprefix("0")
