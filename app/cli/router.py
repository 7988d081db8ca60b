"""`edumod eval router`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from app.cli.output import AsJson, CourseOption, output, print_json, with_services
from app.cli.recall import interval
from app.wiring import Services
from core.concurrency import in_thread
from eval.functions import labelled_questions
from eval.router import cross_validated, examples, learn, to_file
from pipelines.router import seeing
from retrievers.affinity import Affinities


def router(
    course: CourseOption,
    split: Annotated[str, typer.Option(help="Split of the labelled questions to learn from.")] = "dev",
    write: Annotated[Path | None, typer.Option(help="Write the weights to this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Learn the offline router from a course's labelled questions; figures are from cross-validation."""

    async def work(services: Services) -> tuple[dict[str, Any], dict[str, Any]]:
        questions = await labelled_questions(services.store, course, split)
        seen = await examples(seeing(Affinities(services.indexes)), course, questions)
        facts = {"course": course, "split": split, "questions": len(questions)}
        measured = await in_thread(cross_validated, seen)
        return {**facts, **measured}, to_file(await in_thread(learn, seen), seen, services.embedder.model, facts)

    figures, weights = with_services(work)
    if write:
        write.write_text(json.dumps(weights) + "\n", encoding="utf-8")
    if as_json:
        print_json(figures)
        return
    output.print(f"{escape(course)}: {figures['n']} questions of the split {escape(split)}, cross-validated")
    mean, spread = interval(figures["set_f1"]).splitlines()
    output.print(f"set F1 {mean} ({spread}), Brier score {figures['brier']:.3f}")
    if write:
        output.print(f"The weights are in {escape(str(write))}.")
