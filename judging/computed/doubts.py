"""What keeps a computed judge from accepting an answer: a difference to the reference whose meaning it cannot tell.

Similarity does not notice one wrong word, a negation or words in disorder. A doubt does not lower a score: an answer
that would be accepted is left unscored instead.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

from judging.computed.disagreements import alters
from judging.computed.reading import FUNCTION_WORDS, WordReading, read
from judging.computed.vectors import rarity, word_similarities
from judging.computed.word_order import breaks, exchange_gain, naturalness

UNEXPLAINED = 0.66
"""Weight from which a word that neither question nor reference explains is in doubt. Of the terms swapped in candidate
answers 8 % weigh less, in those of students fewer (`eval/fitting/judges.py` prints the weight by course)."""
ORDERED = 2 / 3
"""Naturalness, two standard deviations: random orders reach it in 2 to 8 % of answers."""
EXCHANGED = 0.5
"""Gain in log-likelihood from which two terms seem to stand in each other's place."""
CACHED = 4_096


class AcceptanceDoubt(StrEnum):
    """The reason of an unscored answer."""

    WORD = "it has a word that neither question nor reference explains"
    NEGATION = "it does not negate as often as the reference"
    COPY = "one of its sentences repeats the reference with something else in it"
    NUMBER = "it has a number that neither question nor reference has"
    ORDER = "its words are in an unusual order"
    STATEMENT = "one of its statements seems to contradict the passages"
    ROLES = "two of its terms may have changed places"


@lru_cache(CACHED)
def doubts(question: str, reference: str, answer: str, explained: float = UNEXPLAINED) -> tuple[AcceptanceDoubt, ...]:
    """Every doubt about the answer; `explained` is the greatest weight of a word that is in none. CPU-bound: a few
    milliseconds."""
    asked, wanted, given = read(question), read(reference), read(answer)
    differences = {
        AcceptanceDoubt.WORD: unexplained(asked, wanted, given) > explained,
        AcceptanceDoubt.NEGATION: given.negations != wanted.negations,
        AcceptanceDoubt.COPY: any(alters(sentence, wanted) for sentence in given.sentences),
        AcceptanceDoubt.NUMBER: not given.numbers <= asked.numbers | wanted.numbers,
        AcceptanceDoubt.ORDER: breaks(given.text) > 0 or naturalness(given.text, asked.text, wanted.text) < ORDERED,
        AcceptanceDoubt.ROLES: _exchange_gain(asked, wanted, given) > EXCHANGED,
    }
    return tuple(doubt for doubt, differs in differences.items() if differs)


def unexplained(asked: WordReading, wanted: WordReading, given: WordReading) -> float:
    """How unlike all words of question and reference a word is, times how rare it is; the greatest, from 0 to 1."""
    own, known = _content_words(given), list(dict.fromkeys((*_content_words(wanted), *_content_words(asked))))
    if not own or not known:
        return 0.0
    nearest = word_similarities(own, known).max(1)
    return max(float(1 - similarity) * rarity(word) for word, similarity in zip(own, nearest, strict=True))


def _exchange_gain(asked: WordReading, wanted: WordReading, given: WordReading) -> float:
    shared = set(_content_words(wanted)) & set(_content_words(given))
    return exchange_gain(given.text, shared, asked.text, wanted.text)


def _content_words(text: WordReading) -> list[str]:
    return list(dict.fromkeys(word for word, stem in text.words if stem not in FUNCTION_WORDS))
