"""Joins the blocks of a solution document to the blocks of the assignment that they solve.

Both documents carry the same pair name, and a question the same label in both. Labels are not always unique (numbering
restarts, two groups of questions in one file): such questions are matched in reading order by the words they share.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.store.material import StoredBlock
from core.types import Passage, Visibility
from retrievers.tokens import tokenize

SAME_TEXT = 0.5
"""Share of a statement's words that a solution without label must repeat to belong to it."""
IN_ORDER = 0.001
"""Worth of matching two questions of equal label and equal number that share no word, so that order decides."""

_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Joined:
    """A passage, and the ids of all blocks in it: its own and those of joined solutions."""

    passage: Passage
    block_ids: tuple[str, ...]


def join_solutions(blocks: Sequence[StoredBlock]) -> list[Joined]:
    """The blocks as passages in the order given; a joined solution is in its statement's passage and not one itself.

    A solution block without a statement stays as a passage for staff.
    """
    solutions = _solutions_by_statement(blocks)
    joined_ids = {solution.passage.block_id for found in solutions.values() for solution in found}
    return [
        _joined(block, solutions.get(block.passage.block_id, []))
        for block in blocks
        if block.passage.block_id not in joined_ids
    ]


def readable_by_students(blocks: Sequence[StoredBlock]) -> list[StoredBlock]:
    """The blocks without solutions and texts for staff, in the order given."""
    return [
        replace(block, passage=block.passage.model_copy(update={"solution": ""})) if block.passage.solution else block
        for block in blocks
        if not block.is_solution and block.passage.visibility is Visibility.STUDENT
    ]


def unjoined_solutions(blocks: Sequence[StoredBlock]) -> list[StoredBlock]:
    """The blocks of solution documents that belong to no question, in the order given."""
    joined_ids = {one.passage.block_id for found in _solutions_by_statement(blocks).values() for one in found}
    return [one for one in blocks if one.is_solution and one.passage.block_id not in joined_ids]


def _joined(block: StoredBlock, solutions: Sequence[StoredBlock]) -> Joined:
    passage = block.passage
    if block.is_solution:
        passage = passage.model_copy(update={"visibility": Visibility.STAFF})
    if solutions:
        texts = [passage.solution, *(text for s in solutions for text in (s.passage.text, s.passage.solution))]
        passage = passage.model_copy(update={"solution": "\n\n".join(dict.fromkeys(filter(None, texts)))})
    ids = (passage.block_id, *(solution.passage.block_id for solution in solutions))
    return Joined(passage, ids)


def _solutions_by_statement(blocks: Sequence[StoredBlock]) -> dict[str, list[StoredBlock]]:
    """Solution blocks by the id of the block they solve. Two forms of one assignment share its solutions."""
    found: dict[str, list[StoredBlock]] = defaultdict(list)
    for documents in _pairs(blocks).values():
        statements = [group for group in documents.values() if not group[0].is_solution]
        solutions = [group for group in documents.values() if group[0].is_solution]
        for statement_document in statements:
            for solution_document in solutions:
                for statement, solution in _matches(statement_document, solution_document):
                    found[statement.passage.block_id].append(solution)
    return found


def _pairs(blocks: Sequence[StoredBlock]) -> dict[_Key, dict[str, list[StoredBlock]]]:
    """Blocks by pair, then by document."""
    pairs: dict[_Key, dict[str, list[StoredBlock]]] = defaultdict(lambda: defaultdict(list))
    for block in blocks:
        if block.pair is not None:
            pairs[block.passage.source, block.pair][block.passage.document_id].append(block)
    return pairs


def _matches(
    statements: Sequence[StoredBlock], solutions: Sequence[StoredBlock]
) -> Iterator[tuple[StoredBlock, StoredBlock]]:
    solutions_by_key = _by_key(solutions)
    for key, group in _by_key(statements).items():
        candidates = solutions_by_key.get(key, [])
        if group[0].passage.label and len(group) == len(candidates) == 1:
            yield group[0], candidates[0]
        elif candidates:
            yield from _aligned(group, candidates)


def _by_key(blocks: Sequence[StoredBlock]) -> dict[_Key, list[StoredBlock]]:
    """Blocks by label; by their own heading where they have none."""
    groups: dict[_Key, list[StoredBlock]] = defaultdict(list)
    for block in blocks:
        heading = block.passage.heading_path[-1].casefold() if block.passage.heading_path else ""
        groups[("label", label) if (label := block.passage.label) else ("heading", heading)].append(block)
    return groups


def _aligned(
    statements: Sequence[StoredBlock], solutions: Sequence[StoredBlock]
) -> Iterator[tuple[StoredBlock, StoredBlock]]:
    """The pairs in reading order that share the most words (longest common subsequence, weighted)."""
    worth = _worth(statements, solutions)
    best = [[0.0] * (len(solutions) + 1) for _ in range(len(statements) + 1)]
    for i in reversed(range(len(statements))):
        for j in reversed(range(len(solutions))):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + worth[i][j])
    i = j = 0
    while i < len(statements) and j < len(solutions):
        if worth[i][j] > 0 and best[i][j] == best[i + 1][j + 1] + worth[i][j]:
            yield statements[i], solutions[j]
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1


def _worth(statements: Sequence[StoredBlock], solutions: Sequence[StoredBlock]) -> list[list[float]]:
    """Share of each statement's words in each solution; 0 where the two cannot belong together."""
    labelled = bool(statements[0].passage.label)
    floor = IN_ORDER if labelled and len(statements) == len(solutions) else 0.0
    words = [set(tokenize(solution.passage.text)) for solution in solutions]
    rows = []
    for statement in statements:
        own = set(tokenize(statement.passage.text))
        shares = [len(own & other) / len(own) if own else 0.0 for other in words]
        rows.append([share + floor if labelled or share >= SAME_TEXT else 0.0 for share in shares])
    return rows
