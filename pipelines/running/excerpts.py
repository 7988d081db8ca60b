"""What a writer is sent of the passages found: the parts of each that are nearest to the question (decision 0071)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence, Set
from functools import lru_cache
from itertools import pairwise
from math import fsum, log

from core.concurrency import in_thread_if
from core.types import Passage, Question
from posts.query import asked_text, search_query
from retrievers.dates import DATE, asks_when, dated_terms
from retrievers.terms import question_terms

TOTAL_CHARS = 5_400
"""Of all texts together."""
TEXT_CHARS = 1_800
"""Of the text of the passage that matches best; the others get less, by the square of how much worse they match."""
MIN_SHARE = 0.4
"""Of the best match, below which a passage is left out."""
SHORT_CHARS = 700
"""A text of at most this is not cut, if its passage is not left out: a rule without its exception misleads."""
MIN_CHARS = 150
"""A longer text is left out rather than cut below this."""
PIECE_CHARS = 400
"""A longer line is cut at the end of a sentence."""
QUICK_CHARS = 5_000
"""Of texts whose terms are found in no more time than a change of threads takes under load."""
MAX_PIECES = 300
"""Of one text."""
NEIGHBOUR_WEIGHT = 0.2
"""Share of the worth of the lines before and after that a line has too."""
REPEATED_TERM = 0.3
"""Factor of a term's weight once a line has it."""
ADJACENT_GAIN = 0.5
"""Added to a line beside one that is shown."""
MIN_REPEATED_CHARS = 12
"""Shorter lines of a solution may repeat its task: a closing bracket, an import."""
CACHED_TEXTS = 5_000
GAP = "[...]\n"
_LINE = re.compile(r"[^\n]+\n*|\n+")

Weights = Mapping[str, float]


def excerpts(
    passages: Sequence[Passage],
    question: Question,
    queries: Collection[str],
    whole: Collection[str] = (),
    room: int = TOTAL_CHARS,
) -> tuple[Passage, ...]:
    """The passages, each shortened; one that is left out has no text, so that numbers stay.

    The better a passage matches its query, the more of it is shown. `queries` are what was searched for, `whole` the
    ids of passages that count like the best. A solution is shown without the lines that repeat its task.
    """
    weights = _term_weights(passages, question, queries)
    matches = [_match(passage) for passage in passages]
    best = max(matches, default=1.0) or 1.0
    left = min(TOTAL_CHARS, room)
    shortened: list[Passage] = []
    for passage, match in zip(passages, matches, strict=True):
        share = 1.0 if passage.block_id in whole else match / best
        most = int(TEXT_CHARS * share**2) if share >= MIN_SHARE else 0
        text = excerpt(passage.text, weights, min(max(most, SHORT_CHARS) if most else 0, left))
        left -= len(text)
        solution = excerpt(_without_task(passage), weights, min(most // 2, left))
        left -= len(solution)
        shortened.append(passage.model_copy(update={"text": text, "solution": solution}))
    return tuple(shortened)


async def read_terms(passages: Sequence[Passage]) -> None:
    """Look the terms of texts up ahead, of long ones in a thread: about 2 ms for 1,000 characters."""
    texts = [text for passage in passages for text in (passage.text, passage.solution) if text]
    await in_thread_if(sum(map(len, texts)) > QUICK_CHARS, lambda: [_terms(text) for text in texts])


def excerpt(text: str, weights: Weights, room: int) -> str:
    """The text, or the lines of it that have most of the terms, in order, with the first one; empty without room."""
    if len(text) <= room:
        return text
    if room < MIN_CHARS:
        return ""
    pieces = _pieces(text)
    chosen = _nearest(pieces, [own & weights.keys() for own in _terms(text)], weights, room)
    if not chosen:
        return text[:room]
    parts = [GAP * (number > last + 1) + pieces[number] for last, number in pairwise([-1, *sorted(chosen)])]
    return "".join(parts).rstrip()


def _nearest(pieces: Sequence[str], terms: Sequence[Set[str]], weights: Weights, room: int) -> set[int]:
    """The numbers of the pieces that add most, each in turn, until no further one fits; a row with its table's head."""
    # Sums that do not depend on the order of a set, which differs between processes: prompts are repeatable.
    worths = [fsum(weights[term] for term in own) for own in terms]
    around = [NEIGHBOUR_WEIGHT * sum(worths[max(n - 1, 0) : n] + worths[n + 1 : n + 2]) for n in range(len(pieces))]
    left = dict(weights)
    heads = _table_heads(pieces)
    # The first line says what the text is about.
    chosen = {0} if len(pieces[0]) <= room else set[int]()
    room -= sum(len(pieces[number]) for number in chosen)
    while True:
        sizes = {n: sum(len(pieces[m]) for m in {n, *heads[n]} - chosen) for n in range(len(pieces)) if n not in chosen}
        gains = {
            n: fsum(left[term] for term in terms[n]) + around[n] + ADJACENT_GAIN * bool({n - 1, n + 1} & chosen)
            for n, size in sizes.items()
            if size <= room
        }
        best = max(gains, key=lambda n: gains[n], default=None)
        if best is None or not gains[best]:
            return chosen
        chosen |= {best, *heads[best]}
        room -= sizes[best]
        left |= {term: REPEATED_TERM * left[term] for term in terms[best]}


def _table_heads(pieces: Sequence[str]) -> list[tuple[int, ...]]:
    """For each piece the numbers of the two that head its Markdown table; none for one outside of tables."""
    heads: list[tuple[int, ...]] = []
    first = -1
    for number, piece in enumerate(pieces):
        is_row = piece.lstrip().startswith("|")
        if not is_row:
            first = -1
        elif first < 0:
            first = number
        heads.append((first, first + 1) if first >= 0 and number > first + 1 else ())
    return heads


@lru_cache(CACHED_TEXTS)
def _terms(text: str) -> tuple[frozenset[str], ...]:
    """The terms of each piece of a text, of which the same ones are found again and again."""
    return tuple(map(dated_terms, _pieces(text)))


def _pieces(text: str) -> list[str]:
    """Lines, long ones cut at the end of a sentence, or between words."""
    pieces: list[str] = []
    for line in _LINE.findall(text):
        rest: str = line
        while len(rest) > PIECE_CHARS:
            end = rest.rfind(". ", PIECE_CHARS // 4, PIECE_CHARS) + 2
            if end < 2:
                end = rest.rfind(" ", PIECE_CHARS // 4, PIECE_CHARS) + 1 or PIECE_CHARS
            pieces.append(rest[:end])
            rest = rest[end:]
        pieces.append(rest)
    # Each one that is chosen costs a look at all: neighbours of very many are one.
    size = -(-len(pieces) // MAX_PIECES)
    return pieces if size <= 1 else ["".join(pieces[start : start + size]) for start in range(0, len(pieces), size)]


def _term_weights(passages: Sequence[Passage], question: Question, queries: Collection[str]) -> Weights:
    """The terms of the question and of the queries; those in few of the passages weigh most."""
    terms = question_terms(" ".join((search_query(question), *queries)))
    terms |= {DATE} if asks_when(asked_text(question)) else set()
    known = [frozenset().union(*_terms(passage.text)) for passage in passages]
    return {term: 1 + log((1 + len(known)) / (1 + sum(term in own for own in known))) for term in terms}


def _match(passage: Passage) -> float:
    """How well a passage matches its query; 1 from a retriever that does not say."""
    return 1.0 if passage.match is None else max(passage.match.words + passage.match.meaning, 0.0)


def _without_task(passage: Passage) -> str:
    """The solution without the lines that its task has too."""
    task = {line.strip() for line in passage.text.splitlines()}
    lines = passage.solution.splitlines(keepends=True)
    return "".join(line for line in lines if len(line.strip()) < MIN_REPEATED_CHARS or line.strip() not in task)
