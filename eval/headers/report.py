"""The report on question headers: compared with labelled documents, and between an assignment and its solutions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import SerializerFunctionWrapHandler, model_serializer

from core.store.material import StoredBlock
from core.store.tables import NodeKind
from core.types import Passage, Source, Value, Visibility
from eval.headers.documents import GoldHeader, HeaderDataset, HeaderFailure, LabelledDocument, TwinDocuments
from eval.statistics import LEVEL, RESAMPLES, SPREAD, Mean, mean_of
from ingestion.document import Header, LoadedDocument
from ingestion.questions.headers import QUESTION_RANK, detect_by_rule
from ingestion.solutions.apart import solutions_apart
from ingestion.tree import UnstoredNode, build_tree
from retrievers.index.solutions import join_solutions

MIN_WRAPPED = 12
"""Minimum letters of the first line of a wrapped title to match it by that line."""
_MARKUP = re.compile(r"[*_`#\\$]+")


class Twin(Value):
    """The question lists of an assignment and of its solutions."""

    blank: str
    solution: str
    questions_blank: tuple[str, ...]
    questions_solution: tuple[str, ...]
    agree: bool
    solution_blocks_joined: float | None
    """Share of the assignment's question blocks whose solution was joined; None if it has no question block."""


class HeadersReport(Value):
    """`n` counts labelled documents or, if there are none, pairs of twins; then the three means are None."""

    dataset: str
    n: int
    precision: Mean | None
    recall: Mean | None
    f1: Mean | None
    twins: tuple[Twin, ...]
    failures: tuple[HeaderFailure, ...]

    @model_serializer(mode="wrap")
    def _without_absent(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leaves out empty fields."""
        return {name: value for name, value in serialize(self).items() if value or name in ("dataset", "n")}


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of question headers of one document: correctly found, found, and labelled."""

    right: int
    found: int
    labelled: int


def headers_report(dataset: HeaderDataset, seed: int = 0) -> HeadersReport:
    """Precision, recall and F1 over all headers, with intervals from resampled documents. CPU-bound."""
    counts = [count(labelled) for labelled in dataset.labelled]
    twins = tuple(compare_twins(twin) for twin in dataset.twins)
    figures = _figures(counts, seed) if counts else {}
    return HeadersReport(
        dataset=dataset.name,
        n=len(counts) or len(twins),
        precision=figures.get("precision"),
        recall=figures.get("recall"),
        f1=figures.get("f1"),
        twins=twins,
        failures=dataset.failures,
    )


def question_headers(document: LoadedDocument) -> list[Header]:
    """The headers that the product classifies as questions or their parts."""
    headers = detect_by_rule(document, questions=True)
    return [header for header in headers if header.label is not None or header.rank >= QUESTION_RANK]


def count(labelled: LabelledDocument) -> Counts:
    """Counts of one document. Each labelled header is matched at most once: by line, else by title."""
    if labelled.document is None:
        return Counts(0, 0, len(labelled.questions))
    found = question_headers(labelled.document)
    by_line = {header.line for header in found} & {gold.line for gold in labelled.questions if gold.line is not None}
    left = [header for header in found if header.line not in by_line]
    titled = [gold for gold in labelled.questions if gold.line is None]
    right = len(by_line) + _matched_titles(labelled.document, left, titled)
    return Counts(right, len(found), len(labelled.questions))


def _matched_titles(document: LoadedDocument, found: list[Header], labelled: list[GoldHeader]) -> int:
    """Number of matches: whole titles first, in order; then wrapped titles of which only one line was found."""
    left = list(found)
    unmatched: list[str] = []
    for wanted in (normalised(gold.title) for gold in labelled):
        match = next((h for h in left if wanted in _names(document, h)), None)
        if match:
            left.remove(match)
        else:
            unmatched.append(wanted)
    matched = len(labelled) - len(unmatched)
    for wanted in unmatched:
        match = next((h for h in left if _continues(normalised(document.lines[h.line].text), wanted)), None)
        if match:
            left.remove(match)
            matched += 1
    return matched


def normalised(title: str) -> str:
    """A title without case, markup and extra white space."""
    return " ".join(_MARKUP.sub(" ", title).casefold().split())


def _names(document: LoadedDocument, header: Header) -> tuple[str, str]:
    return normalised(document.lines[header.line].text), normalised(header.title)


def _continues(line: str, title: str) -> bool:
    """True if one is the beginning of the other: a wrapped title, or a title followed by the question's text."""
    return (len(line) >= MIN_WRAPPED and title.startswith(line)) or line.startswith(f"{title} ")


def _figures(counts: Sequence[Counts], seed: int) -> dict[str, Mean]:
    table = np.array([(c.right, c.found, c.labelled) for c in counts], dtype=float)
    draws = np.random.default_rng(seed).integers(0, len(table), (RESAMPLES, len(table)))
    resampled = table[draws].sum(axis=1)
    whole, spread = _shares(table.sum(axis=0)[None]), _shares(resampled)
    return {name: _mean(float(whole[name][0]), spread[name], len(table)) for name in whole}


def _shares(sums: np.ndarray[Any, np.dtype[np.float64]]) -> dict[str, np.ndarray[Any, np.dtype[np.float64]]]:
    """Precision, recall and F1 of rows of sums; NaN for a division by zero."""
    right, found, labelled = sums.T
    with np.errstate(invalid="ignore", divide="ignore"):
        return {"precision": right / found, "recall": right / labelled, "f1": 2 * right / (found + labelled)}


def _mean(value: float, spread: np.ndarray[Any, np.dtype[np.float64]], documents: int) -> Mean:
    """A share with its percentile interval; if all documents are equal, the exact interval for their number."""
    if np.isnan(value):
        return Mean(mean=None, low=None, high=None)
    known = spread[~np.isnan(spread)]
    if np.ptp(known) < SPREAD:
        return mean_of([value] * documents)
    low, high = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Mean(mean=round(value, 6), low=round(float(low), 6), high=round(float(high), 6))


def compare_twins(twin: TwinDocuments) -> Twin:
    """Whether both have the same questions, and the share of the assignment's blocks that get a solution."""
    questions = [
        tuple(header.label or header.title for header in question_headers(document))
        for document in (twin.blank, twin.solution)
    ]
    blocks = [*_stored(twin.blank_name, twin.blank, False), *_stored(twin.solution_name, twin.solution, True)]
    wanted = {block.passage.block_id for block in blocks if not block.is_solution and block.passage.label}
    joined = [found for found in join_solutions(blocks) if found.passage.block_id in wanted]
    solved = sum(1 for found in joined if len(found.block_ids) > 1)
    return Twin(
        blank=twin.blank_name,
        solution=twin.solution_name,
        questions_blank=questions[0],
        questions_solution=questions[1],
        agree=questions[0] == questions[1],
        solution_blocks_joined=round(solved / len(wanted), 6) if wanted else None,
    )


def _stored(name: str, document: LoadedDocument, is_solution: bool) -> Iterator[StoredBlock]:
    """The document's blocks as ingestion would store them."""
    document = solutions_apart(document)
    root = build_tree(document, detect_by_rule(document, questions=True), solutions=True)
    for ordinal, node in enumerate(root.walk()):
        if node.kind is NodeKind.BLOCK:
            yield StoredBlock(_passage(name, ordinal, document, node), "twins", is_solution)


def _passage(name: str, ordinal: int, document: LoadedDocument, node: UnstoredNode) -> Passage:
    return Passage(
        block_id=f"{name}/{ordinal}",
        document_id=name,
        document=name,
        title=document.title,
        source=Source.ASSIGNMENT,
        visibility=Visibility.STUDENT,
        heading_path=node.heading_path,
        label=node.label or "",
        text=node.text,
        solution=node.solution,
        position=node.position,
        score=0.0,
    )
