"""Keeps the words of texts for staff alone out of answers, whatever the model that wrote them was told."""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from core.types import Passage, Question, Visibility
from pipelines.sentences import Unit, units

SHINGLE = 5
"""Tokens in a row that count as copied where a staff-only text has them in that order and no open text has."""
LEAK = 12
"""Copied tokens in one sentence, or in a row across sentences, that make a leak."""
WHOLE, WHOLE_WORDS = 6, 4
"""Tokens, and words among them, from which a whole secret sentence or line makes a leak, however short it is."""

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
    own = (question.text, question.code or "", *(message.body for message in question.thread))
    return [*own, *(passage.text for passage in passages if passage.visibility is Visibility.STUDENT)]


def without_leaks(markdown: str, secret: Sequence[str], known: Sequence[str]) -> tuple[str, int]:
    """The answer without the sentences and code that repeat a secret text, and how many were withheld.

    A sentence is withheld for `LEAK` tokens that stand in a secret text in that order and in no known text, or for a
    whole sentence or line of one. Letter case, spacing and Markdown do not matter. Words and operators are tokens, so
    that code counts like prose.
    """
    parts = units(markdown)
    leaking = (
        _copied(parts, _shingles(secret) - _shingles(known)) | _repeated(parts, secret, known) if secret else set()
    )
    kept = "".join(part.text for number, part in enumerate(parts) if number not in leaking)
    return re.sub(r"\n{3,}", "\n\n", kept).strip() if leaking else markdown, len(leaking)


def _repeated(parts: Sequence[Unit], secret: Sequence[str], known: Sequence[str]) -> set[int]:
    """Numbers of the units that hold a whole sentence or line of a secret text."""
    lines = {
        _joined(_LABEL.sub("", line)) for text in secret for unit in units(text) for line in unit.text.splitlines()
    }
    openly = " ".join(map(_joined, known))
    whole = [line for line in lines if _is_telling(line) and line not in openly]
    return {number for number, part in enumerate(parts) if any(line in _joined(part.text) for line in whole)}


def _joined(text: str) -> str:
    return f" {' '.join(_tokens(text))} "


def _is_telling(line: str) -> bool:
    tokens = line.split()
    return len(tokens) >= WHOLE and sum(token[0].isalnum() for token in tokens) >= WHOLE_WORDS


def _copied(parts: Sequence[Unit], secret: set[_Shingle]) -> set[int]:
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


def _shingles(texts: Iterable[str]) -> set[_Shingle]:
    found: set[_Shingle] = set()
    for text in texts:
        tokens = list(_tokens(text))
        found.update(tuple(tokens[start : start + SHINGLE]) for start in range(len(tokens) - SHINGLE + 1))
    return found


def _tokens(text: str) -> Iterator[str]:
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", html.unescape(text)))
    return (match.group() for match in _TOKEN.finditer(_MARKUP.sub(" ", plain).casefold()))
