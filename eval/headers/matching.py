"""Compares headers that the product finds with labelled ones, and the two documents of a pair with each other."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.store.material import StoredBlock
from core.store.tables import NodeKind
from core.types import Passage, Source, Value, Visibility
from eval.headers.documents import GoldHeader, LabelledDocument, TwinDocuments
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


class Counts(Value):
    """Numbers of question headers of one document: correctly found, found, and labelled."""

    right: int
    found: int
    labelled: int


def question_headers(document: LoadedDocument) -> list[Header]:
    """The headers that the product classifies as questions or their parts."""
    headers = detect_by_rule(document, questions=True)
    return [header for header in headers if header.label is not None or header.rank >= QUESTION_RANK]


def count(labelled: LabelledDocument) -> Counts:
    """Counts of one document. Each labelled header is matched at most once: by line, else by title."""
    if labelled.document is None:
        return Counts(right=0, found=0, labelled=len(labelled.questions))
    found = question_headers(labelled.document)
    by_line = {header.line for header in found} & {gold.line for gold in labelled.questions if gold.line is not None}
    left = [header for header in found if header.line not in by_line]
    titled = [gold for gold in labelled.questions if gold.line is None]
    right = len(by_line) + _matched_titles(labelled.document, left, titled)
    return Counts(right=right, found=len(found), labelled=len(labelled.questions))


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
