"""`edumod eval router`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from app.cli.output import AsJson, CourseOption, output, print_json, with_services
from app.wiring import Services
from core.files import write_atomically
from eval.datasets.questions import labelled_questions
from eval.fitting.offline_router import RouterReport, learned_router
from eval.tables import interval


def router(
    course: CourseOption,
    split: Annotated[str, typer.Option(help="Split of the labelled questions to train on.")] = "dev",
    write: Annotated[Path | None, typer.Option(help="Write the weights to this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Train the offline router on a course's labelled questions; figures are from cross-validation."""

    async def work(services: Services) -> tuple[RouterReport, dict[str, Any]]:
        questions = await labelled_questions(services.store, course, split)
        return await learned_router(
            services.indexes, services.embeddings.builtin_embedding.id, course, split, questions
        )

    report, weights = with_services(work)
    if write:
        write_atomically(write, f"{json.dumps(weights)}\n".encode(), private=False)
    if as_json:
        print_json(report)
        return
    output.print(f"{escape(course)}: {report.n} questions of the split {escape(split)}, cross-validated")
    mean, spread = interval(report.set_f1).splitlines()
    output.print(f"set_f1 {mean} ({spread}), Brier score {report.brier:.3f}")
    if write:
        output.print(f"The weights are in {escape(str(write))}.")
