"""Options shared by commands of `edumod eval`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.errors import InvalidInput
from eval.datasets.queries import MAX_RANK
from judging.options import MAX_SAMPLES

MaxCost = Annotated[
    float | None, typer.Option("--max-cost", min=0, help="Stop model calls once this many USD are spent.")
]
MetricNames = Annotated[
    str, typer.Option("--metric", help="Further metrics, comma-separated, written as in recall@10.")
]
OptionalCourse = Annotated[str | None, typer.Option("--course", "-c", help="Course id.")]
Seeds = Annotated[int, typer.Option(min=1, max=100, help="Number of seeds; each question is asked once per seed.")]
Split = Annotated[str, typer.Option(help="Split of the labelled questions, or `all`.")]
ExperimentPath = Annotated[
    Path | None,
    typer.Option(help="YAML file with course, split, seeds and parameters to vary, instead of options."),
]
Concurrency = Annotated[int, typer.Option(min=1, help="Concurrent questions; latency is measured at that load.")]
PagePath = Annotated[Path | None, typer.Option(help="Write the report as an HTML page to this file.")]
ScoredAnswers = Annotated[
    Path, typer.Option("--dataset", metavar="DIR", help="Folder with answers.jsonl and scale.json.")
]
JudgeName = Annotated[str, typer.Option("--judge", "-j", help="Name of the judge, as in docs/judges.md.")]
JudgeModel = Annotated[
    str | None, typer.Option("--model", "-m", help="Alias of the model that judges; the default model if none.")
]
Samples = Annotated[int, typer.Option(min=1, max=MAX_SAMPLES, help="Replies per answer; their median counts.")]
HideReference = Annotated[bool, typer.Option("--hide-reference", help="Do not show the reference to the model.")]
Expected = Annotated[
    bool,
    typer.Option("--expected", help="Weigh all scores by the probabilities of the first token; needs logprobs."),
]
Panel = Annotated[
    str, typer.Option("--panel", help="Aliases of models, comma-separated; the mean of their scores counts.")
]
EvaluationId = Annotated[str, typer.Argument(metavar="ID", help="Id of the evaluation, or its beginning.")]


TEST = "test"
"""Default split."""


def check_experiment(experiment: Path | None, has_options: bool) -> None:
    """Raises `InvalidInput` if options repeat what is set in the experiment's file."""
    if experiment is not None and has_options:
        raise InvalidInput("The experiment's file sets course, pipelines, seeds and split. Leave those options out.")


def check_page(page: Path | None) -> None:
    """Checked before anything is measured. Raises `InvalidInput` if the page could not be written."""
    if page is not None and not page.absolute().parent.is_dir():
        raise InvalidInput(f"--page {page}: there is no folder {page.parent}. Create it, or choose another.")


def names_in(text: str) -> tuple[str, ...]:
    """Comma-separated names, each once."""
    return tuple(dict.fromkeys(name for part in text.split(",") if (name := part.strip())))


def cutoffs_in(text: str) -> tuple[int, ...]:
    """Comma-separated cut-offs, ascending. Raises `InvalidInput`."""
    try:
        cutoffs = sorted({int(part) for part in text.split(",")})
    except ValueError as error:
        raise InvalidInput(f"--k {text!r}: write comma-separated whole numbers, as in 1,3,5.") from error
    if not 1 <= cutoffs[0] <= cutoffs[-1] <= MAX_RANK:
        raise InvalidInput(f"--k {text!r}: write numbers from 1 to {MAX_RANK}.")
    return tuple(cutoffs)
