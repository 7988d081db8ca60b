"""`edumod eval headers`, `feedback`, `code` and `privacy`: what the program computes, on labels from files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from app.cli.eval.options import PagePath, check_page
from app.cli.eval.reports import present, print_parts, write_report_page
from app.cli.measuring import Progress, measure_in_store
from app.cli.output import AsJson
from core.llm.offline import OfflineLLM
from core.store.store import Store
from eval.code.tables import list_missed
from eval.feedback.tables import list_disagreements
from eval.kind import ComputedKind
from eval.kinds import CODE, FEEDBACK, HEADERS, PRIVACY
from eval.privacy.tables import list_misses
from eval.report import Report
from eval.request import evaluate
from eval.runner import RunLimits, Runner
from eval.tables import Part

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
    page: PagePath = None,
    as_json: AsJson = False,
) -> None:
    """Measure the computed feedback on homework: what it flags, and how often it flags work that is right.

    No model is called: this measures what is computed.
    """
    _measure(FEEDBACK, dataset, page, as_json, list_disagreements if errors else None)


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

    report = measure_in_store(kind.items, work)
    if page is not None:
        write_report_page(page, report)
    present(report, as_json)
    if details is not None and not as_json:
        print_parts(islice(details(report), MAX_DETAILS))
    if not report.complete:
        raise typer.Exit(1)
