"""Puts right the numbers of passages that a model mistook."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.types import Passage, Question, Visibility
from safeguards.audience import asker_texts
from safeguards.quotes import stands_in
from tasks import Quoted, Statement, WrittenAnswer
from tasks.writing import STUDENT

MIN_WORDS = 5
"""Of a quote whose number is put right, as many as are asked for: fewer stand anywhere by chance."""


def with_right_numbers(written: WrittenAnswer, shown: Sequence[Passage], question: Question) -> WrittenAnswer:
    """The answer in which each quote that stands elsewhere alone names the passage where it stands.

    Passages for staff are not searched: what they contain is not for the reader of a citation.
    """
    own = "\n\n".join(asker_texts(question))
    texts = {n: passage.text for n, passage in enumerate(shown, 1) if passage.visibility is Visibility.STUDENT}

    def number(source: Quoted) -> int:
        text = own if source.passage == STUDENT else _named_text(source.passage, shown)
        if len(re.findall(r"\w+", source.quote)) < MIN_WORDS or stands_in(source.quote, text):
            return source.passage
        return next((n for n, other in texts.items() if stands_in(source.quote, other)), source.passage)

    statements = tuple(_renumbered(one, [number(source) for source in one.sources]) for one in written.statements)
    return written if statements == written.statements else written.model_copy(update={"statements": statements})


def _named_text(number: int, shown: Sequence[Passage]) -> str:
    if not 1 <= number <= len(shown):
        return ""
    return "\n\n".join((shown[number - 1].text, shown[number - 1].solution or ""))


def _renumbered(statement: Statement, numbers: Sequence[int]) -> Statement:
    """With new numbers of its sources, also in its text where all quotes of a number moved to one other."""
    moved: dict[int, set[int]] = {}
    for source, number in zip(statement.sources, numbers, strict=True):
        moved.setdefault(source.passage, set()).add(number)
    text = re.sub(r"\[(\d{1,4})\]", lambda match: _reference(match, moved), statement.text)
    sources = tuple(
        source.model_copy(update={"passage": number}) for source, number in zip(statement.sources, numbers, strict=True)
    )
    return statement.model_copy(update={"sources": sources, "text": text})


def _reference(match: re.Match[str], moved: dict[int, set[int]]) -> str:
    targets = moved.get(int(match[1]), set())
    return f"[{next(iter(targets))}]" if len(targets) == 1 else match[0]
