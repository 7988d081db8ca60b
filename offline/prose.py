"""Tells prose from code, program output and verse, and splits it into sentences that stand alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.text.sentences import prose_sentences
from core.text.spans import split_at_verbatim

MAX_LEANING_CHARS = 300
MIN_PROSE, MAX_NUMBERS = 0.3, 0.4
"""Shares of plain words and of numbers in a prose sentence; code has fewer words, and program output more numbers."""
MIN_SENTENCE_WORDS = 4
"""Plain words of a whole sentence, which may have as many numbers as it likes ("Chapters 1 to 6, pages 3 to 9.")."""
MAX_VERSE = 60
_SENTENCE_END = re.compile(r"[.!?,;](?:\s|$)")
_SENTENCE = re.compile(r"[\"'“‘(*_]*[A-ZÀ-Þ].*[.!?][\"'”’)*_]*", re.DOTALL)
_LEANS = re.compile(r"(It|They|This|That|These|Those|He|She|Both|Neither|Otherwise|Then|So|But|However|Therefore)\b")
_PLAIN_WORD = re.compile(r"[\"'“‘(*_]*[^\W\d_]+(?:['’-][^\W\d_]+)*[\"'”’)*_.,;:!?…]*")
_PLAIN_NUMBER = re.compile(r"[-−+(]?\d[\d.,]*[%),.;:]*")


def sentences_of(paragraph: str) -> Iterator[str]:
    """The sentences of prose; one that refers to the sentence before it ("It covers ...") is joined to that one."""
    waiting = ""
    for sentence in [*prose_sentences(paragraph), ""]:
        if waiting and _LEANS.match(sentence) and len(waiting) < MAX_LEANING_CHARS and is_prose(sentence):
            waiting += f" {sentence}"
            continue
        if waiting:
            yield waiting
        waiting = sentence if is_prose(sentence) else ""


def is_prose(sentence: str) -> bool:
    """False for code and program output; marked code and formulas count for neither."""
    parts = unmarked(sentence).split()
    words, numbers = (sum(bool(kind.fullmatch(part)) for part in parts) for kind in (_PLAIN_WORD, _PLAIN_NUMBER))
    is_sentence = words >= MIN_SENTENCE_WORDS and _SENTENCE.fullmatch(sentence.strip()) is not None
    return words >= MIN_PROSE * len(parts) > 0 and (is_sentence or numbers <= MAX_NUMBERS * len(parts))


def is_verse(lines: Sequence[str]) -> bool:
    """True for short lines that no sentence joins, such as commands: their breaks carry meaning."""
    return len(lines) > 1 and all(len(line) <= MAX_VERSE and not _SENTENCE_END.search(line) for line in lines)


def unmarked(text: str) -> str:
    """What is neither marked as code nor as a formula."""
    return "".join(piece for piece, is_verbatim in split_at_verbatim(text) if not is_verbatim).strip()
