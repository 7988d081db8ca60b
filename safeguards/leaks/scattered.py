"""Finds the sentences of a secret text in an answer that tells them word by word: with other words strewn in between,
backwards, or spelt backwards.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Protocol

from safeguards.leaks.alignment import Positions, Tokens
from safeguards.leaks.work import Work

LIKELY = 0.6
"""Share of a sentence's tokens in an answer from which it is looked at more closely."""
ENOUGH = 0.8
"""Share of a sentence's tokens, in its order, from which it counts as reproduced."""
MIN_OWN = 6
"""Tokens absent from open texts that a sentence must have: the order of fewer may be chance."""
MIN_NAMED, MIN_NAME = 2, 3
"""Tokens of so many characters that must be among them: single letters and operators come in any order by chance."""
MIN_CLOSE, SPREAD = 12, 3
"""Tokens from which a sentence with fewer of them counts if it is reproduced within `SPREAD` times its length."""


class Sentences:
    """Sentences of a secret text, listed under their rarest tokens, so that few are looked at for an answer."""

    def __init__(self, sentences: Sequence[Tokens]) -> None:
        self._sentences = sentences
        counts = Counter(token for sentence in sentences for token in sentence)
        listed: defaultdict[str, list[int]] = defaultdict(list)
        for number, sentence in enumerate(sentences):
            for token in _rarest(sentence, counts):
                listed[token].append(number)
        self._listed: Mapping[str, Sequence[int]] = dict(listed)

    def likely(self, answer: Positions) -> Iterator[Tokens]:
        """Those of which the answer has `LIKELY` of the tokens."""
        shared = answer.words & self._listed.keys()
        for number in sorted(set[int]().union(*(self._listed[token] for token in shared))):
            sentence = self._sentences[number]
            if answer.count(sentence) >= LIKELY * len(sentence):
                yield sentence


class Known(Protocol):
    """What is no secret: texts, the words in them, and what the asker wrote in a row.

    Read only if a sentence is likely reproduced.
    """

    @property
    def positions(self) -> Sequence[Positions]: ...

    @property
    def words(self) -> frozenset[str]: ...

    def is_open(self, tokens: Tokens) -> bool: ...

    def repeated(self, tokens: Tokens) -> Set[int]: ...


def words_of_sentences(tokens: Tokens, secrets: Iterable[Sentences], known: Known, work: Work) -> set[str]:
    """The words of an answer that reproduce a whole secret sentence; words spelt backwards as well.

    Words of open texts do not count. Ends early where the work is used up.
    """
    if len(tokens) < LIKELY * MIN_OWN:
        return set()
    backwards = _reproducing(Positions([token[::-1] for token in tokens]), secrets, known, work)
    return _reproducing(Positions(tokens), secrets, known, work) | {word[::-1] for word in backwards}


def _reproducing(answer: Positions, secrets: Iterable[Sentences], known: Known, work: Work) -> set[str]:
    """The words that give sentences away which the answer tells."""
    telling: set[str] = set()
    for sentences in secrets:
        for sentence in sentences.likely(answer):
            if work.is_used_up:
                return telling
            found = _telling(sentence, answer, known, work)
            if found and not known.is_open(sentence):
                telling |= found
    return telling


def _telling(sentence: Tokens, answer: Positions, known: Known, work: Work) -> set[str]:
    """The words that give the sentence away; none where it is not told, or is no secret."""
    repeated = known.repeated(sentence)
    own = [token for n, token in enumerate(sentence) if token not in known.words and n not in repeated]
    named = sum(len(token) >= MIN_NAME for token in own)
    if len(own) >= MIN_OWN and named >= MIN_NAMED and answer.in_order(own, ENOUGH * len(own), work):
        return set(own)
    enough = ENOUGH * len(sentence)
    if len(sentence) < MIN_CLOSE or not answer.in_order(sentence, enough, work):
        return set()
    if len(repeated) >= enough or any(text.in_order(sentence, enough, work) for text in known.positions):
        return set()
    windows = answer.windows(sentence, SPREAD * len(sentence), enough, work)
    is_close = any(window.in_order(sentence, enough, work) for window in windows)
    return set(own) or set(sentence) if is_close else set()


def _rarest(sentence: Tokens, counts: Mapping[str, int]) -> Iterable[str]:
    """So many of the sentence's tokens that an answer with `LIKELY` of all has one of them; those rare in the text."""
    by_rarity = sorted(sentence, key=lambda token: (counts[token], -len(token)))
    return set(by_rarity[: len(sentence) - int(LIKELY * len(sentence)) + 1])
