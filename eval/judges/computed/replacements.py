"""Whether a word of the reference seems to have been replaced by another one."""

from __future__ import annotations

from collections.abc import Collection

from eval.judges.computed.reading import Reading, read
from eval.judges.computed.vectors import vectors, word_similarities

REACH = 3
"""Words on each side that surround a word."""
MAX_WORDS = 25
"""Words that are compared on each side; the rest of a longer text is not."""


def replaced(asked: Reading, wanted: Reading, given: Reading) -> float:
    """How much a word that only the answer has stands where the reference has another one, from 0 to 1.

    The greatest product, over pairs of such words, of how alike their surroundings are (cosine) and how different the
    words are. Any other wording gives some; a wrong term in an answer that is otherwise right gives more.
    """
    missing = _surrounded(wanted, given.content)
    foreign = _surrounded(given, {*asked.content, *wanted.content})
    if not missing or not foreign:
        return 0.0
    (old, around_old), (new, around_new) = zip(*missing, strict=True), zip(*foreign, strict=True)
    alike = vectors(around_old) @ vectors(around_new).T
    return max(0.0, float((alike * (1 - word_similarities(old, new))).max()))


def _surrounded(text: Reading, known: Collection[str]) -> list[tuple[str, str]]:
    """The text's content words that are not known, each with what surrounds it."""
    words = text.text.split()
    found = []
    for position, word in enumerate(words):
        content = read(word).content
        if content and not set(content) & set(known):
            around = (*words[max(0, position - REACH) : position], *words[position + 1 : position + 1 + REACH])
            found.append((word, " ".join(around)))
    return found[:MAX_WORDS]
