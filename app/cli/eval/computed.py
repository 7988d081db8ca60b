"""`edumod eval headers`, `feedback`, `code` and `privacy`: what the program computes, on labels from files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from app.cli.eval.options import Concurrency, PagePath, check_page
from app.cli.eval.reports import present, print_parts, write_report_page
from app.cli.measuring import Progress, measure, measure_in_store
from app.cli.output import AsJson, Replay, output
from app.wiring import Services
from core.llm.offline import OfflineLLM
from core.store.store import Store
from eval.code.tables import list_missed
from eval.feedback.dataset import read_feedback_dataset
from eval.feedback.evaluation import feedback_plan
from eval.feedback.report import FeedbackReport, feedback_report
from eval.feedback.tables import list_disagreements
from eval.kind import ComputedKind
from eval.kinds import CODE, FEEDBACK, HEADERS, PRIVACY
from eval.privacy.tables import list_misses
from eval.report import Report
from eval.request import evaluate
from eval.runner import RunLimits, Runner
from eval.tables import Part
from homework.checker import HomeworkChecker

R = TypeVar("R", bound=Report[Any])
MAX_DETAILS = 40
"""Single items listed below the figures."""


def headers(
    dataset: Annotated[Path, typer.Option(help="Folder of documents, with gold.jsonl or with solution documents.")],
    page: PagePath = None,
    as_json: AsJson = False,
) -> None:
    """Measure how well question headers are found: precision, recall and F1 with 95 % intervals.

    Documents with a solution twin (hw1.pdf, hw1_sol.pdf) are compared too: same questions, and solutions joined.
    """
    _measure(HEADERS, dataset, page, as_json)


def feedback(
    dataset: Annotated[Path, typer.Option(help="Folder with problems.jsonl and submissions.jsonl.")],
    errors: Annotated[bool, typer.Option("--errors", help="Show submissions judged otherwise than labelled.")] = False,
    model: Annotated[str | None, typer.Option("--model", "-m", help="Alias of a model that writes it, too.")] = None,
    sample: Annotated[int | None, typer.Option(min=1, help="So many of the submissions, the same each time.")] = None,
    concurrency: Concurrency = 1,
    page: PagePath = None,
    replay: Replay = None,
    as_json: AsJson = False,
) -> None:
    """Measure feedback on homework: what it flags, and how often it flags work that is right.

    Without `--model` and `--replay` no model is called: this measures what is computed.
    """
    details = list_disagreements if errors else None
    if not (model or replay or sample):
        _measure(FEEDBACK, dataset, page, as_json, details)
        return
    check_page(page)
    data = read_feedback_dataset(dataset)

    async def work(services: Services, progress: Progress) -> FeedbackReport:
        asked = services.models[model or services.models.model] if model or replay else None
        plan = feedback_plan(data, HomeworkChecker(services.pool), asked, sample)
        return await evaluate(services.runner(), plan, feedback_report, RunLimits(concurrency), progress)

    _present(measure(FEEDBACK.items, work, replay), page, as_json, details)


def code(
    dataset: Annotated[Path, typer.Option(help="Folder with exercises.jsonl and questions.jsonl.")],
    errors: Annotated[bool, typer.Option("--errors", help="Show questions whose mistake was not found.")] = False,
    page: PagePath = None,
    as_json: AsJson = False,
) -> None:
    """Measure answers to questions about code: the mistake found, nothing given away, the language kept.

    No model is called: this measures what is found in the code without running it, and the answers made of it.
    """
    _measure(CODE, dataset, page, as_json, list_missed if errors else None)


def privacy(
    texts: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="JSONL file of marked texts.")] = Path(
        "data/privacy/texts.jsonl"
    ),
    misses: Annotated[bool, typer.Option("--misses", help="Show what was missed or wrongly found.")] = False,
    page: PagePath = None,
    as_json: AsJson = False,
) -> None:
    """Measure how well names, e-mail addresses, phone numbers and student ids are found in students' texts."""
    _measure(PRIVACY, texts, page, as_json, list_misses if misses else None)


def _measure(
    kind: ComputedKind[R],
    path: Path,
    page: Path | None,
    as_json: bool,
    details: Callable[[R], Iterable[Part]] | None = None,
) -> None:
    check_page(page)

    async def work(store: Store, progress: Progress) -> R:
        async with kind.open(path) as plan:
            runner = Runner(store.evaluations, OfflineLLM({}), {})
            return await evaluate(runner, plan, kind.summarise, RunLimits(os.cpu_count() or 1), progress)

    _present(measure_in_store(kind.items, work), page, as_json, details)


def _present(report: R, page: Path | None, as_json: bool, details: Callable[[R], Iterable[Part]] | None = None) -> None:
    if page is not None:
        write_report_page(page, report)
    present(report, as_json)
    if details is not None and not as_json:
        parts = list(details(report))
        print_parts(parts[:MAX_DETAILS])
        if len(parts) > MAX_DETAILS:
            output.print(f"{len(parts) - MAX_DETAILS} more: --json has all.")
    if not report.complete:
        raise typer.Exit(1)
