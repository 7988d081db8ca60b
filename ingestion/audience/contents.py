"""Finds solutions by content: a file that repeats the questions of another and adds text behind them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from pathlib import PurePath

from ingestion.naming.names import is_starter
from ingestion.questions.statements import asks
from ingestion.solutions.stubs import is_code_stub, is_placeholder

SHINGLE = 3
"""Words in a row by which a passage is known again."""
MIN_QUESTION_WORDS, MIN_WORDS_OF_ONE = 6, 20
"""Of a question that counts; of one that is the only one of its sheet."""
SAME_QUESTION, MOST_QUESTIONS = 0.7, 0.6
"""Shares of a question, and of a sheet's questions, that its solution repeats."""
MIN_ANSWER_WORDS = 10
MIN_ANSWERS, MIN_ADDED = 0.5, 0.3
"""For each question repeated, answers behind it; for each word of the sheet, words of those."""
MAX_LEAD, BEGUN_WORDS = 0.3, 8
"""The share of a solution that may stand before the sheet begins in it: what many sheets end with is no sheet."""
MIN_PARTS, MOST_ASK = 2, 0.5
"""Answers that stand alone; the share of a sheet's parts that ask something."""
SOME_WORDS, SOME_OF_QUESTION, MOST_TOUCHED = 8, 0.3, 0.5
"""A solution has few questions that its sheet does not have."""

_FORMULA = re.compile(
    r"\$\$.*?\$\$|\$[^$\n]*\$|\\\[.*?\\\]|\\\(.*?\\\)"
    r"|\\begin\{(equation|align|eqnarray|gather|multline|displaymath|math)\*?\}.*?\\end\{\1\*?\}",
    re.DOTALL,
)
FORMULA = " FORMULA FORMULA "
"""Counts for two words: two formats of one sheet write a formula in many ways."""
_FENCE = re.compile(r"^(`{3,}|~{3,})(?P<info>[^\n]*)\n(?P<code>.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True)
class AssignmentFile:
    """A file of an assignment."""

    document_id: str
    name: str
    pair: str | None
    blocks: Sequence[tuple[str, str, str]] = field(repr=False)
    """Its blocks in order: label, or nothing, text as students see it, and solution."""

    @cached_property
    def questions(self) -> list[frozenset[int]]:
        """The shingles of each question, or of each block."""
        texts = [text for label, text, _ in self.blocks if label] or [text for _, text, _ in self.blocks]
        words = [_words(text, code=True) for text in texts]
        least = MIN_QUESTION_WORDS if len(words) > 1 else MIN_WORDS_OF_ONE
        return [frozenset(_shingles(question)) for question in words if len(question) >= least]

    @cached_property
    def asking(self) -> Sequence[bool]:
        """For each numbered part that holds more than a place for an answer, whether it asks something."""
        parts = (text for label, text, _ in self.blocks if label)
        return [asks(part) for part in parts if len(_words(part, code=True)) >= MIN_ANSWER_WORDS]

    @cached_property
    def holds_answers_alone(self) -> bool:
        return len(self.asking) >= MIN_PARTS and not any(asks(text) for _, text, _ in self.blocks)

    @cached_property
    def with_code(self) -> list[int]:
        return self._stream(code=True)

    @cached_property
    def prose(self) -> list[int]:
        return self._stream(code=False)

    def _stream(self, *, code: bool) -> list[int]:
        texts = (part for _, text, solution in self.blocks for part in (text, solution) if part)
        return list(_shingles([word for text in texts for word in _words(text, code=code)]))

    @cached_property
    def shingles(self) -> frozenset[int]:
        return frozenset(self.with_code)

    @cached_property
    def is_starter(self) -> bool:
        return is_starter(self.name)


def solves(solution: AssignmentFile, sheet: AssignmentFile) -> float:
    """The share of the sheet's questions that a file repeats and answers; 0 if it is no solution."""
    count = len(sheet.questions)
    if solution.is_starter or not count or solution.document_id == sheet.document_id:
        return 0.0
    repeated = 0
    for number, question in enumerate(sheet.questions, start=1):
        repeated += len(question & solution.shingles) >= SAME_QUESTION * len(question)
        if repeated + count - number < MOST_QUESTIONS * count:
            return 0.0
    # Two forms of one sheet: a notebook has given code where the printed one has none.
    own = solution.prose if solution.pair == sheet.pair else solution.with_code
    is_answered = _is_of(sheet, solution) and _has_answers(own, sheet.shingles, repeated, len(sheet.with_code))
    return repeated / count if is_answered else 0.0


def share_in(solution: AssignmentFile, sheet: AssignmentFile) -> float:
    """The share of the sheet's passages that a file has."""
    return len(sheet.shingles & solution.shingles) / len(sheet.shingles) if sheet.shingles else 0.0


def answers_alone(work: AssignmentFile, sheet: AssignmentFile) -> bool:
    """Whether a file that asks nothing has numbered parts, beside a sheet in the same folder whose parts ask."""
    is_beside = PurePath(work.name).parent == PurePath(sheet.name).parent
    return is_beside and work.holds_answers_alone and sum(sheet.asking) > MOST_ASK * len(sheet.asking)


def _is_of(sheet: AssignmentFile, solution: AssignmentFile) -> bool:
    touched = sum(
        len(question & sheet.shingles) >= min(SOME_WORDS, SOME_OF_QUESTION * len(question))
        for question in solution.questions
    )
    return touched >= MOST_TOUCHED * len(solution.questions)


def _has_answers(own: Sequence[int], sheet: frozenset[int], questions: int, sheet_words: int) -> bool:
    runs = [(is_sheets, len(list(run))) for is_sheets, run in groupby(own, sheet.__contains__)]
    begun = next((n for n, (is_sheets, length) in enumerate(runs) if is_sheets and length >= BEGUN_WORDS), None)
    if begun is None or sum(length for _, length in runs[:begun]) > MAX_LEAD * len(own):
        return False
    added = [length for is_sheets, length in runs[begun:] if not is_sheets]
    answers = sum(length >= MIN_ANSWER_WORDS + SHINGLE - 1 for length in added)
    return answers >= MIN_ANSWERS * questions and sum(added) >= MIN_ADDED * sheet_words


def _words(text: str, *, code: bool) -> list[str]:
    def replace_fence(match: re.Match[str]) -> str:
        return "" if not code or is_code_stub(match["code"]) else match["code"]

    lines = _FENCE.sub(replace_fence, text).split("\n")
    filled = "\n".join(line for line in lines if not is_placeholder(line))
    return _WORD.findall(_FORMULA.sub(FORMULA, filled).casefold())


def _shingles(words: Sequence[str]) -> Iterator[int]:
    return (hash(tuple(words[n : n + SHINGLE])) for n in range(len(words) - SHINGLE + 1))
