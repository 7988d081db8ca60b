"""Finds the sentences of a secret text in an answer that tells them word by word: with other words strewn in between,
backwards, or spelt backwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

LIKELY = 0.6
"""Share of a sentence's tokens in an answer from which it is looked at more closely."""
ENOUGH = 0.8
"""Share of a sentence's tokens that make it told, where they come in its order."""
MIN_OWN = 6
"""Tokens that a sentence must have to itself: with fewer, their order may be chance."""
MIN_NAMED, MIN_NAME = 2, 3
"""Tokens of so many characters that must be among them: single letters and operators come in any order by chance."""
MIN_CLOSE, SPREAD = 12, 3
"""Tokens from which a sentence without so many of its own counts where it is told within `SPREAD` times its length."""

Tokens = Sequence[str]


class HasTokens(Protocol):
    """A text taken apart."""

    @property
    def tokens(self) -> Tokens: ...


class Known(Protocol):
    """What is no secret: texts, and the words in them. Looked at only if a sentence is likely told."""

    @property
    def texts(self) -> Sequence[HasTokens]: ...

    @property
    def words(self) -> frozenset[str]: ...


def scattered(parts: Sequence[Tokens], secret: Iterable[Tokens], known: Known) -> set[int]:
    """Numbers of the parts of an answer in which the words of a secret sentence stand, if it is told in the whole.

    A word is the sentence's own where it is not known.
    """
    leaking: set[int] = set()
    for units in (parts, [[token[::-1] for token in part] for part in parts]):
        answer = [token for part in units for token in part]
        words = frozenset(answer)
        for sentence in secret if len(answer) >= LIKELY * MIN_OWN else ():
            if sum(map(words.__contains__, sentence)) >= LIKELY * len(sentence):
                telling = _telling(sentence, answer, words, known)
                leaking |= {number for number, part in enumerate(units) if not telling.isdisjoint(part)}
    return leaking


def _telling(sentence: Tokens, answer: Tokens, words: frozenset[str], known: Known) -> set[str]:
    """The words that give the sentence away; none where it is not told, or is no secret."""
    own = [token for token in sentence if token not in known.words]
    named = sum(len(token) >= MIN_NAME for token in own)
    if len(own) >= MIN_OWN and named >= MIN_NAMED and _is_told(own, answer, words):
        return set(own)
    enough = ENOUGH * len(sentence)
    if len(sentence) < MIN_CLOSE or not _is_told(sentence, answer, words):
        return set()
    if any(_in_order(sentence, text.tokens) >= enough for text in known.texts):
        return set()
    close = any(_in_order(sentence, window) >= enough for window in _windows(answer, SPREAD * len(sentence)))
    return set(own) or set(sentence) if close else set()


def _is_told(sentence: Tokens, answer: Tokens, words: frozenset[str]) -> bool:
    """True where enough of the sentence stands in the answer in order; words are counted first, which is quicker."""
    enough = ENOUGH * len(sentence)
    return sum(map(words.__contains__, sentence)) >= enough and _in_order(sentence, answer) >= enough


def _windows(answer: Tokens, size: int) -> Iterator[Tokens]:
    step = max(size // 4, 1)
    return (answer[start : start + size] for start in range(0, max(len(answer) - size, 0) + step, step))


def _in_order(sentence: Tokens, text: Tokens) -> int:
    """How many of the sentence's tokens stand in the text in their order, or in the reverse one."""
    return max(_longest_common(sentence, text), _longest_common(sentence[::-1], text))


def _longest_common(one: Tokens, other: Tokens) -> int:
    """Length of the longest common subsequence, a machine word at a time (Crochemore et al. 2001, Hyyrö 2004)."""
    positions: dict[str, int] = {}
    for position, token in enumerate(one):
        positions[token] = positions.get(token, 0) | 1 << position
    every = (1 << len(one)) - 1
    free = every
    for token in other:
        here = free & positions.get(token, 0)
        free = ((free + here) | (free - here)) & every
    return len(one) - free.bit_count()
