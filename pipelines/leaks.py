"""Keeps the words of texts for staff alone out of answers, whatever the model that wrote them was told."""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from core.types import Passage, Question, Visibility
from pipelines.sentences import Unit, units

SHINGLE = 5
"""Tokens in a row that count as copied where a staff-only text has them in that order and no open text has."""
LEAK = 12
"""Copied tokens in one sentence, or in a row across sentences, that make a leak."""
WHOLE, WHOLE_WORDS = 6, 4
"""Tokens, and words among them, from which a whole secret sentence or line makes a leak, however short it is."""

SECRETS_KEPT = 1024
"""Staff-only texts whose tokens are kept in memory: the same ones are found again and again."""

_TOKEN = re.compile(r"\w+|[^\w\s.,;:!?\"'“”‘’]")
_MARKUP = re.compile(r"\[\d+\]|-{3,}|[`*_>#|\\]+|^[ \t]*(?:[-+]|\d+[.)])[ \t]", re.MULTILINE)
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_LABEL = re.compile(r"^\W*(solution|answer)s?\W*:\W*", re.IGNORECASE)
_Shingle = tuple[str, ...]


def staff_texts(passages: Iterable[Passage]) -> list[str]:
    """What in the passages is for staff alone."""
    texts = ((p.solution, p.text if p.visibility is Visibility.STAFF else "") for p in passages)
    return [text for pair in texts for text in pair if text]


def open_texts(question: Question, passages: Iterable[Passage]) -> list[str]:
    """What the student has written or may read anyway. Words of staff in the thread are among it."""
    own = (question.text, question.code or "", *question.images, *(message.body for message in question.thread))
    return [*own, *(passage.text for passage in passages if passage.visibility is Visibility.STUDENT)]


def without_leaks(markdown: str, secret: Sequence[str], known: Sequence[str]) -> tuple[str, int]:
    """The answer without the sentences and code that repeat a secret text, and how many were withheld.

    A sentence is withheld for `LEAK` tokens that stand in a secret text in that order and in no known text, or for a
    whole sentence or line of one. Letter case, spacing and Markdown do not matter. Words and operators are tokens, so
    that code counts like prose.
    """
    if not secret:
        return markdown, 0
    tokens = _tokens(markdown)
    answer, told = _joined(tokens), set(_shingles(tokens))
    copied = {shingle for text in secret for shingle in _shingles(_normal(text).split()) if shingle in told}
    repeated = {line for text in secret for line in _telling(text) if line in answer}
    if not copied and not repeated:
        return markdown, 0
    openly = [_tokens(text) for text in known]
    copied.difference_update(*map(_shingles, openly))
    whole = {line for line in repeated if not any(line in _joined(tokens) for tokens in openly)}
    parts = units(markdown)
    leaking = _with_shingles(parts, copied) | _with_lines(parts, whole)
    if not leaking:
        return markdown, 0
    kept = "".join(part.text for number, part in enumerate(parts) if number not in leaking)
    return re.sub(r"\n{3,}", "\n\n", kept).strip(), len(leaking)


@lru_cache(maxsize=SECRETS_KEPT)
def _normal(text: str) -> str:
    """The tokens of a secret text, joined."""
    return _joined(_tokens(text))


@lru_cache(maxsize=SECRETS_KEPT)
def _telling(text: str) -> frozenset[str]:
    """The sentences and lines of a secret text that tell something, the tokens of each joined."""
    lines = (line for unit in units(text) for line in unit.text.splitlines())
    return frozenset(_joined(tokens) for line in lines if _is_telling(tokens := _tokens(_LABEL.sub("", line))))


def _is_telling(tokens: Sequence[str]) -> bool:
    return len(tokens) >= WHOLE and sum(token[0].isalnum() for token in tokens) >= WHOLE_WORDS


def _with_lines(parts: Sequence[Unit], lines: set[str]) -> set[int]:
    """Numbers of the units that hold one of the lines whole."""
    joined = [_joined(_tokens(part.text)) for part in parts]
    return {number for number, text in enumerate(joined) if any(line in text for line in lines)}


def _with_shingles(parts: Sequence[Unit], secret: set[_Shingle]) -> set[int]:
    """Numbers of the units with too many copied tokens."""
    tokens = [(token, number) for number, part in enumerate(parts) for token in _tokens(part.text)]
    copied = [False] * len(tokens)
    for start in range(len(tokens) - SHINGLE + 1):
        if tuple(token for token, _ in tokens[start : start + SHINGLE]) in secret:
            copied[start : start + SHINGLE] = [True] * SHINGLE
    leaking: set[int] = set()
    for stretch in _stretches(copied):
        if len(stretch) >= LEAK:
            leaking |= {tokens[place][1] for place in stretch}
    counts = Counter(owner for flag, (_, owner) in zip(copied, tokens, strict=True) if flag)
    return leaking | {number for number, count in counts.items() if count >= LEAK}


def _stretches(copied: Sequence[bool]) -> Iterator[range]:
    start = 0
    for place, flag in enumerate([*copied, False]):
        if not flag:
            if place > start:
                yield range(start, place)
            start = place + 1


def _shingles(tokens: Sequence[str]) -> Iterator[_Shingle]:
    return zip(*(tokens[n:] for n in range(SHINGLE)), strict=False)


def _joined(tokens: Iterable[str]) -> str:
    """Tokens in a form in which whole ones are found."""
    return f" {' '.join(tokens)} "


def _tokens(text: str) -> list[str]:
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", html.unescape(text)))
    return _TOKEN.findall(_MARKUP.sub(" ", plain).casefold())
