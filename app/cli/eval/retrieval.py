"""`edumod eval retrieval`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.eval.options import MaxCost, MetricNames, cutoffs_in, names_in
from app.cli.eval.reports import conclude
from app.cli.ingest import run_with_progress
from app.cli.measuring import Progress, measure
from app.cli.output import AsJson, Replay
from app.setups import prepared
from app.wiring import Services
from core.types import Audience
from eval.retrieval.evaluation import DEFAULT_RETRIEVERS, RetrievalRequest, evaluate_retrieval
from eval.retrieval.report import RetrievalReport
from eval.runner import RunLimits

DEFAULTS = ",".join(DEFAULT_RETRIEVERS)


def retrieval(
    dataset: Annotated[Path | None, typer.Option(help="Folder with corpus.jsonl, queries.jsonl, qrels.tsv.")] = None,
    course: Annotated[str | None, typer.Option("--course", "-c", help="Course whose labelled queries to use.")] = None,
    retriever: Annotated[
        str,
        typer.Option(
            "--retriever",
            "-r",
            help=f"Retrievers, comma-separated; {DEFAULTS} if no actor is named. NAME@MODEL asks a model of its own.",
        ),
    ] = "",
    actor: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND:SPEC", help="Another actor to measure, as in run:other.run; may be repeated."),
    ] = None,
    k: Annotated[str, typer.Option("--k", "-k", help="Cut-offs of recall, comma-separated.")] = "1,3,5",
    metric: MetricNames = "",
    concurrency: Annotated[int, typer.Option(min=1, help="Concurrent queries; latency is measured at that load.")] = 1,
    max_cost: MaxCost = None,
    runs: Annotated[Path | None, typer.Option(help="Write a TREC run file per actor to this folder.")] = None,
    audience: Annotated[
        Audience, typer.Option(help="Search as students may, or as staff, with solutions and texts for staff.")
    ] = Audience.STUDENTS,
    replay: Replay = None,
    as_json: AsJson = False,
) -> None:
    """Measure how well retrievers find the labelled locations: recall, MRR and nDCG with 95 % intervals.

    A run that was interrupted continues where it stopped. Rankings of other programs are measured too, as run:FILE.
    """
    request = RetrievalRequest(names_in(retriever), tuple(actor or ()), cutoffs_in(k), names_in(metric))
    limits = RunLimits(concurrency, max_cost)

    async def work(services: Services, progress: Progress) -> RetrievalReport:
        async with prepared(services, dataset, course, run_with_progress, audience) as one:
            return await evaluate_retrieval(services.runner(), one.setup, request, limits, progress, runs)

    conclude(measure("queries", work, replay), as_json)
