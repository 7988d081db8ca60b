"""Options shared by commands of `edumod eval`."""

from __future__ import annotations

from typing import Annotated

import typer

from core.errors import InvalidInput
from eval.datasets.queries import MAX_RANK

MaxCost = Annotated[
    float | None, typer.Option("--max-cost", min=0, help="Stop model calls once this many USD are spent.")
]
MetricNames = Annotated[
    str, typer.Option("--metric", help="Further metrics, comma-separated, written as in recall@10.")
]
EvaluationId = Annotated[str, typer.Argument(metavar="ID", help="Id of the evaluation, or its beginning.")]


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
