"""Reads the labels of a course from their folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.markup import escape

from app.cli.output import errors
from core.errors import InvalidInput
from eval.datasets.answers import KIND as ANSWERS
from eval.datasets.answers import LabelledAnswer, read_answer_labels
from eval.datasets.corpus import QRELS, QUERIES, read_labels
from eval.datasets.queries import KIND as RETRIEVAL
from eval.datasets.questions import KIND as FUNCTIONS
from eval.datasets.questions import LABELS, LabelledQuestion, read_function_labels

LABELLED_MESSAGES: Mapping[str, Callable[[Path], Sequence[LabelledQuestion | LabelledAnswer]]] = {
    FUNCTIONS: read_function_labels,
    ANSWERS: read_answer_labels,
}
"""Readers of the labels of messages, by the name of their folder, which is also the kind of labels."""


def labels_in(folder: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """The labels in the folder by kind. Raises `InvalidInput` if it is not a folder."""
    if not folder.is_dir():
        raise InvalidInput(f"{folder}, which the course file names under `labels`, is not a folder. Correct the name.")
    labels: dict[str, dict[str, dict[str, Any]]] = {}
    queries = folder / RETRIEVAL
    if any((queries / name).is_file() for name in (QUERIES, QRELS)):
        labels[RETRIEVAL] = {
            query.id: {"text": query.text, "kind": query.kind, "relevant": sorted(query.relevant)}
            for query in read_labels(queries).queries
        }
    elif queries.is_dir():
        errors.print(f"{escape(str(queries))} has no {QUERIES} yet, so it is ignored.", soft_wrap=True)
    for kind, read in LABELLED_MESSAGES.items():
        messages = folder / kind
        if (messages / LABELS).is_file():
            labels[kind] = {one.id: one.model_dump(mode="json") for one in read(messages)}
        elif messages.is_dir():
            errors.print(f"{escape(str(messages))} has no {LABELS} yet, so it is ignored.", soft_wrap=True)
    return labels
